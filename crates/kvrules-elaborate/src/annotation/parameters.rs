//! What the parameters of a template stand for.

use std::borrow::Cow;

use kvrules_syntax::{Node, parameters};

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
    pub fn fill<'t>(&self, text: &'t str) -> Result<Cow<'t, str>, &'t str> {
        let mut filled = String::new();
        let mut at = 0;
        for parameter in parameters(text).filter(|parameter| !parameter.unquoted) {
            let value = self.default_value(parameter.name).ok_or(parameter.name)?;
            filled.push_str(text.get(at..parameter.range.start).unwrap_or_default());
            filled.push_str(value);
            at = parameter.range.end;
        }
        if at == 0 {
            return Ok(Cow::Borrowed(text));
        }
        filled.push_str(text.get(at..).unwrap_or_default());
        Ok(Cow::Owned(filled))
    }
}
