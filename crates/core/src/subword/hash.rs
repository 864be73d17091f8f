//! The hashes by which other programs number n-grams.

/// fastText's: FNV-1a of 32 bits, with each byte extended by its sign.
///
/// The sign is an accident of the original program, kept by all that read its models.
pub fn fasttext(ngram: &[u8]) -> u32 {
    ngram
        .iter()
        .fold(2_166_136_261, |hash, &byte| (hash ^ (byte as i8) as u32).wrapping_mul(16_777_619))
}

/// finalfusion's: FNV-1a of 64 bits over the number of characters and then each as four bytes.
pub fn finalfusion(ngram: &str) -> u64 {
    let length = (ngram.chars().count() as u64).to_le_bytes();
    let characters = ngram.chars().flat_map(|character| (character as u32).to_le_bytes());
    length.into_iter().chain(characters).fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// floret's: `MurmurHash3` of 128 bits (the variant for 64-bit processors), as four numbers.
pub fn floret(ngram: &[u8], seed: u32) -> [u32; 4] {
    let (low, high) = murmur3(ngram, seed);
    [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32]
}

const FIRST: u64 = 0x87C3_7B91_1142_53D5;
const SECOND: u64 = 0x4CF5_AD43_2745_937F;

fn murmur3(bytes: &[u8], seed: u32) -> (u64, u64) {
    let (mut low, mut high) = (u64::from(seed), u64::from(seed));
    let (blocks, rest) = bytes.as_chunks::<16>();
    for block in blocks {
        let (first, second) = halves(*block);
        low ^= scramble_first(first);
        low = low.rotate_left(27).wrapping_add(high).wrapping_mul(5).wrapping_add(0x52DC_E729);
        high ^= scramble_second(second);
        high = high.rotate_left(31).wrapping_add(low).wrapping_mul(5).wrapping_add(0x3849_5AB5);
    }
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    // Zeros scramble to zero, so a short rest needs no case of its own.
    let (first, second) = halves(last);
    high ^= scramble_second(second);
    low ^= scramble_first(first);
    let length = bytes.len() as u64;
    low ^= length;
    high ^= length;
    low = low.wrapping_add(high);
    high = high.wrapping_add(low);
    low = finish(low);
    high = finish(high);
    low = low.wrapping_add(high);
    (low, high.wrapping_add(low))
}

fn halves(block: [u8; 16]) -> (u64, u64) {
    let whole = u128::from_le_bytes(block);
    (whole as u64, (whole >> 64) as u64)
}

fn scramble_first(half: u64) -> u64 {
    half.wrapping_mul(FIRST).rotate_left(31).wrapping_mul(SECOND)
}

fn scramble_second(half: u64) -> u64 {
    half.wrapping_mul(SECOND).rotate_left(33).wrapping_mul(FIRST)
}

fn finish(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_their_owners() {
        // From fastText 0.9.2 and floret 0.10.5, over 4,000 buckets.
        assert_eq!(fasttext(b"<th") % 4000, 5574 - 2423);
        assert_eq!(fasttext(b"<the>") % 4000, 3383 - 2423);
        assert_eq!(fasttext("é".as_bytes()), 0x3CFA_68C1);
        let buckets = |ngram: &[u8]| floret(ngram, 2_166_136_261).map(|hash| hash % 4000);
        assert_eq!(buckets(b"<the>")[..2], [3761 - 2423, 5601 - 2423]);
        assert_eq!(buckets(b"<king>")[..2], [5497 - 2423, 4055 - 2423]);
        assert_eq!(buckets("<unbelievableness>".as_bytes())[..2], [2540 - 2423, 5573 - 2423]);
        assert_eq!(buckets("<москва>".as_bytes())[..2], [4443 - 2423, 4899 - 2423]);
        // From finalfusion 0.7.1, over 2^21 buckets.
        assert_eq!(finalfusion("her") % (1 << 21), 371_289);
        assert_eq!(finalfusion("<日本") % (1 << 21), 1_939_817);
    }
}
