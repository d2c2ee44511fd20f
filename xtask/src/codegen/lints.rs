//! Lints: read from one file each, in the crates that raise them, and written into a module of each crate and the
//! registry of all.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::fields::Literal;
use super::{Generated, MARK, rustfmt};
use crate::workspace::{Finding, Workspace};

const CRATES: &str = "crates";
/// The crate with the registry.
const REGISTRAR: &str = "kvrules-triage";
const REGISTRY: &str = "crates/kvrules-triage/src/registry/all.rs";

/// Data of a lint for the generator.
pub(super) struct Lint {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) level: String,
    pub(super) summary: String,
    /// Applicability of the repair that its findings offer; `None` if there is none.
    pub(super) fix: Option<&'static str>,
    /// The crate that raises it, such as `kvrules-crd`.
    package: String,
    /// True if its file also has the `CHECK` that raises it.
    has_check: bool,
    /// Location of its source, for messages.
    path: String,
    line: usize,
}

impl Lint {
    /// The file name of its page in `docs/lints`.
    pub(super) fn page(&self) -> String {
        format!("{}-{}.md", self.code, self.name.replace('_', "-"))
    }

    /// The name under which its crate exports it: `MISSING_KEY`.
    fn constant(&self) -> String {
        self.name.to_uppercase()
    }
}

/// The folder of a crate's lints.
fn folder(package: &str) -> String {
    format!("{CRATES}/{package}/src/lints")
}

/// Reads every lint, ordered by code, and notes what keeps them from being registered.
pub(super) fn read(workspace: &Workspace, problems: &mut Vec<Finding>) -> Result<Vec<Lint>, String> {
    let mut lints = Vec::new();
    for package in workspace.names_in(CRATES) {
        let folder = folder(&package);
        let files = workspace.names_in(&folder);
        for stem in files.iter().filter_map(|file| file.strip_suffix(".rs")).filter(|stem| *stem != "mod") {
            let path = format!("{folder}/{stem}.rs");
            match read_one(&package, &path, &workspace.read(&path)?) {
                Ok(lint) => {
                    if lint.name != stem {
                        let text = format!(
                            "the lint is named `{}`, so the file must be `{}.rs`",
                            lint.name, lint.name
                        );
                        problems.push(Finding::new(&path, lint.line, text));
                    }
                    lints.push(lint);
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    lints.sort_by(|a, b| (&a.code, &a.name).cmp(&(&b.code, &b.name)));
    check_unique(&lints, "code", |lint| &lint.code, problems);
    check_unique(&lints, "name", |lint| &lint.name, problems);
    Ok(lints)
}

fn read_one(package: &str, path: &str, text: &str) -> Result<Lint, Finding> {
    let Some(literal) = Literal::find(text, "LINT") else {
        return Err(Finding::new(path, 1, "declares no `static LINT: Lint = Lint { … }`"));
    };
    let line = literal.line();
    let missing = |field: &str| Finding::new(path, line, format!("`LINT` has no literal `{field}`"));
    let string = |field: &str| literal.string(field).ok_or_else(|| missing(field));
    Ok(Lint {
        code: string("code")?,
        name: string("name")?,
        summary: string("summary")?,
        fix: literal.rest("fix").and_then(fix),
        level: literal.variant("level").ok_or_else(|| missing("level"))?.to_lowercase(),
        package: package.to_owned(),
        has_check: text.contains("const CHECK: "),
        path: path.to_owned(),
        line,
    })
}

/// The words of `Applicability`, as they stand in `fix: Some(Applicability::Safe)`.
fn fix(value: &str) -> Option<&'static str> {
    let (value, _) = value.strip_prefix("Some(")?.split_once(')')?;
    match value.rsplit(':').next()?.trim() {
        "Safe" => Some("safe"),
        "Unsafe" => Some("unsafe"),
        "DisplayOnly" => Some("display-only"),
        _ => None,
    }
}

fn check_unique(lints: &[Lint], what: &str, key: fn(&Lint) -> &String, problems: &mut Vec<Finding>) {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for lint in lints {
        if let Some(other) = seen.insert(key(lint), &lint.path) {
            let text = format!("duplicate {what} `{}`, already used by {other}", key(lint));
            problems.push(Finding::new(&lint.path, lint.line, text));
        }
    }
}

/// The module of each crate's lints, and the registry of all.
pub(super) fn generate(workspace: &Workspace, lints: &[Lint]) -> Result<Vec<Generated>, String> {
    let mut packages: BTreeMap<&str, Vec<&Lint>> = BTreeMap::new();
    for lint in lints {
        packages.entry(&lint.package).or_default().push(lint);
    }
    let modules =
        packages.iter().map(|(package, lints)| (format!("{}/mod.rs", folder(package)), module(lints)));
    let files = modules.chain([(REGISTRY.to_owned(), registry(lints))]);
    files.map(|(path, text)| Ok(Generated { path, text: rustfmt(workspace, &text)? })).collect()
}

/// The text of a crate's module, before rustfmt.
fn module(lints: &[&Lint]) -> String {
    let list = |item: fn(&Lint) -> String| lints.iter().map(|lint| item(lint)).collect::<String>();
    let (modules, names) = (list(|lint| format!("mod {};\n", lint.name)), list(exported));
    let statics = list(|lint| format!("&{}, ", lint.constant()));
    let mut out = format!(
        "{MARK}\n#![expect(missing_docs, reason = \"a lint says in its summary what it reports\")]\n\n\
         {modules}\n{names}\n\
         /// Lints of this crate, ordered by code.\n\
         pub static LINTS: &[&kvrules_diagnostics::Lint] = &[{statics}];\n"
    );
    if lints.iter().any(|lint| lint.has_check) {
        let checks = list(|lint| format!("(&{}, {}::CHECK), ", lint.constant(), lint.name));
        let _ = write!(
            out,
            "\n/// The checks, in the order of their lints.\n\
             pub(crate) static CHECKS: &[(&kvrules_diagnostics::Lint, crate::LintCheck)] = &[{checks}];\n"
        );
    }
    out
}

fn exported(lint: &Lint) -> String {
    format!("pub use {}::LINT as {};\n", lint.name, lint.constant())
}

/// The registry's text, before rustfmt.
fn registry(lints: &[Lint]) -> String {
    let statics: String = lints.iter().map(registered).collect();
    format!(
        "{MARK}\n/// Every lint, ordered by code.\n\
         pub(crate) static LINTS: &[&kvrules_diagnostics::Lint] = &[{statics}];\n"
    )
}

fn registered(lint: &Lint) -> String {
    let package = match lint.package.as_str() {
        REGISTRAR => "crate".to_owned(),
        other => other.replace('-', "_"),
    };
    format!("&{package}::lints::{}, ", lint.constant())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint(code: &str, name: &str) -> Lint {
        let text = format!(
            "pub static LINT: Lint = Lint {{ code: \"{code}\", name: \"{name}\", \
             level: Level::Error, summary: \"s\" }};"
        );
        read_one("kvrules-crd", &format!("{name}.rs"), &text).unwrap_or_else(|problem| panic!("{problem}"))
    }

    #[test]
    fn a_page_is_named_after_code_and_name() {
        assert_eq!(lint("KV102", "missing_key").page(), "KV102-missing-key.md");
    }

    #[test]
    fn the_registry_has_the_lints_of_each_crate() {
        let own = Lint { package: REGISTRAR.to_owned(), ..lint("KV101", "b") };
        let text = registry(&[own, lint("KV102", "a_c")]);
        assert!(text.contains("&[&crate::lints::B, &kvrules_crd::lints::A_C, ]"), "{text}");
    }

    #[test]
    fn a_module_exports_its_lints_and_lists_checks_if_there_are_any() {
        let without = lint("KV102", "a_c");
        let text = module(&[&without]);
        assert!(text.contains("pub use a_c::LINT as A_C;\n") && text.contains("&[&A_C, ]"), "{text}");
        assert!(!text.contains("CHECK"), "{text}");
        let text = module(&[&Lint { has_check: true, ..without }]);
        assert!(text.contains("&[(&A_C, a_c::CHECK), ]"), "{text}");
    }

    #[test]
    fn the_kind_of_a_fix_is_read_off_its_variant() {
        assert_eq!(fix("Some(Applicability::Safe), check"), Some("safe"));
        assert_eq!(fix("Some(DisplayOnly),"), Some("display-only"));
        assert_eq!(fix("None, check: f(x)"), None);
    }

    #[test]
    fn a_code_that_is_used_twice_is_a_problem() {
        let mut problems = Vec::new();
        check_unique(&[lint("KV101", "a"), lint("KV101", "b")], "code", |lint| &lint.code, &mut problems);
        assert_eq!(problems, [Finding::new("b.rs", 1, "duplicate code `KV101`, already used by a.rs")]);
    }

    #[test]
    fn a_lint_without_a_level_is_a_problem() {
        let text = "static LINT: Lint = Lint { code: \"KV1\", name: \"a\", summary: \"s\" };";
        let problem = read_one("kvrules-crd", "a.rs", text).err().map(|problem| problem.text);
        assert_eq!(problem.as_deref(), Some("`LINT` has no literal `level`"));
    }
}
