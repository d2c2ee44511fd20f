//! Finds what paths lead to, on the VirtualMachine or else on the reference.

use super::RuleFault;
use crate::machine::{Machine, reference_value};
use crate::path::Path;
use crate::value::GoValue;
use crate::walk::{NIL, PathWalk, WalkStop};

// Not a message of the validator, which has no limit.
const TOO_MUCH: &str = "the path asks for too much work";

/// True if a path finds anything on the VirtualMachine itself (SEMANTICS 7).
// ssp-operator validation/rules.go, Rule.IsAppliableOn: the reference is not consulted, and an error means absent.
pub(super) fn finds(path: &Path, machine: &Machine) -> Result<bool, RuleFault> {
    match start_walk(path)?.results(machine.root_value()) {
        Ok(results) => Ok(!results.is_empty()),
        Err(WalkStop::Error(_)) => Ok(false),
        Err(stop) => Err(to_fault(&stop)),
    }
}

/// Finds the values of a path on the VirtualMachine; if it fails there, on the reference (SEMANTICS 8).
// ssp-operator validation/specialized.go, findPathOnVmOrRef: both walks use one parsed path, which a `{range}` changes.
pub(super) fn find<'a>(path: &'a Path, machine: &'a Machine) -> Result<Vec<GoValue<'a>>, RuleFault> {
    let mut walk = start_walk(path)?;
    match walk.results(machine.root_value()) {
        Err(WalkStop::Error(_)) => walk.results(reference_value()).map_err(|stop| to_fault(&stop)),
        results => results.map_err(|stop| to_fault(&stop)),
    }
}

/// A rule without a path has nothing to walk (E326).
// client-go util/jsonpath/jsonpath.go, JSONPath.FindResults on a nil JSONPath.
fn start_walk(path: &Path) -> Result<PathWalk<'_>, RuleFault> {
    path.parts.as_deref().map(PathWalk::new).ok_or(RuleFault::Panic(NIL))
}

// ssp-operator validation/path/path.go, Path.Find: every error becomes ErrInvalidJSONPath.
fn to_fault(stop: &WalkStop<'_>) -> RuleFault {
    match stop {
        WalkStop::Error(_) => "invalid JSONPath".into(),
        WalkStop::Panic(text) => RuleFault::Panic(text),
        WalkStop::TooMuch => TOO_MUCH.into(),
    }
}
