//! The place of a value below a variable of a policy.

use crate::cel::quoted_text;

/// A variable, and the steps to a value below it.
#[derive(Clone, Debug)]
pub(super) struct ValuePath {
    base: String,
    steps: Vec<PathStep>,
}

#[derive(Clone, Debug)]
enum PathStep {
    Field(String),
    /// An expression for the key of a map.
    Key(String),
}

impl ValuePath {
    pub(super) fn of_variable(name: &str) -> Self {
        Self { base: name.to_owned(), steps: Vec::new() }
    }

    pub(super) fn field(&self, name: &str) -> Self {
        self.with_step(PathStep::Field(name.to_owned()))
    }

    pub(super) fn key(&self, key: &str) -> Self {
        self.with_step(PathStep::Key(key.to_owned()))
    }

    fn with_step(&self, step: PathStep) -> Self {
        let mut longer = self.clone();
        longer.steps.push(step);
        longer
    }

    /// True if it is a variable itself.
    pub(super) fn is_variable(&self) -> bool {
        self.steps.is_empty()
    }

    /// The value; an error if something on the way is absent.
    pub(super) fn text(&self) -> String {
        let step = |text: String, step: &PathStep| match step {
            PathStep::Field(name) => select_text(&text, name),
            PathStep::Key(key) => format!("{text}[{key}]"),
        };
        self.steps.iter().fold(self.base.clone(), step)
    }

    /// The value as an optional, which is empty if something on the way is absent or null.
    // Behind the first optional step each further one is optional too: cel-go interpreter/attributes.go, applyQualifiers
    pub(super) fn optional_text(&self) -> String {
        let step = |(text, is_first): (String, bool), step: &PathStep| {
            let longer = match step {
                PathStep::Field(name) if is_first => optional_select_text(&text, name),
                PathStep::Field(name) if is_selectable(name) => format!("{text}.{name}"),
                PathStep::Field(name) => optional_select_text(&text, name),
                PathStep::Key(key) => format!("{text}[?{key}]"),
            };
            (longer, false)
        };
        self.steps.iter().fold((self.base.clone(), true), step).0
    }

    /// The value, or null if it is absent.
    pub(super) fn nullable_text(&self) -> String {
        if self.is_variable() {
            return self.base.clone();
        }
        format!("{}.orValue(null)", self.optional_text())
    }

    /// True if the value is there and not null.
    pub(super) fn present_text(&self, is_nullable: bool) -> String {
        if is_nullable || self.is_variable() {
            return format!("{} != null", self.nullable_text());
        }
        let Some((PathStep::Field(last), before)) = self.steps.split_last() else {
            return format!("{}.hasValue()", self.optional_text());
        };
        if !is_selectable(last) {
            return format!("{}.hasValue()", self.optional_text());
        }
        let before = Self { base: self.base.clone(), steps: before.to_vec() };
        format!("has({}.{last})", before.optional_text())
    }

    /// The opposite of [`Self::present_text`].
    pub(super) fn absent_text(&self, is_nullable: bool) -> String {
        if is_nullable || self.is_variable() {
            return format!("{} == null", self.nullable_text());
        }
        format!("!{}", self.present_text(is_nullable))
    }
}

/// True if an untyped value has this field behind a dot. All words of the language are identifiers here, except for four.
// cel-go parser/gen/CEL.g4, rule `member`
pub(super) fn is_selectable(name: &str) -> bool {
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    begins
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        && !["true", "false", "null", "in"].contains(&name)
}

/// A field of a value.
pub(super) fn select_text(value: &str, name: &str) -> String {
    if is_selectable(name) { format!("{value}.{name}") } else { format!("{value}[{}]", quoted_text(name)) }
}

/// A field of a value as an optional.
pub(super) fn optional_select_text(value: &str, name: &str) -> String {
    if is_selectable(name) { format!("{value}.?{name}") } else { format!("{value}[?{}]", quoted_text(name)) }
}

/// True if a value has a field.
pub(super) fn has_text(value: &str, name: &str) -> String {
    if is_selectable(name) {
        format!("has({value}.{name})")
    } else {
        format!("({} in {value})", quoted_text(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_a_path_parses() {
        let object = ValuePath::of_variable("object");
        let paths = [
            object.clone(),
            object.field("spec"),
            object.field("spec").field("x-y").field("namespace"),
            object.field("in"),
            object.field("spec").key("key"),
        ];
        let texts: Vec<Vec<String>> = paths
            .iter()
            .map(|path| {
                vec![path.text(), path.nullable_text(), path.present_text(false), path.absent_text(true)]
            })
            .collect();
        for text in texts.iter().flatten() {
            assert!(kvrules_cel::parse(text).is_ok(), "{text}");
        }
        assert_eq!(texts[1][2], "has(object.spec)");
        assert_eq!(texts[2][0], "object.spec['x-y'].namespace");
        assert_eq!(texts[2][2], "has(object.?spec[?'x-y'].namespace)");
        assert_eq!(texts[3][2], "object[?'in'].hasValue()");
        assert_eq!(texts[4][3], "object.?spec[?key].orValue(null) == null");
    }
}
