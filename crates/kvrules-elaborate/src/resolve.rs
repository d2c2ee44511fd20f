//! From a path to places: every step finds its field in the catalog.

use std::fmt::Write;

use kvrules_ir::{Path, PathSlice, PathStep, Place, PlaceBase, PlaceStep, Presence, Selector, ValueType};

use crate::catalog::{Catalog, CatalogField};

/// Reason why a path cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnresolvedReason {
    /// A step names a field that its object does not have.
    UnknownField {
        /// Number of valid steps of the path.
        step: usize,
        /// The name that is not known.
        name: String,
        /// The path to the object, such as `.spec.domain`.
        parent: String,
        /// The type of what is there.
        parent_type: ValueType,
        /// The names that are known there.
        known: Vec<String>,
    },
    /// The step requires a list, but the value is not a list.
    NotAList {
        /// Number of valid steps of the path.
        step: usize,
        /// The path to what is there.
        parent: String,
        /// Its type.
        parent_type: ValueType,
    },
    /// The dialect accepts the step, and it cannot be expressed as a predicate.
    Unsupported {
        /// Number of valid steps of the path.
        step: usize,
        /// The construct, in words.
        construct: &'static str,
    },
}

/// Resolves a path, which starts where the catalog's subject says: in a VirtualMachine at its `.spec.template`.
pub fn resolve_path(path: &Path, catalog: &Catalog) -> Result<Selector, UnresolvedReason> {
    if !path.rest.is_empty() {
        return Err(UnresolvedReason::Unsupported { step: path.steps.len(), construct: "text behind `}`" });
    }
    let mut walk = PathWalk::new(catalog);
    for (step, written) in path.steps.iter().enumerate() {
        walk.step(step, written)?;
    }
    Ok(Selector { text: path.text.clone(), leaf: walk.place(), lists: walk.lists })
}

/// State of a resolution.
struct PathWalk<'c> {
    field: Option<CatalogField<'c>>,
    base: PlaceBase,
    steps: Vec<PlaceStep>,
    lists: Vec<Place>,
    /// The path so far, for messages.
    text: String,
}

impl<'c> PathWalk<'c> {
    fn new(catalog: &'c Catalog) -> Self {
        let required = |name: &str| PlaceStep::Field { name: name.to_owned(), presence: Presence::Required };
        Self {
            field: Some(catalog.root()),
            base: PlaceBase::Root,
            steps: catalog.root_steps().iter().copied().map(required).collect(),
            lists: Vec::new(),
            text: String::new(),
        }
    }

    fn value_type(&self) -> ValueType {
        self.field.map_or(ValueType::Any, CatalogField::value_type)
    }

    fn place(&self) -> Place {
        Place {
            base: self.base,
            steps: self.steps.clone(),
            value_type: self.value_type(),
            default: self.field.and_then(CatalogField::default_value).cloned(),
        }
    }

    fn step(&mut self, step: usize, written: &PathStep) -> Result<(), UnresolvedReason> {
        match written {
            PathStep::Field(name) => self.name(step, name),
            PathStep::Slice(slice) if *slice == PathSlice::ALL => self.each(step),
            PathStep::Wildcard if self.value_type() == ValueType::List => self.each(step),
            PathStep::Slice(PathSlice { single: true, start, .. }) => self.item(step, start.unwrap_or(0)),
            other => Err(UnresolvedReason::Unsupported { step, construct: describe_construct(other) }),
        }
    }

    fn name(&mut self, step: usize, name: &str) -> Result<(), UnresolvedReason> {
        let below = match self.value_type() {
            ValueType::Map => {
                self.steps.push(PlaceStep::Key(name.to_owned()));
                self.field.and_then(CatalogField::item_field)
            }
            ValueType::Any => {
                self.steps.push(PlaceStep::Field { name: name.to_owned(), presence: Presence::Optional });
                None
            }
            _ => {
                let field = self.field.and_then(|field| field.child_field(name));
                if field.is_none() && !self.field.is_some_and(CatalogField::is_open) {
                    return Err(self.unknown(step, name));
                }
                let presence = field.map_or(Presence::Optional, CatalogField::presence);
                self.steps.push(PlaceStep::Field { name: name.to_owned(), presence });
                field
            }
        };
        self.field = below;
        self.text.push('.');
        self.text.push_str(name);
        Ok(())
    }

    fn each(&mut self, step: usize) -> Result<(), UnresolvedReason> {
        let element = self.list(step)?;
        self.lists.push(self.place());
        self.base = PlaceBase::Element(0);
        self.steps.clear();
        self.field = element;
        self.text.push_str("[*]");
        Ok(())
    }

    fn item(&mut self, step: usize, index: i64) -> Result<(), UnresolvedReason> {
        let element = self.list(step)?;
        self.steps.push(PlaceStep::Item(index));
        self.field = element;
        // Writing into a string cannot fail.
        let _ = write!(self.text, "[{index}]");
        Ok(())
    }

    /// The elements of the current list.
    fn list(&self, step: usize) -> Result<Option<CatalogField<'c>>, UnresolvedReason> {
        match self.value_type() {
            ValueType::List => Ok(self.field.and_then(CatalogField::item_field)),
            ValueType::Any => Ok(None),
            parent_type => Err(UnresolvedReason::NotAList { step, parent: self.text.clone(), parent_type }),
        }
    }

    fn unknown(&self, step: usize, name: &str) -> UnresolvedReason {
        let known = match self.value_type() {
            ValueType::Object => self
                .field
                .into_iter()
                .flat_map(CatalogField::child_fields)
                .map(|field| field.name().to_owned())
                .collect(),
            _ => Vec::new(),
        };
        UnresolvedReason::UnknownField {
            step,
            name: name.to_owned(),
            parent: self.text.clone(),
            parent_type: self.value_type(),
            known,
        }
    }
}

fn describe_construct(step: &PathStep) -> &'static str {
    match step {
        PathStep::Wildcard => "`.*` over the fields of an object",
        PathStep::Slice(_) => "a slice `[a:b]`",
        PathStep::Union(_) => "a union `[a,b]`",
        PathStep::Filter(_) => "a filter `[?(…)]`",
        PathStep::Descend => "recursive descent `..`",
        PathStep::Constant(_) => "a constant",
        PathStep::Field(_) | PathStep::Identifier(_) => "a bare word",
    }
}
