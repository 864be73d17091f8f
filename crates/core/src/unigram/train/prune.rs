//! Dropping the tokens that are needed the least.
//!
//! Without a token its text would be cut the next best way. What that costs is about how often the token is
//! used, times what the logarithm of the probability of its text falls by.

use super::super::model::{Found, Scratch, UnigramModel};
use super::blocks::{BLOCK, in_blocks};
use super::windows::Windows;
use super::{Scored, model_of};
use crate::error::Result;
use crate::observe::Pacer;

/// Keeps all characters and the best of the other tokens, so that `size` are left, or fewer.
pub(super) fn keep_best(
    tokens: Vec<Scored>,
    size: usize,
    windows: &Windows<'_>,
    threads: usize,
    pacer: &mut Pacer<'_>,
) -> Result<Vec<Scored>> {
    let model = model_of(&tokens);
    let uses = uses(&model, windows, tokens.len(), threads, pacer)?;
    let total: u64 = uses.iter().sum();
    let losses = losses(&tokens, &model, &uses, total as f64, threads, pacer)?;
    let characters = tokens.iter().filter(|token| token.is_character).count();
    let mut order: Vec<usize> = (0..tokens.len()).filter(|&id| losses[id].is_some()).collect();
    order.sort_by(|&one, &two| {
        let loss = |id: usize| losses[id].unwrap_or(0.0);
        loss(two).total_cmp(&loss(one)).then_with(|| tokens[one].text.cmp(&tokens[two].text))
    });
    order.truncate(size.saturating_sub(characters));
    let mut is_kept: Vec<bool> = tokens.iter().map(|token| token.is_character).collect();
    for id in order {
        is_kept[id] = true;
    }
    let kept = tokens.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    Ok(kept.map(|(token, _)| token).collect())
}

/// How often each token is used where every piece is cut the best way.
fn uses(
    model: &UnigramModel,
    windows: &Windows<'_>,
    tokens: usize,
    threads: usize,
    pacer: &mut Pacer<'_>,
) -> Result<Vec<u64>> {
    let make_state = || (vec![0_u64; tokens], Scratch::default());
    let states = in_blocks(windows.len(), BLOCK, threads, "weighing tokens", pacer, make_state, {
        |(counts, scratch): &mut (Vec<u64>, Scratch), _, items| {
            for number in items {
                let (piece, count) = windows.get(number);
                let piece = std::str::from_utf8(piece).unwrap_or_default();
                let take = |found: Found| {
                    if let Some(id) = found.id {
                        counts[id as usize] += count;
                    }
                };
                // Only asking the caller can fail, and here nobody is asked.
                let _ = model.search(piece, 0.0, scratch, &mut || Ok(()), take);
            }
        }
    })?;
    let mut sums = vec![0; tokens];
    for (counts, _) in states {
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    Ok(sums)
}

/// What dropping each token costs; nothing for characters, and for tokens that are not used or of which
/// the text is cut better without them.
fn losses(
    tokens: &[Scored],
    model: &UnigramModel,
    uses: &[u64],
    total: f64,
    threads: usize,
    pacer: &mut Pacer<'_>,
) -> Result<Vec<Option<f64>>> {
    let make_state = || (Vec::new(), Detour::default());
    let states = in_blocks(tokens.len(), BLOCK, threads, "weighing tokens", pacer, make_state, {
        |(found, detour): &mut (Vec<(usize, f64)>, Detour), _, items| {
            for id in items {
                let own = uses[id] as f64;
                if tokens[id].is_character || uses[id] == 0 || !detour.find(model, &tokens[id], id)
                {
                    continue;
                }
                // The parts take over the uses of the whole.
                let total_after = total + own * (detour.parts.len() as f64 - 1.0);
                let logarithm = |part: &u32| (uses[*part as usize] as f64 + own).ln();
                let after: f64 =
                    detour.parts.iter().map(|part| logarithm(part) - total_after.ln()).sum();
                found.push((id, own * (own.ln() - total.ln() - after)));
            }
        }
    })?;
    let mut losses = vec![None; tokens.len()];
    for (id, loss) in states.into_iter().flat_map(|(found, _)| found) {
        losses[id] = Some(loss);
    }
    Ok(losses)
}

/// The best way to cut a token without itself.
#[derive(Default)]
struct Detour {
    best: Vec<Option<(f64, usize, u32)>>,
    parts: Vec<u32>,
}

impl Detour {
    /// Whether there is such a way and it is not better than the token itself.
    fn find(&mut self, model: &UnigramModel, token: &Scored, own: usize) -> bool {
        let text = &token.text;
        self.best.clear();
        self.best.resize(text.len() + 1, None);
        self.best[0] = Some((0.0, 0, 0));
        for start in 0..text.len() {
            let Some((score, ..)) = self.best[start] else { continue };
            for (length, id) in model.trie().prefixes(&text[start..]) {
                let total = score + model.score(Some(id));
                let target = &mut self.best[start + length];
                if id as usize != own && target.is_none_or(|(known, ..)| total > known) {
                    *target = Some((total, start, id));
                }
            }
        }
        self.parts.clear();
        let Some((score, ..)) = self.best[text.len()] else { return false };
        let mut end = text.len();
        while let Some((_, start, id)) = self.best[end].filter(|_| end > 0) {
            self.parts.push(id);
            end = start;
        }
        score <= token.score
    }
}
