//! docutils as a reader of generated reStructuredText.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Reads pages and answers for each the problems and the titles.
const READ: &str = r#"
import json, sys
from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles

class Toctree(Directive):
    has_content = True
    option_spec = {"hidden": directives.flag, "maxdepth": int}
    def run(self):
        return []

def shown(role, raw, text, line, inliner, options={}, content=[]):
    return [nodes.literal(raw, text)], []

directives.register_directive("toctree", Toctree)
roles.register_local_role("doc", shown)
roles.register_local_role("ref", shown)
answers = []
for text in json.load(sys.stdin):
    tree = publish_doctree(text, settings_overrides={"report_level": 2, "halt_level": 5, "warning_stream": False,
        "doctitle_xform": False, "docinfo_xform": False})
    problems = [node.astext() for node in tree.findall(nodes.system_message) if node["level"] > 1]
    titles = [node.astext() for node in tree.findall(nodes.title)]
    answers.append({"problems": problems, "titles": titles})
json.dump(answers, sys.stdout)
"#;

/// A page as docutils reads it.
#[derive(Debug, serde::Deserialize)]
pub struct DocutilsPage {
    /// Warnings and errors.
    pub problems: Vec<String>,
    /// The titles of its sections.
    pub titles: Vec<String>,
}

/// Returns pages as docutils reads them; `None`, after a line that tells so, if Python has no docutils.
///
/// # Panics
///
/// If Python fails.
pub fn read_restructuredtext(texts: &[String]) -> Option<Vec<DocutilsPage>> {
    let has_docutils = Command::new("python3").args(["-c", "import docutils"]).status();
    if !has_docutils.is_ok_and(|status| status.success()) {
        println!("skipped: python3 has no module `docutils`");
        return None;
    }
    let mut command = Command::new("python3");
    let mut child = command
        .args(["-c", READ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{error}"));
    let input = serde_json::to_string(texts).unwrap_or_default();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    }
    let output = child.wait_with_output().unwrap_or_else(|error| panic!("{error}"));
    Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}")))
}
