//! The type of a node, and how a set of types is said that is none.

use serde_json::json;

use super::{Emitter, Keywords, Site, set};
use crate::note::ImportEffect;
use crate::shape::{Kinds, Shape};

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
const TYPES: &[(&str, Kinds)] = &[
    ("object", Kinds::OBJECT),
    ("array", Kinds::ARRAY),
    ("string", Kinds::STRING),
    ("integer", Kinds::INTEGER),
    ("number", Kinds::NUMBER),
    ("boolean", Kinds::BOOLEAN),
];

impl Emitter {
    /// Decides on the type of a node, and writes it.
    pub(super) fn kind(&mut self, shape: &mut Shape, site: Site, out: &mut Keywords) -> NodeKind {
        let either = Kinds::INTEGER.or(Kinds::STRING);
        let mut kinds = shape.kinds.present();
        let is_stated = shape.kinds != Kinds::ALL;
        let is_nullable = is_stated && shape.kinds.meets(Kinds::NULL);
        if kinds == Kinds::ALL.present()
            && let Some((name, inferred)) = inferred(shape)
        {
            if site != Site::Root {
                let message =
                    format!("there is no `type`; the keywords are about type {name}, and so it is taken");
                self.lose(ImportEffect::Narrower, shape, "type", message);
            }
            kinds = inferred;
        }
        if kinds == Kinds::STRING.or(Kinds::NUMBER) {
            let message = "a string or a number is said as an integer or a string, so fractions are rejected";
            self.lose(ImportEffect::Narrower, shape, "type", message);
            kinds = either;
        }
        if kinds == Kinds::FRACTION {
            self.lose(ImportEffect::Wider, shape, "type", "integers are accepted as well");
            kinds = Kinds::NUMBER;
        }
        shape.kinds = kinds.or(shape.kinds.and(Kinds::NULL));
        let typed = TYPES.iter().find(|(_, of)| *of == kinds);
        let kind = match typed {
            Some((name, _)) => NodeKind::Typed(name),
            None if kinds == either => NodeKind::IntOrString,
            None => NodeKind::Untyped,
        };
        match kind {
            NodeKind::Typed(name) => set(out, "type", name),
            NodeKind::IntOrString => set(out, "x-kubernetes-int-or-string", true),
            NodeKind::Untyped => self.untyped(shape, kinds, out),
        }
        if is_nullable && site != Site::Root {
            if shape.values.is_some() {
                let message = "the server accepts no `null` in an `enum`";
                self.lose(ImportEffect::Narrower, shape, "enum", message);
            } else {
                set(out, "nullable", true);
            }
        }
        kind
    }

    fn untyped(&mut self, shape: &mut Shape, kinds: Kinds, out: &mut Keywords) {
        set(out, "x-kubernetes-preserve-unknown-fields", true);
        let missing = Kinds::ALL.present().minus(kinds);
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
    pub(super) fn exclude(&mut self, shape: &Shape, kinds: Kinds, out: &mut Keywords) {
        let impossible = [
            (Kinds::STRING, "minLength", "maxLength"),
            (Kinds::ARRAY, "minItems", "maxItems"),
            (Kinds::OBJECT, "minProperties", "maxProperties"),
        ];
        for (kind, min, max) in impossible.into_iter().filter(|(kind, ..)| kinds.meets(*kind)) {
            debug_assert!(!kind.is_empty(), "a kind");
            set(out, min, 1);
            set(out, max, 0);
        }
        if kinds.covers(Kinds::NUMBER) {
            set(out, "minimum", 1);
            set(out, "maximum", 0);
        } else if kinds.meets(Kinds::FRACTION) {
            set(out, "multipleOf", 1);
        } else if kinds.meets(Kinds::INTEGER) {
            // A fraction cannot be asked for.
            if shape.kinds.meets(Kinds::FRACTION) {
                self.lose(ImportEffect::Wider, shape, "type", "integers are accepted as well");
            } else {
                set(out, "minimum", 1);
                set(out, "maximum", 0);
            }
        }
        if kinds.meets(Kinds::BOOLEAN) {
            super::sides::also(out, json!({"not": {"enum": [true, false]}}));
        }
    }
}

/// The type that the keywords of a schema without one are about.
fn inferred(shape: &Shape) -> Option<(&'static str, Kinds)> {
    let mut about = shape.about();
    let alternatives = shape.groups.iter().flat_map(|group| &group.branches).chain(&shape.nots);
    for branch in alternatives {
        about = about.or(branch.about());
    }
    TYPES.iter().find(|(_, kinds)| *kinds == about).copied()
}
