//! Which words predict each other: the windows of a part of the corpus.

use super::ids::DOCUMENT_END;
use super::method::Window;
use super::random::Random;

/// How windows are cut.
#[derive(Clone, Debug)]
pub(crate) struct WindowRule {
    window: u32,
    shrink: bool,
    /// For each row, the chance to be kept in 2^-32; empty when all words are kept.
    keep: Vec<u32>,
}

impl WindowRule {
    /// Words more frequent than the share `subsample` are kept with chance sqrt(t/f) + t/f, as word2vec
    /// does (its source; the paper has a different formula). A threshold of 0 keeps all.
    pub(crate) fn new(window: u32, shrink: bool, subsample: f64, counts: &[u64]) -> Self {
        let total = counts.iter().sum::<u64>().max(1) as f64;
        let chance = |&count: &u64| {
            let ratio = subsample * total / count as f64;
            ((ratio.sqrt() + ratio) * 4_294_967_296.0).min(f64::from(u32::MAX)) as u32
        };
        let keep = if subsample > 0.0 { counts.iter().map(chance).collect() } else { Vec::new() };
        Self { window, shrink, keep }
    }

    /// Ids beside a part that its windows may reach.
    pub(crate) fn margin(&self) -> u64 {
        // Skipped words make windows reach further; eight windows are more than enough on average.
        u64::from(self.window) * if self.keep.is_empty() { 1 } else { 8 }
    }

    /// Calls `visit` with each word at a place in `core` and the words around it; returns how many words
    /// `core` holds.
    ///
    /// `visit` gets the number of ids passed so far and the window; one without words around its middle is
    /// left out. Windows reach over skipped words and never over the end of a document.
    pub(crate) fn visit<E>(
        &self,
        ids: &[u32],
        core: &std::ops::Range<usize>,
        random: &mut Random,
        kept: &mut Vec<u32>,
        visit: &mut impl FnMut(u64, Window<'_>) -> Result<(), E>,
    ) -> Result<u64, E> {
        let mut passed = 0;
        let mut start = 0;
        for document in ids.split(|&id| id == DOCUMENT_END) {
            let end = start + document.len();
            let inside = core.start.clamp(start, end)..core.end.clamp(start, end);
            if !inside.is_empty() {
                let before = &document[..inside.start - start];
                let within = &document[inside.start - start..inside.end - start];
                kept.clear();
                self.keep(before, random, kept);
                let first = kept.len();
                self.keep(within, random, kept);
                let last = kept.len();
                self.keep(&document[inside.end - start..], random, kept);
                let share = within.len() as u64;
                for place in first..last {
                    let done = (place - first) as u64 * share / (last - first) as u64;
                    let reach = self.reach(random);
                    let left = &kept[place.saturating_sub(reach)..place];
                    let right = &kept[place + 1..kept.len().min(place + 1 + reach)];
                    if !(left.is_empty() && right.is_empty()) {
                        visit(passed + done, Window { middle: kept[place], place, left, right })?;
                    }
                }
                passed += share;
            }
            start = end + 1;
        }
        Ok(passed)
    }

    fn reach(&self, random: &mut Random) -> usize {
        let reach = if self.shrink { 1 + random.below(self.window) } else { self.window };
        reach as usize
    }

    fn keep(&self, ids: &[u32], random: &mut Random, kept: &mut Vec<u32>) {
        if self.keep.is_empty() {
            kept.extend_from_slice(ids);
            return;
        }
        kept.extend(ids.iter().filter(|&&id| {
            let chance = self.keep[id as usize];
            chance == u32::MAX || random.next_u32() < chance
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows(rule: &WindowRule, ids: &[u32], core: std::ops::Range<usize>) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        let mut random = Random::new(1, 1);
        let mut kept = Vec::new();
        let visited: Result<u64, ()> =
            rule.visit(ids, &core, &mut random, &mut kept, &mut |_, window| {
                found.push([window.left, &[100 + window.middle], window.right].concat());
                Ok(())
            });
        visited.unwrap();
        found
    }

    #[test]
    fn windows_stay_inside_documents_and_reach_beyond_the_part() {
        let rule = WindowRule::new(2, false, 0.0, &[1; 10]);
        let ids = [1, 2, 3, 4, DOCUMENT_END, 5, DOCUMENT_END, 6, 7];
        assert_eq!(windows(&rule, &ids, 2..8), [vec![1, 2, 103, 4], vec![2, 3, 104], vec![106, 7]]);
        assert!(windows(&rule, &[5, DOCUMENT_END], 0..2).is_empty());
    }

    #[test]
    fn frequent_words_are_skipped_and_windows_shrink() {
        let counts = [1_000_000, 10, 10, 10];
        let rule = WindowRule::new(3, true, 1e-5, &counts);
        let ids: Vec<u32> =
            (0..4000).map(|place| if place % 2 == 0 { 0 } else { 1 + place % 3 }).collect();
        let found = windows(&rule, &ids, 0..4000);
        assert!(found.len() < 2050, "{}", found.len());
        let lengths: Vec<usize> = found.iter().map(Vec::len).collect();
        assert!(lengths.contains(&3) && lengths.contains(&5) && lengths.contains(&7));
    }
}
