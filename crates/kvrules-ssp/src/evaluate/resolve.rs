//! Finds what paths lead to, on the VirtualMachine or else on the reference.

use super::Fault;
use crate::machine::{Machine, reference};
use crate::path::Path;
use crate::value::Value;
use crate::walk::{NIL, Stop, Walk};

const TOO_MUCH: &str = "the path asks for too much work";

/// True if a path finds anything on the VirtualMachine itself (SEMANTICS 7).
pub(super) fn finds(path: &Path, machine: &Machine) -> Result<bool, Fault> {
    match walk(path)?.results(machine.root()) {
        Ok(results) => Ok(!results.is_empty()),
        Err(Stop::Error(_)) => Ok(false),
        Err(stop) => Err(fault(&stop)),
    }
}

/// Finds the values of a path on the VirtualMachine; if it fails there, on the reference (SEMANTICS 8).
pub(super) fn find<'a>(path: &'a Path, machine: &'a Machine) -> Result<Vec<Value<'a>>, Fault> {
    let mut walk = walk(path)?;
    match walk.results(machine.root()) {
        Err(Stop::Error(_)) => walk.results(reference()).map_err(|stop| fault(&stop)),
        results => results.map_err(|stop| fault(&stop)),
    }
}

/// A rule without a path has nothing to walk (E326).
fn walk(path: &Path) -> Result<Walk<'_>, Fault> {
    path.parts.as_deref().map(Walk::new).ok_or(Fault::Panic(NIL))
}

fn fault(stop: &Stop<'_>) -> Fault {
    match stop {
        Stop::Error(_) => "invalid JSONPath".into(),
        Stop::Panic(text) => Fault::Panic(text),
        Stop::TooMuch => TOO_MUCH.into(),
    }
}
