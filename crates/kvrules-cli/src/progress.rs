//! Progress of a run over many files: on a terminal, where a person waits, and not in continuous integration.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Fewer files than this are done before anybody could read a bar.
const FEWEST: usize = 32;

/// A bar on standard error; none if that is not a terminal, in continuous integration, and if there is little to do.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar for so many files, with what is done to them before it.
    pub(crate) fn new(what: &'static str, files: usize) -> Self {
        let is_watched = std::env::var_os("CI").is_none_or(|value| value.is_empty() || value == "false");
        let target = if files < FEWEST || !is_watched {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(files as u64), target).with_message(what);
        let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos} of {len} files");
        Self(style.map_or(bar.clone(), |style| bar.with_style(style.progress_chars("=> "))))
    }

    /// One file is done.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
