//! Pages about rules, for readers: what each demands in a sentence, examples, and how it is enforced.
//!
//! ```
//! use kvrules::docs::{PagesInput, Grouping, MARKDOWN, AuthorNotation, RuleLocations, build_pages, render_document};
//! use kvrules::{Request, Sources};
//!
//! let mut sources = Sources::default();
//! let id = sources.add_file("rules.yaml", r#"
//! vm.kubevirt.io/validations: |
//!   [{
//!     "name": "cores", "rule": "integer", "message": "at most 8 cores",
//!     "path": "jsonpath::.spec.domain.cpu.cores", "valid": "jsonpath::.spec.domain.cpu.cores", "max": 8
//!   }]
//! "#);
//! let sets = kvrules::merge_rule_sets(kvrules::read_rules(sources.get(id).unwrap()).sets);
//! let document = build_pages(&PagesInput {
//!     request: Request::for_virtual_machines(&sets),
//!     places: RuleLocations { sources: &sources, link: None },
//!     notation: AuthorNotation::Plain,
//!     grouping: Grouping::Set,
//! })?;
//! let rule = &document.sets[0].rules[0];
//! let sentence = "When `.spec.domain.cpu` is set, the number of CPU cores must be at most 8.";
//! assert_eq!(rule.page.sentence.plain, sentence);
//! assert_eq!(rule.page.examples.fails[0].code, "9");
//!
//! let files = render_document(&MARKDOWN, &document, &[])?;
//! assert_eq!(files[0].path, "index.md");
//! # Ok::<(), kvrules::EmitError>(())
//! ```

pub use kvrules_docs::{
    AuthorNotation, ChangeEffect, ChangedResource, ChangedVersion, Document, FORMATS, Format, Grouping, HTML,
    LaidOutFact, MARKDOWN, PageLinks, PagesInput, RESTRUCTUREDTEXT, ResourceChange, ResourcePagesInput,
    RuleLocations, SpecLayer, SpecPagesInput, SpecsDocument, Text, add_changes, add_resource_pages,
    build_pages, document, encode_entities, escape_code, extra_spec_pages, fact, lay_out_fact,
    lay_out_resource, lay_out_rules, lay_out_specs, render_document, render_extra_specs, resource_pages,
    spec_pages,
};
