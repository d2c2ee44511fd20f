//! The release archive: programs, completions, manual pages, licences.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Dist;
use super::licences::third_party;

/// Binaries of kvrules-cli.
const PROGRAMS: [&str; 2] = ["kvrules", "mdbook-kvrules"];
/// Files copied from the repository.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// A shell, and the file name of its completions.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "kvrules.bash"),
    ("zsh", "_kvrules"),
    ("fish", "kvrules.fish"),
    ("powershell", "_kvrules.ps1"),
    ("elvish", "kvrules.elv"),
];

/// Builds the archive and returns its path.
pub(super) fn archive(dist: &Dist<'_>) -> Result<PathBuf, String> {
    let folder = dist.out.join(dist.name());
    let _ = fs::remove_dir_all(&folder);
    fill(dist, &folder)?;
    let archive = super::python::pack(dist, &folder)?;
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(archive)
}

fn fill(dist: &Dist<'_>, folder: &Path) -> Result<(), String> {
    create(&folder.join("completions"))?;
    create(&folder.join("man"))?;
    for program in PROGRAMS {
        let built = dist.program(program);
        let name = built.file_name().unwrap_or_default();
        copy(&built, &folder.join(name))?;
        strip(dist, &folder.join(name))?;
    }
    for file in FILES {
        copy(&dist.workspace.root.join(file), &folder.join(file))?;
    }
    for (shell, name) in SHELLS {
        write(&folder.join("completions").join(name), &output_of(dist, &["completions", shell])?)?;
    }
    let mut pages = Command::new(dist.program(PROGRAMS[0]));
    pages.args(["man", "--out-dir"]).arg(folder.join("man"));
    dist.run("kvrules man", pages)?;
    write(&folder.join("THIRD-PARTY.txt"), third_party(dist)?.as_bytes())
}

/// Strips symbols from a program of the dev profile; the `dist` profile strips by itself.
fn strip(dist: &Dist<'_>, program: &Path) -> Result<(), String> {
    if dist.profile != "dev" || !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut strip = Command::new("strip");
    strip.arg(program);
    dist.run("strip", strip)
}

/// Returns the output of `kvrules` with these arguments.
fn output_of(dist: &Dist<'_>, args: &[&str]) -> Result<Vec<u8>, String> {
    let output = Command::new(dist.program(PROGRAMS[0])).args(args).output();
    let output = output.map_err(|error| format!("kvrules: {error}"))?;
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(output.stdout);
    }
    Err(format!("kvrules {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)))
}

fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", from.display()))
}

fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
