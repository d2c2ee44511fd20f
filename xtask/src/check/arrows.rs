//! Arrows between our crates: what the manifests say must equal the table in `docs/internals/architecture.md`, so
//! that a new arrow is a decision someone wrote down.

use std::collections::{BTreeMap, BTreeSet};

use crate::workspace::{Finding, Workspace};

const PAGE: &str = "docs/internals/architecture.md";
const OPEN: &str = "<!-- arrows -->";
const CLOSE: &str = "<!-- /arrows -->";

/// Dependencies of a crate, and the line that declares them.
type Arrows = BTreeMap<String, (usize, BTreeSet<String>)>;

pub(super) fn findings(workspace: &Workspace) -> Result<Vec<Finding>, String> {
    let mut actual = Arrows::new();
    for name in workspace.names_in("crates") {
        let path = format!("crates/{name}/Cargo.toml");
        if workspace.exists(&path) {
            actual.insert(name, (1, dependencies(&workspace.read(&path)?)));
        }
    }
    let Some(written) = table(&workspace.read(PAGE)?) else {
        return Ok(vec![Finding::new(PAGE, 1, format!("has no table between `{OPEN}` and `{CLOSE}`"))]);
    };
    Ok(compare(&actual, &written))
}

fn compare(actual: &Arrows, written: &Arrows) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, (_, reads)) in actual {
        let manifest = format!("crates/{name}/Cargo.toml");
        let Some((line, allowed)) = written.get(name) else {
            findings.push(Finding::new(
                manifest,
                1,
                format!("missing crate `{name}` in the table in {PAGE}"),
            ));
            continue;
        };
        for other in reads.difference(allowed) {
            let text = format!("missing dependency {name} → {other} in the table in {PAGE}");
            findings.push(Finding::new(&manifest, 1, text));
        }
        for other in allowed.difference(reads) {
            let text = format!("missing dependency {name} → {other} in {manifest}");
            findings.push(Finding::new(PAGE, *line, text));
        }
    }
    for (name, (line, _)) in written.iter().filter(|(name, _)| !actual.contains_key(*name)) {
        findings.push(Finding::new(PAGE, *line, format!("unknown crate `{name}`")));
    }
    findings
}

/// Our crates among the dependencies of a manifest, those for building included and those for tests not.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut counts = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            counts = matches!(section, "dependencies" | "build-dependencies")
                || section.starts_with("target.") && section.ends_with(".dependencies");
            found.extend(
                section.strip_prefix("dependencies.").filter(|name| is_ours(name)).map(str::to_owned),
            );
            continue;
        }
        let key = line.split(['.', '=', ' ']).next().unwrap_or_default().trim_matches('"');
        if counts && is_ours(key) {
            found.insert(key.to_owned());
        }
    }
    found
}

fn is_ours(name: &str) -> bool {
    name == "kvrules" || name.starts_with("kvrules-")
}

/// The lines `crate → crate, crate` between the markers; anything else there is prose.
fn table(page: &str) -> Option<Arrows> {
    let (before, rest) = page.split_once(OPEN)?;
    let (inside, _) = rest.split_once(CLOSE)?;
    let first = before.lines().count() + 1;
    let mut arrows = Arrows::new();
    for (index, line) in inside.lines().enumerate() {
        let Some((name, reads)) = line.split_once('→') else { continue };
        let reads = reads.split(',').map(str::trim).filter(|name| is_ours(name)).map(str::to_owned);
        arrows.insert(name.trim().to_owned(), (first + index, reads.collect()));
    }
    Some(arrows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"kvrules-lint\"\n[dependencies]\nkvrules-ir.workspace = true\n\
        kvrules-syntax = { path = \"x\" }\nstrsim.workspace = true\n[dev-dependencies]\nkvrules-eval.workspace = true\n";

    fn written(line: &str) -> Arrows {
        table(&format!("# Page\n\n{OPEN}\n```text\n{line}\n```\n{CLOSE}\n")).unwrap()
    }

    fn actual() -> Arrows {
        Arrows::from([("kvrules-lint".to_owned(), (1, dependencies(MANIFEST)))])
    }

    #[test]
    fn a_table_that_equals_the_manifests_is_accepted() {
        assert_eq!(compare(&actual(), &written("kvrules-lint → kvrules-ir, kvrules-syntax")), []);
    }

    #[test]
    fn an_arrow_is_missed_on_either_side() {
        let found = compare(&actual(), &written("kvrules-lint → kvrules-ir, kvrules-emit"));
        let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "crates/kvrules-lint/Cargo.toml:1: missing dependency kvrules-lint → kvrules-syntax in the table in docs/internals/architecture.md",
                "docs/internals/architecture.md:5: missing dependency kvrules-lint → kvrules-emit in crates/kvrules-lint/Cargo.toml",
            ]
        );
    }

    #[test]
    fn a_crate_must_stand_on_both_sides() {
        let found = compare(&actual(), &written("kvrules-old → nothing"));
        assert_eq!(found.len(), 2);
    }
}
