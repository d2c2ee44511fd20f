//! What writing the outputs would change.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::replace_all;
use crate::failure::Failure;

/// A file to be written.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The target it belongs to.
    pub(crate) target: &'static str,
    /// The directory of the target's files.
    pub(crate) directory: PathBuf,
    /// The file below that.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: String,
}

/// A file to be written, beside what stands in its place now.
#[derive(Debug)]
pub(crate) struct Planned {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it should hold.
    pub(crate) text: String,
    /// What it holds now, if it is there.
    pub(crate) old: Option<Vec<u8>>,
}

impl Planned {
    /// Looks at what stands in the place of a file.
    pub(crate) fn new(path: PathBuf, text: String) -> Result<Self, Failure> {
        let old = match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            // A file stands where a directory should; writing will say so, looking need not.
            Err(error) if error.kind() == ErrorKind::NotADirectory => None,
            Err(error) => return Err(Failure::file("read", &path, &error)),
        };
        Ok(Self { path, text, old })
    }

    /// Whether writing it would change anything.
    pub(crate) fn changes(&self) -> bool {
        self.old.as_deref() != Some(self.text.as_bytes())
    }
}

/// All files of a run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// What is produced, in the order of targets and rule sets.
    pub(crate) files: Vec<Planned>,
    /// What an earlier run produced and this one does not.
    pub(crate) stale: Vec<PathBuf>,
    /// The lists of our files that have to be written as well.
    manifests: Vec<(PathBuf, String)>,
}

impl Plan {
    /// A plan for one file in a place of its own.
    pub(crate) fn single(path: PathBuf, text: String) -> Result<Self, Failure> {
        Ok(Self { files: vec![Planned::new(path, text)?], ..Self::default() })
    }

    /// A plan for the files of `targets`. With `prune`, files no longer produced are no longer listed as ours.
    pub(crate) fn new(
        targets: &[(&'static str, PathBuf)],
        wanted: Vec<Wanted>,
        prune: bool,
    ) -> Result<Self, Failure> {
        let mut plan = Self::default();
        plan.compare_manifests(targets, &wanted, prune);
        let mut places = HashSet::new();
        for Wanted { directory, path, text, .. } in wanted {
            let path = directory.join(path);
            if !places.insert(path.clone()) {
                return Err(Failure::new(format!("`{}` would be written twice", path.display()))
                    .help("give each target a directory of its own"));
            }
            plan.files.push(Planned::new(path, text)?);
        }
        Ok(plan)
    }

    /// Finds what is stale, and lists what is ours from now on.
    fn compare_manifests(&mut self, targets: &[(&'static str, PathBuf)], wanted: &[Wanted], prune: bool) {
        let mut manifests: BTreeMap<&Path, (Manifest, Manifest)> = BTreeMap::new();
        for (target, directory) in targets {
            let (_, manifest) = manifests.entry(directory).or_insert_with(|| {
                let old = Manifest::read(directory);
                (old.clone(), old)
            });
            let of_target = |file: &&Wanted| file.target == *target && file.directory == *directory;
            let produced: BTreeSet<String> =
                wanted.iter().filter(of_target).map(|file| file.path.clone()).collect();
            let listed = manifest.files.entry((*target).to_owned()).or_default();
            let there = |file: &String| directory.join(file).symlink_metadata().is_ok();
            let stale: BTreeSet<_> =
                listed.difference(&produced).filter(|file| there(file)).cloned().collect();
            self.stale.extend(stale.iter().map(|file| directory.join(file)));
            *listed = if prune { produced } else { produced.union(&stale).cloned().collect() };
        }
        let changed = manifests.into_iter().filter(|(_, (old, new))| old != new);
        self.manifests =
            changed.map(|(directory, (_, new))| (Manifest::path(directory), new.text())).collect();
    }

    /// The files that are not yet as they should be.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &Planned> {
        self.files.iter().filter(|file| file.changes())
    }

    /// Writes what changes; with `prune`, removes what is stale.
    pub(crate) fn carry_out(&self, prune: bool) -> Result<(), Failure> {
        let files = self.changed().map(|file| (file.path.as_path(), file.text.as_str()));
        let manifests = self.manifests.iter().map(|(path, text)| (path.as_path(), text.as_str()));
        replace_all(&files.chain(manifests).collect::<Vec<_>>())?;
        for path in self.stale.iter().filter(|_| prune) {
            fs::remove_file(path).map_err(|error| Failure::file("remove", path, &error))?;
        }
        Ok(())
    }
}
