//! The files that RuleSets name as the definitions of their subjects.

use std::path::{Path, PathBuf};

use kvrules::{FileId, SourceFile, SubjectFiles, subject_files};

use crate::text::read_text;

/// Reads the files that RuleSets name. A relative path starts from the folder of the RuleSet.
pub(crate) fn read_subjects(sources: &[SourceFile], paths: &[Option<PathBuf>]) -> SubjectFiles {
    let mut subjects = SubjectFiles::default();
    for (source, path) in sources.iter().zip(paths) {
        for named in subject_files(source) {
            let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            let found = read_text(&folder.join(&named))
                .map(|text| SourceFile::new(FileId(0), named.clone(), text))
                .map_err(|unread| format!("cannot read `{named}`: {}", unread.message));
            subjects.add_file(source.name(), &named, found.as_ref().map_err(Clone::clone));
        }
    }
    subjects
}
