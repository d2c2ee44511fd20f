//! Checks of open files, next to the thread that answers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use kvrules::check::{CheckSettings, CheckedFile};
use kvrules_diagnostics::SourceFile;

use crate::uris::normalize_path;
use crate::{STACK, Workspace};

/// A state of a file to check, with the texts of the open files.
pub(crate) struct CheckJob {
    pub(crate) uri: String,
    pub(crate) revision: u64,
    /// The number of changes before it.
    pub(crate) started_at: u64,
    pub(crate) path: PathBuf,
    pub(crate) source: Arc<SourceFile>,
    pub(crate) open: BTreeMap<PathBuf, Arc<SourceFile>>,
}

/// A file that was checked in one state.
#[derive(Debug)]
pub(crate) struct CheckOutcome {
    pub(crate) uri: String,
    pub(crate) revision: u64,
    /// The number of changes before it.
    pub(crate) started_at: u64,
    /// The settings and the findings; or the reason why it cannot be checked.
    pub(crate) result: Result<(Arc<CheckSettings>, CheckedFile), String>,
    /// The files that it names, which were read if they exist.
    pub(crate) named_files: BTreeSet<PathBuf>,
}

/// Runs checks one at a time, each on all processors.
pub(crate) struct Checker {
    workspace: Arc<dyn Workspace>,
    /// Takes the outcome of a check.
    report: Arc<dyn Fn(CheckOutcome) + Send + Sync>,
    /// The threads, which are started for the first check.
    pool: Option<Arc<rayon::ThreadPool>>,
    is_busy: bool,
}

impl Checker {
    pub(crate) fn new(
        workspace: Arc<dyn Workspace>,
        report: impl Fn(CheckOutcome) + Send + Sync + 'static,
    ) -> Self {
        Self { workspace, report: Arc::new(report), pool: None, is_busy: false }
    }

    /// True if a check is running.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Notes that the running check came to its end.
    pub(crate) fn finish(&mut self) {
        self.is_busy = false;
    }

    /// Returns the text of a file with all safe fixes.
    pub(crate) fn fix_file(
        &self,
        (source, path): (&SourceFile, &Path),
        open: BTreeMap<PathBuf, Arc<SourceFile>>,
        settings: &CheckSettings,
    ) -> String {
        let files = NamedFiles::new(path, open, self.workspace.as_ref());
        self.run(|| {
            let fixed = settings.fix_file(source, path, &mut |named| files.read(named));
            fixed.source.text().to_owned()
        })
    }

    /// Does something with documents on the threads of checks, if they were started, and else on this one.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Starts a check, and reports its outcome when it ends.
    ///
    /// # Errors
    ///
    /// The reason why no threads can be started.
    pub(crate) fn start_check(&mut self, job: CheckJob) -> Result<(), String> {
        let pool = if let Some(pool) = &self.pool {
            Arc::clone(pool)
        } else {
            let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
            let pool = Arc::new(pool.map_err(|error| format!("cannot start threads: {error}"))?);
            self.pool = Some(Arc::clone(&pool));
            pool
        };
        self.is_busy = true;
        let (workspace, report) = (Arc::clone(&self.workspace), Arc::clone(&self.report));
        pool.spawn(move || report(job.run(workspace.as_ref())));
        Ok(())
    }
}

impl CheckJob {
    fn run(self, workspace: &dyn Workspace) -> CheckOutcome {
        let files = NamedFiles::new(&self.path, self.open, workspace);
        let result = workspace.settings_for(&self.path).and_then(|settings| {
            let checked = settings.check_file(&self.source, &self.path, &mut |named| files.read(named))?;
            Ok((settings, checked))
        });
        let Self { uri, revision, started_at, .. } = self;
        CheckOutcome { uri, revision, started_at, result, named_files: files.names() }
    }
}

/// The files that a file names: those that are open, and else from the disk.
struct NamedFiles<'w> {
    folder: PathBuf,
    open: BTreeMap<PathBuf, Arc<SourceFile>>,
    workspace: &'w dyn Workspace,
    /// Their paths, which several threads may add to.
    named: Mutex<BTreeSet<PathBuf>>,
}

impl<'w> NamedFiles<'w> {
    fn new(of: &Path, open: BTreeMap<PathBuf, Arc<SourceFile>>, workspace: &'w dyn Workspace) -> Self {
        let folder = of.parent().unwrap_or(Path::new("")).to_owned();
        Self { folder, open, workspace, named: Mutex::default() }
    }

    fn read(&self, named: &str) -> Result<String, String> {
        let path = normalize_path(&self.folder.join(named));
        self.named.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        match self.open.get(&path) {
            Some(open) => Ok(open.text().to_owned()),
            None => self.workspace.read_text(&path),
        }
    }

    fn names(self) -> BTreeSet<PathBuf> {
        self.named.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
