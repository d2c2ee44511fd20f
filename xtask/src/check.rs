//! `cargo xtask check`: the house's tidy. Each finding is one line, `path:line: text`.

mod arrows;
mod cycles;
mod features;
mod leftovers;
mod profiles;
mod sizes;

use crate::workspace::{Finding, Workspace};
use crate::{Failure, codegen};

pub(crate) fn run(workspace: &Workspace) -> Result<(), Failure> {
    let sources = workspace.sources();
    let mut findings = codegen::findings(workspace)?;
    findings.extend(arrows::findings(workspace)?);
    findings.extend(cycles::findings(&sources));
    findings.extend(features::findings(workspace)?);
    findings.extend(profiles::findings(workspace)?);
    for source in &sources {
        findings.extend(sizes::findings(source));
        findings.extend(leftovers::findings(source));
    }
    findings.extend(leftovers::outside_names(workspace, &sources));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    let rust = sources.iter().filter(|source| source.is_rust()).count();
    let looked = format!("{rust} Rust files, {} files in all", sources.len());
    if findings.is_empty() {
        println!("xtask check: no findings in {looked}");
        return Ok(());
    }
    let noun = if findings.len() == 1 { "finding" } else { "findings" };
    Err(Failure::Failed(format!("xtask check: {} {noun} in {looked}", findings.len())))
}

/// The finding for an offset in a file.
fn at(path: &str, text: &str, offset: usize, message: impl Into<String>) -> Finding {
    Finding::new(path, crate::workspace::line_of(text, offset), message)
}
