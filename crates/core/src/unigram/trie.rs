//! All tokens in one tree of bytes, laid out as a double array: a child is found by one look.
//!
//! The unit of a child lies at the base of its parent xor its byte, and names its parent, so that units of
//! different parents cannot be confused. The children of one parent lie in one block of 256 units.

/// Marks a node where no token ends.
const NO_VALUE: u32 = u32::MAX;
/// The parent of a unit that is not in use.
const FREE: u32 = u32::MAX;
/// Blocks that are looked through for a place; older ones are nearly full.
const OPEN_BLOCKS: usize = 24;

#[derive(Clone, Copy, Debug)]
struct Unit {
    parent: u32,
    base: u32,
    value: u32,
}

const UNUSED: Unit = Unit { parent: FREE, base: 0, value: NO_VALUE };

/// Maps byte strings to numbers and finds all that a text begins with.
#[derive(Clone, Debug)]
pub struct Trie {
    units: Vec<Unit>,
}

/// A place in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(u32);

impl Node {
    /// Where every search begins.
    pub const ROOT: Self = Self(0);
}

impl Trie {
    /// Of equal keys the last counts. Values must be below `u32::MAX`; empty keys are left out.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a [u8], u32)>) -> Self {
        let mut entries: Vec<_> = entries.into_iter().filter(|(key, _)| !key.is_empty()).collect();
        entries.sort_by_key(|&(key, _)| key);
        entries.reverse();
        entries.dedup_by_key(|(key, _)| *key);
        entries.reverse();
        let mut builder = Builder { units: vec![UNUSED; 256], open: vec![0] };
        // The root is nobody's child, and its unit must not be given away.
        builder.units[0].parent = 0;
        let mut todo = vec![(0, 0, entries.len(), 0)];
        while let Some((node, from, to, depth)) = todo.pop() {
            let entries = &entries[from..to];
            let mut start = 0;
            if entries.first().is_some_and(|(key, _)| key.len() == depth) {
                builder.units[node as usize].value = entries[0].1;
                start = 1;
            }
            let mut children = Vec::new();
            for group in entries[start..].chunk_by(|(one, _), (two, _)| one[depth] == two[depth]) {
                children.push((group[0].0[depth], group.len()));
            }
            if children.is_empty() {
                continue;
            }
            let base = builder.place(node, &children);
            let mut at = from + start;
            for (byte, count) in children {
                todo.push((base ^ u32::from(byte), at, at + count, depth + 1));
                at += count;
            }
        }
        Self { units: builder.units }
    }

    /// The child of a node for this byte.
    #[inline]
    pub fn child(&self, node: Node, byte: u8) -> Option<Node> {
        let place = self.units[node.0 as usize].base ^ u32::from(byte);
        let unit = self.units[place as usize];
        (unit.parent == node.0 && place != 0).then_some(Node(place))
    }

    /// The value of the key that ends here.
    #[inline]
    pub fn value(&self, node: Node) -> Option<u32> {
        let value = self.units[node.0 as usize].value;
        (value != NO_VALUE).then_some(value)
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<u32> {
        let node = key.iter().try_fold(Node::ROOT, |node, &byte| self.child(node, byte))?;
        self.value(node)
    }

    /// The keys that `text` begins with: length and value, the shortest first.
    #[inline]
    pub fn prefixes<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = (usize, u32)> + 'a {
        let (mut node, mut length) = (Node::ROOT, 0);
        std::iter::from_fn(move || {
            loop {
                node = self.child(node, *text.get(length)?)?;
                length += 1;
                if let Some(value) = self.value(node) {
                    return Some((length, value));
                }
            }
        })
    }
}

struct Builder {
    units: Vec<Unit>,
    /// Blocks with free units.
    open: Vec<usize>,
}

impl Builder {
    /// Finds room for the children of a node and gives it to them.
    fn place(&mut self, node: u32, children: &[(u8, usize)]) -> u32 {
        let base = self.open.iter().rev().find_map(|&block| self.base_in(block, children));
        let base = base.unwrap_or_else(|| {
            let block = self.units.len() / 256;
            self.units.resize(self.units.len() + 256, UNUSED);
            self.open.push(block);
            if self.open.len() > OPEN_BLOCKS {
                self.open.remove(0);
            }
            (block * 256) as u32
        });
        self.units[node as usize].base = base;
        for &(byte, _) in children {
            self.units[(base ^ u32::from(byte)) as usize].parent = node;
        }
        base
    }

    fn base_in(&self, block: usize, children: &[(u8, usize)]) -> Option<u32> {
        let units = &self.units[block * 256..][..256];
        let is_free = |at: usize| units[at].parent == FREE;
        let first = children[0].0 as usize;
        let mut bases = (0..256).filter(|&at| is_free(at)).map(|at| at ^ first);
        let fits =
            |base: &usize| children[1..].iter().all(|&(byte, _)| is_free(base ^ byte as usize));
        bases.find(fits).map(|base| (block * 256 + base) as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_map_finds(
            keys in btree_map(vec(prop_oneof![0_u8..4, any::<u8>()], 1..6), 0_u32..1000, 0..300),
            text in vec(prop_oneof![0_u8..4, any::<u8>()], 0..10),
        ) {
            let keys: BTreeMap<Vec<u8>, u32> = keys;
            let trie = Trie::new(keys.iter().map(|(key, &value)| (key.as_slice(), value)));
            for (key, &value) in &keys {
                prop_assert_eq!(trie.get(key), Some(value));
            }
            let found: Vec<_> = trie.prefixes(&text).collect();
            let all = (1..=text.len()).filter_map(|length| Some((length, *keys.get(&text[..length])?)));
            prop_assert_eq!(found, all.collect::<Vec<_>>());
        }
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        let trie = Trie::new([(&b"a"[..], 1), (b"ab", 2), (b"a", 3), (b"", 4)]);
        assert_eq!((trie.get(b"a"), trie.get(b"ab"), trie.get(b"")), (Some(3), Some(2), None));
        assert_eq!(Trie::new([]).get(b"a"), None);
    }
}
