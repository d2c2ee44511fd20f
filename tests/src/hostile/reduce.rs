//! A case with all that can go from it and still shows the same.

use std::time::{Duration, Instant};

use super::HostileCase;

/// Time limit of the search for a smaller case.
const PATIENCE: Duration = Duration::from_secs(60);

/// The smallest case that was found for which `shows` holds.
pub fn reduce_case(case: &HostileCase, shows: impl Fn(&HostileCase) -> bool) -> HostileCase {
    let start = Instant::now();
    let mut best = case.clone();
    for name in case.files.keys() {
        let mut without = best.clone();
        without.files.remove(name);
        if !best.args.contains(name) && shows(&without) {
            best = without;
        }
    }
    for name in best.files.keys().cloned().collect::<Vec<_>>() {
        for piece in ['\n', ' '] {
            let pieces = |case: &HostileCase| case.files[&name].split_inclusive(piece).count();
            let mut size = pieces(&best) / 2;
            while size > 0 && start.elapsed() < PATIENCE {
                let mut at = 0;
                while at < pieces(&best) && start.elapsed() < PATIENCE {
                    let mut less = best.clone();
                    let kept = best.files[&name].split_inclusive(piece).enumerate();
                    let kept =
                        kept.filter(|(index, _)| *index < at || *index >= at + size).map(|(_, text)| text);
                    less.files.insert(name.clone(), kept.collect());
                    if shows(&less) { best = less } else { at += size }
                }
                size /= 2;
            }
        }
    }
    best
}
