//! Keywords of a schema for objects, and keywords that are among its properties by mistake.

use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::is_like_schema;
use kvrules_syntax::{Entry, Node, SyntaxKind};

use super::keywords::to_error;
use super::{SchemaReader, to_loss};
use crate::known_keywords;
use crate::note::ImportProblem;
use crate::shape::{SchemaShape, ValueKinds};
use kvrules_regex::ecma;

impl<'d> SchemaReader<'d> {
    pub(super) fn object(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        shape.object.min = self.count(node, "minProperties");
        shape.object.max = self.count(node, "maxProperties");
        self.required(node, shape);
        self.properties(node, shape)?;
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            if let Some(given) = node.get(keyword) {
                self.additional(given, shape)?;
                shape.object.is_unevaluated |= keyword == "unevaluatedProperties";
            }
        }
        self.pattern_properties(node, shape)?;
        if let Some(names) = node.get("propertyNames") {
            let names = self.shared(names)?;
            shape.object.names.push(names);
        }
        for Entry { key, value: others } in
            node.get("dependentRequired").into_iter().flat_map(Node::entries_with_merged)
        {
            shape.object.dependents.push((key.text().to_owned(), list_names(others)));
        }
        Ok(())
    }

    fn required(&mut self, node: Node<'d>, shape: &mut SchemaShape) {
        match node.get("required") {
            Some(list) if list.is_list() => {
                for name in list_names(list) {
                    if !shape.object.required.contains(&name) {
                        shape.object.required.push(name);
                    }
                }
            }
            Some(other) => {
                self.add_error(
                    other.span(),
                    "required",
                    "`required` must be a list of names; it is left out",
                );
            }
            None => {}
        }
    }

    fn properties(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        let Some(properties) = node.get("properties") else { return Ok(()) };
        if !properties.is_map() {
            self.add_error(
                properties.span(),
                "properties",
                "`properties` must be a map of schemas; it is left out",
            );
        }
        for Entry { key, value: schema } in properties.entries_with_merged() {
            if !self.is_misplaced(key, schema, shape)? {
                let field = self.shared(schema)?;
                shape.object.fields.set(key.text().to_owned(), field);
            }
        }
        Ok(())
    }

    /// True if an entry among properties is a keyword that belongs next to them.
    fn is_misplaced(
        &mut self,
        key: Node<'d>,
        given: Node<'d>,
        shape: &mut SchemaShape,
    ) -> Result<bool, ImportProblem> {
        let name = key.text();
        let is_keyword = known_keywords::is_known(name);
        match given.kind() {
            SyntaxKind::True | SyntaxKind::False if name == "additionalProperties" => {
                let message = "`additionalProperties` is inside `properties`, it belongs next to it";
                self.add_error(key.span(), "properties", message);
                self.additional(given, shape)?;
            }
            SyntaxKind::Map if matches!(name, "definitions" | "$defs") && is_definitions(given) => {
                let message = format!("`{name}` is inside `properties`, it belongs next to it");
                self.add_error(key.span(), "properties", &message);
            }
            SyntaxKind::Map | SyntaxKind::True | SyntaxKind::False => return Ok(false),
            _ if is_keyword => {
                let message = format!("`{name}` in `properties` is not a schema; it is left out");
                shape.lost.push(to_error(Exactness::Incomparable, "properties", key.span(), message));
            }
            _ => {
                let message = format!("the schema of property `{name}` must be a map; it is left out");
                shape.lost.push(to_error(Exactness::Incomparable, "properties", key.span(), message));
            }
        }
        Ok(true)
    }

    fn additional(&mut self, given: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        match given.kind() {
            SyntaxKind::True => shape.object.is_open = true,
            SyntaxKind::False => shape.object.is_closed = true,
            _ => {
                let values = self.shared(given)?;
                if values.kinds == ValueKinds::ALL && values.is_plain() && values.lost.is_empty() {
                    shape.object.is_open = true;
                } else {
                    shape.object.additional = Some(values);
                }
            }
        }
        Ok(())
    }

    fn pattern_properties(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        for Entry { key, value: schema } in
            node.get("patternProperties").into_iter().flat_map(Node::entries_with_merged)
        {
            let field = self.shared(schema)?;
            match ecma::to_re2(key.text()) {
                Ok(pattern) => shape.object.patterns.push((pattern, field)),
                Err(reason) => {
                    let message = format!("the pattern is left out: {reason}");
                    shape.lost.push(to_loss(
                        Exactness::Incomparable,
                        "patternProperties",
                        key.span(),
                        message,
                    ));
                    shape.object.is_open = true;
                    shape.object.is_closed = false;
                }
            }
        }
        Ok(())
    }
}

/// True if a map among properties holds schemas by name, and is none itself.
fn is_definitions(map: Node<'_>) -> bool {
    let mut schemas = map.entries().filter(|entry| entry.value.is_map()).peekable();
    schemas.peek().is_some() && !is_like_schema(map.entries().map(|entry| entry.key.text()))
}

/// The names in a list.
pub(super) fn list_names(list: Node<'_>) -> Vec<String> {
    list.items().filter_map(Node::as_str).map(str::to_owned).collect()
}
