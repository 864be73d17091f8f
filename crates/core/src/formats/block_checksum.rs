//! A checksum that several threads can take: of the checksums of blocks.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::safetensors::Header;

/// The bytes of a block; all but the last have as many.
pub(crate) const CHECKED_BLOCK: usize = 1 << 18;

/// How the checksum of blocks begins in the header.
const OF_BLOCKS: &str = "xxh3-256k:";

/// The checksum while it is taken.
#[derive(Default)]
pub(crate) struct BlockChecksum {
    block: Xxh3,
    filled: usize,
    blocks: Xxh3,
}

impl BlockChecksum {
    /// Takes in what comes next.
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (some, rest) = bytes.split_at(bytes.len().min(CHECKED_BLOCK - self.filled));
            self.block.update(some);
            (self.filled, bytes) = (self.filled + some.len(), rest);
            if self.filled == CHECKED_BLOCK {
                self.end_block();
            }
        }
    }

    /// Takes in a whole block by its checksum, from [`checksum_of_block`].
    pub(crate) fn add_block(&mut self, checksum: u64) {
        self.blocks.update(&checksum.to_le_bytes());
    }

    fn end_block(&mut self) {
        let checksum = self.block.digest();
        self.add_block(checksum);
        self.block.reset();
        self.filled = 0;
    }

    /// As the header holds it.
    pub(crate) fn text(mut self) -> String {
        if self.filled > 0 {
            self.end_block();
        }
        format!("{OF_BLOCKS}{:016x}", self.blocks.digest())
    }
}

/// The checksum of one block.
pub(crate) fn checksum_of_block(block: &[u8]) -> u64 {
    xxh3_64(block)
}

impl Header {
    /// Whether the checksum is one of blocks.
    pub(crate) fn is_checked_by_blocks(&self) -> bool {
        self.metadata("checksum").is_some_and(|checksum| checksum.starts_with(OF_BLOCKS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_blocks_give_the_same() {
        let bytes: Vec<u8> =
            (0..3 * CHECKED_BLOCK + 7).map(|place| (place * place % 251) as u8).collect();
        for length in [0, 1, CHECKED_BLOCK - 1, CHECKED_BLOCK, CHECKED_BLOCK + 1, bytes.len()] {
            let bytes = &bytes[..length];
            let mut by_block = BlockChecksum::default();
            for block in bytes.chunks(CHECKED_BLOCK) {
                by_block.add_block(checksum_of_block(block));
            }
            let expected = by_block.text();
            for part in [1 << 10, CHECKED_BLOCK, 300_001] {
                let mut streamed = BlockChecksum::default();
                bytes.chunks(part).for_each(|part| streamed.update(part));
                assert_eq!(streamed.text(), expected, "{length} {part}");
            }
        }
    }
}
