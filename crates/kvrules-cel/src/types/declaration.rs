//! Declarations of schema nodes: a type, the sizes of its values, and its parts.

use std::collections::BTreeMap;

use super::Type;

/// A declared type with the sizes that cost estimates use.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDeclaration {
    /// The type.
    pub ty: Type,
    /// The greatest size of a value: bytes of a string, elements of a list, entries of a map; 0 where size has no
    /// meaning.
    pub max_elements: u64,
    /// The fewest bytes a value takes when it is written as JSON.
    pub min_size: u64,
    /// Its parts.
    pub shape: DeclarationShape,
}

/// Parts of a declared type.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclarationShape {
    /// Nothing that can be selected.
    Scalar,
    /// A list of these.
    List(Box<TypeDeclaration>),
    /// A map from strings to these.
    Map(Box<TypeDeclaration>),
    /// Fields, by their escaped names.
    Object(BTreeMap<String, TypeDeclaration>),
}

impl TypeDeclaration {
    /// A value without parts.
    pub(super) fn scalar(ty: Type, max_elements: u64, min_size: u64) -> Self {
        Self { ty, max_elements, min_size, shape: DeclarationShape::Scalar }
    }

    /// True if expressions have the same types with another declaration: only sizes may differ.
    pub fn has_types_of(&self, other: &Self) -> bool {
        self.ty == other.ty
            && match (&self.shape, &other.shape) {
                (DeclarationShape::Scalar, DeclarationShape::Scalar) => true,
                (DeclarationShape::List(one), DeclarationShape::List(other))
                | (DeclarationShape::Map(one), DeclarationShape::Map(other)) => one.has_types_of(other),
                (DeclarationShape::Object(one), DeclarationShape::Object(other)) => {
                    let mut pairs = one.iter().zip(other);
                    one.len() == other.len()
                        && pairs.all(|((name, one), (same, other))| name == same && one.has_types_of(other))
                }
                _ => false,
            }
    }

    /// The declaration of an element, of a map value, or of a field by its escaped name.
    pub fn element_declaration(&self) -> Option<&Self> {
        match &self.shape {
            DeclarationShape::List(element) | DeclarationShape::Map(element) => Some(element),
            DeclarationShape::Scalar | DeclarationShape::Object(_) => None,
        }
    }

    /// The declaration of a field by its escaped name.
    pub fn field_declaration(&self, name: &str) -> Option<&Self> {
        match &self.shape {
            DeclarationShape::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    /// Calls `visit` with the name and the fields of every object type at or below this one.
    pub(crate) fn visit_objects<'a>(&'a self, visit: &mut dyn FnMut(&'a str, &'a BTreeMap<String, Self>)) {
        match &self.shape {
            DeclarationShape::Scalar => {}
            DeclarationShape::List(element) | DeclarationShape::Map(element) => element.visit_objects(visit),
            DeclarationShape::Object(fields) => {
                if let Type::Object(name) = &self.ty {
                    visit(name, fields);
                }
                for field in fields.values() {
                    field.visit_objects(visit);
                }
            }
        }
    }
}
