//! Metadata definitions of Glance, read from files.

use std::fs;
use std::path::{Path, PathBuf};

use kvrules::extra_specs::Definition;
use kvrules::extra_specs::metadefs::{FlavorMetadef, read_metadef};
use kvrules::render::one_line;
use kvrules::{FileId, SourceFile};

use crate::failure::{Failure, io_reason};
use crate::paths;
use crate::paths::{has_extension, is_readable};
use crate::terminal::Terminal;
use crate::text::{PathOrigin, read_text};

/// The definitions of a file or a directory of metadefs; none if it is none.
pub(super) fn read_if(path: &Path, terminal: &Terminal) -> Result<Option<Vec<Definition>>, Failure> {
    let files = metadef_files(path).map_err(Failure::new)?;
    let mut found = Vec::new();
    let mut is_metadefs = false;
    let origin = if path.is_dir() { PathOrigin::Search } else { PathOrigin::Argument };
    for file in files {
        let text = read_text(&file, origin).map_err(|unread| Failure::new(unread.to_string()))?;
        let source = SourceFile::new(FileId(0), file.to_string_lossy(), text);
        if let Some(FlavorMetadef { definitions, errors }) = read_metadef(&source) {
            is_metadefs = true;
            for error in errors {
                let at = source.position_at(error.span.start);
                let message = one_line(&error.message).into_owned();
                let place = format!("{}:{}:{}", one_line(source.name()), at.line, at.column);
                terminal.note(&format!("{place}: Glance rejects this: {message}"));
            }
            found.extend(definitions);
        }
    }
    Ok(is_metadefs.then_some(found))
}

/// A file, or the JSON files of a directory in the order of their names.
fn metadef_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(if has_extension(path, &["json"]) { vec![path.to_owned()] } else { Vec::new() });
    }
    let unread =
        |error: std::io::Error| format!("cannot read `{}`: {}", paths::display_path(path), io_reason(&error));
    let entries = fs::read_dir(path).map_err(unread)?.collect::<Result<Vec<_>, _>>().map_err(unread)?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let mut files: Vec<_> =
        paths.filter(|path| has_extension(path, &["json"]) && is_readable(path)).collect();
    files.sort();
    Ok(files)
}
