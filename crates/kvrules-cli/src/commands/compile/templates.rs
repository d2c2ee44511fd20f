//! The user's own document templates.

use std::path::Path;

use ignore::WalkBuilder;
use kvrules::Template;

use crate::failure::Failure;
use crate::paths;
use crate::text::{PathOrigin, UnreadFile, read_text};

/// All templates below a directory, by their names there. A directory without any that a target would use is an error.
pub(in crate::commands) fn read_templates(root: &Path) -> Result<Vec<Template>, Failure> {
    let mut templates = Vec::new();
    for entry in WalkBuilder::new(root).require_git(false).sort_by_file_path(Path::cmp).build() {
        let entry = entry.map_err(|error| Failure::new(UnreadFile::walking(&error).to_string()))?;
        if entry.path().is_file() {
            let text = read_text(entry.path(), PathOrigin::Search)
                .map_err(|unread| Failure::new(unread.to_string()))?;
            let name = entry.path().strip_prefix(root).unwrap_or(entry.path());
            templates.push(Template { name: name.to_string_lossy().replace('\\', "/"), text });
        }
    }
    let of_target = |template: &Template| {
        let formats = kvrules::docs::FORMATS.iter().map(|format| format.name);
        let mut names = kvrules::all_targets().iter().map(|target| target.name).chain(formats);
        names.any(|name| template.name.starts_with(&format!("{name}/")))
    };
    if !templates.iter().any(of_target) {
        return Err(Failure::new(format!("no document template in `{}`", paths::display_path(root)))
            .help("templates have names such as `markdown/rule_set.md.j2`"));
    }
    Ok(templates)
}
