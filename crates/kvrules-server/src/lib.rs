//! The language server: what `kvrules check` finds, while rules are written.
//!
//! Editors start `kvrules server` and speak the Language Server Protocol over its standard input and output. This crate speaks the
//! protocol and keeps the texts of open files (`documents`); everything about rules is asked of the façade. One thread reads messages
//! (`transport`), one answers them in their order ([`serve_client`]), and findings are computed next to both (`checks`), so that a request
//! never waits for the check of a large file. Files on disk and the configuration are given by a [`Workspace`].

mod actions;
mod answers;
mod capabilities;
mod checks;
mod completion;
mod diagnostics;
mod documents;
mod edits;
mod hover;
mod messages;
mod positions;
mod server;
mod symbols;
mod transport;
mod uris;

use std::path::Path;
use std::sync::Arc;

use kvrules::check::CheckSettings;

pub use positions::{LineIndex, PositionEncoding};
pub use server::serve_client;

/// Files that are not open in the editor, and the configuration.
pub trait Workspace: Send + Sync {
    /// Returns the settings for a file: those of the nearest configuration.
    ///
    /// # Errors
    ///
    /// The reason why there are none: a configuration with errors, or a file that it names and that cannot be read.
    fn settings_for(&self, file: &Path) -> Result<Arc<CheckSettings>, String>;

    /// Returns the text of a file.
    ///
    /// # Errors
    ///
    /// The reason why it cannot be read.
    fn read_text(&self, path: &Path) -> Result<String, String>;
}

/// The stack of threads that read documents: nesting in a file is nesting on the stack.
const STACK: usize = 64 << 20;
