//! Compresses the pages of lints: they are a fifth as large in the program then.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Best compression of zlib.
const LEVEL: u8 = 9;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=pages");
    println!("cargo::rerun-if-changed=build.rs");
    let mut paths = fs::read_dir("pages")?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let mut whole = String::new();
    for path in &paths {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        // The index is no page of a lint.
        let Some((code, _)) = name.split_once('-') else { continue };
        whole += code;
        whole.push('\0');
        whole += &fs::read_to_string(path)?;
        whole.push('\0');
    }
    let compressed = miniz_oxide::deflate::compress_to_vec_zlib(whole.as_bytes(), LEVEL);
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("pages.z"), compressed)
}
