//! Requested inputs, and whether they contain anything of a known kind: a run over nothing is not a success.

use crate::sentences::count_noun;
use crate::terminal::Terminal;

/// An input of the command line or the configuration, and its files.
#[derive(Clone, Debug)]
pub(crate) struct RequestedInput {
    /// The file, directory or pattern as it was written.
    pub(super) name: String,
    /// True if it names one file, or standard input.
    pub(super) is_named: bool,
    /// The names of its files.
    pub(super) files: Vec<String>,
}

/// Inputs in which nothing was recognized.
#[derive(Debug, Default)]
pub(crate) struct VacantInputs<'a> {
    inputs: Vec<&'a RequestedInput>,
    is_allowed: bool,
}

/// Content that a command looks for in its inputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoughtContent {
    /// Message about an input without it, before "in this file".
    pub(crate) nothing: &'static str,
    /// Explanation of it.
    pub(crate) help: &'static str,
}

/// Anything that kvrules knows.
pub(crate) const KINDS: SoughtContent = SoughtContent {
    nothing: "nothing recognized",
    help: "kvrules reads Templates, VirtualMachines and lists of rules, CustomResourceDefinitions, admission \
           policies, and definitions of extra specs; `--allow-empty` accepts inputs without them",
};

/// Content that `fmt` and `migrate` look for.
pub(crate) const ANNOTATIONS: SoughtContent = SoughtContent {
    nothing: "no annotation with rules",
    help: "rules are in the annotations `vm.kubevirt.io/validations` and `validations` of Templates and VirtualMachines; \
           `--allow-empty` accepts inputs without them",
};

impl<'a> VacantInputs<'a> {
    /// The inputs without any file that is known; `is_allowed` if that is not a fault.
    pub(crate) fn new(
        requested: &'a [RequestedInput],
        is_allowed: bool,
        is_known: impl Fn(&str) -> bool,
    ) -> Self {
        let is_vacant = |requested: &&RequestedInput| !requested.files.iter().any(|file| is_known(file));
        Self { inputs: requested.iter().filter(is_vacant).collect(), is_allowed }
    }

    /// True if this makes a run fail.
    pub(crate) fn is_fault(&self) -> bool {
        !self.inputs.is_empty() && !self.is_allowed
    }

    /// Reports an error for each file that is named, and a warning for each directory or pattern.
    pub(crate) fn report_vacant(&self, sought: SoughtContent, terminal: &Terminal) {
        let nothing = sought.nothing;
        if self.is_allowed {
            return;
        }
        let last = self.inputs.len().saturating_sub(1);
        for (index, requested) in self.inputs.iter().enumerate() {
            let help = (index == last).then_some(sought.help);
            if requested.is_named {
                terminal.error(&format!("{}: {nothing} in this file", requested.name), help);
            } else {
                let files = count_noun(requested.files.len(), "file");
                terminal.warning(&format!("{}: {nothing} in {files}", requested.name), help);
            }
        }
    }
}
