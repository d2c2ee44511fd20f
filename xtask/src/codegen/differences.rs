//! Named differences: read from one file each, written into the registry that `kvrules-template-validator` compiles, the table of their
//! pages and the book's contents.

use std::fmt::Write as _;

use super::MARK;
use super::fields::Literal;
use crate::workspace::{Finding, Workspace};

pub(super) const FOLDER: &str = "crates/kvrules-template-validator/src/divergence/differences";
pub(super) const REGISTRY: &str = "crates/kvrules-template-validator/src/divergence/differences/mod.rs";
pub(super) const TABLE: &str = "docs/differences/index.md";
/// Marker of the differences in the book's contents.
pub(super) const MARKER: &str = "differences";

const PAGES: &str = "docs/differences";

/// Data of a difference for the generator.
pub(super) struct Difference {
    number: u32,
    name: String,
    summary: String,
    /// Location of its source, for messages.
    path: String,
    line: usize,
}

impl Difference {
    /// The file name of its page.
    fn page(&self) -> String {
        format!("D{:02}-{}.md", self.number, self.name)
    }

    /// The name of its file and module.
    fn module(&self) -> String {
        format!("d{:02}_{}", self.number, self.name.replace('-', "_"))
    }
}

/// Reads every difference, in the order of their ids, and notes what keeps them from being registered.
pub(super) fn read(workspace: &Workspace, problems: &mut Vec<Finding>) -> Result<Vec<Difference>, String> {
    let mut differences = Vec::new();
    for file in workspace.names_in(FOLDER) {
        let Some(stem) = file.strip_suffix(".rs").filter(|stem| *stem != "mod") else { continue };
        let path = format!("{FOLDER}/{file}");
        match read_one(&path, &workspace.read(&path)?) {
            Ok(difference) => {
                if difference.module() != stem {
                    let text = format!("by its id and name the file must be `{}.rs`", difference.module());
                    problems.push(Finding::new(&path, difference.line, text));
                }
                differences.push(difference);
            }
            Err(problem) => problems.push(problem),
        }
    }
    differences.sort_by_key(|difference| difference.number);
    for (difference, number) in differences.iter().zip(1..) {
        if difference.number != number {
            let text = format!("has the id `D{}`, and the next free one is `D{number}`", difference.number);
            problems.push(Finding::new(&difference.path, difference.line, text));
            break;
        }
    }
    check_pages(workspace, &differences, problems)?;
    Ok(differences)
}

fn read_one(path: &str, text: &str) -> Result<Difference, Finding> {
    let Some(literal) = Literal::find(text, "DIFFERENCE") else {
        return Err(Finding::new(path, 1, "declares no `static DIFFERENCE: Difference = Difference { … }`"));
    };
    let line = literal.line();
    let missing = |field: &str| Finding::new(path, line, format!("`DIFFERENCE` has no literal `{field}`"));
    let string = |field: &str| literal.string(field).ok_or_else(|| missing(field));
    let id = string("id")?;
    let number = id.strip_prefix('D').and_then(|number| number.parse().ok());
    let number = number
        .ok_or_else(|| Finding::new(path, line, format!("invalid id `{id}`; expected one such as `D1`")))?;
    let (name, summary) = (string("name")?, string("summary")?);
    Ok(Difference { number, name, summary, path: path.to_owned(), line })
}

/// Compares the pages with the differences, both ways.
fn check_pages(
    workspace: &Workspace,
    differences: &[Difference],
    problems: &mut Vec<Finding>,
) -> Result<(), String> {
    let pages = workspace.names_in(PAGES);
    for difference in differences {
        let path = format!("{PAGES}/{}", difference.page());
        if !pages.contains(&difference.page()) {
            let text = format!("is missing: the page of the difference `{}`", difference.name);
            problems.push(Finding::new(path, 1, text));
            continue;
        }
        let opening = format!("# D{} {}", difference.number, difference.name);
        if workspace.read(&path)?.lines().next() != Some(opening.as_str()) {
            problems.push(Finding::new(path, 1, format!("must open with `{opening}`")));
        }
    }
    let is_known = |page: &&String| differences.iter().any(|difference| difference.page() == **page);
    for page in pages.iter().filter(|page| *page != "index.md" && !is_known(page)) {
        problems.push(Finding::new(format!("{PAGES}/{page}"), 1, "is a page without a difference"));
    }
    Ok(())
}

/// The registry's text, before rustfmt.
pub(super) fn registry(differences: &[Difference]) -> String {
    let mut out = format!("{MARK}\n");
    let (mut statics, mut pages) = (String::new(), String::new());
    for difference in differences {
        let module = difference.module();
        let _ = writeln!(out, "mod {module};");
        let _ = write!(statics, "&{module}::DIFFERENCE, ");
        let file = difference.page();
        let _ = write!(pages, "(\"D{}\", include_str!(\"../../../pages/{file}\")), ", difference.number);
    }
    let _ = write!(
        out,
        "\n/// Every named difference, in the order of their ids.\n\
         pub static DIFFERENCES: &[&crate::divergence::Difference] = &[{statics}];\n\n\
         /// The page of each difference, in the same order.\n\
         pub static PAGES: &[(&str, &str)] = &[{pages}];\n"
    );
    out
}

/// The table of every difference.
pub(super) fn table(differences: &[Difference]) -> String {
    let mut out = String::from(
        "# Differences\n\n<!-- Generated by `cargo xtask codegen`; do not edit. -->\n\n\
         The meaning of a rule and the deployed validator differ in these cases. Each has a predicate in\n\
         `kvrules-template-validator` that decides if it applies to a rule and an object; some depend only on the rule. \
         `kvrules explain <id>`\nprints the page of a difference.\n\n\
         | id | name | difference |\n|---|---|---|\n",
    );
    for difference in differences {
        let summary = in_table(&difference.summary);
        let _ = writeln!(
            out,
            "| [D{}]({}) | {} | {summary} |",
            difference.number,
            difference.page(),
            difference.name
        );
    }
    out
}

/// Puts an apparent HTML element in backticks, because it would vanish.
fn in_table(summary: &str) -> String {
    let text = summary.replace('|', "\\|");
    match (text.find('<'), text.rfind('>')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}`{}`{}", &text[..open], &text[open..=close], &text[close + 1..])
        }
        _ => text,
    }
}

/// The part of the book's contents.
pub(super) fn contents(differences: &[Difference]) -> String {
    let mut list = String::from("- [Differences of the deployed validator](differences/index.md)\n");
    for difference in differences {
        let Difference { number, name, .. } = difference;
        let _ = writeln!(list, "  - [D{number} {name}](differences/{})", difference.page());
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(id: &str, name: &str) -> Result<Difference, Finding> {
        let text = format!(
            "pub(super) static DIFFERENCE: Difference = Difference {{ id: \"{id}\", name: \"{name}\", \
             summary: \"such as <T Value>\", applies }};"
        );
        read_one("d.rs", &text)
    }

    #[test]
    fn file_and_page_are_named_after_id_and_name() {
        let difference = difference("D3", "no-name").unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(difference.module(), "d03_no_name");
        assert_eq!(difference.page(), "D03-no-name.md");
        assert!(table(&[difference]).ends_with("| [D3](D03-no-name.md) | no-name | such as `<T Value>` |\n"));
    }

    #[test]
    fn an_id_without_a_number_is_a_problem() {
        let problem = difference("X3", "no-name").err().map(|problem| problem.text);
        assert_eq!(problem.as_deref(), Some("invalid id `X3`; expected one such as `D1`"));
    }
}
