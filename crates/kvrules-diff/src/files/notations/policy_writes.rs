//! Expressions of policies as rules of a schema: for creations, and for updates with the stored object.
//!
//! A policy sees `oldObject`, which is null in a creation, and the operation. A rule of a schema has `self`, and in updates `oldSelf`. So an
//! expression is folded twice, with what is known in a creation and in an update, and each result is a rule for these writes alone. In a
//! deletion `object` is null, and no rule of a schema is evaluated.

use kvrules_cel::SourceText;
use kvrules_cel::ast::{Expr, ExprKind, Expression, Literal, Span, operators};
use kvrules_cel::types::escape_property;
use serde_json::{Value, json};

/// Depth of expressions that are folded.
const MOST_DEPTH: usize = 200;

/// An expression that ends in an error.
const ERROR: &str = "1 / 0 == 1";

/// The names that have a meaning in a policy and none in a rule of a schema.
const OTHER_ROOTS: [(&str, &str); 5] = [
    ("request", "the request"),
    ("params", "parameters"),
    ("namespaceObject", "the namespace"),
    ("authorizer", "permissions of the user"),
    ("variables", "variables as a value"),
];

/// Operators that may have a value though an argument ends in an error.
const LENIENT: [&str; 5] =
    [operators::OPT_SELECT, operators::OPT_INDEX, operators::AND, operators::OR, operators::CONDITIONAL];

/// A write that an expression is evaluated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Write {
    Creation,
    Update,
    Deletion,
}

/// A part of an expression with what is known of it.
#[derive(Clone, Debug, PartialEq)]
enum Folded {
    Bool(bool),
    Null,
    Text(String),
    /// The object or the stored object, which is there.
    Object(&'static str),
    /// An expression in CEL.
    Open(String),
    /// It ends in an error.
    Error,
}

/// Entries of `x-kubernetes-validations` that together accept the writes for which an expression is true.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct WriteEntries {
    /// Those for creations.
    pub(super) creation: Vec<Value>,
    /// Those for updates; one that reads `oldSelf` runs in these alone.
    pub(super) update: Vec<Value>,
}

impl WriteEntries {
    /// The same entries for both.
    pub(super) fn always(entries: Vec<Value>) -> Self {
        Self { creation: entries.clone(), update: entries }
    }

    /// True if something is required of creations alone, or of the object of updates alone.
    pub(super) fn differ(&self) -> bool {
        let is_plain = |entry: &&Value| !reads_stored(entry);
        self.creation.iter().filter(is_plain).ne(self.update.iter().filter(is_plain))
    }

    /// All entries, each once.
    pub(super) fn all(&self) -> Vec<&Value> {
        let added = self.update.iter().filter(|entry| !self.creation.contains(entry));
        self.creation.iter().chain(added).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.creation.is_empty() && self.update.is_empty()
    }
}

/// True for an entry that runs in updates alone.
pub(super) fn reads_stored(entry: &Value) -> bool {
    let text = entry.get("rule").and_then(Value::as_str).unwrap_or_default();
    entry.get("optionalOldSelf") != Some(&Value::Bool(true)) && mentions(text, "oldSelf")
}

/// Returns the entries that accept the writes for which an expression is true, of those with the operations.
///
/// # Errors
///
/// The reason why no rules of a schema say the same.
pub(super) fn to_entries(expression: &Expression, operations: &[&str]) -> Result<WriteEntries, String> {
    if expression.depth > MOST_DEPTH {
        return Err("it is nested too deep".to_owned());
    }
    let fold = |operation: &str, write: Write| {
        if !operations.contains(&operation) {
            return Ok(Folded::Bool(true));
        }
        Folder { source: SourceText::new(expression), write }.fold(&expression.root)
    };
    let entries = |folded: &Folded| match to_condition(folded).as_str() {
        "true" => Vec::new(),
        text => vec![json!({ "rule": text })],
    };
    Ok(WriteEntries {
        creation: entries(&fold("CREATE", Write::Creation)?),
        update: entries(&fold("UPDATE", Write::Update)?),
    })
}

/// True if an expression is known to accept every deletion; with `ignores_errors` also if it always ends in an error.
pub(super) fn accepts_deletions(expression: &Expression, ignores_errors: bool) -> bool {
    if expression.depth > MOST_DEPTH {
        return false;
    }
    let folder = Folder { source: SourceText::new(expression), write: Write::Deletion };
    match folder.fold(&expression.root) {
        Ok(Folded::Bool(accepts)) => accepts,
        Ok(Folded::Error) => ignores_errors,
        Ok(_) | Err(_) => false,
    }
}

/// Returns a condition on objects for which an expression is not false: it is true or ends in an error. Whether that is so has to be
/// proved.
pub(super) fn without_errors(text: &str) -> Option<String> {
    let parsed = kvrules_cel::parse(text).ok()?;
    (parsed.depth <= MOST_DEPTH).then(|| guard_parts(&SourceText::new(&parsed), &parsed.root, true))
}

/// The condition that a part is not false if `is_lenient`, else that it is true.
// F(a && b) = F(a) or F(b), F(a || b) = F(a) and F(b), F(!a) = T(a)
fn guard_parts(source: &SourceText<'_>, node: &Expr, is_lenient: bool) -> String {
    if let ExprKind::Call { function, receiver: None, args } = &node.kind {
        match (function.as_str(), args.as_slice()) {
            (operators::AND | operators::OR, [one, other]) => {
                let operator = if function == operators::AND { "&&" } else { "||" };
                let [one, other] = [one, other].map(|part| guard_parts(source, part, is_lenient));
                return format!("({one}) {operator} ({other})");
            }
            (operators::NOT, [inner]) => return format!("!({})", guard_parts(source, inner, !is_lenient)),
            _ => {}
        }
    }
    let mut present: Vec<String> = Vec::new();
    node.visit_nodes(&mut |part| {
        let ExprKind::Select { .. } = &part.kind else { return };
        let Some(name) = part.qualified_name() else { return };
        let ends = name.match_indices('.').map(|(end, _)| end).skip(1).chain([name.len()]);
        for way in ends.filter_map(|end| name.get(..end)) {
            let test = format!("has({way})");
            if !present.contains(&test) {
                present.push(test);
            }
        }
    });
    present.sort_by_key(String::len);
    let own = source.node_text(node.span);
    match (present.is_empty(), is_lenient) {
        (true, _) => own.to_owned(),
        (false, true) => format!("!({}) || ({own})", present.join(" && ")),
        (false, false) => format!("{} && ({own})", present.join(" && ")),
    }
}

/// True if an expression reads a name.
fn mentions(text: &str, name: &str) -> bool {
    let Ok(parsed) = kvrules_cel::parse(text) else { return true };
    let mut found = false;
    parsed.root.visit_nodes(&mut |node| found |= matches!(&node.kind, ExprKind::Ident(own) if own == name));
    found
}

/// The whole expression as a condition: an error rejects as false does.
fn to_condition(folded: &Folded) -> String {
    match folded {
        Folded::Error => "false".to_owned(),
        folded => folded.to_cel(),
    }
}

impl Folded {
    fn to_cel(&self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Null => "null".to_owned(),
            Self::Text(text) => kvrules_cel::literal::to_string_literal(text),
            Self::Object(name) => (*name).to_owned(),
            Self::Open(text) => text.clone(),
            Self::Error => ERROR.to_owned(),
        }
    }
}

struct Folder<'e> {
    source: SourceText<'e>,
    write: Write,
}

/// A part with the names of a rule of a schema, and what it reads.
#[derive(Default)]
struct RenamedPart {
    places: Vec<(Span, String)>,
    /// The reason why no rule of a schema says the same.
    problem: Option<String>,
    /// Number of times that the object is named which is null in the write.
    null_names: usize,
    /// Number of times that a field of it is read.
    null_fields: usize,
    /// True if an error in a part may end in none.
    is_lenient: bool,
}

impl Folder<'_> {
    fn fold(&self, node: &Expr) -> Result<Folded, String> {
        match &node.kind {
            ExprKind::Literal(Literal::Null) => Ok(Folded::Null),
            ExprKind::Literal(Literal::Bool(value)) => Ok(Folded::Bool(*value)),
            ExprKind::Literal(Literal::String(text)) => Ok(Folded::Text(text.clone())),
            ExprKind::Ident(name) if self.is_null(name) => Ok(Folded::Null),
            ExprKind::Ident(name) if name == "object" => Ok(Folded::Object("self")),
            ExprKind::Ident(name) if name == "oldObject" => Ok(Folded::Object("oldSelf")),
            // cel-go, interpreter/attributes.go, refQualify: a null has no field, which is no error for a test of presence.
            ExprKind::Has { operand, .. } if self.names_null(operand) => Ok(Folded::Bool(false)),
            ExprKind::Select { .. } if is_operation(node) => Ok(Folded::Text(self.operation().to_owned())),
            ExprKind::Call { function, receiver: None, args } => self.fold_call(node, function, args),
            _ => self.keep(node),
        }
    }

    /// True for the name of the object that the write does not have.
    fn is_null(&self, name: &str) -> bool {
        match self.write {
            Write::Creation => name == "oldObject",
            Write::Update => false,
            Write::Deletion => name == "object",
        }
    }

    fn names_null(&self, node: &Expr) -> bool {
        matches!(&node.kind, ExprKind::Ident(name) if self.is_null(name))
    }

    fn operation(&self) -> &'static str {
        match self.write {
            Write::Creation => "CREATE",
            Write::Update => "UPDATE",
            Write::Deletion => "DELETE",
        }
    }

    fn fold_call(&self, node: &Expr, function: &str, args: &[Expr]) -> Result<Folded, String> {
        match (function, args) {
            (operators::NOT, [inner]) => Ok(match self.fold(inner)? {
                Folded::Bool(value) => Folded::Bool(!value),
                Folded::Error => Folded::Error,
                other => Folded::Open(format!("!({})", other.to_cel())),
            }),
            (operators::AND, [one, other]) => self.fold_either(one, other, false),
            (operators::OR, [one, other]) => self.fold_either(one, other, true),
            (operators::CONDITIONAL, [test, one, other]) => self.fold_conditional(test, one, other),
            (operators::EQUALS | operators::NOT_EQUALS, [one, other]) => {
                let sides = (self.fold(one), self.fold(other));
                let equal = match &sides {
                    (Ok(one), Ok(other)) => known_equality(one, other),
                    _ => None,
                };
                match equal {
                    Some(equal) => Ok(Folded::Bool(equal == (function == operators::EQUALS))),
                    None => self.keep(node),
                }
            }
            (operators::IN, [one, list]) => match (self.fold(one), texts_of(list)) {
                (Ok(Folded::Text(text)), Some(texts)) => Ok(Folded::Bool(texts.contains(&text.as_str()))),
                _ => self.keep(node),
            },
            _ => self.keep(node),
        }
    }

    /// `one || other` if `dominant` is set, else `one && other`: a part that decides does so whatever the other one is.
    fn fold_either(&self, one: &Expr, other: &Expr, dominant: bool) -> Result<Folded, String> {
        let decides = |part: &Result<Folded, String>| *part == Ok(Folded::Bool(dominant));
        let (one, other) = (self.fold(one), self.fold(other));
        if decides(&one) || decides(&other) {
            return Ok(Folded::Bool(dominant));
        }
        Ok(join(one?, other?, dominant))
    }

    fn fold_conditional(&self, test: &Expr, one: &Expr, other: &Expr) -> Result<Folded, String> {
        Ok(match self.fold(test)? {
            Folded::Bool(true) => self.fold(one)?,
            Folded::Bool(false) => self.fold(other)?,
            Folded::Error => Folded::Error,
            test => {
                let (one, other) = (self.fold(one)?.to_cel(), self.fold(other)?.to_cel());
                Folded::Open(format!("({}) ? ({one}) : ({other})", test.to_cel()))
            }
        })
    }

    /// A part as it is written, with the names of a rule. Without an object, what reads a field of it ends in an error, since functions,
    /// comparisons and selections do if an argument does.
    fn keep(&self, node: &Expr) -> Result<Folded, String> {
        let part = self.rename(node);
        if node.declares_name(|name| ["self", "oldSelf", "object", "oldObject"].contains(&name)) {
            return Err("a loop has a variable with the name of an object".to_owned());
        }
        if let Some(problem) = part.problem {
            return Err(problem);
        }
        if part.null_names == 0 {
            return Ok(Folded::Open(self.source.replace_parts(node, part.places)));
        }
        // A null by itself is a value: `type(oldObject)`, `[oldObject]`.
        if part.null_fields == part.null_names && !part.is_lenient {
            return Ok(Folded::Error);
        }
        Err(match self.write {
            Write::Deletion => "it reads the object of a deletion, which is null".to_owned(),
            Write::Creation | Write::Update => {
                "it reads the stored object of a creation, which is null".to_owned()
            }
        })
    }

    fn rename(&self, node: &Expr) -> RenamedPart {
        let mut renamed = RenamedPart::default();
        let mut operations = 0_usize;
        node.visit_nodes(&mut |part| match &part.kind {
            ExprKind::Ident(name) if name == "object" || name == "oldObject" => {
                let own = if name == "object" { "self" } else { "oldSelf" };
                renamed.places.push((part.span, own.to_owned()));
                renamed.null_names += usize::from(self.is_null(name));
            }
            ExprKind::Ident(name) if name == "request" && operations > 0 => operations -= 1,
            ExprKind::Ident(name) => {
                let other = OTHER_ROOTS.iter().find(|(root, _)| root == name);
                if let Some((root, word)) = other {
                    renamed.problem.get_or_insert_with(|| format!("it reads {word} (`{root}`)"));
                }
            }
            ExprKind::Select { .. } if is_operation(part) => {
                operations += 1;
                renamed.places.push((part.span, format!("'{}'", self.operation())));
            }
            ExprKind::Select { operand, field } | ExprKind::Has { operand, field, .. } => {
                if escape_property(field).as_ref() != Some(field) {
                    renamed.problem.get_or_insert_with(|| {
                        format!("it reads the field `{field}`, whose name rules of a schema escape")
                    });
                }
                let is_read = matches!(part.kind, ExprKind::Select { .. });
                renamed.null_fields += usize::from(is_read && self.names_null(operand));
            }
            ExprKind::Comprehension(_) | ExprKind::OptMap { .. } => renamed.is_lenient = true,
            ExprKind::Call { function, .. } => renamed.is_lenient |= LENIENT.contains(&function.as_str()),
            _ => {}
        });
        renamed
    }
}

/// True for the operation of the request.
fn is_operation(node: &Expr) -> bool {
    node.qualified_name().as_deref() == Some("request.operation")
}

/// Joins two parts by `||` if `dominant` is set, else by `&&`: one that has this value decides, whatever the other one does.
fn join(one: Folded, other: Folded, dominant: bool) -> Folded {
    let operator = if dominant { "||" } else { "&&" };
    match (one, other) {
        (Folded::Bool(value), _) | (_, Folded::Bool(value)) if value == dominant => Folded::Bool(dominant),
        (Folded::Bool(_), other) | (other, Folded::Bool(_)) => other,
        (Folded::Error, Folded::Error) => Folded::Error,
        (one, other) => Folded::Open(format!("({}) {operator} ({})", one.to_cel(), other.to_cel())),
    }
}

/// True or false if the parts are known to be equal or different.
fn known_equality(one: &Folded, other: &Folded) -> Option<bool> {
    match (one, other) {
        (Folded::Null, Folded::Null) => Some(true),
        (Folded::Null, Folded::Object(_) | Folded::Text(_))
        | (Folded::Object(_) | Folded::Text(_), Folded::Null) => Some(false),
        (Folded::Text(one), Folded::Text(other)) => Some(one == other),
        (Folded::Bool(one), Folded::Bool(other)) => Some(one == other),
        _ => None,
    }
}

/// The strings of a list of literals.
fn texts_of(list: &Expr) -> Option<Vec<&str>> {
    let ExprKind::List(elements) = &list.kind else { return None };
    let is_text = |value: &Expr| matches!(value.kind, ExprKind::Literal(Literal::String(_)));
    if !elements.iter().all(|element| !element.optional && is_text(&element.value)) {
        return None;
    }
    let texts = elements.iter().filter_map(|element| match &element.value.kind {
        ExprKind::Literal(Literal::String(text)) => Some(text.as_str()),
        _ => None,
    });
    Some(texts.collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn entries(text: &str, operations: &[&str]) -> [Vec<String>; 2] {
        let found = to_entries(&kvrules_cel::parse(text).unwrap(), operations).unwrap();
        let rule = |entry: &Value| entry.get("rule").and_then(Value::as_str).unwrap().to_owned();
        [found.creation, found.update].map(|entries| entries.iter().map(rule).collect())
    }

    fn rules(creation: &[&str], update: &[&str]) -> [Vec<String>; 2] {
        [creation, update].map(|rules| rules.iter().map(|rule| (*rule).to_owned()).collect())
    }

    const BOTH: [&str; 2] = ["CREATE", "UPDATE"];

    #[test]
    fn an_expression_about_the_object_is_the_same_rule_in_both() {
        let rule = "self.spec.n > 1";
        assert_eq!(entries("object.spec.n > 1", &BOTH), rules(&[rule], &[rule]));
        assert_eq!(entries("object.spec.n > 1 || object == null", &BOTH), rules(&[rule], &[rule]));
        assert_eq!(entries("object.spec.n > 1", &["CREATE"]), rules(&[rule], &[]));
        assert_eq!(entries("(object.spec.n) + 1 > 1", &["UPDATE"]), rules(&[], &["(self.spec.n) + 1 > 1"]));
        let own = "((object.spec.n) + 1) > (1) && ')' != (object.spec.name)";
        let rule = "(((self.spec.n) + 1) > (1)) && (')' != (self.spec.name))";
        assert_eq!(entries(own, &BOTH), rules(&[rule], &[rule]));
    }

    #[test]
    fn an_expression_about_the_stored_object_is_a_rule_about_updates() {
        let rule = "self.spec.n == oldSelf.spec.n";
        let own = "object.spec.n == oldObject.spec.n";
        assert_eq!(entries(own, &["UPDATE"]), rules(&[], &[rule]));
        for guard in [
            "oldObject == null ||",
            "request.operation == 'CREATE' ||",
            "!(request.operation in ['UPDATE']) ||",
        ] {
            assert_eq!(entries(&format!("{guard} {own}"), &BOTH), rules(&[], &[rule]));
        }
        let conditional = format!("request.operation != 'UPDATE' ? true : {own}");
        assert_eq!(entries(&conditional, &BOTH), rules(&[], &[rule]));
        // Without a guard every creation ends in an error.
        assert_eq!(entries(own, &BOTH), rules(&["false"], &[rule]));
    }

    #[test]
    fn a_null_has_no_fields_and_is_a_value_itself() {
        let presence = entries("has(oldObject.spec) && oldObject.spec.n > 1", &BOTH);
        assert_eq!(presence, rules(&["false"], &["(has(oldSelf.spec)) && (oldSelf.spec.n > 1)"]));
        assert_eq!(entries("!has(oldObject.spec)", &BOTH), rules(&[], &["!(has(oldSelf.spec))"]));
        let deep = entries("!has(oldObject.spec.n)", &BOTH);
        assert_eq!(deep, rules(&["false"], &["!(has(oldSelf.spec.n))"]));
        let reason = |text: &str| to_entries(&kvrules_cel::parse(text).unwrap(), &BOTH).unwrap_err();
        for text in [
            "type(oldObject) == null_type || object.spec.n == oldObject.spec.n",
            "[oldObject].size() == 1",
            "oldObject == object.spec",
            "oldObject.?spec.hasValue()",
            "object.spec.all(k, oldObject.spec[k] > 1)",
        ] {
            assert_eq!(reason(text), "it reads the stored object of a creation, which is null", "{text}");
        }
    }

    #[test]
    fn a_guard_decides_whatever_stands_behind_it() {
        let removal = "oldObject.spec.l.all(i, i in object.spec.l)";
        let rule = "oldSelf.spec.l.all(i, i in self.spec.l)";
        assert_eq!(entries(&format!("oldObject == null || {removal}"), &BOTH), rules(&[], &[rule]));
        assert_eq!(entries(&format!("!({removal} && oldObject != null)"), &["CREATE"]), rules(&[], &[]));
    }

    #[test]
    fn deletions_are_accepted_if_the_expression_is_true_without_an_object() {
        let accepts = |text: &str, ignores| accepts_deletions(&kvrules_cel::parse(text).unwrap(), ignores);
        for text in [
            "object == null || object.spec.n > 1",
            "request.operation == 'DELETE' || object.spec.n > 1",
            "!has(object.spec) || object.spec.n > 1",
        ] {
            assert!(accepts(text, false), "{text}");
        }
        for text in ["object.spec.n > 1", "oldObject.spec.n > 1", "type(object) != null_type"] {
            assert!(!accepts(text, false), "{text}");
        }
        assert!(accepts("object.spec.n > 1", true));
        assert!(!accepts("oldObject.spec.n > 1", true));
    }

    #[test]
    fn what_only_a_request_has_is_refused() {
        let reason = |text: &str| to_entries(&kvrules_cel::parse(text).unwrap(), &BOTH).unwrap_err();
        assert_eq!(reason("request.userInfo.username == 'a'"), "it reads the request (`request`)");
        assert_eq!(reason("object.spec.n < params.most"), "it reads parameters (`params`)");
    }

    #[test]
    fn parts_that_may_fail_are_guarded() {
        let guarded = |text: &str| without_errors(text).unwrap();
        assert_eq!(guarded("self.n > 1"), "!(has(self.n)) || (self.n > 1)");
        assert_eq!(guarded("!(self.n > 1)"), "!(has(self.n) && (self.n > 1))");
        assert_eq!(
            guarded("true || self.a.n > 1"),
            "(true) || (!(has(self.a) && has(self.a.n)) || (self.a.n > 1))"
        );
    }
}
