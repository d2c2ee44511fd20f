//! Lints: read from one file each, written into the registry that `kvrules-lint` compiles.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::MARK;
use super::fields::Literal;
use crate::workspace::{Finding, Workspace};

pub(super) const FOLDER: &str = "crates/kvrules-lint/src/lints";
pub(super) const REGISTRY: &str = "crates/kvrules-lint/src/lints/mod.rs";

/// Data of a lint for the generator.
pub(super) struct Lint {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) level: String,
    pub(super) summary: String,
    /// Applicability of the repair that its findings offer; `None` if there is none.
    pub(super) fix: Option<&'static str>,
    /// Location of its source, for messages.
    path: String,
    line: usize,
}

impl Lint {
    /// The file name of its page in `docs/lints`.
    pub(super) fn page(&self) -> String {
        format!("{}-{}.md", self.code, self.name.replace('_', "-"))
    }
}

/// Reads every lint, ordered by code, and notes what keeps them from being registered.
pub(super) fn read(workspace: &Workspace, problems: &mut Vec<Finding>) -> Result<Vec<Lint>, String> {
    let mut lints = Vec::new();
    for file in workspace.names_in(FOLDER) {
        let Some(stem) = file.strip_suffix(".rs").filter(|stem| *stem != "mod") else { continue };
        let path = format!("{FOLDER}/{file}");
        match read_one(&path, &workspace.read(&path)?) {
            Ok(lint) => {
                if lint.name != stem {
                    let text =
                        format!("the lint is named `{}`, so the file must be `{}.rs`", lint.name, lint.name);
                    problems.push(Finding::new(&path, lint.line, text));
                }
                lints.push(lint);
            }
            Err(problem) => problems.push(problem),
        }
    }
    lints.sort_by(|a, b| (&a.code, &a.name).cmp(&(&b.code, &b.name)));
    check_unique(&lints, "code", |lint| &lint.code, problems);
    check_unique(&lints, "name", |lint| &lint.name, problems);
    Ok(lints)
}

fn read_one(path: &str, text: &str) -> Result<Lint, Finding> {
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

/// The registry's text, before rustfmt.
pub(super) fn registry(lints: &[Lint]) -> String {
    let mut out = format!("{MARK}\n");
    for lint in lints {
        let _ = writeln!(out, "mod {};", lint.name);
    }
    let statics: String = lints.iter().map(|lint| format!("&{}::LINT, ", lint.name)).collect();
    let pages: String = lints.iter().map(page_entry).collect();
    let _ = write!(
        out,
        "\n/// Every lint, ordered by code.\npub static LINTS: &[&crate::Lint] = &[{statics}];\n\n\
         /// The page of each lint, ordered by code.\npub static PAGES: &[(&str, &str)] = &[{pages}];\n"
    );
    out
}

fn page_entry(lint: &Lint) -> String {
    format!("(\"{}\", include_str!(\"../../pages/{}\")), ", lint.code, lint.page())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lint(code: &str, name: &str) -> Lint {
        let text = format!(
            "pub(crate) static LINT: Lint = Lint {{ code: \"{code}\", name: \"{name}\", \
             level: Level::Error, summary: \"s\" }};"
        );
        read_one(&format!("{name}.rs"), &text).unwrap_or_else(|problem| panic!("{problem}"))
    }

    #[test]
    fn a_page_is_named_after_code_and_name() {
        assert_eq!(lint("KV102", "missing_key").page(), "KV102-missing-key.md");
    }

    #[test]
    fn the_registry_holds_statics_and_pages() {
        let text = registry(&[lint("KV101", "b"), lint("KV102", "a_c")]);
        assert!(text.contains("&[&b::LINT, &a_c::LINT, ]"), "{text}");
        assert!(text.contains("(\"KV102\", include_str!(\"../../pages/KV102-a-c.md\"))"), "{text}");
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
        let problem = read_one("a.rs", text).err().map(|problem| problem.text);
        assert_eq!(problem.as_deref(), Some("`LINT` has no literal `level`"));
    }
}
