//! Features of dependencies: `cargo build`, `cargo test` and `--package kvrules-cli` must enable the same ones, because a package with
//! other features is built again, and with it everything that uses it.

use std::collections::BTreeSet;
use std::process::Command;

use crate::tools::cargo;
use crate::workspace::{Finding, Workspace};

/// Arguments that select what is built, and how cargo is called with them.
const SELECTIONS: [(&str, &[&str]); 2] = [
    ("cargo build --workspace", &["--workspace", "--edges", "normal,build"]),
    ("cargo build --package kvrules-cli", &["--package", "kvrules-cli", "--edges", "normal,build"]),
];
/// Arguments for the packages that `cargo test --workspace` builds.
const ALL: &[&str] = &["--workspace", "--edges", "normal,build,dev"];

pub(super) fn findings(workspace: &Workspace) -> Result<Vec<Finding>, String> {
    let all = packages(workspace, ALL)?;
    let mut findings = Vec::new();
    for (name, selection) in SELECTIONS {
        findings.extend(different_packages(name, &packages(workspace, selection)?, &all));
    }
    Ok(findings)
}

/// The findings for packages of a selection that have other features than in all.
fn different_packages(name: &str, selected: &BTreeSet<String>, all: &BTreeSet<String>) -> Vec<Finding> {
    let finding = |package: &String| {
        let text = format!("`{name}` builds `{package}` with other features than `cargo test --workspace`");
        Finding::new("Cargo.toml", 1, text)
    };
    selected.difference(all).map(finding).collect()
}

/// `name version features` of each package of a selection.
fn packages(workspace: &Workspace, selection: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut tree = Command::new(cargo());
    // A package that was listed before comes again without what is below it; with `--no-dedupe` the list has millions of lines.
    tree.args(["tree", "--locked", "--prefix", "none", "--format", "{p} {f}"]).args(selection);
    let output =
        tree.current_dir(&workspace.root).output().map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| line.replace(" (proc-macro)", "").replace(" (*)", ""));
    Ok(lines.filter(|line| !line.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_with_other_features_is_found() {
        let packages = |list: &[&str]| list.iter().map(|package| (*package).to_owned()).collect();
        let all: BTreeSet<String> = packages(&["serde v1.0.0 default,derive", "regex v1.0.0 std"]);
        assert_eq!(different_packages("cargo build", &packages(&["regex v1.0.0 std"]), &all), []);
        let found = different_packages("cargo build", &packages(&["serde v1.0.0 default"]), &all);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().contains("`serde v1.0.0 default` with other features"), "{}", found[0]);
    }
}
