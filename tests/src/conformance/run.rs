//! Runs the cases of a file. Lines are read in batches and a batch is evaluated in parallel, so that a file of any size
//! takes the memory of a batch; outcomes are counted in the order of the lines, so that every run tells the same.

use std::io::{self, BufRead};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;

use super::report::{CaseDifference, CaseReport};
use super::{CaseFormat, Outcome, row::CaseRow};

/// A batch ends with the line that fills one of the two.
const BATCH_LINES: usize = 1024;
const BATCH_BYTES: usize = 4 << 20;

/// Result for a line.
enum LineResult {
    /// It is blank.
    Nothing,
    /// No case could be made out, for a reason.
    Unread(String),
    Case {
        family: String,
        id: Option<String>,
        outcome: Outcome,
        aspects: Vec<(&'static str, bool)>,
    },
}

/// Runs every case of a text in which a line is a case. Of the differences and of the lines that are no case, the
/// first `limit` are kept each; all are counted. A line that is no case does not hide the others.
pub fn run_cases(mut input: impl BufRead, limit: usize) -> CaseReport {
    let mut report = CaseReport::new(limit);
    let mut line = 0;
    loop {
        let (batch, end) = read_batch(&mut input);
        let evaluated: Vec<LineResult> = batch.par_iter().map(|line| run_line(line)).collect();
        for evaluated in evaluated {
            line += 1;
            record_result(&mut report, line, evaluated);
        }
        match end {
            Ok(false) => {}
            Ok(true) => break,
            Err(error) => {
                report.add_unread_line(line + 1, format!("cannot be read: {error}"));
                break;
            }
        }
    }
    if report.is_empty() {
        report.add_unread_line(1, "there is no case in it".to_owned());
    }
    report
}

fn record_result(report: &mut CaseReport, line: usize, evaluated: LineResult) {
    if let LineResult::Case { family, aspects, .. } = &evaluated {
        aspects.iter().for_each(|(aspect, agrees)| report.add_aspect(family, aspect, *agrees));
    }
    match evaluated {
        LineResult::Nothing => {}
        LineResult::Unread(reason) => report.add_unread_line(line, reason),
        LineResult::Case { family, outcome: Outcome::Agrees, .. } => report.add_agreement(family),
        LineResult::Case { family, id, outcome: Outcome::Differs { expected, actual }, .. } => {
            report.add_difference(family, CaseDifference { line, id, expected, actual });
        }
    }
}

/// The next lines, and whether they are the last.
fn read_batch(input: &mut impl BufRead) -> (Vec<Vec<u8>>, io::Result<bool>) {
    let (mut lines, mut bytes) = (Vec::new(), 0);
    while lines.len() < BATCH_LINES && bytes < BATCH_BYTES {
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => return (lines, Ok(true)),
            Ok(read) => bytes += read,
            Err(error) => return (lines, Err(error)),
        }
        lines.push(line);
    }
    (lines, Ok(false))
}

fn run_line(line: &[u8]) -> LineResult {
    if line.trim_ascii().is_empty() {
        return LineResult::Nothing;
    }
    let row = match CaseRow::parse(line) {
        Ok(row) => row,
        Err(reason) => return LineResult::Unread(reason),
    };
    let Some(format) = CaseFormat::for_row(&row) else {
        return LineResult::Unread(unknown_format(&row));
    };
    LineResult::Case {
        family: row.string_member("family").unwrap_or_else(|| format.name.to_owned()),
        id: row.string_member("id"),
        outcome: run_row(format, &row),
        aspects: catch_unwind(AssertUnwindSafe(|| format.compare_aspects(&row))).unwrap_or_default(),
    }
}

/// A case that brings us down is a finding like any other, and the cases after it still count.
fn run_row(format: &CaseFormat, row: &CaseRow) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| (format.judge)(row))).unwrap_or_else(|_| Outcome::Differs {
        expected: row.raw_member("expected").unwrap_or("an answer").to_owned(),
        actual: "a panic of ours".to_owned(),
    })
}

fn unknown_format(row: &CaseRow) -> String {
    let fields: Vec<String> = row.keys().map(|key| format!("`{key}`")).collect();
    if fields.is_empty() {
        return "the format is not known: the line is not an object with fields".to_owned();
    }
    format!("the format is not known: the fields are {}", fields.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_brings_us_down_differs() {
        let format = CaseFormat { name: "falls", recognises: |_| true, judge: |_| panic!("on purpose") };
        let row = CaseRow::parse(br#"{"expected": 1}"#).expect("a row is JSON");
        let expected = Outcome::Differs { expected: "1".to_owned(), actual: "a panic of ours".to_owned() };
        assert_eq!(run_row(&format, &row), expected);
    }
}
