//! The files that RuleSets name: the definitions of their subjects, and files with further rules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kvrules::{SourceFile, SubjectFiles};

use crate::text::{PathOrigin, read_text};

/// Reads the files that RuleSets name. A relative path starts from the folder of the RuleSet.
pub(crate) fn read_subjects(
    sources: &[SourceFile],
    paths: &[Option<PathBuf>],
    parameters: &BTreeMap<String, String>,
) -> SubjectFiles {
    let mut subjects = SubjectFiles::default().with_parameters(parameters.clone());
    for (source, path) in sources.iter().zip(paths) {
        let folder = path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let mut read =
            |named: &str| read_text(&folder.join(named), PathOrigin::File).map_err(|unread| unread.message);
        subjects.read_named_files(source, &mut read);
    }
    subjects
}
