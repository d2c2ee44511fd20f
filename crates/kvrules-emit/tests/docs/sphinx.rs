//! reStructuredText read by the tools that it is for. Where they are not installed, the tests say so and pass.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use kvrules_emit::OutputFile;
use kvrules_ir::ElaboratedSet;

use crate::hostile::{PIECES, named, set_of, visible};
use crate::support::*;

/// Reads `{path: text}` and answers for each path the problems, the section titles and the field bodies.
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

directives.register_directive("toctree", Toctree)
roles.register_local_role("doc", lambda role, raw, text, line, inliner, options={}, content=[]: ([nodes.literal(raw, text)], []))
answer = {}
for path, text in json.load(sys.stdin).items():
    tree = publish_doctree(text, settings_overrides={"report_level": 2, "halt_level": 5, "warning_stream": False,
        "doctitle_xform": False, "docinfo_xform": False})
    answer[path] = {
        "problems": [node.astext() for node in tree.findall(nodes.system_message) if node["level"] > 1],
        "titles": [node.astext() for node in tree.findall(nodes.title)],
        "messages": [node[1].astext() for node in tree.findall(nodes.field) if node[0].astext() == "Message"],
        "literals": [node.astext() for node in tree.findall(nodes.literal)],
    }
json.dump(answer, sys.stdout)
"#;

pub(crate) fn python(arguments: &[&str], input: &str) -> Option<String> {
    let mut child = Command::new("python3")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    if !output.status.success() {
        println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn has(module: &str) -> bool {
    let found = python(&["-c", &format!("import {module}")], "").is_some();
    if !found {
        println!("skipped: python3 has no module `{module}`");
    }
    found
}

/// Hostile texts, two in a row to a set.
fn texts() -> Vec<(String, String)> {
    let next = |index: usize| PIECES[(index * 7 + 3) % PIECES.len()];
    let pair = |(index, piece): (usize, &&str)| {
        [
            ((*piece).to_owned(), format!("a {piece}")),
            (format!("{piece} a"), format!("{piece}{}", next(index))),
            (format!("{}{piece}{}", next(index), next(index + 1)), format!("a{piece}b {} ", next(index))),
        ]
    };
    PIECES.iter().enumerate().flat_map(pair).collect()
}

fn sets() -> Vec<ElaboratedSet> {
    texts().iter().map(|(text, other)| set_of(text, other)).collect()
}

fn written(sets: &[ElaboratedSet]) -> Vec<OutputFile> {
    files("restructuredtext", sets, &[]).expect("the built-in templates are right")
}

#[test]
fn docutils_finds_every_text_again() {
    if !has("docutils") {
        return;
    }
    let (texts, files) = (texts(), written(&sets()));
    let input: BTreeMap<_, _> = files.iter().map(|file| (&file.path, &file.text)).collect();
    let answer = python(&["-c", READ], &serde_json::to_string(&input).unwrap()).expect("docutils reads");
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let list = |path: &str, key: &str| -> Vec<String> {
        let values = answer[path][key].as_array().expect("an answer for each file");
        values.iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(list("index.rst", "problems"), [""; 0]);
    for (file, (text, other)) in files.iter().skip(1).zip(&texts) {
        let path = file.path.as_str();
        assert_eq!(list(path, "problems"), [""; 0], "{}", file.text);
        let titles: Vec<String> = list(path, "titles").iter().skip(1).map(|title| visible(title)).collect();
        assert_eq!(titles, [&named(text), &named(other), "Rulesthatarenotchecked"], "{}", file.text);
        let messages: Vec<String> = list(path, "messages").iter().map(|message| visible(message)).collect();
        let wording = |text: &str| named(text).replace("(noname)", "(none)");
        assert_eq!(messages, [wording(text), wording(other)], "{}", file.text);
        for value in
            [text, other].into_iter().filter(|value| value.chars().all(|c| c.is_ascii_graphic() && c != '"'))
        {
            let literals = list(path, "literals");
            assert!(value.is_empty() || literals.contains(value), "{value:?} in {literals:?}\n{}", file.text);
        }
    }
    println!("docutils read {} pages", files.len());
}

#[test]
fn sphinx_builds_without_a_warning() {
    if !has("sphinx") {
        return;
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs-sphinx");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let sets: Vec<ElaboratedSet> = [windows(), windows(), set("self", &[], vec![])]
        .into_iter()
        .chain(sets().into_iter().step_by(3))
        .collect();
    let files = written(&sets);
    for file in &files {
        std::fs::write(folder.join(&file.path), &file.text).unwrap();
    }
    std::fs::write(folder.join("conf.py"), "project = 'rules'\n").unwrap();
    let folder = folder.to_str().unwrap();
    let built =
        python(&["-m", "sphinx", "-W", "-n", "-q", "--keep-going", folder, &format!("{folder}/_build")], "");
    assert!(built.is_some(), "see the output above");
    println!("sphinx built {} pages", files.len());
}
