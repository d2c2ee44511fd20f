//! The files that RuleSets name: the definitions of their subjects, and files with further rules.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use kvrules::rule_set::included_name;
use kvrules::{FileId, SourceFile, SubjectFiles, included_files, subject_files};

use crate::text::read_text;

/// Reads the files that RuleSets name. A relative path starts from the folder of the RuleSet.
pub(crate) fn read_subjects(
    sources: &[SourceFile],
    paths: &[Option<PathBuf>],
    parameters: &BTreeMap<String, String>,
) -> SubjectFiles {
    let mut subjects = SubjectFiles::default().with_parameters(parameters.clone());
    for (source, path) in sources.iter().zip(paths) {
        for named in subject_files(source) {
            let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            let found = read_text(&folder.join(&named))
                .map(|text| SourceFile::new(FileId(0), named.clone(), text))
                .map_err(|unread| format!("cannot read `{named}`: {}", unread.message));
            subjects.add_file(source.name(), &named, found.as_ref().map_err(Clone::clone));
        }
        let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        read_included(source, folder, &mut subjects);
    }
    subjects
}

/// Reads the files that RuleSets include, and those that these include.
fn read_included(source: &SourceFile, folder: &Path, subjects: &mut SubjectFiles) {
    let mut wanted: Vec<String> = included_files(source).iter().map(|file| included_name("", file)).collect();
    let mut known = HashSet::new();
    while let Some(name) = wanted.pop() {
        if !known.insert(name.clone()) {
            continue;
        }
        let text = read_text(&folder.join(&name))
            .map_err(|unread| format!("cannot read `{name}`: {}", unread.message));
        if let Ok(text) = &text {
            let file = SourceFile::new(FileId(0), name.clone(), text.clone());
            wanted.extend(included_files(&file).iter().map(|file| included_name(&name, file)));
        }
        subjects.add_included(source.name(), &name, text);
    }
}
