//! Mutants that no case notices, and cases that would.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use kvrules::test::{MutantStatus, MutationReport, suggest_cases};

use super::Measured;
use crate::failure::Failure;
use crate::paths::display_path;
use crate::sentences::count_noun;
use crate::terminal::{ColorPainter, Terminal};

/// Renders the score of each document, and each survivor as a diff.
pub(super) fn render_mutation(measured: &[Measured<'_>], paint: ColorPainter) -> String {
    let mut text = String::new();
    for forms in measured.chunk_by(|one, other| one.rules.origin == other.rules.origin) {
        for (index, one) in forms.iter().enumerate() {
            let Some(report) = &one.mutation else { continue };
            if index == 0 {
                let _ = write!(text, "\n{}\n", paint.bold(&display_path(&one.rules.origin.path)));
            }
            if forms.len() > 1 {
                let _ = writeln!(text, "for {}:", one.rules.matched_resources().join(", "));
            }
            text += &render_report(report, paint);
        }
    }
    text
}

/// Renders the survivors of a document and its score.
fn render_report(report: &MutationReport, paint: ColorPainter) -> String {
    let mut text = String::new();
    for result in &report.mutants {
        let word = match result.status {
            MutantStatus::Survived => paint.red("survived"),
            MutantStatus::Undecided => paint.yellow("undecided"),
            MutantStatus::Killed | MutantStatus::Equivalent => continue,
        };
        let _ = writeln!(text, "{word} {}: {}", result.mutant.name, result.mutant.description);
        for line in result.mutant.to_diff().lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    let count = |status| report.count_status(status);
    let Some(total) = report.total_score() else {
        return text + "mutation score: no change of the rules makes a difference\n";
    };
    let of_rules = report.rule_score().map_or_else(String::new, |it| format!(", of expressions {it} %"));
    let _ = writeln!(
        text,
        "mutation score: {total} %{of_rules}; {} killed, {} survived, {} undecided, {} equivalent",
        count(MutantStatus::Killed),
        count(MutantStatus::Survived),
        count(MutantStatus::Undecided),
        count(MutantStatus::Equivalent)
    );
    text
}

/// Writes suites with the missing cases.
pub(super) fn write_suggestions(
    path: &Path,
    measured: &[Measured<'_>],
    terminal: &Terminal,
) -> Result<(), Failure> {
    let (mut documents, mut cases, mut killed) = (Vec::new(), 0, 0);
    for one in measured {
        let Some(report) = &one.mutation else { continue };
        let rules = relative_path(path.parent().unwrap_or(Path::new("")), &one.rules.origin.path);
        let suggested = suggest_cases(&one.rules, report, &rules.to_string_lossy());
        if let Some((file, number)) = suggested {
            cases += file.cases.len();
            killed += number;
            documents.push(file.render_yaml());
        }
    }
    if documents.is_empty() {
        let reports = measured.iter().filter_map(|one| one.mutation.as_ref());
        let survivors: usize = reports.map(|report| report.count_status(MutantStatus::Survived)).sum();
        if survivors > 0 {
            let survivors = count_noun(survivors, "change");
            let message = format!(
                "nothing was written: suites of kvrules cannot be about the rules of the {survivors} that survive"
            );
            terminal.warning(&message, Some("add cases to the suite in its own format"));
        } else {
            terminal.print_status("no case is missing that an object would show");
        }
        return Ok(());
    }
    std::fs::write(path, documents.join("---\n")).map_err(|error| Failure::file("write", path, &error))?;
    terminal.print_status(&format!(
        "wrote {} to `{}`; {} {}",
        count_noun(cases, "case"),
        display_path(path),
        if cases == 1 { "it kills" } else { "they kill" },
        count_noun(killed, "more mutant")
    ));
    Ok(())
}

/// The path of a file from a folder, if both begin in the same place.
fn relative_path(folder: &Path, file: &Path) -> PathBuf {
    let clean = |path: &Path| path.components().filter(|it| *it != Component::CurDir).collect::<PathBuf>();
    let (folder, file) = (clean(folder), clean(file));
    if folder.is_absolute() != file.is_absolute() {
        return file;
    }
    let common = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    up.chain(file.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_named_from_the_folder_of_the_suite() {
        let path =
            |folder, file| relative_path(Path::new(folder), Path::new(file)).to_string_lossy().into_owned();
        assert_eq!(path("", "a/b.yaml"), "a/b.yaml");
        assert_eq!(path("a/tests", "./a/b.yaml"), "../b.yaml");
        assert_eq!(path("c", "/a/b.yaml"), "/a/b.yaml");
    }
}
