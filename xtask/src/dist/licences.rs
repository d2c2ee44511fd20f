//! Licences of all linked packages, with the texts that the packages ship.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Dist;
use crate::tools::cargo;

/// Lower-case beginnings of the names of licence files.
const NAMES: [&str; 5] = ["license", "licence", "copying", "unlicense", "notice"];

/// Lists all packages with their licences, followed by each licence text once with the packages that ship it.
pub(super) fn third_party(dist: &Dist<'_>) -> Result<String, String> {
    let packages = packages(dist)?;
    let sources = sources()?;
    let mut text = format!(
        "kvrules {} contains the following packages. Each line has a package, its version and its licence; the texts follow.\n\n",
        dist.version
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, licence) in &packages {
        text.push_str(&format!("{name}: {licence}\n"));
        let folder =
            sources.iter().map(|source| source.join(name.replace(' ', "-"))).find(|folder| folder.is_dir());
        let folder =
            folder.ok_or_else(|| format!("the source of {name} is not in the registry directory"))?;
        for found in licences_in(&folder)? {
            texts.entry(found).or_default().push(name.clone());
        }
    }
    for (licence, names) in texts {
        text.push_str(&format!("\n{}\n{}\n\n{}\n", "=".repeat(80), names.join(", "), licence.trim_end()));
    }
    Ok(text)
}

/// Returns `name version` and the licence of each linked registry package.
fn packages(dist: &Dist<'_>) -> Result<BTreeMap<String, String>, String> {
    let mut tree = Command::new(cargo());
    tree.args(["tree", "--package", "kvrules-cli", "--edges", "normal", "--prefix", "none", "--locked"]);
    tree.args(["--target", &dist.triple, "--format", "{p}\t{l}"]).current_dir(&dist.workspace.root);
    let output = tree.output().map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let mut packages = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((package, licence)) = line.trim_end_matches(" (*)").split_once('\t') else { continue };
        let mut words = package.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        // Ours have a path behind their version.
        if package.contains(" (/") || package.contains(":\\") {
            continue;
        }
        packages.insert(format!("{name} {}", version.trim_start_matches('v')), licence.to_owned());
    }
    if packages.is_empty() { Err("cargo tree names no package".to_owned()) } else { Ok(packages) }
}

/// Returns cargo's directories of unpacked registry packages.
fn sources() -> Result<Vec<PathBuf>, String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let folder = home.ok_or("neither CARGO_HOME nor HOME is set")?.join("registry/src");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// Returns the licence texts at the top level of a package. Some packages ship none; their licence expression is listed all the same.
fn licences_in(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_licence = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        path.is_file() && NAMES.iter().any(|start| name.starts_with(start))
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_licence).collect();
    paths.sort();
    Ok(paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect())
}
