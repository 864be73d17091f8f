//! What stands beside a pair that is merged.
//!
//! A merge changes many places but few pairs: those of the new token with each token that stands beside it.
//! So places are grouped by that token, and each pair is looked up once a merge, not once a place.

/// The tokens on both sides of a merged pair.
#[derive(Debug, Default)]
pub(super) struct Neighbors {
    pub(super) left: Side,
    pub(super) right: Side,
}

impl Neighbors {
    /// Forgets the merge before, for a vocabulary of this size.
    pub(super) fn clear(&mut self, tokens: usize) {
        self.left.clear(tokens);
        self.right.clear(tokens);
    }
}

/// The tokens on one side.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub(super) groups: Vec<Group>,
    /// By token: the number of its group plus one, zero for none.
    group_of: Vec<u32>,
    /// Group and place, in the order of places.
    places: Vec<(u32, u32)>,
    /// For each group, where its next place is written.
    cursors: Vec<usize>,
}

/// One neighbor and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) token: u32,
    /// How often it stands there, all words as often as they occur.
    pub(super) total: u64,
    /// In how many places of distinct words.
    pub(super) places: u32,
}

impl Side {
    fn clear(&mut self, tokens: usize) {
        for group in self.groups.drain(..) {
            self.group_of[group.token as usize] = 0;
        }
        self.group_of.resize(tokens, 0);
        self.places.clear();
    }

    /// Notes that `token` stands beside the merged pair; `place` is where the new pair begins.
    #[inline]
    pub(super) fn note(&mut self, token: u32, place: u32, count: u64) {
        let number = &mut self.group_of[token as usize];
        if *number == 0 {
            self.groups.push(Group { token, total: 0, places: 0 });
            *number = self.groups.len() as u32;
        }
        let group = &mut self.groups[*number as usize - 1];
        group.total += count;
        group.places += 1;
        self.places.push((*number - 1, place));
    }

    /// Appends the places of all groups, one group after the other, each ascending.
    pub(super) fn write_places(&mut self, places: &mut Vec<u32>) {
        self.cursors.clear();
        let mut start = places.len();
        for group in &self.groups {
            self.cursors.push(start);
            start += group.places as usize;
        }
        places.resize(start, 0);
        for &(group, place) in &self.places {
            let cursor = &mut self.cursors[group as usize];
            places[*cursor] = place;
            *cursor += 1;
        }
    }

    /// Neighbors in the order in which they were met, each with total and places.
    #[cfg(test)]
    pub(super) fn listed(&mut self) -> Vec<(u32, u64, Vec<u32>)> {
        let mut places = Vec::new();
        self.write_places(&mut places);
        let mut rest = places.as_slice();
        let mut next = |group: &Group| {
            let places;
            (places, rest) = rest.split_at(group.places as usize);
            (group.token, group.total, places.to_vec())
        };
        self.groups.iter().map(&mut next).collect()
    }
}
