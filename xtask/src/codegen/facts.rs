//! Kinds of facts on pages: one file each, written into the registry that the pages are made with.

use std::fmt::Write as _;

use super::MARK;
use super::fields::Literal;
use crate::workspace::{Finding, Workspace};

pub(super) const FOLDER: &str = "crates/kvrules-pages/src/facts";
pub(super) const REGISTRY: &str = "crates/kvrules-pages/src/facts/mod.rs";

/// Reads the modules of every kind of fact, ordered by name.
pub(super) fn read(workspace: &Workspace, problems: &mut Vec<Finding>) -> Result<Vec<String>, String> {
    let mut modules = Vec::new();
    for file in workspace.names_in(FOLDER) {
        let Some(module) = file.strip_suffix(".rs").filter(|module| *module != "mod") else { continue };
        let path = format!("{FOLDER}/{file}");
        if Literal::find(&workspace.read(&path)?, "FACT").is_none() {
            problems.push(Finding::new(&path, 1, "declares no `static FACT: FactKind = FactKind { … }`"));
        }
        modules.push(module.to_owned());
    }
    modules.sort();
    Ok(modules)
}

/// The registry's text, before rustfmt.
pub(super) fn registry(modules: &[String]) -> String {
    let mut out = format!("{MARK}\n");
    for module in modules {
        let _ = writeln!(out, "mod {module};");
    }
    let kinds: String = modules.iter().map(|module| format!("&{module}::FACT, ")).collect();
    let _ = write!(
        out,
        "\n/// Every kind of fact.\npub(super) static FACTS: &[&super::fact_kind::FactKind] = &[{kinds}];\n"
    );
    out
}
