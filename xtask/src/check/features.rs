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
        for package in packages(workspace, selection)?.difference(&all) {
            let text =
                format!("`{name}` builds `{package}` with other features than `cargo test --workspace`");
            findings.push(Finding::new("Cargo.toml", 1, text));
        }
    }
    Ok(findings)
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
