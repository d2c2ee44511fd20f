//! Declarations of schema nodes: a type, the sizes of its values, and its parts.

use std::collections::BTreeMap;

use super::Type;

/// A declared type with the sizes that cost estimates use.
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    /// The type.
    pub ty: Type,
    /// The greatest size of a value: bytes of a string, elements of a list, entries of a map; 0 where size has no
    /// meaning.
    pub max_elements: u64,
    /// The fewest bytes a value takes when it is written as JSON.
    pub min_size: u64,
    /// Its parts.
    pub shape: Shape,
}

/// Parts of a declared type.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Nothing that can be selected.
    Scalar,
    /// A list of these.
    List(Box<Decl>),
    /// A map from strings to these.
    Map(Box<Decl>),
    /// Fields, by their escaped names.
    Object(BTreeMap<String, Decl>),
}

impl Decl {
    /// A value without parts.
    pub(super) fn scalar(ty: Type, max_elements: u64, min_size: u64) -> Self {
        Self { ty, max_elements, min_size, shape: Shape::Scalar }
    }

    /// The declaration of an element, of a map value, or of a field by its escaped name.
    pub fn element_declaration(&self) -> Option<&Self> {
        match &self.shape {
            Shape::List(element) | Shape::Map(element) => Some(element),
            Shape::Scalar | Shape::Object(_) => None,
        }
    }

    /// The declaration of a field by its escaped name.
    pub fn field_declaration(&self, name: &str) -> Option<&Self> {
        match &self.shape {
            Shape::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    /// Calls `visit` with the name and the fields of every object type at or below this one.
    pub(crate) fn objects<'a>(&'a self, visit: &mut dyn FnMut(&'a str, &'a BTreeMap<String, Self>)) {
        match &self.shape {
            Shape::Scalar => {}
            Shape::List(element) | Shape::Map(element) => element.objects(visit),
            Shape::Object(fields) => {
                if let Type::Object(name) = &self.ty {
                    visit(name, fields);
                }
                for field in fields.values() {
                    field.objects(visit);
                }
            }
        }
    }
}
