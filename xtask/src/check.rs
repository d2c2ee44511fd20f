//! `cargo xtask check`: the house's tidy. Each finding is one line, `path:line: text`.

mod arrows;
mod caches;
mod commands;
mod comments;
mod cycles;
mod features;
mod keywords;
mod leftovers;
mod names;
mod profiles;
mod sizes;
mod subjects;
mod words;

use crate::workspace::{Finding, Source, Workspace};
use crate::{Failure, codegen};
use subjects::Subjects;

/// Runs every check. With `update` the numbers of public functions of one word are written first.
pub(crate) fn run(workspace: &Workspace, update: bool) -> Result<(), Failure> {
    let sources = workspace.sources();
    if update {
        names::update(workspace, &sources)?;
    }
    let mut findings = find_violations(workspace, &sources)?;
    let skipped = match subjects::check(&workspace.root) {
        Subjects::Checked { findings: more, commits, since } => {
            findings.extend(more);
            println!("subjects: {commits} commits since {since}");
            None
        }
        Subjects::Skipped(reason) => Some(format!("skipped: subjects of commits ({reason})")),
    };
    report(&sources);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    let rust = sources.iter().filter(|source| source.is_rust()).count();
    let looked = format!("{rust} Rust files, {} files in all", sources.len());
    let not_checked = skipped.map(|skipped| format!("; {skipped}")).unwrap_or_default();
    if findings.is_empty() {
        println!("xtask check: no findings in {looked}{not_checked}");
        return Ok(());
    }
    let noun = if findings.len() == 1 { "finding" } else { "findings" };
    Err(Failure::Failed(format!("xtask check: {} {noun} in {looked}{not_checked}", findings.len())))
}

/// The findings in the files of the workspace, by every check.
fn find_violations(workspace: &Workspace, sources: &[Source]) -> Result<Vec<Finding>, String> {
    let mut findings = codegen::findings(workspace)?;
    findings.extend(arrows::findings(workspace)?);
    findings.extend(cycles::findings(sources));
    findings.extend(commands::findings(sources));
    findings.extend(keywords::findings(sources));
    findings.extend(features::findings(workspace)?);
    findings.extend(profiles::findings(workspace)?);
    for source in sources {
        findings.extend(sizes::findings(source));
        findings.extend(leftovers::findings(source));
    }
    findings.extend(leftovers::outside_names(workspace, sources));
    findings.extend(caches::findings(workspace, sources));
    findings.extend(words::findings(workspace, sources)?);
    findings.extend(names::findings(workspace, sources)?);
    Ok(findings)
}

/// Prints the figures that have no limit.
fn report(sources: &[Source]) {
    println!("{}", comments::report(sources));
    let (mut all, mut one_word) = (0, 0);
    for functions in names::survey(sources).values() {
        all += functions.all;
        one_word += functions.one_word;
    }
    println!("public functions: {all}, {one_word} with a name of one word, getters and idioms included");
}

/// The finding for an offset in a file.
fn at(path: &str, text: &str, offset: usize, message: impl Into<String>) -> Finding {
    Finding::new(path, crate::workspace::line_of(text, offset), message)
}

#[cfg(test)]
mod planted;
