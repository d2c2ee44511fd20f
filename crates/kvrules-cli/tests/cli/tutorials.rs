//! The tutorials do what they print: files are saved in the order of the page, and each command is run in their folder.
//!
//! A block is saved if the line before it ends in ``as `NAME`:``. A comment `<!-- exit N -->` before a block is the exit status of its last
//! command. `KVRULES_BLESS=1` writes what the commands print into the pages.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::place::Place;

/// A fenced block of a page.
#[derive(Default)]
struct Block<'p> {
    fence: &'p str,
    language: &'p str,
    /// The part of the page that it is.
    range: Range<usize>,
    /// The last line before it that is not blank; empty right after another block.
    before: &'p str,
}

/// The blocks of a page. A block ends at a line that is as many backticks as it begins with.
fn read_blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open: Option<Block<'_>> = None;
    let (mut at, mut before) = (0, "");
    for line in page.split_inclusive('\n') {
        let text = line.trim_end();
        match &mut open {
            Some(block) if text == block.fence => {
                block.range.end = at;
                blocks.extend(open.take());
                before = "";
            }
            Some(_) => {}
            None if text.starts_with("```") => {
                let language = text.trim_start_matches('`');
                let fence = &text[..text.len() - language.len()];
                let start = at + line.len();
                open = Some(Block { fence, language, range: start..start, before });
            }
            None if text.is_empty() => {}
            None => before = text,
        }
        at += line.len();
    }
    assert!(open.is_none(), "unclosed block");
    blocks
}

/// The name under which a block is saved.
fn file_name<'p>(block: &Block<'p>) -> Option<&'p str> {
    let line = block.before.strip_suffix("`:")?;
    let (words, name) = line.rsplit_once('`')?;
    words.ends_with("as ").then_some(name)
}

fn exit_status(block: &Block<'_>) -> Option<i32> {
    let comment = block.before.strip_prefix("<!-- exit ")?;
    comment.strip_suffix(" -->")?.parse().ok()
}

/// The words of a command; single quotes keep blanks.
fn split_words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for char in command.chars() {
        match char {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            char => words.last_mut().unwrap().push(char),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs the commands of a block, and returns the block as it is printed.
fn run_block(place: &Place, block: &Block<'_>, text: &str, page: &Path) -> String {
    let mut printed = String::new();
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(!commands.is_empty(), "{}: a block without a command: {}", page.display(), text);
    for (index, command) in commands.iter().enumerate() {
        let words = split_words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = match words.as_slice() {
            ["cat", file] => place.read(file),
            ["kvrules", args @ ..] => {
                let run = place.run(args);
                let expected = if index + 1 == commands.len() { exit_status(block).unwrap_or(0) } else { 0 };
                assert_eq!(run.code, Some(expected), "{}: {command}: {run:?}", page.display());
                run.out + &run.err
            }
            other => panic!("{}: the test cannot run {other:?}", page.display()),
        };
        printed.extend(["$ ", command, "\n", output.as_str()]);
    }
    printed
}

fn run_page(path: &Path) {
    let page = std::fs::read_to_string(path).unwrap();
    let place = Place::with(&[]);
    let mut blessed = page.clone();
    let mut runs = 0;
    let mut printed = Vec::new();
    for block in read_blocks(&page) {
        let text = &page[block.range.clone()];
        if let Some(name) = file_name(&block) {
            place.write(name, text);
        } else if block.language == "console" {
            let output = run_block(&place, &block, text, path);
            runs += 1;
            if std::env::var_os("KVRULES_BLESS").is_none() {
                assert_eq!(output, text, "{}", path.display());
            }
            printed.push((block.range, output));
        }
    }
    assert!(runs > 0, "{} runs nothing", path.display());
    // From the last block to the first, since a longer one moves those behind it.
    for (range, output) in printed.into_iter().rev() {
        blessed.replace_range(range, &output);
    }
    if blessed != page {
        std::fs::write(path, blessed).unwrap();
    }
}

fn pages() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let listed =
        |folder: &str| std::fs::read_dir(docs.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let tutorials = listed("tutorials").filter(|path| path.extension().is_some_and(|it| it == "md"));
    // Pages for users of suites that other projects have, and the pages about notations.
    let notations = ["diff-notations.md", "policy-notations.md"];
    let suites = listed("guide")
        .filter(|path| name(path).starts_with("test-") || notations.contains(&name(path).as_str()));
    let mut found: Vec<PathBuf> = tutorials.chain(suites).collect();
    found.sort();
    found
}

#[test]
fn tutorials_do_what_they_print() {
    let pages = pages();
    assert_eq!(pages.len(), 9, "{pages:?}");
    for page in &pages {
        run_page(page);
    }
}

#[test]
fn blocks_are_recognized() {
    let page = "# A\n\nSave this as `a/b.yaml`:\n\n```yaml\nx: 1\n```\n\n```console\n$ kvrules check\n```\n\n<!-- exit 1 -->\n```console\n$ kvrules 'a b' c\nout\n```\n";
    let blocks = read_blocks(page);
    assert_eq!(file_name(&blocks[0]), Some("a/b.yaml"));
    assert_eq!(&page[blocks[0].range.clone()], "x: 1\n");
    assert_eq!((file_name(&blocks[1]), exit_status(&blocks[1])), (None, None));
    assert_eq!(exit_status(&blocks[2]), Some(1));
    assert_eq!(split_words("kvrules 'a b' c"), ["kvrules", "a b", "c"]);
}
