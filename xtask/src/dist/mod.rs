//! `cargo xtask dist`: builds the release artifacts in `target/dist`: an archive with the programs, completions, manual pages
//! and licences, the Python wheel, a Containerfile, a Homebrew formula, a krew manifest, and checksums.

mod licences;
mod manifests;
mod python;
mod stage;
mod trial;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::Workspace;

/// Folder below the target directory with the artifacts of the dev profile, which must never be mistaken for a release.
pub(crate) const TRIAL_FOLDER: &str = "dist-trial";

/// Members of the workspace that are not published.
const UNPUBLISHED: [&str; 7] = [
    "xtask",
    "kvrules-tests",
    "kvrules-fuzz",
    "kvrules-judges",
    "kvrules-record",
    "kvrules-testdata",
    "kvrules-wasm",
];

/// The parsed options.
struct Options {
    /// Cargo profile of the programs.
    profile: String,
    /// Target triple; the host's if unset.
    target: Option<String>,
    /// Write only the manifests, from the archives in the output directory.
    manifests: bool,
}

/// Paths and names of one build.
struct Dist<'a> {
    workspace: &'a Workspace,
    /// Cargo's target directory.
    target: PathBuf,
    /// Output directory.
    out: PathBuf,
    profile: String,
    /// Target triple.
    triple: String,
    /// True if cargo gets `--target`, and therefore builds below a directory named after the triple.
    is_named: bool,
    version: String,
}

/// Runs the command with the given options.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), Failure> {
    if let [only] = args
        && only == "--try"
    {
        return Ok(try_out(workspace)?);
    }
    let options = parse_options(args)?;
    let dist = Dist::new(workspace, &options)?;
    if options.manifests {
        return Ok(manifests::write(&dist)?);
    }
    Ok(build(&dist)?)
}

/// Builds the artifacts from the dev profile, then unpacks, installs and uses them. The test command runs this.
fn try_out(workspace: &Workspace) -> Result<(), String> {
    let options = Options { profile: "dev".to_owned(), target: None, manifests: false };
    let dist = Dist::new(workspace, &options)?;
    let _ = fs::remove_dir_all(&dist.out);
    build(&dist)?;
    dist.package_crates()?;
    trial::run(&dist)
}

fn build(dist: &Dist<'_>) -> Result<(), String> {
    fs::create_dir_all(&dist.out).map_err(|error| format!("{}: {error}", dist.out.display()))?;
    dist.programs()?;
    let archive = stage::archive(dist)?;
    let wheel = python::wheel(dist)?;
    manifests::write(dist)?;
    for file in [archive, wheel] {
        let size = fs::metadata(&file).map_err(|error| format!("{}: {error}", file.display()))?.len();
        println!("{} ({:.1} MB)", file.display(), size as f64 / 1e6);
    }
    Ok(())
}

impl<'a> Dist<'a> {
    fn new(workspace: &'a Workspace, options: &Options) -> Result<Self, String> {
        let target = workspace.target_directory();
        let triple = options.target.clone().map_or_else(host, Ok)?;
        let folder = if options.profile == "dev" { TRIAL_FOLDER } else { "dist" };
        Ok(Self {
            workspace,
            out: target.join(folder),
            target,
            profile: options.profile.clone(),
            triple,
            is_named: options.target.is_some(),
            version: version(workspace)?,
        })
    }

    /// Name of the archive without its extension, and of the directory in it.
    fn name(&self) -> String {
        format!("kvrules-{}-{}", self.version, self.triple)
    }

    /// Builds `kvrules` and `mdbook-kvrules`.
    fn programs(&self) -> Result<(), String> {
        let mut build = Command::new(cargo());
        build.args(["build", "--package", "kvrules-cli", "--bins", "--locked", "--profile", &self.profile]);
        if self.is_named {
            build.args(["--target", &self.triple]);
        }
        self.run("cargo build", build)
    }

    /// Packages every published crate, which fails if a file or a piece of metadata is missing. The test steps have built them.
    fn package_crates(&self) -> Result<(), String> {
        let mut package = Command::new(cargo());
        package.args(["package", "--workspace", "--no-verify", "--locked", "--quiet", "--allow-dirty"]);
        for member in UNPUBLISHED {
            package.args(["--exclude", member]);
        }
        package.arg("--target-dir").arg(self.out.join("crates"));
        self.run("cargo package", package)?;
        fs::remove_dir_all(self.out.join("crates")).map_err(|error| format!("crates: {error}"))
    }

    /// Path of a built program.
    fn program(&self, name: &str) -> PathBuf {
        let profile = if self.profile == "dev" { "debug" } else { &self.profile };
        let folder = if self.is_named { self.target.join(&self.triple) } else { self.target.clone() };
        let ending = if self.triple.contains("windows") { ".exe" } else { "" };
        folder.join(profile).join(format!("{name}{ending}"))
    }

    fn run(&self, what: &str, command: Command) -> Result<(), String> {
        self.run_in(&self.workspace.root, what, command)
    }

    fn run_in(&self, directory: &Path, what: &str, command: Command) -> Result<(), String> {
        println!("dist: {what}");
        spawn(directory, command).map_err(|reason| format!("{what}: {reason}"))
    }
}

fn parse_options(args: &[String]) -> Result<Options, Failure> {
    let mut options = Options { profile: "dist".to_owned(), target: None, manifests: false };
    let mut args = args.iter();
    while let Some(option) = args.next() {
        let mut value =
            || args.next().cloned().ok_or_else(|| Failure::Usage(format!("`{option}` needs a value")));
        match option.as_str() {
            "--profile" => options.profile = value()?,
            "--target" => options.target = Some(value()?),
            "--manifests" => options.manifests = true,
            other => return Err(Failure::Usage(format!("unexpected argument `{other}`"))),
        }
    }
    Ok(options)
}

/// Returns the host's target triple.
fn host() -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`rustc -vV` reports no host".to_owned())
}

/// Returns the version of the workspace.
fn version(workspace: &Workspace) -> Result<String, String> {
    let text = workspace.read("Cargo.toml")?;
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    let version = line.and_then(|rest| rest.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| "Cargo.toml has no version".to_owned())
}
