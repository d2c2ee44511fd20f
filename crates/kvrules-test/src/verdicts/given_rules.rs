//! Rules from a file of their own: one rule set for every object, or those of many templates, of which each
//! VirtualMachine is evaluated by the one that its label names.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use kvrules_diagnostics::SourceFile;
use kvrules_elaborate::annotation::{self, Annotation, AnnotationHolder};
use kvrules_elaborate::catalog::Catalog;
use kvrules_elaborate::object::{self, ParameterValues};
use kvrules_syntax::Document;
use serde_json::Value;

use super::rules::PreparedRules;
use kvrules_sources::with_documents;

/// The label that names the template of a VirtualMachine, as templates put it on theirs.
pub(super) const TEMPLATE_LABEL: &str = "vm.kubevirt.io/template";

/// Locations of the label, in the order of the search. The deployed validator accepts an annotation for it too.
const PLACES: [&str; 3] = ["/metadata/labels", "/metadata/annotations", "/spec/template/metadata/labels"];

/// The rules that were given.
#[derive(Clone, Debug)]
pub(super) enum GivenRules {
    /// These, for every object.
    One(Arc<PreparedRules>),
    /// Those of the template that the object names.
    Bundle(Arc<RuleSetFile>),
}

/// The rule sets of a file, by template.
#[derive(Debug)]
pub(super) struct RuleSetFile {
    source: SourceFile,
    catalog: Arc<Catalog>,
    sets: BTreeMap<String, Vec<FileRuleSet>>,
}

/// One rule set of a file.
#[derive(Debug)]
pub(super) struct FileRuleSet {
    key: String,
    /// The text with its parameters put in, or why that cannot be done.
    text: Result<String, String>,
    /// True if the text is that of the file, with nothing put in.
    as_written: bool,
    at: u32,
    prepared: OnceLock<Result<Arc<PreparedRules>, String>>,
}

impl GivenRules {
    /// The rule sets in documents: the only one, or that of the template with this name, else all of them. Where that is
    /// impossible, why.
    pub(super) fn new(
        source: &SourceFile,
        documents: &[&Document<'_>],
        template: Option<&str>,
        (given, catalog): (&BTreeMap<String, String>, &Arc<Catalog>),
        used: &mut dyn FnMut(&ParameterValues),
    ) -> Result<Self, String> {
        let found = documents.iter().flat_map(|document| in_force(annotation::find_annotations(document)));
        let wanted = |found: &Annotation<'_>| template.is_none_or(|name| found.name.as_deref() == Some(name));
        let found: Vec<_> = found.filter(wanted).collect();
        let mut sets = BTreeMap::<String, Vec<FileRuleSet>>::new();
        let mut of_templates = 0;
        for annotation in &found {
            let values = match annotation.template {
                Some(template) => ParameterValues::from_template(template, given),
                None => ParameterValues::from_given(&named_parameters(
                    source.span_text(annotation.value.span()),
                    given,
                )),
            };
            used(&values);
            of_templates += usize::from(annotation.template.is_some());
            let name = annotation.name.clone().unwrap_or_default();
            sets.entry(name).or_default().push(FileRuleSet::new(annotation, &values));
        }
        match (found.len(), template) {
            (1, _) => {
                let only = sets.into_values().flatten().next();
                let only = only.ok_or_else(|| not_one(source.name(), 0, template))?;
                only.prepare_rules(source, catalog).map(Self::One)
            }
            (many, None) if many > 1 && of_templates == many => {
                let source = source.with_text(source.text());
                Ok(Self::Bundle(Arc::new(RuleSetFile { source, sets, catalog: Arc::clone(catalog) })))
            }
            (count, template) => Err(not_one(source.name(), count, template)),
        }
    }

    /// The rules for an object. `template` is the name of the template that it stands in, if it stands in one.
    pub(super) fn find_rules(
        &self,
        object: &Value,
        template: Option<&str>,
    ) -> Result<Arc<PreparedRules>, String> {
        let bundle = match self {
            Self::One(prepared) => return Ok(Arc::clone(prepared)),
            Self::Bundle(bundle) => bundle,
        };
        let file = bundle.source.name();
        let labels = PLACES.iter().filter_map(|place| object.pointer(place)?.get(TEMPLATE_LABEL)?.as_str());
        let name = labels.chain(template).find(|name| !name.is_empty()).ok_or_else(|| {
            format!(
                "this VirtualMachine has no label `{TEMPLATE_LABEL}` to choose among the {} templates in `{file}`; \
                 choose one with `--template NAME`",
                bundle.sets.len()
            )
        })?;
        match bundle.sets.get(name).map(Vec::as_slice) {
            Some([set]) => set.prepared_rules(&bundle.source, &bundle.catalog),
            Some(sets) => Err(not_one(file, sets.len(), Some(name))),
            None => Err(format!(
                "`{file}` has no rule set of the template `{name}` that the label `{TEMPLATE_LABEL}` names; \
                 choose another with `--template NAME`"
            )),
        }
    }
}

/// The given parameters that a text names.
fn named_parameters(text: &str, given: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let names =
        kvrules_syntax::find_parameters(text).filter_map(|parameter| given.get_key_value(parameter.name));
    names.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The annotations that count: where a template and a VirtualMachine in it both have one, that of the VirtualMachine, unless
/// it is empty. So has it the deployed validator.
fn in_force<'d>(found: Vec<Annotation<'d>>) -> Vec<Annotation<'d>> {
    let is_empty = |found: &Annotation<'d>| found.value.as_str() == Some("");
    let of_machines: Vec<_> = found
        .iter()
        .filter_map(|found| match found.holder {
            AnnotationHolder::VirtualMachine { template } if !is_empty(found) => template,
            _ => None,
        })
        .collect();
    let of_templates: Vec<_> = found
        .iter()
        .filter_map(|found| match found.holder {
            AnnotationHolder::Template { id } => Some(id),
            _ => None,
        })
        .collect();
    let counts = |found: &Annotation<'d>| match found.holder {
        AnnotationHolder::Template { id } => !of_machines.contains(&id),
        AnnotationHolder::VirtualMachine { template: Some(id) } if is_empty(found) => {
            !of_templates.contains(&id)
        }
        AnnotationHolder::Instance => false,
        _ => true,
    };
    found.into_iter().filter(counts).collect()
}

impl FileRuleSet {
    fn new(annotation: &Annotation<'_>, values: &ParameterValues) -> Self {
        let is_list = annotation.value.is_list();
        let text = if is_list {
            object::object_value(annotation.value, values)
                .map(|list| list.to_string())
                .map_err(|error| error.message)
        } else {
            values.fill_text(annotation.value.text()).and_then(|filled| match filled {
                Value::String(text) => Ok(text),
                _ => Err("with the parameters the rules are not a string".to_owned()),
            })
        };
        Self {
            key: annotation.key_text().to_owned(),
            as_written: is_list || text.as_deref() == Ok(annotation.value.text()),
            text,
            at: annotation.value.span().start,
            prepared: OnceLock::new(),
        }
    }

    /// The rules, prepared when they are first asked for.
    fn prepared_rules(&self, source: &SourceFile, catalog: &Catalog) -> Result<Arc<PreparedRules>, String> {
        self.prepared.get_or_init(|| self.prepare_rules(source, catalog)).clone()
    }

    fn prepare_rules(&self, source: &SourceFile, catalog: &Catalog) -> Result<Arc<PreparedRules>, String> {
        let text = self.text.as_ref().map_err(|why| format!("in the rules of `{}`: {why}", source.name()))?;
        let prepared = PreparedRules::of_text(&self.key, text, source.name(), catalog).filter(|prepared| {
            // Reporting findings at their location requires the tree of the file, which `in_place` reads again.
            !(self.as_written && prepared.unsound.is_some())
        });
        let prepared = prepared.or_else(|| self.in_place(source, text, catalog));
        prepared.map(Arc::new).ok_or_else(|| "the rules could not be read".to_owned())
    }

    fn in_place(&self, source: &SourceFile, text: &str, catalog: &Catalog) -> Option<PreparedRules> {
        with_documents(source, |file| {
            let mut found = file.documents.iter().flat_map(|document| annotation::find_annotations(document));
            let annotation = found.find(|found| found.value.span().start == self.at)?;
            Some(PreparedRules::new(source, annotation, text, catalog))
        })
    }
}

fn not_one(file: &str, found: usize, template: Option<&str>) -> String {
    match (found, template) {
        (0, None) => format!("`{file}` has no rule set"),
        (0, Some(name)) => format!("`{file}` has no rule set of a template `{name}`"),
        (count, None) => format!("`{file}` has {count} rule sets; choose one with `--template NAME`"),
        (count, Some(name)) => format!("`{file}` has {count} rule sets of a template `{name}`"),
    }
}
