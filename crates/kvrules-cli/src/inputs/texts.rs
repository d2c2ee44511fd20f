//! The texts of the files of a run.

use std::path::{Path, PathBuf};

use kvrules::Sources;
use rayon::prelude::*;

use super::find::FoundInputs;
use super::requested::RequestedInput;
use crate::text::UnreadFile;

/// Texts of the files of a run, in the order in which the files were named.
#[derive(Debug, Default)]
pub(crate) struct InputTexts {
    /// The texts.
    pub(crate) sources: Sources,
    /// Path of each; `None` for standard input.
    pub(crate) paths: Vec<Option<PathBuf>>,
    /// The files that could not be found or read.
    pub(crate) unread: Vec<UnreadFile>,
    /// Inputs that were requested.
    pub(crate) requested_inputs: Vec<RequestedInput>,
}

impl FoundInputs {
    /// Reads the files, on the threads of the pool that it runs in.
    pub(crate) fn read_texts(self) -> InputTexts {
        let Self { files, unread, requested_inputs, .. } = self;
        let mut texts = InputTexts { unread, requested_inputs, ..InputTexts::default() };
        let read: Vec<_> = files.par_iter().map(|input| (input, input.read())).collect();
        for (input, text) in read {
            match text {
                Ok(text) => {
                    texts.sources.add_file(input.name(), text);
                    texts.paths.push(input.path().map(Path::to_owned));
                }
                Err(unread) => texts.unread.push(unread),
            }
        }
        texts
    }
}
