//! The properties that every run has.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{HostileCase, RunOutcome};

/// Says which property two runs of a case break; nothing where they have all.
pub fn find_broken_property(case: &HostileCase, [one, two]: &[RunOutcome; 2]) -> Option<String> {
    let of_each =
        [one, two].into_iter().find_map(|run| check_ending(run).or_else(|| check_output(case, run)));
    let same = || (!one.is_same(two)).then(|| describe_difference(one, two));
    of_each.or_else(same).or_else(|| check_files_left(case, one)).or_else(|| well_formed(case, one))
}

/// It ends by itself, with a status that means something, and without a panic.
fn check_ending(run: &RunOutcome) -> Option<String> {
    let err = run.err_text();
    if let Some(line) = err
        .lines()
        .position(|line| line.contains("internal error of kvrules") || line.contains("panicked at"))
    {
        let reported: Vec<_> = err.lines().skip(line).take(3).collect();
        return Some(format!("panic: {}", reported.join(" ")));
    }
    match (run.status, run.signal) {
        _ if run.hangs => Some("hangs".to_owned()),
        (_, Some(signal)) => {
            Some(format!("ended by signal {signal}: {}", err.lines().last().unwrap_or_default()))
        }
        (Some(0..=3), None) => None,
        (status, None) => Some(format!("status {status:?}")),
    }
}

/// Nothing is printed or generated that a terminal or an editor acts upon, but for texts that are those of the user.
fn check_output(case: &HostileCase, run: &RunOutcome) -> Option<String> {
    let is_file = case.has_word("-") || case.has_word("definitions");
    let texts = [("standard output", run.out_text(), is_file), ("standard error", run.err_text(), false)];
    let printed = texts.into_iter().filter(|(_, _, is_file)| !is_file).find_map(|(stream, text, _)| {
        let text = if case.has_word("always") { strip_colors(&text) } else { text };
        find_acting_character(&text, true).map(|found| format!("{stream} has the character {found:?}"))
    });
    printed.or_else(|| {
        let made = run.tree.iter().filter(|(name, _)| !case.files.contains_key(*name));
        made.filter(|(name, _)| !case.has_word("--schema") || !name.contains("crd")).find_map(
            |(name, bytes)| {
                let found = find_acting_character(&String::from_utf8_lossy(bytes), false)?;
                Some(format!("the generated file `{name}` has the character {found:?}"))
            },
        )
    })
}

/// The first character that is acted upon. Texts of people on pages may have marks of the direction of a word (`U+200E`), which end with it.
fn find_acting_character(text: &str, is_printed: bool) -> Option<char> {
    text.replace("\r\n", "\n").chars().find(|char| match char {
        '\u{61c}' | '\u{200e}' | '\u{200f}' => is_printed,
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        char => char.is_control() && !matches!(char, '\n' | '\t'),
    })
}

fn strip_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let is_code = |code: &str| code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';');
        match part.split_once('m').filter(|(code, _)| is_code(code)) {
            Some((_, rest)) => text + rest,
            None => text + "\u{1b}[" + part,
        }
    })
}

fn describe_difference(one: &RunOutcome, two: &RunOutcome) -> String {
    let first = |one: &str, two: &str| {
        let differing = one.lines().zip(two.lines()).find(|(one, two)| one != two);
        differing.map(|(one, two)| format!("{one:?} and {two:?}")).unwrap_or_default()
    };
    let what = if one.status != two.status {
        format!("status {:?} and {:?}", one.status, two.status)
    } else if one.out != two.out {
        format!("standard output: {}", first(&one.out_text(), &two.out_text()))
    } else if one.err != two.err {
        format!("standard error: {}", first(&one.err_text(), &two.err_text()))
    } else {
        "files".to_owned()
    };
    format!("two runs differ in {what}")
}

/// No temporary file is left, and who does not write leaves the files as they were.
fn check_files_left(case: &HostileCase, run: &RunOutcome) -> Option<String> {
    let is_temporary = |name: &&String| name.contains(".kvrules-") && !name.contains("manifest");
    if let Some(name) = run.tree.keys().find(is_temporary) {
        return Some(format!("the temporary file `{name}` is left"));
    }
    let shows = ["--diff", "--check"].iter().any(|option| case.has_word(option));
    let writes = !shows
        && (["--fix", "--write", "--out-dir", "--update", "--suggest", "--lcov"]
            .iter()
            .any(|option| case.has_word(option))
            || case
                .args
                .first()
                .is_some_and(|command| matches!(command.as_str(), "fmt" | "compile" | "docs")));
    let before: BTreeMap<_, _> =
        case.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
    (!writes && run.tree != before).then(|| "it writes files and should not".to_owned())
}

/// Checks that the output for programs can be parsed, and that its locations are in the files.
fn well_formed(case: &HostileCase, run: &RunOutcome) -> Option<String> {
    let text = if case.has_word("import") { run.err_text() } else { run.out_text() };
    // A run that stopped may have printed nothing.
    let is_stopped = run.status == Some(2) || (run.status == Some(1) && case.has_word("docs"));
    if is_stopped && text.is_empty() || case.has_word("import") {
        return None;
    }
    let format = case.option_value("--output-format").or_else(|| case.option_value("--format"));
    let is_report =
        case.option_value("--report") == Some("-") || case.option_value("--loss-report") == Some("-");
    let by_lines = case.has_word("--ndjson")
        || (case.has_word("eval") && case.args.iter().any(|arg| arg.ends_with(".ndjson")));
    if case.has_word("--statistics") || case.has_word("--diff") || case.has_word("definitions") {
        return None;
    }
    let parsed = match format {
        Some("json") if case.has_word("docs") && case.has_word("--out-dir") => return None,
        Some("json") if by_lines => return None,
        Some("jsonl") => {
            text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>().map(Value::Array)
        }
        Some("json" | "sarif" | "gitlab") => serde_json::from_str(&text),
        Some("junit") => {
            let options =
                roxmltree::ParsingOptions { allow_dtd: false, ..roxmltree::ParsingOptions::default() };
            return roxmltree::Document::parse_with_options(&text, options)
                .err()
                .map(|error| format!("no XML: {error}"));
        }
        Some("concise") => return check_line_format(case, run, &text),
        _ if is_report && !text.is_empty() => serde_json::from_str(&text),
        _ => return None,
    };
    match parsed {
        Ok(value) => find_misplaced(case, run, &value),
        Err(error) => Some(format!("no JSON: {error}")),
    }
}

/// The text of a file, as it is after the run.
fn text_of(case: &HostileCase, run: &RunOutcome, file: &str) -> Option<String> {
    let name = file.strip_prefix("./").unwrap_or(file);
    if case.files.contains_key(name) {
        run.tree.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    } else {
        None
    }
}

/// `file:line:column: …`, where the file is one of ours.
fn check_line_format(case: &HostileCase, run: &RunOutcome, text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let mut parts = line.splitn(4, ':');
        let (file, line, column) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let text = text_of(case, run, file)?;
        (!lies_in(&text, line, column)).then(|| format!("{file}:{line}:{column} does not lie in the file"))
    })
}

/// A place of a JSON report that does not lie in its file.
fn find_misplaced(case: &HostileCase, run: &RunOutcome, value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| find_misplaced(case, run, item)),
        Value::Object(members) => {
            let here = members.get("file").and_then(Value::as_str).and_then(|file| {
                let text = text_of(case, run, file)?;
                let ends = [members.get("start"), members.get("end"), Some(value)];
                ends.into_iter()
                    .flatten()
                    .find_map(|end| check_position(&text, end, "line", "column"))
                    .map(|at| format!("{file}{at}"))
            });
            let in_sarif =
                members.get("artifactLocation").zip(members.get("region")).and_then(|(file, region)| {
                    let file = file.get("uri")?.as_str()?;
                    let text = text_of(case, run, file)?;
                    let found = check_position(&text, region, "startLine", "startColumn")
                        .or_else(|| check_position(&text, region, "endLine", "endColumn"));
                    found.map(|at| format!("{file}{at}"))
                });
            let reported = here.or(in_sarif).map(|at| format!("{at} does not lie in the file"));
            reported.or_else(|| members.values().find_map(|member| find_misplaced(case, run, member)))
        }
        _ => None,
    }
}

fn check_position(text: &str, end: &Value, line: &str, column: &str) -> Option<String> {
    let number = |name| end.get(name).and_then(Value::as_u64);
    let (line, column) = (number(line)?, number(column)?);
    let offset = number("offset").is_none_or(|offset| offset <= text.len() as u64);
    (!offset || !lies_in(text, line, column)).then(|| format!(":{line}:{column}"))
}

/// True if a text has the line, and the line the column; just past the end of a line is valid.
fn lies_in(text: &str, line: u64, column: u64) -> bool {
    let mut lines = text.split('\n');
    let found = usize::try_from(line).ok().and_then(|line| lines.nth(line.checked_sub(1)?));
    found.is_some_and(|line| column >= 1 && column <= line.chars().count() as u64 + 1)
}
