//! Parameters of rules that policies read from an object of the cluster.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// Parameters of rules, as policies read them.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyParameters {
    /// `paramKind` of a policy.
    pub kind: Json,
    /// `paramRef` of its binding.
    pub reference: Json,
    /// The parameters.
    pub expressions: Vec<ParameterExpression>,
    /// The rules with symbols in place of parameters, by their places in the schema: `spec.x-kubernetes-validations[0]`.
    pub entries: BTreeMap<String, Json>,
    /// An object with the values of compile time.
    pub object: Json,
}

/// A parameter in expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterExpression {
    /// The text that stands for it in messages.
    pub symbol: String,
    /// The literal that stands for it in expressions.
    pub literal: String,
    /// The expression that reads it.
    pub expression: String,
    /// Its name.
    pub name: String,
}

impl PolicyParameters {
    /// Returns the expression of a policy: parameters in place of the literals that stand for them.
    pub fn write_expression(&self, expression: &str) -> String {
        self.expressions.iter().fold(expression.to_owned(), |text, parameter| {
            text.replace(&parameter.literal, &parameter.expression)
        })
    }

    /// Returns a message with the names of parameters in place of their values: ``the parameter `limit` ``.
    pub fn write_message(&self, message: &str) -> String {
        self.expressions.iter().fold(message.to_owned(), |text, parameter| {
            text.replace(&parameter.symbol, &format!("the parameter `{}`", parameter.name))
        })
    }

    /// True if a symbol is left in a text.
    pub fn is_left_in(&self, text: &str) -> bool {
        self.expressions.iter().any(|parameter| text.contains(&parameter.symbol))
    }
}
