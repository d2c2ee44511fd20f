//! `cargo xtask playground`: the page of `docs/playground` with the WebAssembly that answers it, in `target/playground`.
//!
//! The WebAssembly is built for `wasm32-unknown-unknown` with the profile `wasm`. Its standard library comes from rustup.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;
use crate::tools::{cargo, spawn};
use crate::workspace::Workspace;

const PAGE: &str = "docs/playground";
const TESTS: &str = "tests/playground";
const TRIPLE: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "wasm";
const BUILT: &str = "kvrules_wasm.wasm";
const WASM: &str = "kvrules.wasm";

/// Most bytes of the WebAssembly, as it is and after `gzip -9`. Measured sizes and what they consist of are in
/// `docs/internals/playground.md`.
const LARGEST: u64 = 10_500_000;
const LARGEST_COMPRESSED: u64 = 3_900_000;

/// What the compiler may use of WebAssembly, which every browser knows. With others Binaryen would write what none of them reads.
const FEATURES: [&str; 7] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

/// The parsed options.
#[derive(Clone, Copy, Default)]
pub(crate) struct PlaygroundOptions {
    is_tested: bool,
    is_optional: bool,
}

impl PlaygroundOptions {
    /// Reads the options.
    pub(crate) fn from_args(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self::default();
        for arg in args {
            match arg.as_str() {
                "--test" => options.is_tested = true,
                "--if-installed" => options.is_optional = true,
                _ => return Err(Failure::Usage(format!("unknown option `{arg}`"))),
            }
        }
        Ok(options)
    }
}

/// Builds it, and tries it if the options say so.
pub(crate) fn run(workspace: &Workspace, options: PlaygroundOptions) -> Result<(), Failure> {
    if !has_target(workspace) {
        let reason = format!(
            "Rust's target {TRIPLE} is not installed: `rustup target add {TRIPLE}` installs it; without rustup, install the package \
             of the system that has its standard library, such as `libstd-rust-dev-wasm32` of Debian for Debian's own rustc"
        );
        if options.is_optional {
            println!("skipped: playground: {reason}");
            return Ok(());
        }
        return Err(Failure::Failed(reason));
    }
    let folder = build(workspace)?;
    check_size(&folder.join(WASM))?;
    if options.is_tested {
        try_page(workspace, &folder, options.is_optional)?;
    }
    Ok(())
}

/// True if the compiler that cargo uses has the standard library of the target.
fn has_target(workspace: &Workspace) -> bool {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--print", "target-libdir", "--target", TRIPLE]).current_dir(&workspace.root);
    let Ok(output) = rustc.stderr(Stdio::null()).output() else { return false };
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let mut files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

/// Builds the WebAssembly and copies the page next to it. Returns the folder.
fn build(workspace: &Workspace) -> Result<PathBuf, String> {
    let target = workspace.target_directory();
    let mut rustc = Command::new(cargo());
    rustc.args(["rustc", "--package", "kvrules-wasm", "--lib", "--crate-type", "cdylib", "--locked"]);
    rustc.args(["--target", TRIPLE, "--profile", PROFILE]);
    // Rules may be nested deeply, and the stack of WebAssembly does not grow.
    rustc.args(["--", "-C", "link-arg=-zstack-size=8388608"]);
    spawn(&workspace.root, rustc)?;
    let folder = target.join("playground");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    copy_folder(&workspace.root.join(PAGE), &folder)?;
    let built = target.join(TRIPLE).join(PROFILE).join(BUILT);
    copy_small(&built, &folder.join(WASM))?;
    println!("wrote {}; any web server can serve it", folder.display());
    Ok(folder)
}

/// Copies the WebAssembly; Binaryen makes it an eighth smaller, if its program is installed.
fn copy_small(built: &Path, to: &Path) -> Result<(), String> {
    if is_installed("wasm-opt") {
        let mut optimise = Command::new("wasm-opt");
        optimise.arg("-Oz").args(FEATURES).arg(built).arg("-o").arg(to);
        return spawn(Path::new("."), optimise);
    }
    println!("wasm-opt of Binaryen is not installed; the WebAssembly is an eighth smaller with it");
    fs::copy(built, to).map(drop).map_err(|error| format!("{}: {error}", built.display()))
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    let fault = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(fault)?;
    for entry in fs::read_dir(from).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(fault)?;
        }
    }
    Ok(())
}

fn check_size(wasm: &Path) -> Result<(), String> {
    let size = fs::metadata(wasm).map_err(|error| format!("{}: {error}", wasm.display()))?.len();
    let output = Command::new("gzip").args(["-9", "-c"]).arg(wasm).output();
    let output = output.map_err(|error| format!("gzip could not be started: {error}"))?;
    let compressed = output.stdout.len() as u64;
    println!("{WASM}: {size} bytes, {compressed} after gzip -9");
    let is_within = size <= LARGEST && compressed <= LARGEST_COMPRESSED && output.status.success();
    let limits = format!("more than {LARGEST} bytes, or than {LARGEST_COMPRESSED} after gzip -9");
    if is_within { Ok(()) } else { Err(format!("{WASM} has {limits}")) }
}

/// Tries the page in a browser. Packages of npm and screenshots are kept below the target directory.
fn try_page(workspace: &Workspace, page: &Path, is_optional: bool) -> Result<(), String> {
    let programs = ["node", "npm", "chromium"].into_iter();
    let absent: Vec<&str> = programs.filter(|name| !is_installed(name)).collect();
    if !absent.is_empty() {
        let reason = format!("the browser test of the playground needs {}", absent.join(" and "));
        if is_optional {
            println!("skipped: {reason}");
            return Ok(());
        }
        return Err(reason);
    }
    let folder = workspace.target_directory().join("playground-test");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for name in ["package.json", "package-lock.json", "browser.mjs"] {
        let text = workspace.read(&format!("{TESTS}/{name}"))?;
        fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    let lock = workspace.read(&format!("{TESTS}/package-lock.json"))?;
    let stamp = folder.join("installed-lock.json");
    if !fs::read_to_string(&stamp).is_ok_and(|known| known == lock) {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]);
        spawn(&folder, npm)?;
        fs::write(&stamp, lock).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    let mut script = Command::new("node");
    script.arg("browser.mjs").arg(page).arg(&folder);
    spawn(&folder, script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let read = |args: &[&str]| {
            PlaygroundOptions::from_args(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>())
        };
        assert!(read(&["--test", "--if-installed"]).is_ok_and(|it| it.is_tested && it.is_optional));
        assert!(read(&[]).is_ok_and(|it| !it.is_tested && !it.is_optional));
        assert!(read(&["--serve"]).is_err());
    }
}
