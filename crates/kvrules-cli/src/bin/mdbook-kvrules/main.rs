//! `mdbook-kvrules`: a preprocessor that puts rules and extra specs into books.
//!
//! mdBook starts it with `supports RENDERER`, and then without arguments and with the book as JSON on standard input. The
//! rules come from the program `kvrules` that lies next to it, as `kvrules docs` lays them out.

mod book;
mod expand;
mod filter;
#[path = "../../long_files.rs"]
mod long_files;
mod markdown;
mod page_source;
mod parse;
mod resource_markdown;
mod spec_markdown;

use std::io::{Read as _, Write as _};
use std::process::ExitCode;

const HELP: &str = "\
Include validation rules in an mdBook book.

In book.toml:
  [preprocessor.kvrules]
  path = [\"../templates\"]     rule files, relative to the directory of book.toml
  definitions = [\"../specs\"]  custom definitions of extra specs
  templates = \"my\"            custom templates, such as my/markdown/_rule_body.md.j2
  before = [\"links\"]          so that escaped directives stay escaped

In chapters:
  {{#kvrules rules path=FILE… filter=WORDS level=N summary}}
  {{#kvrules rule NAME}}
  {{#kvrules extra-specs group=NAMESPACE path=FILE… own-only level=N summary}}
  [[rule:NAME]]
  [[extra-spec:NAME]]

usage: mdbook-kvrules [supports RENDERER]";

fn main() -> ExitCode {
    long_files::fail_on_long_files();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => report_result(preprocess_book()),
        // The output is Markdown, which every renderer accepts.
        ["supports", _] => ExitCode::SUCCESS,
        ["--help" | "-h"] => report_result(print_text(&format!("{HELP}\n"))),
        ["--version" | "-V"] => report_result(print_text(&format!("mdbook-kvrules {}\n", kvrules::VERSION))),
        _ => {
            // If standard error is closed, the error cannot be reported anywhere.
            let _ = writeln!(std::io::stderr(), "{HELP}");
            ExitCode::from(2)
        }
    }
}

fn report_result(result: Result<(), Vec<String>>) -> ExitCode {
    let Err(reasons) = result else { return ExitCode::SUCCESS };
    for reason in reasons {
        let _ = writeln!(std::io::stderr(), "error: {reason}");
    }
    ExitCode::FAILURE
}

/// Reads a book, puts the rules in, and writes it.
fn preprocess_book() -> Result<(), Vec<String>> {
    let mut input = String::new();
    std::io::stdin()
        .read_to_string(&mut input)
        .map_err(|error| vec![format!("cannot read the book: {error}")])?;
    let (context, mut book) = book::parse(&input).map_err(|reason| vec![reason])?;
    let mut program = page_source::PageSource::new(&context);
    expand::expand_book(&mut book, &context, &mut program)?;
    print_text(&book.to_json())
}

fn print_text(text: &str) -> Result<(), Vec<String>> {
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| vec![format!("cannot write the book: {error}")])
}
