//! The pages of a bundle in every format, with examples and what each target claims, against their goal; and pages about extra
//! specs.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kvrules::docs::{
    AuthorNotation, FORMATS, Grouping, PagesInput, RuleLocations, SpecLayer, SpecPagesInput, build_pages,
    extra_spec_pages, render_document, render_extra_specs,
};
use kvrules::extra_specs::shipped_document;
use kvrules::{Request, Sources};
use kvrules_tests::template_bundles;

const ROUNDS: usize = 5;

/// For the pages of a bundle in one format, after reading.
const MADE: Duration = Duration::from_millis(200);

fn main() {
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
