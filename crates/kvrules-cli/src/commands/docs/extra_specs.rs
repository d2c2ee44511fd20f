//! `kvrules docs --extra-specs`: pages about extra specs of flavors.

use kvrules::docs::{self, AuthorNotation, RuleLocations, SpecLayer, SpecPagesInput};
use kvrules::extra_specs::{Document, parse_definitions, shipped_document};
use kvrules::{Catalog, EmitError, Operation, Sources};

use super::{Docs, Format, GeneratedFiles, PageFiles, render_data};
use crate::failure::{Failure, Status};
use crate::inputs::load_files;
use crate::options::InputArgs;
use crate::settings::Settings;
use crate::terminal::Terminal;

/// The user's own definitions.
#[derive(Default)]
struct PageDefinitions {
    sources: Sources,
    documents: Vec<Document>,
}

/// Makes the pages.
pub(super) fn make_spec_pages(
    docs: &Docs,
    format: Format,
    settings: &Settings,
    terminal: &Terminal,
) -> Result<GeneratedFiles, Failure> {
    let own = match own_definitions(docs, settings, terminal)? {
        Ok(own) => own,
        Err(status) => return Ok(Err(status)),
    };
    let notation = settings.config.docs.author_notation();
    // The descriptions of the built-in definitions mark code with backticks.
    let built_in = SpecLayer { document: shipped_document(), notation: AuthorNotation::Markdown };
    let built_in = (!docs.about.own_only).then_some(built_in).into_iter();
    let layers: Vec<_> =
        built_in.chain(own.documents.iter().map(|document| SpecLayer { document, notation })).collect();
    let sources = docs.naming_base(settings).rename_sources(&own.sources);
    let mut document = docs::extra_spec_pages(&SpecPagesInput {
        layers: &layers,
        places: RuleLocations { sources: &sources, link: settings.config.docs.source_link.as_deref() },
        version: kvrules::VERSION,
    });
    let templates = docs.templates(settings)?;
    let failure = |error: EmitError| Failure::new(error.message);
    let files = if let Some(pages) = format.pages() {
        docs::render_extra_specs(pages, &document, &templates).map_err(failure)?
    } else {
        docs::lay_out_specs(&mut document, &templates).map_err(failure)?;
        render_data("extra-specs.json", &document)?
    };
    Ok(Ok(PageFiles { files, inputs: Status::Clean }))
}

/// Under what the pages are listed as ours; rules may have theirs in the same directory.
pub(super) fn target_name(format: Format) -> &'static str {
    match format {
        Format::Markdown => "extra-specs-markdown",
        Format::ReStructuredText => "extra-specs-restructuredtext",
        Format::Html => "extra-specs-html",
        Format::Json => "extra-specs-json",
    }
}

/// The definitions that the command line names, else those of the configuration; or the status where they have errors.
fn own_definitions(
    docs: &Docs,
    settings: &Settings,
    terminal: &Terminal,
) -> Result<Result<PageDefinitions, Status>, Failure> {
    let configured = &settings.config.extra_specs.definitions;
    let named = !docs.inputs.paths.is_empty();
    if !named && configured.is_empty() {
        return if docs.about.own_only {
            Err(Failure::new("no definitions of your own found").help("name files that define extra specs"))
        } else {
            Ok(Ok(PageDefinitions::default()))
        };
    }
    let inputs = InputArgs {
        follow_links: docs.inputs.follow_links,
        paths: if named {
            docs.inputs.paths.clone()
        } else {
            configured.iter().map(|path| settings.path(path.get_ref())).collect()
        },
        stdin_filename: docs.inputs.stdin_filename.clone(),
        jobs: docs.inputs.jobs,
        allow_empty: docs.inputs.allow_empty,
    };
    let loaded = load_files(&inputs, Operation::Document, settings, Catalog::kubevirt_vm())?;
    let status = loaded.report_errors(terminal);
    if status != Status::Clean {
        return Ok(Err(status));
    }
    if loaded.readings.iter().all(|reading| reading.definitions.is_empty()) {
        return Err(Failure::new("no extra specs found"));
    }
    let with_definitions = loaded.sources.files().iter().zip(&loaded.readings);
    let documents = with_definitions
        .filter(|(_, reading)| !reading.definitions.is_empty())
        .map(|(file, _)| parse_definitions(file.id(), file.text()).0)
        .collect();
    Ok(Ok(PageDefinitions { documents, sources: loaded.sources }))
}
