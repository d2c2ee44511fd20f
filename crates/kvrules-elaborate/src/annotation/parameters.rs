//! Values of the parameters of a template.

use std::borrow::Cow;

use kvrules_syntax::{Node, TemplateParameter, find_parameters};

/// The parameters of a template, by name.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'d> {
    list: Option<Node<'d>>,
}

impl<'d> Parameters<'d> {
    pub(super) fn new(list: Option<Node<'d>>) -> Self {
        Self { list }
    }

    /// The value that a parameter has unless the user gives another; none for those that are generated or asked for.
    pub fn default_value(&self, name: &str) -> Option<&'d str> {
        let named = |parameter: &Node<'d>| parameter.get("name").is_some_and(|node| node.text() == name);
        let parameter = self.list?.items().find(named)?;
        parameter.get("value").map(Node::text).filter(|value| !value.is_empty())
    }

    /// A text with its parameters put in; the name of the first one without a value otherwise.
    ///
    /// As OpenShift does, only `${NAME}` is replaced inside a text; `${{NAME}}` is not.
    pub fn fill_text<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, &'t str> {
        let without =
            replaced_parameters(text).find(|parameter| self.default_value(parameter.name).is_none());
        match without {
            Some(parameter) => Err(parameter.name),
            None if replaced_parameters(text).next().is_none() => Ok(Cow::Borrowed(text)),
            None => Ok(Cow::Owned(self.fill_known(text))),
        }
    }

    /// A text with those parameters put in that have a value. The others stay as they are written.
    pub fn fill_known(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut at = 0;
        for parameter in replaced_parameters(text) {
            if let Some(value) = self.default_value(parameter.name) {
                filled.push_str(text.get(at..parameter.range.start).unwrap_or_default());
                filled.push_str(value);
                at = parameter.range.end;
            }
        }
        filled.push_str(text.get(at..).unwrap_or_default());
        filled
    }
}

/// The parameters that OpenShift replaces inside a text.
fn replaced_parameters(text: &str) -> impl Iterator<Item = TemplateParameter<'_>> {
    find_parameters(text).filter(|parameter| !parameter.unquoted)
}
