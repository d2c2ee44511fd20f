//! Inputs of an import next to its file.

use kvrules_diagnostics::SourceFile;
use kvrules_sources::crd::RunResources;

/// Inputs next to a file whose rules are restated.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportContext<'c> {
    /// The path of the file from the folder of the RuleSets.
    pub own_path: Option<&'c str>,
    /// A file with the definition of the objects that rules of templates are about, and its path from the folder of the RuleSets.
    pub schema: Option<(&'c SourceFile, &'c str)>,
    /// The definitions of the run.
    pub resources: Option<&'c RunResources>,
}
