//! Writes the catalog from the types of each minor, as `cargo xtask kubernetes-types` runs it:
//! `build_catalog DIRECTORY OUTPUT` reads `1.31.json` to `1.36.json` of the directory.

#[path = "../tests/catalog/builder.rs"]
mod builder;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [directory, output] = args.as_slice() else { return ExitCode::from(2) };
    match write_catalog(Path::new(directory), Path::new(output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn write_catalog(directory: &Path, output: &Path) -> std::io::Result<()> {
    let read = |minor: u8| -> std::io::Result<serde_json::Value> {
        let text = std::fs::read_to_string(directory.join(format!("1.{minor}.json")))?;
        Ok(serde_json::from_str(&text)?)
    };
    let minors = (31..=36).map(read).collect::<std::io::Result<Vec<_>>>()?;
    let text = builder::build_catalog(&minors);
    std::fs::write(output, miniz_oxide::deflate::compress_to_vec_zlib(text.as_bytes(), 10))
}
