//! `cargo xtask kubernetes-types`: writes the catalog of the built-in resources of Kubernetes from the recorded types. The
//! generator is an example of kvrules-kubernetes, because it parses JSON and compresses, and this crate has no dependencies.

use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::{SHARED, Workspace};

const CATALOG: &str = "crates/kvrules-kubernetes/data/types.txt.zlib";
/// Among the recorded data.
const TYPES: &str = "kubernetes/types";

pub(crate) fn write_catalog(workspace: &Workspace) -> Result<(), Failure> {
    let types = workspace.shared_directory().join(TYPES);
    if !types.exists() {
        return Err(Failure::Failed(format!("{SHARED}/{TYPES} not found")));
    }
    let mut generate = Command::new(cargo());
    generate.args(["run", "--quiet", "--locked", "--package", "kvrules-kubernetes"]);
    generate.args(["--example", "build_catalog", "--"]).arg(types).arg(workspace.root.join(CATALOG));
    spawn(&workspace.root, generate)?;
    println!("wrote {CATALOG}");
    Ok(())
}
