//! Results of the deployed validator at a path, computed by its emulator with rules made for the purpose.

use crate::{Machine, RuleStatus, Rules};
use serde_json::{Value, json};

/// Results of the validator at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidatorResults {
    /// True if walking the VirtualMachine itself gives results.
    pub on_machine: bool,
    /// Results that are evaluated: the machine's, or the reference's.
    pub found: PathResults,
    /// The results as integers; none if one cannot be read.
    pub integers: Vec<i64>,
    /// Go's name of the first result's type that cannot be read as an integer.
    pub no_integer: Option<String>,
}

/// The results that are evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathResults {
    /// The walk is an error on the machine and on the reference.
    Error,
    /// The walk gives nothing, and that is not an error.
    Nothing,
    /// These, as texts. What is not a string is `<uint32 Value>` and the like.
    Texts(Vec<String>),
    /// Reading them panics.
    Panic,
}

impl ValidatorResults {
    /// Asks for a path, with its prefix.
    pub(crate) fn new(path: &str, machine: &Machine) -> Self {
        let rule = |extra: Value| {
            let mut rule = json!({"name": "r", "message": "m", "path": path});
            if let (Some(rule), Value::Object(extra)) = (rule.as_object_mut(), extra) {
                rule.extend(extra);
            }
            run_rule(&rule, machine)
        };
        let found = rule(json!({"rule": "enum"})).map_or(PathResults::Panic, |status| path_results(&status));
        let on_machine = rule(json!({"rule": "enum", "valid": path})).is_none_or(|status| !status.skipped);
        let read = rule(json!({"rule": "integer"})).unwrap_or_default();
        let type_name = |error: String| {
            let rest = error.strip_prefix("mismatching type: ")?;
            rest.strip_suffix(", not int or resource.Quantity").map(str::to_owned)
        };
        Self {
            on_machine,
            found,
            integers: parse_integers(&read.message),
            no_integer: read.error.and_then(type_name),
        }
    }

    /// The results as texts; none if there are none.
    pub fn result_texts(&self) -> &[String] {
        match &self.found {
            PathResults::Texts(texts) => texts,
            _ => &[],
        }
    }

    /// True if the walk fails on the machine, and blanks of the reference are evaluated in its place.
    pub fn is_reference(&self) -> bool {
        !self.on_machine && matches!(self.found, PathResults::Texts(_))
    }

    /// True if a result is not a string, and so has the text of its type.
    pub fn has_type_names(&self) -> bool {
        self.result_texts().iter().any(|text| text.starts_with('<') && text.ends_with(" Value>"))
    }
}

/// The status of one rule alone; none if it panics or does not decode.
fn run_rule(rule: &Value, machine: &Machine) -> Option<RuleStatus> {
    let rules = Rules::decode_annotation(&json!([rule]).to_string()).ok()?;
    rules.evaluate_machine(machine).status?.into_iter().next()
}

fn path_results(status: &RuleStatus) -> PathResults {
    match status.error.as_deref() {
        Some("no values were found") => PathResults::Nothing,
        Some(_) => PathResults::Error,
        None => {
            let texts = status.message.strip_prefix("Some of [");
            let texts = texts.and_then(|texts| texts.strip_suffix("] are not in []"));
            PathResults::Texts(texts.unwrap_or_default().split(", ").map(str::to_owned).collect())
        }
    }
}

fn parse_integers(message: &str) -> Vec<i64> {
    let values = message.strip_prefix("All values [").and_then(|rest| rest.split(']').next());
    values.unwrap_or_default().split(' ').filter_map(|value| value.parse().ok()).collect()
}

/// The bounds that the validator makes of two numbers.
pub(crate) fn rounded_bounds(bounds: &[Option<String>; 2], machine: &Machine) -> Option<[Option<i64>; 2]> {
    let [min, max] = bounds.each_ref().map(|bound| bound.as_deref().unwrap_or("null"));
    let text = format!(
        r#"[{{"name":"r","message":"m","rule":"string","path":"jsonpath::.spec 'x'","minLength":{min},"maxLength":{max}}}]"#
    );
    let status =
        Rules::decode_annotation(&text).ok()?.evaluate_machine(machine).status?.into_iter().next()?;
    let (_, interval) = status.message.rsplit_once('[')?;
    let (min, max) = interval.strip_suffix(']')?.split_once(", ")?;
    Some([min.parse().ok(), max.parse().ok()])
}
