//! Profiles of the manifest: `bench` and `dist` inherit from `release` what it says of single packages, so that each package that
//! `release` optimises in part must be named by them too.

use std::collections::BTreeMap;

use crate::workspace::{Finding, Workspace};

const MANIFEST: &str = "Cargo.toml";
/// Profiles that must name every package that `release` optimises in part, with the levels that they may have for it: artifacts of
/// `dist` are small before they are fast.
const NAMED_AGAIN: [(&str, &[&str]); 2] = [("bench", &[FULL]), ("dist", &[FULL, "\"s\"", "\"z\""])];
const FULL: &str = "3";

/// A package's line in a table `[profile.NAME.package]`.
struct Level {
    line: usize,
    level: String,
}

/// The levels by profile and package.
type Levels = BTreeMap<(String, String), Level>;

pub(super) fn findings(workspace: &Workspace) -> Result<Vec<Finding>, String> {
    Ok(faults(&workspace.read(MANIFEST)?))
}

fn faults(manifest: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let levels = levels(manifest, &mut findings);
    let level_in = |profile: &str, package: &str| {
        levels.get(&(profile.to_owned(), package.to_owned())).map(|found| found.level.as_str())
    };
    for ((profile, package), found) in &levels {
        if profile != "release" || found.level == FULL {
            continue;
        }
        for (other, accepted) in NAMED_AGAIN {
            if !level_in(other, package).is_some_and(|level| accepted.contains(&level)) {
                let text = format!(
                    "`{other}` inherits level {} for {package}; set it to {FULL} in `[profile.{other}.package]`",
                    found.level
                );
                findings.push(Finding::new(MANIFEST, found.line, text));
            }
        }
    }
    findings
}

/// Returns the levels in the tables. A table for one package would not be seen by this check, and is a finding.
fn levels(manifest: &str, findings: &mut Vec<Finding>) -> Levels {
    let mut levels = Levels::new();
    let mut table = String::new();
    for (line, text) in (1..).zip(manifest.lines()) {
        if let Some(header) = text.strip_prefix('[') {
            table = header.trim_end_matches(']').to_owned();
            if table.starts_with("profile.") && table.contains(".package.") {
                let text = "write `PACKAGE.opt-level = N` in `[profile.NAME.package]`, as for the others";
                findings.push(Finding::new(MANIFEST, line, text));
            }
        }
        let profile = table.strip_prefix("profile.").and_then(|rest| rest.strip_suffix(".package"));
        let entry = text.split_once(".opt-level = ");
        if let (Some(profile), Some((package, level))) = (profile, entry) {
            let key = (profile.to_owned(), package.trim_matches('"').to_owned());
            levels.insert(key, Level { line, level: level.trim().to_owned() });
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_bench_or_dist_would_optimise_in_part_is_found() {
        let manifest = "[profile.release.package]\na.opt-level = 2\nb.opt-level = 3\nc.opt-level = 2\n\n\
            [profile.bench.package]\n\"*\".opt-level = 3\na.opt-level = 3\nc.opt-level = 3\n\n\
            [profile.dist.package]\n\"*\".opt-level = 3\nc.opt-level = \"s\"\n";
        let reported: Vec<String> = faults(manifest).iter().map(ToString::to_string).collect();
        assert_eq!(
            reported,
            ["Cargo.toml:2: `dist` inherits level 2 for a; set it to 3 in `[profile.dist.package]`"]
        );
    }

    #[test]
    fn a_table_for_one_package_is_found() {
        assert_eq!(faults("[profile.release.package.a]\nopt-level = 2\n").len(), 1);
    }
}
