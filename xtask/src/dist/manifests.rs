//! Checksums, the Homebrew formula, the krew manifest and the Containerfile. They list the archives in the output directory, so
//! after a build on one platform they support that platform only.

use std::fs;
use std::path::PathBuf;

use super::{Dist, python};

/// Base URL of release downloads.
const RELEASES: &str = "https://github.com/kvrules/kvrules/releases/download";

const FORMULA: &str = include_str!("formula.rb");
const KREW: &str = include_str!("krew.yaml");
const CONTAINER: &str = include_str!("Containerfile");

/// A platform of the package managers.
struct Platform {
    /// Target triples in order of preference; static musl builds run on every distribution.
    triples: &'static [&'static str],
    /// `GOOS` and `GOARCH`, which krew uses.
    go: (&'static str, &'static str),
    /// Names in a formula; none if Homebrew does not support the platform.
    brew: Option<(&'static str, &'static str)>,
}

const PLATFORMS: [Platform; 5] = [
    Platform { triples: &["aarch64-apple-darwin"], go: ("darwin", "arm64"), brew: Some(("macos", "arm")) },
    Platform { triples: &["x86_64-apple-darwin"], go: ("darwin", "amd64"), brew: Some(("macos", "intel")) },
    Platform {
        triples: &["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"],
        go: ("linux", "arm64"),
        brew: Some(("linux", "arm")),
    },
    Platform {
        triples: &["x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"],
        go: ("linux", "amd64"),
        brew: Some(("linux", "intel")),
    },
    Platform { triples: &["x86_64-pc-windows-msvc"], go: ("windows", "amd64"), brew: None },
];

/// The archive for a platform.
struct Archive<'a> {
    platform: &'a Platform,
    triple: &'static str,
    file: String,
    sum: String,
}

/// Writes all of them next to the archives.
pub(super) fn write(dist: &Dist<'_>) -> Result<(), String> {
    let sums = python::sums(&shipped(dist)?)?;
    let lines: String = sums.iter().map(|(sum, name)| format!("{sum}  {name}\n")).collect();
    let archives = archives(dist, &sums);
    if archives.is_empty() {
        return Err(format!("no archive of version {} in {}", dist.version, dist.out.display()));
    }
    let files = [
        ("SHA256SUMS", lines),
        ("kvrules.rb", formula(dist, &archives)),
        ("kvrules.yaml", krew(dist, &archives)),
        ("Containerfile", CONTAINER.replace("@VERSION@", &dist.version)),
    ];
    for (name, text) in files {
        let path = dist.out.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns the archives and wheels in the output directory, sorted by name.
fn shipped(dist: &Dist<'_>) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(&dist.out).map_err(|error| format!("{}: {error}", dist.out.display()))?;
    let is_shipped = |path: &PathBuf| {
        let name = path.to_string_lossy();
        [".tar.gz", ".zip", ".whl"].iter().any(|ending| name.ends_with(ending))
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_shipped).collect();
    paths.sort();
    Ok(paths)
}

fn archives<'a>(dist: &Dist<'_>, sums: &[(String, String)]) -> Vec<Archive<'a>> {
    let of = |platform: &'a Platform| {
        platform.triples.iter().find_map(|triple| {
            let start = format!("kvrules-{}-{triple}.", dist.version);
            let (sum, file) = sums.iter().find(|(_, name)| name.starts_with(&start))?;
            Some(Archive { platform, triple, file: file.clone(), sum: sum.clone() })
        })
    };
    PLATFORMS.iter().filter_map(of).collect()
}

impl Archive<'_> {
    fn url(&self, dist: &Dist<'_>) -> String {
        format!("{RELEASES}/v{}/{}", dist.version, self.file)
    }
}

fn formula(dist: &Dist<'_>, archives: &[Archive<'_>]) -> String {
    let mut text = String::new();
    for system in ["macos", "linux"] {
        let of = |archive: &&Archive<'_>| archive.platform.brew.is_some_and(|(name, _)| name == system);
        let blocks: String = archives.iter().filter(of).map(|archive| block(dist, archive)).collect();
        if !blocks.is_empty() {
            text.push_str(&format!("\n  on_{system} do\n{blocks}  end\n"));
        }
    }
    FORMULA.replace("@VERSION@", &dist.version).replace("\n  # @ARCHIVES@\n", &text)
}

fn block(dist: &Dist<'_>, archive: &Archive<'_>) -> String {
    let processor = archive.platform.brew.map_or("", |(_, processor)| processor);
    let (url, sum) = (archive.url(dist), &archive.sum);
    format!("    on_{processor} do\n      url \"{url}\"\n      sha256 \"{sum}\"\n    end\n")
}

fn krew(dist: &Dist<'_>, archives: &[Archive<'_>]) -> String {
    let platforms: String = archives.iter().map(|archive| platform(dist, archive)).collect();
    KREW.replace("@VERSION@", &dist.version).replace("  # @PLATFORMS@\n", &platforms)
}

fn platform(dist: &Dist<'_>, archive: &Archive<'_>) -> String {
    let (system, processor) = archive.platform.go;
    let program = if system == "windows" { "kvrules.exe" } else { "kvrules" };
    let folder = format!("kvrules-{}-{}", dist.version, archive.triple);
    format!(
        "  - selector:\n      matchLabels:\n        os: {system}\n        arch: {processor}\n    uri: {}\n    sha256: {}\n    \
         files:\n    - from: {folder}/{program}\n      to: .\n    - from: {folder}/LICENSE-APACHE\n      to: .\n    \
         - from: {folder}/LICENSE-MIT\n      to: .\n    bin: {program}\n",
        archive.url(dist),
        archive.sum
    )
}
