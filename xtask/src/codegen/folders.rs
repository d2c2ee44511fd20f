//! Registries of what has a folder each: targets, sources and formats of suites.

use std::fmt::Write as _;

use super::MARK;
use super::fields::Literal;
use crate::workspace::{Finding, Workspace};

/// A registry of folders whose `mod.rs` declares a static each.
pub(super) struct FolderRegistry {
    /// The folder of the folders.
    pub(super) folder: &'static str,
    /// Name of the static in each; in the plural, that of the registry.
    item: &'static str,
    /// Path of its type in the crate.
    path: &'static str,
    /// Description of the registry.
    title: &'static str,
}

/// Every registry of folders.
pub(super) const REGISTRIES: [FolderRegistry; 3] = [
    FolderRegistry {
        folder: "crates/kvrules-emit/src/emitters",
        item: "EMITTER",
        path: "crate::Emitter",
        title: "Every target, ordered by name.",
    },
    FolderRegistry {
        folder: "crates/kvrules-sources/src/sources",
        item: "SOURCE",
        path: "crate::source::Source",
        title: "Every source, ordered by name.",
    },
    FolderRegistry {
        folder: "crates/kvrules-test/src/formats",
        item: "FORMAT",
        path: "crate::format::SuiteFormat",
        title: "Every format of suites, ordered by name.",
    },
];

/// A folder's module and the name of what it declares, which may hold dashes where the module holds underscores.
pub(super) struct Entry {
    module: String,
    name: String,
}

impl FolderRegistry {
    /// Returns the path of the file that is generated.
    pub(super) fn generated_path(&self) -> String {
        format!("{}/mod.rs", self.folder)
    }

    /// Reads every folder, ordered by name.
    pub(super) fn read_entries(
        &self,
        workspace: &Workspace,
        problems: &mut Vec<Finding>,
    ) -> Result<Vec<Entry>, String> {
        let mut entries: Vec<Entry> = Vec::new();
        for module in workspace.names_in(self.folder) {
            let path = format!("{}/{module}/mod.rs", self.folder);
            if !workspace.root.join(self.folder).join(&module).is_dir() {
                continue;
            }
            if !workspace.exists(&path) {
                problems.push(Finding::new(&path, 1, "is missing: a folder of a registry opens with it"));
                continue;
            }
            match self.read_entry(&path, &module, &workspace.read(&path)?) {
                Ok(entry) => entries.push(entry),
                Err(problem) => problems.push(problem),
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn read_entry(&self, path: &str, module: &str, text: &str) -> Result<Entry, Finding> {
        let item = self.item;
        let Some(literal) = Literal::find(text, item) else {
            return Err(Finding::new(path, 1, format!("declares no `static {item}: … = … {{ … }}`")));
        };
        let Some(name) = literal.string("name") else {
            return Err(Finding::new(path, literal.line(), format!("`{item}` has no literal `name`")));
        };
        // Ensures that names are unique, and that the folder can be found from the name.
        let expected = name.replace(['-', '.'], "_");
        if expected != module {
            let text = format!("`{item}` is named `{name}`, so its folder must be `{expected}`");
            return Err(Finding::new(path, literal.line(), text));
        }
        Ok(Entry { module: module.to_owned(), name })
    }

    /// Returns the registry's text, before rustfmt.
    pub(super) fn generated_text(&self, entries: &[Entry]) -> String {
        let Self { item, path, title, .. } = self;
        let mut out = format!("{MARK}\n");
        for entry in entries {
            let _ = writeln!(out, "mod {};", entry.module);
        }
        let statics: String = entries.iter().map(|entry| format!("&{}::{item}, ", entry.module)).collect();
        let _ = write!(out, "\n/// {title}\npub static {item}S: &[&{path}] = &[{statics}];\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_its_target() {
        let [targets, ..] = REGISTRIES;
        let text = "pub(crate) static EMITTER: Emitter = Emitter { name: \"json-schema\", emit };";
        assert!(targets.read_entry("x/mod.rs", "json_schema", text).is_ok());
        let problem = targets.read_entry("x/mod.rs", "schema", text).err().map(|problem| problem.text);
        let expected = "`EMITTER` is named `json-schema`, so its folder must be `json_schema`";
        assert_eq!(problem.as_deref(), Some(expected));
    }

    #[test]
    fn an_empty_registry_is_valid() {
        for registry in REGISTRIES {
            let end = format!("pub static {}S: &[&{}] = &[];\n", registry.item, registry.path);
            assert!(registry.generated_text(&[]).ends_with(&end));
        }
    }
}
