//! The fields of an object, in their order.

use std::collections::HashMap;
use std::rc::Rc;

use super::SchemaShape;

/// Names and shapes, found by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedShapes {
    list: Vec<(String, Rc<SchemaShape>)>,
    places: HashMap<String, usize>,
}

impl NamedShapes {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &Rc<SchemaShape>)> {
        self.list.iter().map(|(name, shape)| (name, shape))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Rc<SchemaShape>> {
        self.places.get(name).and_then(|place| self.list.get(*place)).map(|(_, shape)| shape)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Rc<SchemaShape>> {
        self.places.get(name).and_then(|place| self.list.get_mut(*place)).map(|(_, shape)| shape)
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Sets the shape of a field, in the place that it has or at the end.
    pub(crate) fn set(&mut self, name: String, shape: Rc<SchemaShape>) {
        if let Some(found) = self.get_mut(&name) {
            *found = shape;
        } else {
            self.places.insert(name.clone(), self.list.len());
            self.list.push((name, shape));
        }
    }
}
