//! Steps that need Python: packing, checksums, the wheel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Dist;
use crate::tools::{environment, python};

const PACK: &str = include_str!("pack.py");
/// Packages that build the wheel and validate the manifests.
const REQUIREMENTS: &str = "xtask/src/dist/requirements.txt";
const PACKAGE: &str = "crates/kvrules-py";

/// Packs a directory into an archive next to it: zip for Windows, tar.gz otherwise.
pub(super) fn pack(dist: &Dist<'_>, folder: &Path) -> Result<PathBuf, String> {
    let ending = if dist.triple.contains("windows") { "zip" } else { "tar.gz" };
    let archive = dist.out.join(format!("{}.{ending}", dist.name()));
    script(&["archive", &folder.to_string_lossy(), &archive.to_string_lossy()])?;
    Ok(archive)
}

/// Returns the SHA-256 checksum and the name of each file.
pub(super) fn sums(files: &[PathBuf]) -> Result<Vec<(String, String)>, String> {
    let names: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
    let mut args = vec!["sums"];
    args.extend(names.iter().map(AsRef::as_ref));
    let output = script(&args)?;
    let pairs = output.lines().filter_map(|line| line.split_once("  "));
    Ok(pairs.map(|(sum, name)| (sum.to_owned(), name.to_owned())).collect())
}

fn script(args: &[&str]) -> Result<String, String> {
    let mut script = Command::new(if cfg!(windows) { "python" } else { "python3" });
    script.args(["-B", "-c", PACK]).args(args).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = script.output().map_err(|error| format!("python could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("{}: {}", args.join(" "), output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Creates the environment with the packages of [`REQUIREMENTS`] and returns its path.
pub(super) fn tools(dist: &Dist<'_>) -> Result<PathBuf, String> {
    let folder = dist.target.join("dist-tools");
    environment(dist.workspace, &folder, REQUIREMENTS)?;
    Ok(folder)
}

/// Builds the wheel, with the programs in it, and returns its path.
pub(super) fn wheel(dist: &Dist<'_>) -> Result<PathBuf, String> {
    let tools = tools(dist)?;
    let folder = dist.out.join("wheel");
    let _ = fs::remove_dir_all(&folder);
    let mut maturin = Command::new(python(&tools));
    maturin.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", &dist.profile]);
    if dist.is_named {
        maturin.args(["--target", &dist.triple]);
    }
    maturin.arg("--out").arg(&folder).env("CARGO_TARGET_DIR", &dist.target);
    dist.run_in(&dist.workspace.root.join(PACKAGE), "maturin build", maturin)?;
    let made = fs::read_dir(&folder).ok().into_iter().flatten().flatten().next();
    let made = made.ok_or_else(|| "maturin made no wheel".to_owned())?.path();
    let wheel = dist.out.join(made.file_name().unwrap_or_default());
    fs::rename(&made, &wheel)
        .and_then(|()| fs::remove_dir(&folder))
        .map_err(|error| format!("wheel: {error}"))?;
    Ok(wheel)
}
