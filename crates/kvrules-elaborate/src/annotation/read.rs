//! Reads the rules of an annotation. What cannot be read is left out here and reported by lints.

use std::borrow::Cow;
use std::sync::Arc;

use kvrules_diagnostics::{Origin, Span};
use kvrules_ir::{
    AnnotationDialect, BoundValue, Constraint, EnumValue, OmissionCause, OmissionKind, OmittedRule,
    OmittedRuleContent, Path, Rule, RuleSet, Severity,
};
use kvrules_kubernetes::quantity::Quantity;
use kvrules_syntax::{Node, SyntaxKind};

use super::{
    Annotation, Key, Parameters, RuleKind,
    content::left_out_content,
    operand::{optional_path, path_text},
};
use crate::path;

/// Reads the rules of an annotation; `fallback` names the set where nothing in the document does.
pub fn read_rule_set(annotation: &Annotation<'_>, fallback: &str) -> RuleSet {
    let reader = RuleReader { dialect: annotation.form().dialect, parameters: annotation.parameters };
    let mut set = RuleSet {
        name: annotation.name.clone().unwrap_or_else(|| fallback.to_owned()),
        dialect: reader.dialect,
        rules: Vec::new(),
        unread: Vec::new(),
        origin: Origin::from(annotation.key.unwrap_or(annotation.value).span()),
    };
    for node in annotation.rules() {
        match reader.rule(node) {
            Ok(rule) => set.rules.push(Arc::new(rule)),
            Err(cause) => set.unread.push(OmittedRule {
                name: reader.label(node, Key::Name).unwrap_or_default(),
                cause,
                content: left_out_content(node, reader.parameters),
                origin: node.span().into(),
            }),
        }
    }
    if may_have_more(annotation) {
        let cause =
            OmissionCause::unreadable_rule("template tags may add rules to this annotation: render it first");
        let keys = format!("{:?}", annotation.value.tags_around());
        let content = OmittedRuleContent::Text { keys, message: None };
        set.unread.push(OmittedRule { name: String::new(), cause, content, origin: set.origin });
    }
    if let Some(other) = other_than_list(annotation) {
        set.unread.push(OmittedRule {
            name: String::new(),
            cause: OmissionCause::unreadable_rule("the annotation is not a list of rules"),
            content: left_out_content(other, reader.parameters),
            origin: set.origin,
        });
    }
    set
}

/// The value of an annotation that can be read and is not a list; nothing if it is empty, or if template tags affect it.
fn other_than_list<'a>(annotation: &'a Annotation<'_>) -> Option<Node<'a>> {
    let value = match annotation.json() {
        Some(json) => json.root()?,
        None => annotation.value,
    };
    let is_empty = matches!(value.kind(), SyntaxKind::Null | SyntaxKind::Hole);
    (!value.is_list() && !is_empty && !may_have_more(annotation)).then_some(value)
}

/// True if the rendered text may have more rules than are written.
fn may_have_more(annotation: &Annotation<'_>) -> bool {
    let no_rule = |item: Node<'_>| !item.is_map() && item.is_templated();
    let open_list = |root: Node<'_>| !root.is_list() || root.is_open() || root.items().any(no_rule);
    let value = annotation.value;
    value.is_open() || (value.is_templated() && annotation.root().is_none_or(open_list))
}

/// True if template tags decide more of a rule than its name and its message.
fn is_undecided(rule: Node<'_>) -> bool {
    let is_label = |key: &str| LABELS.iter().any(|label| label.as_str() == key);
    let mut entries = rule.entries();
    rule.is_open()
        || (rule.is_templated()
            && (rule.entries().next().is_none()
                || entries.any(|entry| {
                    entry.key.is_templated() || (!is_label(entry.key.text()) && entry.value.is_templated())
                })))
}

/// The keys whose texts are shown to people and decide nothing.
const LABELS: [Key; 2] = [Key::Name, Key::Message];

/// Reads strings according to a form and the parameters.
struct RuleReader<'d> {
    dialect: AnnotationDialect,
    parameters: Parameters<'d>,
}

impl RuleReader<'_> {
    fn rule(&self, node: Node<'_>) -> Result<Rule, OmissionCause> {
        if is_undecided(node) {
            return Err(OmissionCause::unreadable_rule("template tags affect this rule: render it first"));
        }
        Ok(Rule {
            name: self.label(node, Key::Name)?,
            message: self.label(node, Key::Message)?,
            path: self.path(mandatory_value(node, Key::Path)?, Key::Path)?,
            guard: present_value(node, Key::Valid).map(|guard| self.path(guard, Key::Valid)).transpose()?,
            constraint: self.constraint(self.kind(node)?, node)?,
            severity: read_severity(node)?,
            origin: Origin::from(node.span()),
        })
    }

    fn kind(&self, rule: Node<'_>) -> Result<RuleKind, OmissionCause> {
        let text = self.text(mandatory_value(rule, Key::Rule)?, Key::Rule)?;
        RuleKind::from_text(&text).ok_or_else(|| {
            OmissionCause::new(OmissionKind::UnknownRule, format!("unknown rule kind `{text}`"))
        })
    }

    /// The text of a string, with the template's parameters put in.
    fn text<'t>(&self, node: Node<'t>, key: Key) -> Result<Cow<'t, str>, OmissionCause> {
        let written = node.as_str().ok_or_else(|| wrong_type(key))?;
        self.parameters.fill_text(written).map_err(no_value)
    }

    /// A name or a message. Parameters with a value are put in; those without one, and template tags, stay as they are
    /// written, since the text decides nothing.
    fn label(&self, rule: Node<'_>, key: Key) -> Result<String, OmissionCause> {
        match present_value(rule, key) {
            None => Ok(String::new()),
            Some(node) if matches!(node.kind(), SyntaxKind::String | SyntaxKind::Parameter) => {
                Ok(self.parameters.fill_known(&node.text_with_tags()))
            }
            Some(_) => Err(wrong_type(key)),
        }
    }

    fn path(&self, node: Node<'_>, key: Key) -> Result<Path, OmissionCause> {
        let written = self.text(node, key)?;
        let (text, before) = path_text(&written, self.dialect);
        parse(node, &text, before)
    }

    fn constraint(&self, kind: RuleKind, rule: Node<'_>) -> Result<Constraint, OmissionCause> {
        Ok(match kind {
            RuleKind::Integer => {
                Constraint::Integer { min: self.bound(rule, Key::Min)?, max: self.bound(rule, Key::Max)? }
            }
            RuleKind::String => Constraint::String {
                min_length: self.bound(rule, Key::MinLength)?,
                max_length: self.bound(rule, Key::MaxLength)?,
            },
            RuleKind::Enum => Constraint::Enum { values: self.values(rule)? },
            RuleKind::Regex => {
                // A missing `regex` is an empty pattern, which matches every string.
                let node = present_value(rule, Key::Regex);
                let pattern =
                    node.map_or(Ok(Cow::Borrowed("")), |node| self.text(node, Key::Regex))?.into_owned();
                kvrules_regex::parse(&pattern)
                    .map_err(|error| OmissionCause::new(OmissionKind::Regex, error.to_string()))?;
                Constraint::Regex {
                    pattern,
                    origin: node.map_or_else(Origin::default, |node| node.span().into()),
                }
            }
        })
    }

    fn bound(&self, rule: Node<'_>, key: Key) -> Result<Option<BoundValue>, OmissionCause> {
        let Some(node) = present_value(rule, key) else { return Ok(None) };
        Ok(Some(match node.kind() {
            SyntaxKind::Number => BoundValue::Number(
                Quantity::parse(node.text())
                    .map_err(|error| OmissionCause::unreadable_rule(error.to_string()))?,
            ),
            SyntaxKind::Parameter => BoundValue::Number(self.parameter(node, key)?),
            _ => {
                let written = self.text(node, key)?;
                let (text, before) = optional_path(&written, self.dialect).ok_or_else(|| wrong_type(key))?;
                BoundValue::Path(parse(node, &text, before)?)
            }
        }))
    }

    /// `${NAME}` without quotation marks, where it stands for a number.
    fn parameter(&self, node: Node<'_>, key: Key) -> Result<Quantity, OmissionCause> {
        let parameter = kvrules_syntax::find_parameters(node.text()).next().ok_or_else(|| wrong_type(key))?;
        let value = self.parameters.default_value(parameter.name).ok_or_else(|| no_value(parameter.name))?;
        let is_number =
            value.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let number = is_number.then(|| Quantity::parse(value).ok()).flatten();
        number.ok_or_else(|| {
            let name = parameter.name;
            OmissionCause::unreadable_rule(format!(
                "the parameter `{name}` has the value `{value}`, which is not a number"
            ))
        })
    }

    fn values(&self, rule: Node<'_>) -> Result<Vec<EnumValue>, OmissionCause> {
        let list = present_value(rule, Key::Values).or_else(|| present_value(rule, Key::Included));
        let Some(list) = list else { return Ok(Vec::new()) };
        if !list.is_list() {
            return Err(wrong_type(Key::Values));
        }
        list.items().map(|item| self.value(item)).collect()
    }

    fn value(&self, node: Node<'_>) -> Result<EnumValue, OmissionCause> {
        let text = match node.kind() {
            SyntaxKind::String => {
                let written = self.text(node, Key::Values)?;
                if let Some((text, before)) = optional_path(&written, self.dialect) {
                    return Ok(EnumValue::Path(parse(node, &text, before)?));
                }
                written.into_owned()
            }
            SyntaxKind::True => "true".to_owned(),
            SyntaxKind::False => "false".to_owned(),
            SyntaxKind::Number => render_number(node.text()).ok_or_else(|| wrong_type(Key::Values))?,
            SyntaxKind::Parameter => self.parameters.fill_text(node.text()).map_err(no_value)?.into_owned(),
            _ => return Err(wrong_type(Key::Values)),
        };
        Ok(EnumValue::Text(text))
    }
}

/// Returns the effect of violating the rule.
fn read_severity(rule: Node<'_>) -> Result<Severity, OmissionCause> {
    match present_value(rule, Key::JustWarning).map(Node::kind) {
        None | Some(SyntaxKind::False) => Ok(Severity::Error),
        Some(SyntaxKind::True) => Ok(Severity::Warning),
        Some(_) => Err(wrong_type(Key::JustWarning)),
    }
}

fn mandatory_value(rule: Node<'_>, key: Key) -> Result<Node<'_>, OmissionCause> {
    present_value(rule, key)
        .ok_or_else(|| OmissionCause::unreadable_rule(format!("the key `{}` is missing", key.as_str())))
}

fn wrong_type(key: Key) -> OmissionCause {
    OmissionCause::unreadable_rule(format!("the value of `{}` has the wrong type", key.as_str()))
}

fn no_value(parameter: &str) -> OmissionCause {
    OmissionCause::unreadable_rule(format!("the template parameter `{parameter}` has no value"))
}

/// The value of a key, unless it is null.
fn present_value(rule: Node<'_>, key: Key) -> Option<Node<'_>> {
    rule.get(key.as_str()).filter(|node| node.kind() != SyntaxKind::Null)
}

fn parse(node: Node<'_>, text: &str, before: usize) -> Result<Path, OmissionCause> {
    let origin = Origin::from(path_span(node, before));
    path::parse(text, origin).map_err(|error| {
        OmissionCause::new(OmissionKind::PathSyntax, format!("invalid path `{text}`: {error}"))
    })
}

/// The place of the path in a string, behind its prefix.
fn path_span(node: Node<'_>, before: usize) -> Span {
    node.span_of(before.min(node.text().len())..node.text().len())
}

/// A JSON number as text: integers in full, others in the shortest decimal form.
fn render_number(number: &str) -> Option<String> {
    if let Some(integer) = Quantity::parse(number).ok()?.to_integer() {
        return Some(integer.to_string());
    }
    number.parse::<f64>().ok().map(|number| number.to_string())
}
