//! The keywords of one schema.

use kvrules_diagnostics::{Exactness, Span};
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use kvrules_syntax::{Entry, Node, SyntaxKind};

use super::{SchemaReader, to_loss};
use crate::known_keywords;
use crate::note::ImportProblem;
use crate::shape::{NumberBound, SchemaShape, ValueKinds};
use crate::source::{self, node_number, node_value};
use kvrules_regex::ecma;

impl<'d> SchemaReader<'d> {
    /// The shape that all keywords of a schema give but `$ref`.
    pub(super) fn keywords(&mut self, node: Node<'d>) -> Result<SchemaShape, ImportProblem> {
        let mut shape = SchemaShape::any(node.span());
        for Entry { key, .. } in node.entries_with_merged() {
            let name = key.text();
            if matches!(name, "$dynamicRef" | "$recursiveRef") {
                return Err(ImportProblem::new(key.span(), format!("`{name}` cannot be followed"))
                    .help("a structural schema is finite; write the schema out with `$ref`"));
            }
            match known_keywords::find_constraint(name) {
                Some(known) => shape.places.push((known, key.span())),
                None if known_keywords::is_known(name) => {}
                None => self.add_error(key.span(), "", &format!("unknown keyword `{name}`")),
            }
        }
        let text = |keyword: &str| node.get(keyword).and_then(Node::as_str).map(str::to_owned);
        (shape.title, shape.description) = (text("title"), text("description"));
        self.kinds(node, &mut shape)?;
        self.numbers(node, &mut shape);
        self.texts(node, &mut shape);
        self.list(node, &mut shape)?;
        self.object(node, &mut shape)?;
        read_extensions(node, &mut shape)?;
        if let Some(default) = node.get("default").filter(|default| default.kind() != SyntaxKind::Null) {
            shape.default = Some(node_value(default)?);
        }
        self.alternatives(node, shape)
    }

    /// `type`, `enum`, `const` and `nullable`.
    fn kinds(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        if let Some(given) = node.get("type") {
            let names: Vec<_> = if given.is_list() { given.items().collect() } else { vec![given] };
            let mut kinds = ValueKinds::NONE;
            for name in names {
                if let Some(kind) = ValueKinds::named(name.text())
                    .filter(|_| name.as_str().is_some() || name.kind() == SyntaxKind::Null)
                {
                    kinds = kinds.or(kind);
                } else {
                    let message = format!("unknown type `{}`; any value is accepted", name.text());
                    shape.lost.push(to_error(Exactness::Wider, "type", name.span(), message));
                    kinds = ValueKinds::ALL;
                }
            }
            let is_nullable = ["nullable", "x-nullable"].iter().any(|it| is_true(node, it));
            shape.kinds = if is_nullable { kinds.or(ValueKinds::NULL) } else { kinds };
        }
        let is_either = is_true(node, INT_OR_STRING)
            || node.get("format").and_then(Node::as_str) == Some("int-or-string");
        if is_either {
            let null = shape.kinds.and(ValueKinds::NULL);
            let null = if shape.kinds == ValueKinds::ALL { ValueKinds::NONE } else { null };
            shape.kinds = ValueKinds::INTEGER.or(ValueKinds::STRING).or(null);
        }
        let listed = match (node.get("const"), node.get("enum")) {
            (Some(only), _) => Some(vec![node_value(only)?]),
            (None, Some(list)) if list.is_list() => {
                Some(list.items().map(node_value).collect::<Result<Vec<_>, _>>()?)
            }
            (None, Some(other)) => {
                self.add_error(other.span(), "enum", "`enum` must be a list of values; it is left out");
                None
            }
            (None, None) => None,
        };
        if let Some(mut values) = listed {
            let kinds = shape.kinds;
            values.retain(|value| kinds.meets(ValueKinds::of(value)));
            shape.kinds = kinds.and(ValueKinds::of_all(&values));
            shape.values = Some(values);
        }
        Ok(())
    }

    fn numbers(&mut self, node: Node<'d>, shape: &mut SchemaShape) {
        shape.numbers.min = self.bound(node, "minimum", "exclusiveMinimum", |given, strict| strict >= given);
        shape.numbers.max = self.bound(node, "maximum", "exclusiveMaximum", |given, strict| strict <= given);
        if let Some(given) = node.get("multipleOf") {
            match node_number(given).filter(|factor| factor.as_f64().is_some_and(|float| float > 0.0)) {
                Some(factor) => shape.numbers.factors.push(factor),
                None => self.add_error(
                    given.span(),
                    "multipleOf",
                    "`multipleOf` must be a number above 0; it is left out",
                ),
            }
        }
    }

    /// A bound: a number that is exclusive by a flag, as in draft 4, or one or two numbers, of which the tighter counts.
    fn bound(
        &mut self,
        node: Node<'d>,
        keyword: &'static str,
        strict_keyword: &'static str,
        strict_wins: fn(f64, f64) -> bool,
    ) -> Option<NumberBound> {
        let mut take = |keyword: &'static str| {
            let given = node
                .get(keyword)
                .filter(|given| !matches!(given.kind(), SyntaxKind::True | SyntaxKind::False))?;
            let found = node_number(given);
            if found.is_none() {
                self.add_error(
                    given.span(),
                    keyword,
                    &format!("`{keyword}` must be a number; it is left out"),
                );
            }
            found
        };
        let (given, strict) = (take(keyword), take(strict_keyword));
        let float = |number: &serde_json::Number| number.as_f64().unwrap_or_default();
        match (given, strict) {
            (Some(given), Some(strict)) if !strict_wins(float(&given), float(&strict)) => {
                Some(NumberBound { value: given, is_exclusive: false })
            }
            (_, Some(value)) => Some(NumberBound { value, is_exclusive: true }),
            (Some(value), None) => Some(NumberBound { value, is_exclusive: is_true(node, strict_keyword) }),
            (None, None) => None,
        }
    }

    fn texts(&mut self, node: Node<'d>, shape: &mut SchemaShape) {
        shape.texts.min = self.count(node, "minLength");
        shape.texts.max = self.count(node, "maxLength");
        if let Some(given) = node.get("pattern").filter(|given| given.as_str().is_some()) {
            match ecma::to_re2(given.text()) {
                Ok(pattern) => shape.texts.patterns.push(pattern),
                Err(reason) => {
                    let message = format!("the pattern is left out: {reason}");
                    shape.lost.push(to_loss(Exactness::Wider, "pattern", given.span(), message));
                }
            }
        }
        let Some(given) = node.get("format").filter(|given| given.as_str().is_some()) else { return };
        match given.text() {
            "int-or-string" => {}
            format @ ("int32" | "int64" | "float" | "double") => {
                shape.numbers.format = shape.kinds.meets(ValueKinds::NUMBER).then(|| format.to_owned());
            }
            format if known_keywords::is_enforced(format) => {
                shape.texts.formats.push(format.to_owned());
                if let Some((effect, message)) = known_keywords::format_loss(format) {
                    shape.lost.push(to_loss(effect, "format", given.span(), message.to_owned()));
                }
            }
            format => {
                let message = format!("the server does not check the format `{format}`");
                shape.lost.push(to_loss(Exactness::Wider, "format", given.span(), message));
            }
        }
    }

    fn list(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        shape.list.min = self.count(node, "minItems");
        shape.list.max = self.count(node, "maxItems");
        shape.list.is_unique = is_true(node, "uniqueItems");
        let tuple = node.get("prefixItems").or_else(|| node.get("items").filter(|items| items.is_list()));
        if let Some(tuple) = tuple {
            let message = "items by position cannot be expressed; any item is accepted";
            let keyword = if node.get("prefixItems").is_some() { "prefixItems" } else { "items" };
            shape.lost.push(to_loss(Exactness::Wider, keyword, tuple.span(), message));
        } else if let Some(items) = node.get("items") {
            let items = self.shared(items)?;
            if items.kinds.is_empty() {
                shape.list.max = Some(0);
            } else {
                shape.list.items = Some(items);
            }
        }
        self.contains(node, shape)?;
        if let Some(given) = node.get("unevaluatedItems").filter(|given| given.kind() != SyntaxKind::True) {
            let message = "unevaluated items cannot be detected";
            shape.lost.push(to_loss(Exactness::Wider, "unevaluatedItems", given.span(), message));
        }
        Ok(())
    }

    fn contains(&mut self, node: Node<'d>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
        if let Some(given) = node.get("contains") {
            let contained = self.shared(given)?;
            let min = self.count(node, "minContains").unwrap_or(1);
            let max = self.count(node, "maxContains");
            shape.list.contains.push(crate::shape::ContainsConstraint { shape: contained, min, max });
        }
        Ok(())
    }

    /// A keyword that counts.
    pub(super) fn count(&mut self, node: Node<'d>, keyword: &'static str) -> Option<u64> {
        let given = node.get(keyword)?;
        let count = node_number(given).and_then(|number| number.as_u64());
        if count.is_none() {
            self.add_error(
                given.span(),
                keyword,
                &format!("`{keyword}` must be an integer of at least 0; it is left out"),
            );
        }
        count
    }
}

/// An error that changes what is accepted.
pub(super) fn to_error(
    effect: Exactness,
    keyword: &'static str,
    span: Span,
    message: String,
) -> crate::shape::LostConstraint {
    crate::shape::LostConstraint {
        kind: crate::note::ImportNoteKind::Mistake,
        ..to_loss(effect, keyword, span, message)
    }
}

pub(super) fn is_true(node: Node<'_>, keyword: &str) -> bool {
    node.get(keyword).is_some_and(|value| value.kind() == SyntaxKind::True)
}

fn read_extensions(node: Node<'_>, shape: &mut SchemaShape) -> Result<(), ImportProblem> {
    for keyword in known_keywords::extensions() {
        if let Some(given) = node.get(keyword) {
            shape.extensions.insert(keyword.to_owned(), source::node_value(given)?);
        }
    }
    shape.object.is_open |= is_true(node, PRESERVE_UNKNOWN_FIELDS);
    Ok(())
}
