//! A short run of every target on damaged copies of good inputs, the same each time.

use std::path::Path;

use textgrain_fuzz::{TARGETS, ranks};

/// Damaged copies of each seed; `make fuzz` tries millions.
const ROUNDS: u64 = 60;

/// Numbers that look random and are the same everywhere (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

fn damage(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len());
        match numbers.below(6) {
            0 => bytes.truncate(at),
            1 if !bytes.is_empty() => bytes[at] ^= 1 << numbers.below(8),
            2 if !bytes.is_empty() => {
                bytes[at] = [0, 0xFF, b'-', b'9', b' ', b'"'][numbers.below(6)];
            }
            3 => bytes.insert(at, numbers.below(256) as u8),
            4 => {
                let end = (at + numbers.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + numbers.below(40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = numbers.below(bytes.len());
                bytes.splice(to..to, copy);
            }
        }
    }
    bytes
}

/// The good inputs: all files below `seeds/`, and a rank file.
fn seeds() -> std::io::Result<Vec<Vec<u8>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let entries: Result<Vec<_>, _> = folder.read_dir()?.collect();
    let mut paths: Vec<_> = entries?.iter().map(std::fs::DirEntry::path).collect();
    paths.sort();
    let mut seeds = paths.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>()?;
    seeds.push(ranks().into_bytes());
    Ok(seeds)
}

#[test]
fn nothing_panics_on_damaged_inputs() {
    let seeds = seeds().expect("the seeds are there");
    for (_, target) in TARGETS {
        for (number, seed) in seeds.iter().enumerate() {
            target(seed);
            let mut numbers = Numbers(number as u64);
            for _ in 0..ROUNDS {
                target(&damage(seed, &mut numbers));
            }
        }
    }
}
