//! `migrate` and `fmt` against a bare YAML parse of the same bytes; and ten thousand files through the built command.

#[path = "migrate/process.rs"]
mod process;

use std::{fs, hint::black_box, path::Path, time::Duration};

use kvrules::{
    Catalog, FileId, SourceFile,
    migrate::{MigrationOptions, MigrationOutcome, migrate_file},
};
use kvrules_tests::{
    bench::{compare_times, duration_ratio},
    old_forms::{FORMS, to_old_form},
    repository_root, template_bundles,
};

const ROUNDS: usize = 15;

/// The size that the goal is stated for.
const MEGABYTE: usize = 1 << 20;
/// For so much, migrated and written.
const MIGRATED: Duration = Duration::from_millis(150);

fn main() {
    let folder = std::env::temp_dir().join(format!("kvrules-bench-migrate-{}", std::process::id()));
    if let Err(error) = fs::create_dir_all(&folder) {
        println!("skipped: no directory to work in: {error}");
        return;
    }
    let bundle = bundle();
    for form in [FORMS[0], FORMS[5]] {
        migrating(&to_old_form(&bundle, form), form.root, &folder);
    }
    formatting(&bundle);
    process::run(&folder);
    let _ = fs::remove_dir_all(&folder);
}

/// A megabyte of templates: a released bundle, or our example many times over.
fn bundle() -> String {
    let bundles = template_bundles();
    let mut text = bundles.into_iter().map(|(_, text)| text).max_by_key(String::len).unwrap_or_default();
    let example =
        fs::read_to_string(repository_root().join("docs/examples/linux-server.yaml")).unwrap_or_default();
    let templates: Vec<String> = match text.is_empty() {
        true => vec![example],
        false => text.split("\n---\n").skip(1).map(str::to_owned).collect(),
    };
    let mut more = templates.iter().cycle();
    while text.len() < MEGABYTE {
        let Some(template) = more.next().filter(|template| !template.is_empty()) else { break };
        text.push_str("---\n");
        text.push_str(template);
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

fn migrating(text: &str, form: &str, folder: &Path) {
    let source = SourceFile::new(FileId(0), "bundle.yaml", text);
    let once = migrate_file(&source, Catalog::kubevirt_vm(), MigrationOptions::default());
    if once.outcome() != MigrationOutcome::Migrated {
        println!("the bundle with paths like `{form}` is {:?}: {:?}", once.outcome(), once.refusals.first());
        return;
    }
    let place = folder.join("bundle.yaml");
    let work = || {
        let migrated = migrate_file(&source, Catalog::kubevirt_vm(), MigrationOptions::default());
        black_box(fs::write(&place, &migrated.text).is_ok());
    };
    let (bare, whole) = compare_times(ROUNDS, || events(text), work);
    println!("migrate a bundle ({} bytes, {} changes, paths like `{form}`)", text.len(), once.changes.len());
    println!(
        "  time    {:.2} × a bare saphyr-parser event loop; {whole:.1?} (goal {MIGRATED:.1?}) against {bare:.1?}",
        duration_ratio(whole, bare)
    );
}

fn formatting(text: &str) {
    let dense = text.replace("            \"", "          \"");
    let source = SourceFile::new(FileId(0), "bundle.yaml", dense.as_str());
    let (bare, whole) =
        compare_times(ROUNDS, || events(&dense), || _ = black_box(kvrules::fmt::format_file(&source)));
    let changed = kvrules::fmt::format_file(&source).text != dense;
    println!(
        "fmt of a bundle ({} bytes, {})",
        dense.len(),
        if changed { "all of it changes" } else { "nothing changes" }
    );
    println!(
        "  time    {:.2} × a bare saphyr-parser event loop; {whole:.1?} against {bare:.1?}",
        duration_ratio(whole, bare)
    );
}

fn events(text: &str) {
    black_box(saphyr_parser::Parser::new_from_str(text).filter_map(Result::ok).count());
}
