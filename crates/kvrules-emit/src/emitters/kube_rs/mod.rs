//! RuleSets as attributes for types in Rust, from which kube writes the definition.

use kvrules_apiserver::definition::ResourceVersion;
use serde_json::{Map, Value};

use crate::source_markers::{MarkedRule, emit_marked, entry_text, read_blocks};
use crate::{Emission, EmitError, Emitter, Request, ResourceEmitter};

/// One file for each RuleSet.
pub(crate) static EMITTER: Emitter = Emitter {
    name: "kube-rs",
    summary: "attributes for types in Rust, from which kube writes the definition",
    options: &[],
    rule_sets: None,
    extra_specs: None,
    resources: None,
    authored: Some(ResourceEmitter { read_entries: Some(read_entries), ..ResourceEmitter::new(emit) }),
};

#[expect(clippy::unnecessary_wraps, reason = "every target has this form")]
fn emit(request: &Request<'_>) -> Result<Emission, EmitError> {
    Ok(emit_marked(request, "Attributes", &mut |rule| attribute_of(rule).map(|line| vec![line])))
}

/// The attribute of a rule. Rules about the whole object belong to `kube`, others to `x_kube` on a struct or field that derives `KubeSchema`.
// kube-derive cel_schema.rs, XKube and KubeSchema
fn attribute_of(rule: &MarkedRule<'_>) -> Result<String, String> {
    let is_struct = rule.node.get("properties").is_some();
    if rule.path.ends_with("[*]") && !is_struct {
        return Err(
            "an attribute is on a struct or a field, and items that are not structs have neither".to_owned()
        );
    }
    let name = if rule.path.is_empty() { "kube" } else { "x_kube" };
    let text = |key: &str| entry_text(&rule.entry, key);
    let rule_text = text("rule").ok_or("the rule has no expression")?;
    let mut calls = vec![format!("Rule::new({rule_text:?})")];
    match (text("messageExpression"), text("message")) {
        (Some(expression), _) => calls.push(format!("message(Message::Expression({expression:?}.into()))")),
        (None, Some(message)) => calls.push(format!("message({message:?})")),
        (None, None) => {}
    }
    if let Some(reason) = text("reason") {
        calls.push(format!("reason(Reason::{reason})"));
    }
    if let Some(path) = text("fieldPath") {
        calls.push(format!("field_path({path:?})"));
    }
    Ok(format!("#[{name}(validation = {})]", calls.join(".")))
}

/// The entries of `x-kubernetes-validations` that the attributes of a file mean, with their paths.
fn read_entries(text: &str, version: &ResourceVersion) -> Vec<(String, Value)> {
    let read = |(path, lines): (String, Vec<&str>)| {
        let [line] = lines.as_slice() else { return None };
        let name = if path.is_empty() { "#[kube(" } else { "#[x_kube(" };
        let calls = line.strip_prefix(name)?.strip_prefix("validation = Rule::new")?.strip_suffix(")]")?;
        Some((path, Value::Object(read_calls(calls)?)))
    };
    read_blocks(text, &version.kind).into_iter().filter_map(read).collect()
}

/// `("rule").message("text")…`
fn read_calls(text: &str) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    let (rule, mut rest) = read_argument(text.strip_prefix('(')?)?;
    fields.insert("rule".to_owned(), rule.into());
    rest = rest.strip_prefix(')')?;
    while !rest.is_empty() {
        let (method, behind) = rest.strip_prefix('.')?.split_once('(')?;
        if let Some(reason) = behind.strip_prefix("Reason::") {
            let (reason, behind) = reason.split_once(')')?;
            fields.insert("reason".to_owned(), reason.into());
            rest = behind;
            continue;
        }
        let expression = behind.strip_prefix("Message::Expression(");
        let (value, behind) = read_argument(expression.unwrap_or(behind))?;
        let key = match (method, expression) {
            ("message", Some(_)) => "messageExpression",
            ("message", None) => "message",
            ("field_path", _) => "fieldPath",
            _ => return None,
        };
        fields.insert(key.to_owned(), value.into());
        let behind = if expression.is_some() { behind.strip_prefix(".into())")? } else { behind };
        rest = behind.strip_prefix(')')?;
    }
    Some(fields)
}

/// A string literal of Rust at the start of a text, and the text behind it.
fn read_argument(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.strip_prefix('"')?.char_indices();
    while let Some((at, c)) = letters.next() {
        match c {
            '"' => return Some((value, text.get(at + 2..)?)),
            '\\' => match letters.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                '0' => value.push('\0'),
                'u' => {
                    let code: String =
                        letters.by_ref().skip(1).map(|(_, c)| c).take_while(|c| *c != '}').collect();
                    value.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                }
                other => value.push(other),
            },
            c => value.push(c),
        }
    }
    None
}
