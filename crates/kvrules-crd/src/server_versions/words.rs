//! Versions and shares in sentences.

use kvrules_cel::kubernetes::{KubernetesVersion, KubernetesVersions};

/// `1.28 and 1.29`, `1.25 to 1.31`.
pub(super) fn list_versions(versions: &[KubernetesVersion]) -> String {
    let Some(set) = KubernetesVersions::from_versions(versions.iter().copied()) else { return String::new() };
    let text = set.to_string().replace("..", " to ");
    match text.rsplit_once(", ") {
        Some((before, last)) => format!("{before} and {last}"),
        None => text,
    }
}

/// A cost as a part of a limit, `104 %`.
pub(super) fn share_text(cost: u64, limit: u64) -> String {
    let percent = u128::from(cost).saturating_mul(100).div_ceil(u128::from(limit.max(1)));
    if percent > MOST_PERCENT { "more than 10,000 %".to_owned() } else { format!("{percent} %") }
}

/// Above this, the number says nothing more.
const MOST_PERCENT: u128 = 10_000;

/// The shares of several costs, `104 %` or `104 % to 230 %`.
pub(super) fn shares_text(costs: impl Iterator<Item = u64>, limit: u64) -> String {
    let mut costs: Vec<u64> = costs.collect();
    costs.sort_unstable();
    let (Some(least), Some(most)) = (costs.first(), costs.last()) else { return String::new() };
    let (least, most) = (share_text(*least, limit), share_text(*most, limit));
    if least == most { least } else { format!("{least} to {most}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_versions_are_written_as_ranges() {
        let list = |text: &str| {
            let versions: KubernetesVersions = text.parse().unwrap_or_default();
            list_versions(&versions.iter().collect::<Vec<_>>())
        };
        assert_eq!(list("1.28,1.29"), "1.28 and 1.29");
        assert_eq!(list("1.25..1.28"), "1.25 to 1.28");
        assert_eq!(list("1.25..1.27,1.30"), "1.25 to 1.27 and 1.30");
        assert_eq!(shares_text([10_400_000, 10_400_000].into_iter(), 10_000_000), "104 %");
    }
}
