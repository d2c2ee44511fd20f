//! Places in values, as a walk over schemas goes there.

use crate::schema::{ObjectStep, path_text};

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueStep {
    /// To this field, which is shown as it is called.
    Field(String),
    /// To this field, which stands for others: for all that a pattern chooses, or for all that are not declared.
    Key(String, String),
    /// To this item.
    Item(usize),
    /// To this item, which stands for all behind it.
    Items(usize),
}

impl ValueStep {
    pub(super) fn to_step(&self) -> ObjectStep {
        match self {
            Self::Field(name) | Self::Key(name, _) => ObjectStep::Field(name.clone()),
            Self::Item(index) | Self::Items(index) => ObjectStep::Item(*index),
        }
    }
}

/// A place as users write it: `spec.disks[*].name`, `labels.*`.
pub(super) fn render_place(downs: &[ValueStep]) -> String {
    let mut text = String::new();
    for (number, down) in downs.iter().enumerate() {
        match down {
            ValueStep::Items(_) => text.push_str("[*]"),
            ValueStep::Key(_, shown) if number == 0 => text.push_str(shown),
            ValueStep::Key(_, shown) => text.extend([".", shown]),
            ValueStep::Field(_) if !text.is_empty() => {
                let name = path_text(&[down.to_step()]);
                let mark = if name.starts_with('[') { "" } else { "." };
                text.extend([mark, &name]);
            }
            ValueStep::Field(_) | ValueStep::Item(_) => text.push_str(&path_text(&[down.to_step()])),
        }
    }
    text
}
