//! The type of a node, and the expression of a set of types that is not a single type.

use kvrules_diagnostics::Exactness;
use kvrules_kubernetes::keywords::{INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS};
use serde_json::json;

use super::{Keywords, NodeSite, ShapeEmitter, set_keyword};
use crate::shape::{SchemaShape, ValueKinds};

/// The kind of node that a shape becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// It has a type.
    Typed(&'static str),
    IntOrString,
    /// It has no type, and keeps what it does not know.
    Untyped,
}

/// The types, and what they accept.
const TYPES: &[(&str, ValueKinds)] = &[
    ("object", ValueKinds::OBJECT),
    ("array", ValueKinds::ARRAY),
    ("string", ValueKinds::STRING),
    ("integer", ValueKinds::INTEGER),
    ("number", ValueKinds::NUMBER),
    ("boolean", ValueKinds::BOOLEAN),
];

impl ShapeEmitter {
    /// Decides on the type of a node, and writes it.
    pub(super) fn kind(&mut self, shape: &mut SchemaShape, site: NodeSite, out: &mut Keywords) -> NodeKind {
        let either = ValueKinds::INTEGER.or(ValueKinds::STRING);
        let mut kinds = shape.kinds.present();
        let is_stated = shape.kinds != ValueKinds::ALL;
        let is_nullable = is_stated && shape.kinds.meets(ValueKinds::NULL);
        if kinds == ValueKinds::ALL.present()
            && let Some((name, inferred)) = infer_type(shape)
        {
            if site != NodeSite::Root {
                let message =
                    format!("missing `type`; it is assumed to be {name}, which the keywords are about");
                self.lose(Exactness::Narrower, shape, "type", message);
            }
            kinds = inferred;
        }
        if kinds == ValueKinds::STRING.or(ValueKinds::NUMBER) {
            let message =
                "a string or a number is expressed as an integer or a string, so fractions are rejected";
            self.lose(Exactness::Narrower, shape, "type", message);
            kinds = either;
        }
        if kinds == ValueKinds::FRACTION {
            self.lose(Exactness::Wider, shape, "type", "integers are accepted as well");
            kinds = ValueKinds::NUMBER;
        }
        shape.kinds = kinds.or(shape.kinds.and(ValueKinds::NULL));
        let typed = TYPES.iter().find(|(_, of)| *of == kinds);
        let kind = match typed {
            Some((name, _)) => NodeKind::Typed(name),
            None if kinds == either => NodeKind::IntOrString,
            None => NodeKind::Untyped,
        };
        match kind {
            NodeKind::Typed(name) => set_keyword(out, "type", name),
            NodeKind::IntOrString => set_keyword(out, INT_OR_STRING, true),
            NodeKind::Untyped => self.untyped(shape, kinds, out),
        }
        if is_nullable && site != NodeSite::Root {
            if shape.values.is_some() {
                let message = "the server accepts no `null` in an `enum`";
                self.lose(Exactness::Narrower, shape, "enum", message);
            } else {
                set_keyword(out, "nullable", true);
            }
        }
        kind
    }

    fn untyped(&mut self, shape: &mut SchemaShape, kinds: ValueKinds, out: &mut Keywords) {
        set_keyword(out, PRESERVE_UNKNOWN_FIELDS, true);
        let missing = ValueKinds::ALL.present().minus(kinds);
        if missing.is_empty() {
            let message = "any value is accepted and kept, and rules cannot read it";
            return self.remark(shape, "type", message);
        }
        self.remark(
            shape,
            "type",
            "the types are expressed by bounds that no value of another type satisfies",
        );
        self.exclude(shape, missing, out);
    }

    /// Refuses values of some kinds by bounds on them that nothing keeps.
    pub(super) fn exclude(&mut self, shape: &SchemaShape, kinds: ValueKinds, out: &mut Keywords) {
        let impossible = [
            (ValueKinds::STRING, "minLength", "maxLength"),
            (ValueKinds::ARRAY, "minItems", "maxItems"),
            (ValueKinds::OBJECT, "minProperties", "maxProperties"),
        ];
        for (kind, min, max) in impossible.into_iter().filter(|(kind, ..)| kinds.meets(*kind)) {
            debug_assert!(!kind.is_empty(), "a kind");
            set_keyword(out, min, 1);
            set_keyword(out, max, 0);
        }
        if kinds.covers(ValueKinds::NUMBER) {
            set_keyword(out, "minimum", 1);
            set_keyword(out, "maximum", 0);
        } else if kinds.meets(ValueKinds::FRACTION) {
            set_keyword(out, "multipleOf", 1);
        } else if kinds.meets(ValueKinds::INTEGER) {
            // The schema cannot require a fraction.
            if shape.kinds.meets(ValueKinds::FRACTION) {
                self.lose(Exactness::Wider, shape, "type", "integers are accepted as well");
            } else {
                set_keyword(out, "minimum", 1);
                set_keyword(out, "maximum", 0);
            }
        }
        if kinds.meets(ValueKinds::BOOLEAN) {
            super::sides::add_conjunct(out, json!({"not": {"enum": [true, false]}}));
        }
    }
}

/// The type that the keywords of a schema without one are about.
fn infer_type(shape: &SchemaShape) -> Option<(&'static str, ValueKinds)> {
    let mut about = shape.about();
    let alternatives = shape.groups.iter().flat_map(|group| &group.branches).chain(&shape.nots);
    for branch in alternatives {
        about = about.or(branch.about());
    }
    TYPES.iter().find(|(_, kinds)| *kinds == about).copied()
}
