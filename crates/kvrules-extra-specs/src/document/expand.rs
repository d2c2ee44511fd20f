//! From entries to definitions.

use super::Entry;
use crate::definition::{Definition, EnumMember, Parameter, Value, ValueType};

impl Entry {
    /// The definitions that the entry expands to.
    pub(super) fn expanded(&self) -> Vec<Definition> {
        match self.for_each.iter().next() {
            None => vec![self.definition(None)],
            Some((word, texts)) => {
                texts.iter().map(|text| self.definition(Some((&format!("{{{word}}}"), text)))).collect()
            }
        }
    }

    fn definition(&self, member: Option<(&str, &str)>) -> Definition {
        let fill = |text: &str| match member {
            Some((word, member)) => text.replace(word, member),
            None => text.to_owned(),
        };
        Definition {
            name: fill(&self.name),
            parameters: self
                .parameters
                .iter()
                .map(|parameter| Parameter { description: fill(&parameter.description), ..parameter.clone() })
                .collect(),
            description: fill(&self.description),
            status: self.status.clone(),
            value: fill_descriptions(&self.value, &fill),
            virt_drivers: self.virt_drivers.clone(),
            requires: self.requires.iter().map(|name| fill(name)).collect(),
            since: self.since.clone(),
            image_property: self.image_property.as_deref().map(fill),
            family: member.is_some().then(|| self.name.clone()),
            origin: self.origin,
        }
    }
}

/// The value with its descriptions filled in; what is allowed is the same for all.
fn fill_descriptions(value: &Value, fill: &impl Fn(&str) -> String) -> Value {
    let mut value = value.clone();
    value.description = fill(&value.description);
    if let ValueType::String { members: Some(members), .. } = &mut value.r#type {
        for member in members {
            if let EnumMember::Described { description, .. } = member {
                *description = fill(description);
            }
        }
    }
    value
}
