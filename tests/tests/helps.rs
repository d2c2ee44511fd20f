//! No help and no repair proposes what stands at its place already: in the examples of all pages, and in the files that
//! other tests are about.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::path::{Path, PathBuf};

use kvrules::{Diagnostic, FileId, SourceFile};
use kvrules_syntax::markdown::find_fenced_blocks;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a directory whose names end so.
fn files(directory: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules"].contains(&name.as_str()) && !name.starts_with('.') {
            files(&path, endings, found);
        } else if path.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// The text that a help proposes to write; none if it proposes none, or speaks of quotation marks around it.
fn proposed(help: &str) -> Option<&str> {
    let rest = help.strip_prefix("write `").or_else(|| help.strip_prefix("did you mean `"))?;
    let (proposed, behind) = rest.split_once('`')?;
    (!behind.contains("without quotation marks")).then_some(proposed)
}

/// Returns the fault of a help or a repair that proposes the existing text.
fn idle(source: &SourceFile, finding: &Diagnostic) -> Option<String> {
    let written = source.span_text(finding.primary.span).trim();
    let help = finding.help.as_deref().filter(|help| proposed(help) == Some(written));
    let edits = finding.fix.as_ref().map(|fix| fix.edits.as_slice()).unwrap_or_default();
    let is_idle =
        !edits.is_empty() && edits.iter().all(|edit| source.span_text(edit.span) == edit.replacement);
    let repair = is_idle.then_some("a repair that changes nothing");
    help.or(repair).map(|what| format!("{}: {} at `{written}`: {what}", source.name(), finding.code))
}

/// Looks at the findings of a text; returns their number.
fn look_at(name: &str, text: &str, wrong: &mut Vec<String>) -> usize {
    let source = SourceFile::new(FileId(0), name, text);
    let found = kvrules::read_rules(&source).diagnostics;
    wrong.extend(found.iter().filter_map(|finding| idle(&source, finding)));
    found.len()
}

#[test]
fn nothing_is_proposed_that_is_written_already() {
    let (mut pages, mut inputs) = (Vec::new(), Vec::new());
    files(&root().join("docs"), &[".md"], &mut pages);
    for directory in ["crates", "tests", "docs/examples"] {
        files(&root().join(directory), &[".yaml", ".yml", ".json"], &mut inputs);
    }
    let (mut wrong, mut examples, mut findings) = (Vec::new(), 0, 0);
    for path in &pages {
        let text = fs::read_to_string(path).unwrap();
        for block in
            find_fenced_blocks(&text).into_iter().filter(|it| ["yaml", "yml", "json"].contains(&it.language))
        {
            let name = format!("{}.{}", path.file_stem().unwrap().display(), block.language);
            findings += look_at(&name, &text[block.range], &mut wrong);
            examples += 1;
        }
    }
    for path in &inputs {
        let Ok(text) = fs::read_to_string(path) else { continue };
        if text.len() < 200_000 {
            findings += look_at(&path.file_name().unwrap().to_string_lossy(), &text, &mut wrong);
            examples += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(examples > 200 && findings > 300, "{findings} findings in {examples} examples");
    println!("{findings} findings in {examples} examples");
}

/// A definition with a rule.
const DEFINITION: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ponds, kind: Pond}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        x-kubernetes-validations:
        - rule: RULE
";

#[test]
fn no_beginning_of_an_expression_is_answered_with_its_own_end() {
    let expressions = [
        "self.a > 3 && self.b <= 4 || !(self.c == 'x') ? self.d != 1 : self.e - 2 >= 3 * 4 % 5",
        "self.a === 3",
        "self.a !== 3",
        "self.a =< 3",
        "self.a => 3",
        "self.a <> 3",
        "self.a = 3 & self.b | not self.c and self.d or self.e",
        "self.a > 3 and",
        "self.a > 3 && \n",
    ];
    let (mut wrong, mut findings) = (Vec::new(), 0);
    for expression in expressions {
        for end in expression.char_indices().map(|(at, char)| at + char.len_utf8()) {
            let written = serde_json::Value::from(&expression[..end]).to_string();
            findings += look_at("rule.yaml", &DEFINITION.replace("RULE", &written), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(findings > 100, "{findings}");
}
