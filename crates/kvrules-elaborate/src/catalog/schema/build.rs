//! A schema unfolded into the fields of a catalog.

use kvrules_ir::{Presence, Scalar, ValueType};
use kvrules_kubernetes::keywords::EMBEDDED_RESOURCE;
use kvrules_syntax::{Node as Written, SyntaxKind};

use super::super::{CatalogField as Catalogued, CatalogNode};
use super::choose::ChosenSchema;
use super::kubevirt::FieldFacts;
use super::problem::SchemaProblem;
use super::view::{ReferenceReader, SchemaView};
use super::{default, metadata, types};

/// Limit on the number of fields and schemas. The largest definitions in use have some ten thousand fields.
const LARGEST: usize = 250_000;
/// Limit on the nesting of fields.
const DEEPEST: usize = 100;
/// Number of problems that are reported.
const REPORTED: usize = 50;

/// The fields of a schema, in the order of the schema.
pub(super) fn build_nodes(chosen: &ChosenSchema<'_>) -> Result<Vec<CatalogNode>, Vec<SchemaProblem>> {
    let steps = chosen.subject.root_steps();
    let mut builder = CatalogBuilder {
        reader: ReferenceReader::new(chosen.document),
        structural: chosen.structural,
        whole: chosen.structural && steps.is_empty(),
        nodes: Vec::new(),
        depth: 0,
        given_up: false,
    };
    let mut schemas = vec![chosen.schema];
    for step in steps {
        schemas = builder.property_schemas(&schemas, step).map_err(|problem| vec![problem])?;
    }
    let span = schemas.first().map_or(chosen.schema.span(), |schema| schema.span());
    let known = FieldFacts::of(&chosen.subject);
    builder.add(&PendingField { name: "", schemas, required: true, given: None, known });
    builder.finish(span)
}

/// A field to be added.
struct PendingField<'d> {
    name: &'d str,
    schemas: Vec<Written<'d>>,
    required: bool,
    /// Value from the default of an object around it.
    given: Option<Written<'d>>,
    /// Facts that are known beyond its schemas.
    known: FieldFacts,
}

struct CatalogBuilder<'d> {
    reader: ReferenceReader<'d>,
    structural: bool,
    /// True if the root is a whole object of the API, as the schema of a definition describes it.
    whole: bool,
    nodes: Vec<CatalogNode>,
    depth: usize,
    given_up: bool,
}

impl<'d> CatalogBuilder<'d> {
    /// The schemas of a property. References that lead there stay open.
    fn property_schemas(
        &mut self,
        schemas: &[Written<'d>],
        name: &str,
    ) -> Result<Vec<Written<'d>>, SchemaProblem> {
        let view = self.reader.open(schemas);
        let found = view.properties().into_iter().find(|(property, _)| *property == name);
        found.map(|(_, schemas)| schemas).ok_or_else(|| {
            let span = schemas.first().map_or_else(Default::default, |schema| schema.span());
            let message = format!("the schema of VirtualMachines has no `{name}` here");
            SchemaProblem::new(span, message)
                .help("paths in rules of a VirtualMachine start at `.spec.template`")
        })
    }

    fn finish(self, span: kvrules_diagnostics::Span) -> Result<Vec<CatalogNode>, Vec<SchemaProblem>> {
        let mut problems = self.reader.problems;
        let root = self.nodes.first().map_or(ValueType::Any, |node| node.value_type);
        if problems.is_empty() && !matches!(root, ValueType::Object | ValueType::Map) {
            let message = "the schema has no fields";
            problems.push(SchemaProblem::new(span, message).help("list the fields under `properties`"));
        }
        problems.sort_by(|one, other| (one.span, &one.message).cmp(&(other.span, &other.message)));
        problems.dedup();
        problems.truncate(REPORTED);
        if problems.is_empty() { Ok(self.nodes) } else { Err(problems) }
    }

    /// Adds a field and all below it. How deep this recurses is bounded.
    fn add(&mut self, field: &PendingField<'d>) {
        if !self.affords(field) {
            return;
        }
        let view = self.reader.open(&field.schemas);
        let (mut value_type, mut open) = types::value_type(&view, self.structural);
        let root = self.nodes.is_empty();
        let whole = root && self.whole || view.is_true(EMBEDDED_RESOURCE);
        if whole {
            (value_type, open) = (ValueType::Object, open || value_type == ValueType::Any);
        }
        let own = view.get("default").filter(|default| default.kind() != SyntaxKind::Null);
        let declared = field_presence(&view, field.required, own.is_some());
        let presence = field.known.presence(declared);
        // The catalog may know a field that the schema leaves open.
        if let Some(known) = field.known.field().filter(|known| !root && is_left_open(value_type, *known)) {
            known.copy_into(&mut self.nodes, presence);
            self.reader.close(&view);
            return;
        }
        let given = match declared {
            Presence::Defaulted => own,
            Presence::Required => field.given,
            Presence::Optional => None,
        };
        let of_catalog =
            || field.known.field().filter(|known| known.value_type() == value_type)?.default_value().cloned();
        let default = given.and_then(|given| self.constant(given, value_type)).or_else(of_catalog);
        let index = self.nodes.len();
        self.nodes.push(CatalogNode {
            name: field.name.to_owned(),
            value_type,
            presence,
            default,
            open,
            past: 0,
        });
        if whole {
            metadata::add_metadata_fields(
                &mut self.nodes,
                if root { Presence::Required } else { Presence::Optional },
            );
        }
        self.depth += 1;
        self.children(&view, value_type, whole, given, field.known);
        self.depth -= 1;
        self.reader.close(&view);
        self.end(index);
    }

    fn children(
        &mut self,
        view: &SchemaView<'d>,
        value_type: ValueType,
        whole: bool,
        given: Option<Written<'d>>,
        known: FieldFacts,
    ) {
        let item = match value_type {
            ValueType::Object => return self.fields(view, whole, given, known),
            ValueType::List => view.get("items"),
            ValueType::Map => view.get("additionalProperties"),
            _ => None,
        };
        // A list of schemas under `items` has one for each position, so the item of a wildcard may be any of them.
        if let Some(item) = item.filter(|item| !item.is_list()) {
            self.add(&PendingField {
                name: "*",
                schemas: vec![item],
                required: false,
                given: None,
                known: known.item(),
            });
        }
    }

    fn fields(&mut self, view: &SchemaView<'d>, whole: bool, given: Option<Written<'d>>, known: FieldFacts) {
        let required = view.required();
        for (name, schemas) in view.properties() {
            if whole && metadata::NAMES.contains(&name) {
                continue;
            }
            let given = given.and_then(|given| given.get(name));
            let required = required.contains(name);
            self.add(&PendingField { name, schemas, required, given, known: known.child_facts(name) });
        }
    }

    fn constant(&mut self, default: Written<'d>, value_type: ValueType) -> Option<Scalar> {
        default::read_default(default, value_type).unwrap_or_else(|problem| {
            self.reader.problems.push(problem);
            None
        })
    }

    fn end(&mut self, index: usize) {
        let past = self.nodes.len();
        if let Some(node) = self.nodes.get_mut(index) {
            node.past = past;
        }
    }

    /// True if the limits permit another field; if not, a problem is reported, and no further ones.
    fn affords(&mut self, field: &PendingField<'d>) -> bool {
        let too_many = self.nodes.len().max(self.reader.looked_at) >= LARGEST;
        if self.given_up || !(too_many || self.depth > DEEPEST) {
            return !self.given_up;
        }
        self.given_up = true;
        let message = if too_many {
            format!("the schema expands to more than {LARGEST} fields")
        } else {
            format!("fields nest deeper than {DEEPEST} levels here")
        };
        let span = field.schemas.first().map_or_else(Default::default, |schema| schema.span());
        self.reader
            .problems
            .push(SchemaProblem::new(span, message).help("give the schema of one kind of object"));
        false
    }
}

/// Returns when a field exists. The server sets defaults before it asks what is required; what may be `null` may be
/// absent.
fn field_presence(view: &SchemaView<'_>, required: bool, defaulted: bool) -> Presence {
    match (defaulted, required) {
        (true, _) => Presence::Defaulted,
        (false, true) if !types::is_nullable(view) => Presence::Required,
        _ => Presence::Optional,
    }
}

/// True if a schema leaves the type of a value open, and the catalog declares it.
fn is_left_open(declared: ValueType, known: Catalogued<'_>) -> bool {
    declared == ValueType::Any && known.value_type() != ValueType::Any
}
