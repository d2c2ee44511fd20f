//! Findings of a source, and their repair.

use std::path::{Path, PathBuf};

use kvrules::check::{CheckSettings, CheckedFile};
use kvrules::render::{RenderFormat, RenderOptions, render_diagnostics};
use kvrules::{Fix, SourceFile, Sources};
use serde_json::json;

use crate::messages::{Refusal, RepairRequest, Source};

/// A source that was read and checked, without a configuration.
pub(crate) struct CheckedSource {
    sources: Sources,
    pub(crate) checked: CheckedFile,
}

impl CheckedSource {
    pub(crate) fn read(source: &Source) -> Result<Self, Refusal> {
        let mut sources = Sources::default();
        sources.add_file(source.name.as_str(), source.text.as_str());
        let file = sources.files().first().ok_or_else(|| Refusal("no source".to_owned()))?;
        let checked =
            CheckSettings::default().check_file(file, &path_of(source), &mut refuse_file).map_err(Refusal)?;
        Ok(Self { sources, checked })
    }

    pub(crate) fn file(&self) -> Option<&SourceFile> {
        self.sources.files().first()
    }
}

fn path_of(source: &Source) -> PathBuf {
    Path::new("/").join(&source.name)
}

/// Refuses every other file: a page has none.
fn refuse_file(_name: &str) -> Result<String, String> {
    Err("no such file or directory".to_owned())
}

/// The findings, as the command prints them.
pub(crate) fn check_source(source: &Source) -> Result<String, Refusal> {
    let CheckedSource { sources, checked } = CheckedSource::read(source)?;
    let options = RenderOptions::default();
    let findings = render_diagnostics(RenderFormat::Json, &checked.findings, &sources, &options);
    Ok(format!("{{\"findings\":{}}}", findings.trim_end()))
}

/// The text after a fix, or after all safe fixes.
pub(crate) fn repair_source(request: &RepairRequest) -> Result<String, Refusal> {
    let read = CheckedSource::read(&request.source)?;
    let text = if let Some(index) = request.finding {
        let found = read.checked.findings.get(index);
        let fixed =
            found.and_then(|found| found.fix.as_ref()).and_then(|fix| apply_fix(&request.source.text, fix));
        fixed.ok_or_else(|| Refusal("the finding has no fix".to_owned()))?
    } else {
        let file = read.file().ok_or_else(|| Refusal("no source".to_owned()))?;
        let settings = CheckSettings::default();
        settings.fix_file(file, &path_of(&request.source), &mut refuse_file).source.text().to_owned()
    };
    Ok(json!({"text": text}).to_string())
}

/// `None` if the edits are not of this text.
fn apply_fix(text: &str, fix: &Fix) -> Option<String> {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.span.start);
    let (mut fixed, mut end) = (String::new(), 0);
    for edit in edits {
        fixed.push_str(text.get(end..usize::try_from(edit.span.start).ok()?)?);
        fixed.push_str(&edit.replacement);
        end = usize::try_from(edit.span.end).ok()?;
    }
    fixed.push_str(text.get(end..)?);
    Some(fixed)
}
