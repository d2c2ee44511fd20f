//! Values of the parameters of a template when it is processed.
//!
//! OpenShift's templateprocessing/template.go and KubeVirt's virt-template-engine/template/template.go agree in most. They
//! differ in this:
//!
//! | | OpenShift | KubeVirt |
//! |---|---|---|
//! | a name that is not declared | stays as it stands | is an error |
//! | `null` for `${{NAME}}` | removes the field | is an error |
//! | two parameters of one name | the last counts | is an error |
//! | a parameter that is given without a value | is not generated | is generated |

use std::collections::BTreeMap;

use kvrules_syntax::Node;
use kvrules_syntax::value::TextReplacement;
use serde_json::{Number, Value};

use crate::template::{Template, TemplateKind, ValueGenerator};

/// The value of each parameter of a template, or the reason why it has none.
#[derive(Clone, Debug, Default)]
pub struct ParameterValues {
    by_name: BTreeMap<String, Result<String, String>>,
    /// Engine that processes; `None` if there is no template.
    kind: Option<TemplateKind>,
    /// First reason why the template as a whole cannot be processed.
    fault: Option<String>,
}

impl ParameterValues {
    /// No template, no parameters.
    pub fn without_template() -> Self {
        Self::default()
    }

    /// No template, and the parameters that the user gives.
    pub fn from_given(given: &BTreeMap<String, String>) -> Self {
        let by_name = given.iter().map(|(name, value)| (name.clone(), Ok(value.clone()))).collect();
        Self { by_name, ..Self::default() }
    }

    /// The parameters of a template; what the user gives comes first. What it gives to others is not for this template.
    pub fn from_template(template: Template<'_>, given: &BTreeMap<String, String>) -> Self {
        let kind = template.kind();
        let mut values = Self { kind: Some(kind), ..Self::default() };
        for parameter in template.parameters() {
            let name = parameter.get("name").map_or("", Node::text);
            if name.is_empty() {
                values.refuse("a parameter of the template has no name".to_owned());
                continue;
            }
            let is_second = values.by_name.contains_key(name);
            if is_second && kind == TemplateKind::KubeVirt {
                values.refuse(format!("the template has two parameters `{name}`"));
                continue;
            }
            // Both engines assign a given value to the first parameter of the name.
            let value = match given.get(name).filter(|_| !is_second) {
                // As with `oc process`, an empty value removes both the template's own value and the generator.
                Some(value) if value.is_empty() && kind == TemplateKind::OpenShift => {
                    empty_value(parameter, name)
                }
                Some(value) if value.is_empty() => generate_value(parameter, name, kind),
                Some(value) => Ok(value.clone()),
                None => own_value(parameter, name, kind),
            };
            if let Err(why) = &value {
                values.refuse(why.clone());
            }
            values.by_name.insert(name.to_owned(), value);
        }
        values
    }

    /// Notes why the template is not processed, if nothing else is the reason.
    fn refuse(&mut self, why: String) {
        self.fault.get_or_insert(why);
    }

    /// Returns the reason why the template cannot be processed whatever it refers to, for example a required parameter
    /// without a value.
    pub fn template_error(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// True if there is a parameter of this name.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// A text with its parameters put in: `${NAME}` anywhere, `${{NAME}}` if it is the whole text. A name that a template
    /// of OpenShift does not declare stays as it stands.
    pub fn fill_text(&self, text: &str) -> Result<Value, String> {
        if let Some(whole) = whole_reference(text)
            && let Some(value) = self.value(whole)?
        {
            return self.unquoted(whole, value);
        }
        let mut filled = text.to_owned();
        for parameter in kvrules_syntax::find_parameters(text).filter(|parameter| !parameter.unquoted) {
            if let Some(value) = self.value(parameter.name)? {
                // Replace the first occurrence in the result so far, as both engines do. A value may itself contain
                // a reference.
                filled = filled.replacen(text.get(parameter.range).unwrap_or_default(), value, 1);
            }
        }
        Ok(Value::String(filled))
    }

    /// The value of a parameter; none if its reference stays as it stands.
    fn value(&self, name: &str) -> Result<Option<&str>, String> {
        match self.by_name.get(name) {
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(why)) => Err(why.clone()),
            None if self.kind == Some(TemplateKind::KubeVirt) => {
                Err(format!("the template has no parameter `{name}`"))
            }
            None => Ok(None),
        }
    }

    /// Returns the value for `${{NAME}}`: the JSON of the value, else its text.
    ///
    /// OpenShift's object.go and KubeVirt's visit.go, visitUnsettableValues.
    fn unquoted(&self, name: &str, value: &str) -> Result<Value, String> {
        match serde_json::from_str(value) {
            Ok(Value::Null) if self.kind == Some(TemplateKind::KubeVirt) => {
                Err(format!("the parameter `{name}` is `null`, which nothing can be set to"))
            }
            Ok(value) => Ok(as_go_reads(value)),
            Err(_) => Ok(Value::String(value.to_owned())),
        }
    }
}

impl TextReplacement for ParameterValues {
    fn replace_text(&self, text: &str) -> Result<Value, String> {
        self.fill_text(text)
    }

    /// OpenShift removes a field whose value is `${{NAME}}` if the parameter is `null`.
    fn removes_field(&self, text: &str) -> bool {
        self.kind != Some(TemplateKind::KubeVirt)
            && text.starts_with("${{")
            && self.fill_text(text).is_ok_and(|value| value.is_null())
    }
}

/// The name in a text that is `${{NAME}}` and nothing else.
pub fn whole_reference(text: &str) -> Option<&str> {
    let first = kvrules_syntax::find_parameters(text).next()?;
    (first.unquoted && first.range == (0..text.len())).then_some(first.name)
}

/// Go reads every number of a JSON text as a float, so that large integers lose their last digits.
fn as_go_reads(value: Value) -> Value {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(number) => {
            let is_exact =
                |number: &Number| number.as_i64().is_some_and(|integer| integer.unsigned_abs() <= EXACT);
            let float = number.as_f64().filter(|_| !is_exact(&number));
            let whole = float.filter(|float| float.fract() == 0.0 && float.abs() < 9.2e18);
            // Below 2^63 a whole float is an integer exactly.
            #[expect(clippy::cast_possible_truncation, reason = "the bounds are checked above")]
            let integer = whole.map(|float| Number::from(float as i64));
            Value::Number(integer.or_else(|| float.and_then(Number::from_f64)).unwrap_or(number))
        }
        Value::Array(items) => items.into_iter().map(as_go_reads).collect(),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, as_go_reads(value))).collect())
        }
        other => other,
    }
}

/// The value that the template itself gives: written, generated, or empty if none is required.
fn own_value(parameter: Node<'_>, name: &str, kind: TemplateKind) -> Result<String, String> {
    match parameter.get("value").map_or("", Node::text) {
        "" => generate_value(parameter, name, kind),
        value => Ok(value.to_owned()),
    }
}

/// The value that is generated; without a generator it is empty.
///
/// OpenShift's GenerateParameterValues, KubeVirt's generateParameterValues.
fn generate_value(parameter: Node<'_>, name: &str, kind: TemplateKind) -> Result<String, String> {
    let text = |key: &str| parameter.get(key).map_or("", Node::text);
    let value = match (text("generate"), text("from")) {
        ("", _) => String::new(),
        ("expression", "") if kind == TemplateKind::KubeVirt => {
            return Err(missing_value_message(name, "cannot be generated: `from` is empty"));
        }
        ("expression", from) => match ValueGenerator::new(from, kind) {
            Ok(generator) => generator.first_value(),
            Err(why) => {
                return Err(missing_value_message(name, &format!("cannot be generated: `from` {why}")));
            }
        },
        (other, _) => {
            return Err(missing_value_message(name, &format!("has the unknown generator `{other}`")));
        }
    };
    if value.is_empty() { empty_value(parameter, name) } else { Ok(value) }
}

/// No value, which is an empty string unless one is required.
fn empty_value(parameter: Node<'_>, name: &str) -> Result<String, String> {
    match parameter.get("required").map_or("", Node::text) {
        "true" => Err(missing_value_message(name, "is required and has no value")),
        _ => Ok(String::new()),
    }
}

fn missing_value_message(name: &str, why: &str) -> String {
    format!("parameter `{name}` {why}; give it with `--param {name}=VALUE`")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use kvrules_diagnostics::FileId;
    use kvrules_syntax::parse_yaml;
    use serde_json::{Value, json};

    use super::ParameterValues;
    use crate::object::object_value;
    use crate::template::Template;

    const TEMPLATE: &str = r#"
kind: Template
parameters:
- {name: PLAIN, value: plain}
- {name: COUNT, value: "4"}
- {name: LIST, value: "[1, 2"}
- {name: NEEDED, required: true}
- {name: MADE, generate: expression, from: "[a-z]{3}", required: true}
- {name: OTHER, generate: dice}
- {name: EMPTY}
"#;

    /// The JSON value of a YAML text in the template, with these parameters given.
    fn processed(text: &str, given: &[(&str, &str)]) -> Result<Value, String> {
        let given: BTreeMap<_, _> =
            given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let template = parse_yaml(FileId(0), TEMPLATE, 0).remove(0);
        let values = ParameterValues::from_template(Template::new(template.root().unwrap()).unwrap(), &given);
        let document = parse_yaml(FileId(0), text, 0).remove(0);
        object_value(document.root().unwrap(), &values).map_err(|error| error.message)
    }

    #[test]
    fn a_parameter_stands_for_its_value_as_often_as_it_is_named() {
        assert_eq!(processed("a-${PLAIN}-${COUNT}${PLAIN}", &[]), Ok(json!("a-plain-4plain")));
        assert_eq!(processed("[\"${COUNT}\", \"${EMPTY}\"]", &[]), Ok(json!(["4", ""])));
    }

    #[test]
    fn a_key_may_be_a_parameter() {
        assert_eq!(processed("\"${PLAIN}/x\": 1", &[]), Ok(json!({"plain/x": 1})));
    }

    #[test]
    fn double_braces_give_no_string_and_only_stand_alone() {
        assert_eq!(processed("\"${{COUNT}}\"", &[]), Ok(json!(4)));
        assert_eq!(processed("\"${{PLAIN}}\"", &[]), Ok(json!("plain")));
        assert_eq!(processed("\"${{LIST}}\"", &[]), Ok(json!("[1, 2")));
        assert_eq!(processed("\"x${{COUNT}}\"", &[]), Ok(json!("x${{COUNT}}")));
    }

    #[test]
    fn what_the_template_does_not_have_stays_as_it_stands() {
        assert_eq!(processed("${NONE}-\"${{NONE}}\"", &[("NONE", "1")]), Ok(json!("${NONE}-\"${{NONE}}\"")));
    }

    #[test]
    fn what_is_given_comes_before_what_is_written_or_generated() {
        assert_eq!(processed("${PLAIN}", &[("PLAIN", "x")]), Ok(json!("x")));
        assert_eq!(processed("${MADE}", &[("MADE", "x")]), Ok(json!("x")));
        assert_eq!(processed("${OTHER}", &[("OTHER", "x")]), Ok(json!("x")));
        assert_eq!(processed("${PLAIN}", &[("PLAIN", "")]), Ok(json!("")));
        assert_eq!(processed("${MADE}", &[]), Ok(json!("aaa")));
    }

    #[test]
    fn a_value_that_is_required_must_come_from_somewhere() {
        let required = |name: &str| {
            format!("parameter `{name}` is required and has no value; give it with `--param {name}=VALUE`")
        };
        assert_eq!(processed("${NEEDED}", &[]), Err(required("NEEDED")));
        assert_eq!(processed("${NEEDED}", &[("NEEDED", "")]), Err(required("NEEDED")));
        assert_eq!(processed("${MADE}", &[("MADE", "")]), Err(required("MADE")));
        assert_eq!(processed("${NEEDED}", &[("NEEDED", "x")]), Ok(json!("x")));
        assert!(processed("${OTHER}", &[]).is_err());
    }
}
