//! Checks the parts of a definition around its schemas: its metadata, names, versions, conversion and the rest. Each
//! rejection by the server is located in the text.

use std::collections::{BTreeSet, HashMap};

use kvrules_apiserver::crd::Failure;
use kvrules_apiserver::definition::{SchemaPlan, review_envelope_and_plan};
use kvrules_diagnostics::{Diagnostic, Lint, Span};
use kvrules_syntax::kubernetes::find_field;
use kvrules_syntax::{Entry, Node};
use serde_json::Value;

use super::envelope_messages::find_message;
use crate::lints;
use crate::metadata::{self, MetadataError};
use crate::plain;
use crate::schema_location::node_head_span;
use crate::stored_resources::as_stored;
use crate::text::{backtick_quotes, backtick_text, did_you_mean, server_words, to_one_line};

/// Checks the envelope, and returns how the schema of each version is to be checked. With `old` the definition takes the place of
/// that one.
pub(super) fn check_envelope(
    node: Node<'_>,
    document: &Value,
    old: Option<&Value>,
    dropped: &BTreeSet<Span>,
) -> (Vec<Diagnostic>, Vec<SchemaPlan>) {
    let old = old.map(|old| as_stored(old, document));
    let envelope = EnvelopeCheck { node, document, is_update: old.is_some(), dropped };
    let mut findings = Vec::from_iter(metadata::namespace_finding(node, "definition"));
    let mut named = false;
    let (failures, plans) = review_envelope_and_plan(document, old.as_ref());
    for failure in failures {
        // One finding about the name is enough.
        if failure.field == "metadata.name" && std::mem::replace(&mut named, true) {
            continue;
        }
        findings.extend(envelope.finding(&failure));
    }
    (findings, plans)
}

struct EnvelopeCheck<'d> {
    node: Node<'d>,
    document: &'d Value,
    is_update: bool,
    dropped: &'d BTreeSet<Span>,
}

/// Location of an error.
struct FoundField<'d> {
    /// The last entry of the field's path that is written.
    entry: Option<Entry<'d>>,
    /// True if that entry is the field itself.
    is_whole: bool,
}

impl<'d> EnvelopeCheck<'d> {
    fn finding(&self, failure: &Failure) -> Option<Diagnostic> {
        let field = self.written_field(failure)?;
        let found = self.find_field(&field);
        if self.is_uncertain(&found, failure) {
            return None;
        }
        let words = server_words(&to_one_line(&failure.detail));
        let finding = match failure.field.as_str() {
            "metadata.generation" => return None,
            "metadata.name" | "metadata.generateName" => self.name(failure, &found),
            "spec.versions" if failure.detail.starts_with("must have exactly one") => self.storage_finding(),
            "spec.versions" if failure.detail.starts_with("must contain unique") => self.duplicate_names(),
            field if field.starts_with("metadata.") && !field.contains("api-approved") => {
                let error = MetadataError {
                    field: &failure.field,
                    value: &failure.value,
                    detail: &failure.detail,
                    what: "definition",
                };
                let finding = metadata::metadata_finding(self.node, &error)?;
                return Some(finding.with_label(words));
            }
            _ => self.spec_finding(&field, failure, &found),
        };
        Some(finding.with_field(&failure.field).with_label(words))
    }

    /// The path of the field as the document has it; none if the error follows from another.
    fn written_field(&self, failure: &Failure) -> Option<String> {
        let field = failure.field.as_str();
        let names =
            |name: &str| self.document.pointer(&format!("/spec/names/{name}")).is_some_and(|it| it != "");
        let follows = match field {
            "spec.names.singular" | "spec.names.listKind" => {
                !names(field.rsplit('.').next().unwrap_or_default())
            }
            // The first version is also kept in a field of its own.
            "spec.version" | "status.storedVersions" => true,
            _ => !self.is_update && field.starts_with("status."),
        };
        if follows {
            return None;
        }
        for shared in ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] {
            if let Some(rest) = field.strip_prefix("spec.").filter(|rest| rest.starts_with(shared)) {
                return Some(format!("spec.versions[0].{}", rest.replace("JSONPath", "jsonPath")));
            }
        }
        if field.starts_with("status.storedVersions[") {
            return Some("spec.versions".to_owned());
        }
        let field = field.replace("status.acceptedNames", "spec.names").replace("JSONPath", "jsonPath");
        let field = field.replace("conversion.webhookClientConfig", "conversion.webhook.clientConfig");
        let field = field.replace("conversion.conversionReview", "conversion.webhook.conversionReview");
        // The server confuses the two fields in its errors.
        let service = "spec.conversion.webhook.clientConfig.service.";
        Some(match field.strip_prefix(service).filter(|_| failure.reason.ends_with("Required")) {
            Some("namespace") => format!("{service}name"),
            Some("name") => format!("{service}namespace"),
            _ => field,
        })
    }

    fn find_field(&self, field: &str) -> FoundField<'d> {
        let found = find_field(self.node, field);
        FoundField { entry: (found.steps > 0).then_some(found.entry), is_whole: found.is_whole }
    }

    /// True if template tags decide the value, or if the missing part could not be read.
    fn is_uncertain(&self, found: &FoundField<'_>, failure: &Failure) -> bool {
        let get = |path: [&str; 2]| {
            self.node.get("spec").and_then(|spec| spec.get(path[0])).map(|it| match path[1] {
                "" => Some(it),
                name => it.get(name),
            })
        };
        let names = [["names", "plural"], ["names", "kind"], ["names", "listKind"], ["group", ""]];
        let is_templated = |node: Node<'_>| node.is_templated() || node.is_open();
        let of_names = matches!(
            failure.field.as_str(),
            "metadata.name" | "metadata.generateName" | "spec.names.listKind"
        ) && names.into_iter().filter_map(get).flatten().any(is_templated);
        let versions = self.node.get("spec").and_then(|spec| spec.get("versions"));
        let of_versions = failure.field == "spec.versions"
            && versions.is_some_and(|versions| {
                versions.is_open()
                    || versions
                        .items()
                        .any(|it| it.is_open() || it.get("storage").is_some_and(Node::is_templated))
            });
        let here = found.entry.is_some_and(|entry| {
            self.dropped.contains(&entry.value.span())
                || if found.is_whole { entry.value.is_templated() } else { entry.value.is_open() }
        });
        here || of_names || of_versions
    }

    /// The lint that reports an error, by whether a new definition would be rejected for it too.
    fn lint(&self, failure: &Failure) -> &'static Lint {
        let is_of_update = failure.detail == "field is immutable" || failure.field.starts_with("status.");
        if self.is_update && is_of_update { &lints::KUBERNETES_UPDATE } else { &lints::KUBERNETES_SHAPE }
    }

    /// A definition is named after the resource that it defines.
    fn name(&self, failure: &Failure, found: &FoundField<'_>) -> Diagnostic {
        let text = |path: &str| self.document.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (plural, group) = (text("/spec/names/plural"), text("/spec/group"));
        let wanted = format!("{plural}.{group}");
        let name = found.entry.filter(|_| found.is_whole).map(|entry| entry.value);
        let span = self.span(found);
        let lint = self.lint(failure);
        if failure.detail == "field is immutable" {
            let message =
                format!("the name is {} in the old definition", backtick_text(text("/metadata/name")));
            return lint.diagnostic_at(span, message);
        }
        let is_known = !plural.is_empty() && !group.is_empty();
        let help = "the name is `spec.names.plural`, a dot, and `spec.group`";
        match name.filter(|name| !name.text().is_empty()) {
            Some(name) if is_known => {
                let message = format!(
                    "the definition is named {} and must be named {}",
                    backtick_text(name.text()),
                    backtick_text(&wanted)
                );
                lint.diagnostic_at(span, message).with_help(help)
            }
            Some(name) => lint
                .diagnostic_at(span, format!("invalid name {}", backtick_text(name.text())))
                .with_help(help),
            None => {
                let finding = lint.diagnostic_at(span, "missing `metadata.name` of the definition");
                let example = if is_known {
                    format!("write `name: {wanted}` under `metadata`")
                } else {
                    help.to_owned()
                };
                finding.with_help(example)
            }
        }
    }

    /// Objects are stored in exactly one version.
    fn storage_finding(&self) -> Diagnostic {
        let spec = self.node.get("spec");
        let versions = spec.and_then(|spec| spec.get("versions"));
        let storing =
            versions.into_iter().flat_map(Node::items).filter_map(|version| version.entry("storage"));
        let storing: Vec<_> = storing.filter(|entry| plain::is_true(entry.value)).collect();
        if let [first, second, ..] = storing.as_slice() {
            let finding = lints::KUBERNETES_SHAPE
                .diagnostic_at(second.key.span(), "second version with `storage: true`");
            return finding
                .with_secondary_label(first.key.span(), "the first is here")
                .with_help("write `storage: false` here or there");
        }
        let entry = spec.and_then(|spec| spec.entry("versions"));
        let span = entry.map_or_else(|| node_head_span(spec.unwrap_or(self.node)), |entry| entry.key.span());
        let finding = lints::KUBERNETES_SHAPE.diagnostic_at(span, "no version has `storage: true`");
        finding.with_help("write `storage: true` on one version, and `storage: false` on the others")
    }

    fn duplicate_names(&self) -> Diagnostic {
        let versions = self.node.get("spec").and_then(|spec| spec.get("versions"));
        let mut seen: HashMap<&str, Node<'_>> = HashMap::new();
        for name in versions.into_iter().flat_map(Node::items).filter_map(|version| version.get("name")) {
            if let Some(first) = seen.insert(name.text(), name) {
                let message = format!("duplicate version {}", backtick_text(name.text()));
                let finding = lints::KUBERNETES_SHAPE.diagnostic_at(name.span(), message);
                return finding
                    .with_secondary_label(first.span(), "the first is here")
                    .with_help("rename one of them");
            }
        }
        let span = versions.map_or_else(|| node_head_span(self.node), node_head_span);
        lints::KUBERNETES_SHAPE.diagnostic_at(span, "two versions have no name").with_help("name them")
    }

    /// Everything else.
    fn spec_finding(&self, field: &str, failure: &Failure, found: &FoundField<'_>) -> Diagnostic {
        let span = self.span(found);
        let finding = |message: String| self.lint(failure).diagnostic_at(span, message);
        let entry = found.entry.filter(|_| found.is_whole);
        let value = entry.map(|entry| entry.value.text()).unwrap_or_default();
        let last = field.rsplit('.').next().unwrap_or_default();
        if failure.detail == "field is immutable" {
            let help = "restore it, since it decides where objects are stored, or create another definition";
            return finding(format!("the update changes the immutable field `{field}`")).with_help(help);
        }
        if failure.field.starts_with("status.storedVersions[") {
            let version = failure.detail.split([';', ' ']).nth(4).unwrap_or_default();
            let message = format!(
                "the update removes version {}, in which objects may be stored",
                backtick_text(version)
            );
            let help = "keep the version with `served: false` until all objects are stored in another one and \
                        `status.storedVersions` no longer lists it";
            return finding(message).with_help(help);
        }
        if failure.reason == "FieldValueNotSupported" || failure.detail.starts_with("must be one of") {
            let known = failure.detail.split(['"', ',', ' ']).filter(|word| !word.is_empty());
            if let Some(hint) = did_you_mean(value, known.collect::<Vec<_>>()).filter(|_| !value.is_empty()) {
                let (message, _) = find_message(field, &failure.detail, value).unwrap_or_default();
                return finding(message).with_help(hint);
            }
        }
        if failure.detail.starts_with("selectableFields may only") && self.has_schema(field) {
            let help = "write the same selectable fields in every version: the server moves a schema that all versions share \
                        out of the versions";
            return finding("selectable fields differ between versions with the same schema".to_owned())
                .with_help(help);
        }
        let is_missing = failure.reason == "FieldValueRequired" && value.is_empty();
        match find_message(field, &failure.detail, value) {
            Some((message, help))
                if !is_missing || !failure.detail.is_empty() || last == "openAPIV3Schema" =>
            {
                finding(message).with_help(help)
            }
            _ if is_missing => {
                let words = match failure.detail.strip_prefix("must be one of ") {
                    Some(values) => format!("write one of `{}`", values.replace(',', "`, `")),
                    None => format!("write `{last}`"),
                };
                finding(format!("missing `{last}`")).with_help(words)
            }
            _ => finding(format!("`{field}`: {}", backtick_quotes(&failure.detail))),
        }
    }

    /// True if the version with these selectable fields has a schema.
    fn has_schema(&self, fields: &str) -> bool {
        let version = fields.strip_suffix("selectableFields").unwrap_or_default();
        let schema = self.find_field(&format!("{version}schema.openAPIV3Schema"));
        schema.is_whole && schema.entry.is_some_and(|entry| entry.value.is_map())
    }

    /// The place of an error: what is wrong with a value is there, what is missing is at the head of what lacks it.
    fn span(&self, found: &FoundField<'_>) -> Span {
        match found.entry {
            Some(entry) if found.is_whole && !entry.value.span().to_range().is_empty() => {
                node_head_span(entry.value)
            }
            Some(entry) if entry.value.is_map() => node_head_span(entry.value),
            Some(entry) => entry.key.span(),
            None => node_head_span(self.node),
        }
    }
}
