//! Changes that writing the outputs would make.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::replace_all;
use super::temporary::remove_stale;
use crate::failure::Failure;
use crate::paths;
use crate::sentences::count_noun;

/// A file to be written.
#[derive(Debug)]
pub(crate) struct OutputRequest {
    /// The target it belongs to.
    pub(crate) target: &'static str,
    /// The directory of the target's files.
    pub(crate) directory: PathBuf,
    /// The file below that.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

/// A file to write, and the present content of its path.
#[derive(Debug)]
pub(crate) struct PlannedFile {
    /// The file.
    pub(crate) path: PathBuf,
    /// Its new content.
    pub(crate) text: String,
    /// Its current content, if it exists.
    pub(crate) old: Option<Vec<u8>>,
}

impl PlannedFile {
    /// Reads the present content of the path of a file.
    pub(crate) fn new(path: PathBuf, text: String) -> Result<Self, Failure> {
        let old = match fs::metadata(&path) {
            // Reading a pipe or a device would consume data meant for others, or block forever.
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => None,
            _ => match fs::read(&path) {
                Ok(bytes) => Some(bytes),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                // A file is in place of a directory; writing reports the error.
                Err(error) if error.kind() == ErrorKind::NotADirectory => None,
                Err(error) => return Err(Failure::file("read", &path, &error)),
            },
        };
        Ok(Self { path, text, old })
    }

    /// True if writing it would change anything.
    pub(crate) fn changes(&self) -> bool {
        self.old.as_deref() != Some(self.text.as_bytes())
    }
}

/// All files of a run.
#[derive(Debug, Default)]
pub(crate) struct WritePlan {
    /// Files to produce, in the order of targets and rule sets.
    pub(crate) files: Vec<PlannedFile>,
    /// Files that an earlier run produced and this one does not.
    pub(crate) stale: Vec<PathBuf>,
    /// The lists of our files that have to be written as well.
    manifests: Vec<(PathBuf, String)>,
    /// The lists under the name that they once had, whose content goes to the new name.
    former: Vec<PathBuf>,
    /// Lists that cannot be read, and why.
    pub(crate) damaged: Vec<(PathBuf, String)>,
    /// Files that would change and that no list names, so that they may be somebody else's.
    foreign: Vec<PathBuf>,
    /// Directories of all files, also of those that do not change.
    directories: BTreeSet<PathBuf>,
}

impl WritePlan {
    /// A plan for one file in a place of its own.
    pub(crate) fn single(path: PathBuf, text: String) -> Result<Self, Failure> {
        Ok(Self { files: vec![PlannedFile::new(path, text)?], ..Self::default() })
    }

    /// A plan for the files of `targets`. With `prune`, files no longer generated are no longer listed as ours.
    pub(crate) fn new(
        targets: &[(&'static str, PathBuf)],
        wanted: Vec<OutputRequest>,
        prune: bool,
    ) -> Result<Self, Failure> {
        let mut plan = Self::default();
        let before = plan.compare_manifests(targets, &wanted, prune);
        let mut places = HashSet::new();
        for OutputRequest { directory, path: below, text, .. } in wanted {
            let path = directory.join(&below);
            if !places.insert(path.clone()) {
                return Err(Failure::new(format!("`{}` would be written twice", paths::display_path(&path)))
                    .help("set a separate directory for each target"));
            }
            let planned = PlannedFile::new(path, text)?;
            let is_ours = before.get(&directory).is_some_and(|manifest| manifest.lists(&below));
            if planned.old.is_some() && planned.changes() && !is_ours {
                plan.foreign.push(planned.path.clone());
            }
            plan.directories.extend(planned.path.parent().map(Path::to_owned));
            plan.files.push(planned);
        }
        Ok(plan)
    }

    /// Finds what is stale, and lists what is ours from now on. The answer is what was listed before.
    fn compare_manifests(
        &mut self,
        targets: &[(&'static str, PathBuf)],
        wanted: &[OutputRequest],
        prune: bool,
    ) -> BTreeMap<PathBuf, Manifest> {
        let mut manifests: BTreeMap<&PathBuf, (Manifest, Manifest)> = BTreeMap::new();
        for (target, directory) in targets {
            let (_, manifest) = manifests.entry(directory).or_insert_with(|| {
                let old = Manifest::read(directory).unwrap_or_else(|damaged| {
                    self.damaged.push(damaged);
                    Manifest::default()
                });
                (old.clone(), old)
            });
            self.directories.insert(directory.clone());
            let of_target = |file: &&OutputRequest| file.target == *target && file.directory == *directory;
            let produced: BTreeSet<String> =
                wanted.iter().filter(of_target).map(|file| file.path.clone()).collect();
            let listed = manifest.files.entry((*target).to_owned()).or_default();
            let there = |file: &String| directory.join(file).symlink_metadata().is_ok();
            let stale: BTreeSet<_> =
                listed.difference(&produced).filter(|file| there(file)).cloned().collect();
            self.stale.extend(stale.iter().map(|file| directory.join(file)));
            *listed = if prune { produced } else { produced.union(&stale).cloned().collect() };
        }
        let is_damaged =
            |directory: &Path| self.damaged.iter().any(|(path, _)| path.parent() == Some(directory));
        for (directory, (old, new)) in &manifests {
            let former = Manifest::former_path(directory);
            let is_former = former.symlink_metadata().is_ok();
            if old != new || is_damaged(directory) || is_former {
                self.manifests.push((Manifest::path(directory), new.text()));
            }
            self.former.extend(is_former.then_some(former));
        }
        manifests.into_iter().map(|(directory, (old, _))| (directory.clone(), old)).collect()
    }

    /// The files that are not yet as they should be.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &PlannedFile> {
        self.files.iter().filter(|file| file.changes())
    }

    /// Refuses to write over what may be somebody else's.
    fn spares_others(&self) -> Result<(), Failure> {
        if let Some((path, why)) = self.damaged.first() {
            let message = format!("`{}` is damaged: {why}", paths::display_path(path));
            let help = "it lists which files kvrules wrote there; restore it, or rewrite it and the files with `--force`";
            return Err(Failure::new(message).help(help));
        }
        let Some(first) = self.foreign.first() else { return Ok(()) };
        let more = match self.foreign.len() - 1 {
            0 => String::new(),
            more => format!(", nor {}", count_noun(more, "other file")),
        };
        let message =
            format!("`{}` was not written by kvrules{more}; nothing was written", paths::display_path(first));
        Err(Failure::new(message).help("write to another directory, or overwrite with `--force`"))
    }

    /// Writes what changes; with `prune`, removes what is stale; with `force`, also over files that no list names.
    pub(crate) fn carry_out(&self, prune: bool, force: bool) -> Result<(), Failure> {
        if !force {
            self.spares_others()?;
        }
        remove_stale(self.directories.iter().map(PathBuf::as_path));
        let files = self.changed().map(|file| (file.path.as_path(), file.text.as_str()));
        let manifests = self.manifests.iter().map(|(path, text)| (path.as_path(), text.as_str()));
        replace_all(&files.chain(manifests).collect::<Vec<_>>())?;
        for path in self.stale.iter().filter(|_| prune).chain(&self.former) {
            fs::remove_file(path).map_err(|error| Failure::file("remove", path, &error))?;
        }
        Ok(())
    }
}
