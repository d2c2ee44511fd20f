//! The pages of a bundle in every format, with examples and what each target claims, against their goal; pages about extra specs; and
//! pages about a folder of real definitions, next to a bare YAML parse of the same bytes in the same run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kvrules::docs::{
    AuthorNotation, FORMATS, Format, Grouping, PagesInput, ResourcePagesInput, RuleLocations, SpecLayer,
    SpecPagesInput, add_resource_pages, build_pages, extra_spec_pages, render_document, render_extra_specs,
};
use kvrules::eval::Definitions;
use kvrules::extra_specs::shipped_document;
use kvrules::{Request, SourceFile, Sources};
use kvrules_tests::bench::{compare_times, duration_ratio};
use kvrules_tests::template_bundles;

const ROUNDS: usize = 5;

/// For the pages of a bundle in one format, after reading.
const MADE: Duration = Duration::from_millis(200);

/// A folder of real definitions, without those that servers reject.
const DEFINITIONS: &str = "kubernetes/crds";

fn main() {
    definitions();
    extra_specs();
    for (name, text) in template_bundles() {
        let mut sources = Sources::default();
        let id = sources.add_file(name.as_str(), text);
        let Some(source) = sources.get(id) else { continue };
        let sets = kvrules::merge_rule_sets(kvrules::read_rules(source).sets);
        let rules: usize = sets.iter().map(|set| set.rules.len()).sum();
        println!("docs {name}: {} rule sets, {rules} rules", sets.len());
        let given = PagesInput {
            request: Request::for_virtual_machines(&sets),
            places: RuleLocations { sources: &sources, link: Some("https://git.example/{file}#L{line}") },
            notation: AuthorNotation::Plain,
            grouping: Grouping::Set,
        };
        for format in FORMATS {
            let made = best(|| {
                let files = build_pages(&given).and_then(|document| render_document(format, &document, &[]));
                black_box(files.map(|files| files.len()).ok());
            });
            let share = made.as_secs_f64() / MADE.as_secs_f64();
            println!("  {:<16} {share:.2} × the goal of {MADE:?}: {made:.1?}", format.name);
        }
    }
}

/// The pages about definitions, from their texts to the texts of the pages, on all cores.
fn definitions() {
    let mut sources = Sources::default();
    for path in kvrules_testdata::list_files(DEFINITIONS, "yaml").unwrap_or_default() {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if Definitions::read_definitions(&SourceFile::new(kvrules::FileId(0), "crd.yaml", text.as_str()))
            .is_ok()
        {
            sources.add_file(path.display().to_string(), text);
        }
    }
    println!("docs of {} definitions of {DEFINITIONS}", sources.files().len());
    let bare = || {
        for file in sources.files() {
            black_box(saphyr_parser::Parser::new_from_str(file.text()).filter_map(Result::ok).count());
        }
    };
    for format in FORMATS {
        let (ours, parse) =
            compare_times(ROUNDS, || drop(black_box(definition_pages(&sources, format))), bare);
        let ratio = duration_ratio(ours, parse);
        println!("  {:<16} {ours:.0?}, {ratio:.1} × a bare parse on one core", format.name);
    }
}

/// The texts of the pages about definitions.
fn definition_pages(sources: &Sources, format: &'static Format) -> Vec<String> {
    let read = sources.files().iter().filter_map(|file| Definitions::read_definitions(file).ok());
    let resources: Vec<_> = read.flat_map(Definitions::into_texts).collect();
    let places = RuleLocations { sources, link: None };
    let (notation, grouping) = (AuthorNotation::Plain, Grouping::Set);
    let request = Request::for_virtual_machines(&[]);
    let Ok(mut document) = build_pages(&PagesInput { request, places, notation, grouping }) else {
        return Vec::new();
    };
    let given = ResourcePagesInput { resources: &resources, rule_sets: &[], places, notation, format: None };
    let files =
        add_resource_pages(&mut document, &given).and_then(|_| render_document(format, &document, &[]));
    files.into_iter().flatten().map(|file| file.text).collect()
}

/// The pages about the extra specs of Nova; there is no goal for these.
fn extra_specs() {
    let layers = [SpecLayer { document: shipped_document(), notation: AuthorNotation::Markdown }];
    let places = RuleLocations { sources: &Sources::default(), link: None };
    let given = SpecPagesInput { layers: &layers, places, version: kvrules::VERSION };
    println!(
        "docs of the extra specs of Nova: {} definitions",
        shipped_document().expand_definitions().len()
    );
    for format in FORMATS {
        let made = best(|| {
            let files = render_extra_specs(format, &extra_spec_pages(&given), &[]);
            black_box(files.map(|files| files.len()).ok());
        });
        println!("  {:<16} {made:.1?}", format.name);
    }
}

fn best(mut work: impl FnMut()) -> Duration {
    let time = |()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    std::iter::repeat_n((), ROUNDS).map(time).min().unwrap_or_default()
}
