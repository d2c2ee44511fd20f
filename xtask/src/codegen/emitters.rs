//! Emitters: one folder each, written into the registry that `kvrules-emit` compiles.

use std::fmt::Write as _;

use super::MARK;
use super::fields::Literal;
use crate::workspace::{Finding, Workspace};

pub(super) const FOLDER: &str = "crates/kvrules-emit/src/emitters";
pub(super) const REGISTRY: &str = "crates/kvrules-emit/src/emitters/mod.rs";

/// An emitter's module and the name of its target, which may hold dashes where the module holds underscores.
pub(super) struct Emitter {
    module: String,
    name: String,
}

/// Reads every emitter, ordered by name.
pub(super) fn read(workspace: &Workspace, problems: &mut Vec<Finding>) -> Result<Vec<Emitter>, String> {
    let mut emitters: Vec<Emitter> = Vec::new();
    for module in workspace.names_in(FOLDER) {
        let path = format!("{FOLDER}/{module}/mod.rs");
        if !workspace.root.join(FOLDER).join(&module).is_dir() {
            continue;
        }
        if !workspace.exists(&path) {
            problems.push(Finding::new(&path, 1, "is missing: an emitter's folder opens with it"));
            continue;
        }
        match read_one(&path, &module, &workspace.read(&path)?) {
            Ok(emitter) => emitters.push(emitter),
            Err(problem) => problems.push(problem),
        }
    }
    emitters.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(emitters)
}

fn read_one(path: &str, module: &str, text: &str) -> Result<Emitter, Finding> {
    let Some(literal) = Literal::find(text, "EMITTER") else {
        return Err(Finding::new(path, 1, "declares no `static EMITTER: Emitter = Emitter { … }`"));
    };
    let Some(name) = literal.string("name") else {
        return Err(Finding::new(path, literal.line(), "`EMITTER` has no literal `name`"));
    };
    // Ensures that the names of emitters are unique, and that the folder can be found from the target.
    if name.replace(['-', '.'], "_") != module {
        let text = format!(
            "the emitter is named `{name}`, so its folder must be `{}`",
            name.replace(['-', '.'], "_")
        );
        return Err(Finding::new(path, literal.line(), text));
    }
    Ok(Emitter { module: module.to_owned(), name })
}

/// The registry's text, before rustfmt.
pub(super) fn registry(emitters: &[Emitter]) -> String {
    let mut out = format!("{MARK}\n");
    for emitter in emitters {
        let _ = writeln!(out, "mod {};", emitter.module);
    }
    let statics: String = emitters.iter().map(|emitter| format!("&{}::EMITTER, ", emitter.module)).collect();
    let _ = write!(
        out,
        "\n/// Every target, ordered by name.\npub static EMITTERS: &[&crate::Emitter] = &[{statics}];\n"
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_its_target() {
        let text = "pub(crate) static EMITTER: Emitter = Emitter { name: \"json-schema\", emit };";
        assert!(read_one("x/mod.rs", "json_schema", text).is_ok());
        let problem = read_one("x/mod.rs", "schema", text).err().map(|problem| problem.text);
        assert_eq!(
            problem.as_deref(),
            Some("the emitter is named `json-schema`, so its folder must be `json_schema`")
        );
    }

    #[test]
    fn an_empty_registry_is_valid() {
        assert!(registry(&[]).ends_with("pub static EMITTERS: &[&crate::Emitter] = &[];\n"));
    }
}
