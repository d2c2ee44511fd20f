//! Paths of values.

use std::fmt::{Display, Formatter};

/// The path of a value in an object. It is rendered for errors alone, which most values do not have.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuePath<'a> {
    parent: Option<&'a ValuePath<'a>>,
    step: PathStep<'a>,
}

#[derive(Clone, Copy, Debug)]
enum PathStep<'a> {
    /// The name of a field, with what is before it: a dot or nothing.
    Field(&'static str, &'a str),
    Index(usize),
}

impl ValuePath<'_> {
    /// The path of the whole object, which is empty.
    pub(super) const ROOT: ValuePath<'static> = ValuePath { parent: None, step: PathStep::Field("", "") };

    /// The path of a field, behind a dot or nothing.
    pub(super) fn join_field<'b>(&'b self, dot: &'static str, name: &'b str) -> ValuePath<'b> {
        ValuePath { parent: Some(self), step: PathStep::Field(dot, name) }
    }

    /// The path of an item.
    pub(super) fn join_index(&self, index: usize) -> ValuePath<'_> {
        ValuePath { parent: Some(self), step: PathStep::Index(index) }
    }

    /// True if nothing is rendered.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self.step, PathStep::Field("", "")) && self.parent.is_none_or(ValuePath::is_empty)
    }
}

impl Display for ValuePath<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(formatter)?;
        }
        match self.step {
            PathStep::Field(dot, name) => write!(formatter, "{dot}{name}"),
            PathStep::Index(index) => write!(formatter, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_rendered_from_the_object_on() {
        let (spec, empty) = (ValuePath::ROOT.join_field("", "spec"), ValuePath::ROOT.join_field("", ""));
        let items = spec.join_field(".", "items");
        assert_eq!(items.join_index(2).join_field(".", "a").to_string(), "spec.items[2].a");
        assert!(ValuePath::ROOT.is_empty() && empty.is_empty() && !spec.is_empty() && !items.is_empty());
        assert!(!ValuePath::ROOT.join_field(".", "").is_empty());
    }
}
