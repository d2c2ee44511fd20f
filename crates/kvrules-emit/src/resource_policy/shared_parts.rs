//! Parts of the object that validations read, under names of their own: the `variables` of a policy.
//!
//! Two sorts are worth a name: the object that most validations look into, such as the `spec` of a pod template, and each list that they
//! loop over. An absent list counts as an empty one and an absent object as one without fields, so no variable ever fails, and a test that a
//! part is there is needless before a test that fails without it. Where an expression does not test that a part is there, it keeps the
//! path, whose absence is an error.

use std::collections::BTreeMap;

use kvrules_cel::ast::{
    Comprehension, ComprehensionKind, Expr, ExprKind, Expression, Literal, Span, operators,
};
use kvrules_cel::types::RESERVED;
use serde_json::{Map, Value, json};

use super::chains::{Chain, chain_of, negated};
use super::facts::{DataKind, data_kind, is_nullable};
use super::path::is_selectable;
use crate::cel::expression_text;

/// Steps of the shortest path to an object that gets a name; shorter ones are as short as the name.
const SHORTEST: usize = 3;

/// The fields of a validation that are expressions.
const EXPRESSIONS: [&str; 2] = ["expression", "messageExpression"];

/// Steps below `object`.
type ObjectPath = Vec<String>;

/// The variables of a policy, and its validations with them.
#[derive(Clone, Debug)]
pub(crate) struct SharedValidations {
    pub(crate) variables: Vec<Value>,
    pub(crate) validations: Vec<Value>,
}

/// Gives names to the parts of an object of a schema that validations share.
pub(crate) fn share_parts(schema: &Value, validations: &[Value]) -> SharedValidations {
    let named = SharedParts::of_validations(schema, validations);
    let shared = named.write_policy(validations);
    let Some(start) = &named.start else { return shared };
    // A name with a single use is not worth it.
    let texts = shared.validations.iter().chain(&shared.variables);
    let uses = texts.filter(|it| mentions_variable(it, &start.name)).count();
    if uses > 1 { shared } else { SharedParts { start: None, ..named }.write_policy(validations) }
}

/// A part with a name.
#[derive(Clone, Debug)]
struct NamedPart {
    name: String,
    path: ObjectPath,
    /// The paths on the way to it, and its own, that an object may lack.
    guards: Vec<ObjectPath>,
}

/// The parts with a name.
#[derive(Clone, Debug, Default)]
struct SharedParts {
    start: Option<NamedPart>,
    lists: Vec<NamedPart>,
}

impl SharedParts {
    fn of_validations(schema: &Value, validations: &[Value]) -> Self {
        let mut found = ReadPaths { schema, ways: BTreeMap::new(), lists: Vec::new() };
        for (_, text) in validations.iter().flat_map(expressions_of) {
            if let Some(expression) = parse_plain(text) {
                found.note_reads(&expression.root);
            }
        }
        let mut taken = Vec::new();
        let start = found.start().and_then(|path| found.named_part(&path, &mut taken));
        let lists = found.lists.iter().filter_map(|path| found.named_part(path, &mut taken)).collect();
        Self { start, lists }
    }

    fn write_policy(&self, validations: &[Value]) -> SharedValidations {
        let validations = validations.iter().map(|validation| self.write_validation(validation)).collect();
        let mut shared = SharedValidations { variables: Vec::new(), validations };
        for part in self.lists.iter().rev().chain(&self.start) {
            let is_used = |it: &Value| mentions_variable(it, &part.name);
            if shared.validations.iter().chain(&shared.variables).any(is_used) {
                shared.variables.extend(self.write_variable(part));
            }
        }
        shared.variables.reverse();
        shared
    }

    fn write_validation(&self, validation: &Value) -> Value {
        let mut written = validation.clone();
        for (name, text) in expressions_of(validation) {
            if let (Some(text), Some(fields)) = (self.rewrite_text(text), written.as_object_mut()) {
                fields.insert(name.to_owned(), text.into());
            }
        }
        written
    }

    fn rewrite_text(&self, text: &str) -> Option<String> {
        let expression = parse_plain(text)?;
        let root = self.rewrite(&expression.root, &[]);
        Some(expression_text(&expression.source, &root))
    }

    /// The part where the object has it, else an empty one.
    fn write_variable(&self, part: &NamedPart) -> Option<Value> {
        let start = self.start.as_ref().filter(|start| start.name != part.name);
        let below = start.and_then(|start| Some((start, part.path.strip_prefix(start.path.as_slice())?)));
        let is_start = self.start.as_ref().is_some_and(|start| start.name == part.name);
        let empty = if is_start { "{}" } else { "[]" };
        // An object without fields stands for an absent start, so that the first step below it is optional too.
        let shortest = part.guards.iter().map(Vec::len).min();
        let certain = shortest.map_or(part.path.len(), |length| length.saturating_sub(1));
        let of_object = ("object".to_owned(), part.path.as_slice(), certain);
        let (base, path, certain) =
            below.map_or(of_object, |(start, below)| (format!("variables.{}", start.name), below, 0));
        let text = match path.split_at_checked(certain)? {
            (certain, []) => format!("{base}.{}", certain.join(".")),
            (certain, optional) => {
                let way: Vec<&str> =
                    std::iter::once(base.as_str()).chain(certain.iter().map(String::as_str)).collect();
                format!("{}.?{}.orValue({empty})", way.join("."), optional.join("."))
            }
        };
        Some(json!({"name": part.name, "expression": text}))
    }

    /// Writes an expression where the object is known to have some paths.
    fn rewrite(&self, expr: &Expr, known: &[ObjectPath]) -> Expr {
        if let Some(chain) = chain_of(expr) {
            return self.rewrite_chain(expr, &chain, known);
        }
        match &expr.kind {
            ExprKind::Call { function, args, .. } if function == operators::CONDITIONAL => {
                self.rewrite_conditional(expr, args, known)
            }
            ExprKind::Has { operand, field, select_at } => {
                let optional = || self.renamed_optional(operand);
                let Some(operand) = self.renamed(operand, known, true).or_else(optional) else {
                    return expr.clone().map_children(&mut |child| self.rewrite(&child, known));
                };
                let kind =
                    ExprKind::Has { operand: Box::new(operand), field: field.clone(), select_at: *select_at };
                Expr { kind, ..expr.clone() }
            }
            ExprKind::Select { .. } => match self.renamed(expr, known, false) {
                Some(renamed) => renamed,
                None => expr.clone().map_children(&mut |child| self.rewrite(&child, known)),
            },
            ExprKind::Comprehension(it) => {
                let mut copy = expr.clone();
                if let (Some(list), ExprKind::Comprehension(inner)) =
                    (self.named_list(it, known), &mut copy.kind)
                {
                    inner.range = variable(&list.name);
                }
                copy.map_children(&mut |child| self.rewrite(&child, known))
            }
            _ => expr.clone().map_children(&mut |child| self.rewrite(&child, known)),
        }
    }

    /// The list with a name over which a loop runs, if it is known to be there.
    fn named_list(&self, it: &Comprehension, known: &[ObjectPath]) -> Option<&NamedPart> {
        let path = object_path(&it.range)?;
        self.lists.iter().find(|list| list.path == path && list.is_known(known))
    }

    /// A selection with the name of the start; `None` if it is not below the start. The question whether a field is there may be asked
    /// of an empty object only where the start is known.
    fn renamed(&self, expr: &Expr, known: &[ObjectPath], is_asked: bool) -> Option<Expr> {
        let (start, path) = (self.start.as_ref()?, object_path(expr)?);
        let below = path.strip_prefix(start.path.as_slice())?;
        let is_replaced = if is_asked { start.is_known(known) } else { !below.is_empty() };
        is_replaced.then(|| below.iter().fold(variable(&start.name), |of, field| selection(of, field)))
    }

    /// The same of a selection of optional steps: an empty object has none of them.
    fn renamed_optional(&self, expr: &Expr) -> Option<Expr> {
        let (start, path) = (self.start.as_ref()?, optional_path(expr)?);
        let below = path.strip_prefix(start.path.as_slice())?;
        let name = |name: &String| new_node(ExprKind::Literal(Literal::String(name.clone())));
        let Some((first, rest)) = below.split_first() else { return Some(variable(&start.name)) };
        let args = vec![variable(&start.name), name(first)];
        let kind = ExprKind::Call { function: operators::OPT_SELECT.to_owned(), receiver: None, args };
        Some(rest.iter().fold(new_node(kind), |of, field| selection(of, field)))
    }

    fn rewrite_conditional(&self, expr: &Expr, args: &[Expr], known: &[ObjectPath]) -> Expr {
        let [condition, one, other] = args else { return expr.clone() };
        let with = |more: Vec<ObjectPath>| [known, more.as_slice()].concat();
        let mut copy = expr.clone();
        if let ExprKind::Call { args, .. } = &mut copy.kind {
            *args = vec![
                self.rewrite(condition, known),
                self.rewrite(one, &with(known_if(condition, true))),
                self.rewrite(other, &with(known_if(condition, false))),
            ];
        }
        copy
    }

    /// Writes the operands of `&&` or `||` without the tests of parts that a later operand makes.
    fn rewrite_chain(&self, whole: &Expr, chain: &Chain<'_>, known: &[ObjectPath]) -> Expr {
        let mut known_before = Vec::new();
        let mut known = known.to_vec();
        for part in &chain.parts {
            known_before.push(known.clone());
            known.extend(chain.tested(part).map(tested_paths).unwrap_or_default());
        }
        let anchored = |index: usize, path: &ObjectPath| {
            let later = chain.parts.iter().zip(&known_before).skip(index + 1);
            let parts = || self.start.iter().chain(&self.lists).filter(|it| it.guards.contains(path));
            later.into_iter().any(|(part, known)| {
                parts().any(|it| it.is_known(known) && self.decides_without(it, part, chain))
            })
        };
        let is_kept = |index: usize, part: &Expr| {
            let path = chain.tested(part).and_then(|tested| tested_paths(tested).pop());
            path.is_none_or(|path| !anchored(index, &path))
        };
        let kept = chain.parts.iter().zip(&known_before).enumerate();
        let kept = kept.filter(|(index, (part, _))| is_kept(*index, part));
        let parts: Vec<Expr> = kept.map(|(_, (part, known))| self.rewrite(part, known)).collect();
        chain.join(whole, parts)
    }

    /// True if an operand decides a chain where a part is empty.
    fn decides_without(&self, named: &NamedPart, part: &Expr, chain: &Chain<'_>) -> bool {
        let is_start = self.start.as_ref().is_some_and(|start| start.path == named.path);
        if is_start {
            let tested = chain.tested(part).and_then(|tested| match &tested.kind {
                ExprKind::Has { operand, .. } => object_path(operand),
                _ => None,
            });
            return tested.as_ref() == Some(&named.path);
        }
        let decisive = if chain.is_conjunction { ComprehensionKind::Exists } else { ComprehensionKind::All };
        matches!(&part.kind, ExprKind::Comprehension(it)
            if it.kind == decisive && object_path(&it.range).as_ref() == Some(&named.path))
    }
}

impl NamedPart {
    fn is_known(&self, known: &[ObjectPath]) -> bool {
        self.guards.iter().all(|guard| known.contains(guard))
    }
}

/// The paths that validations read, and the lists that they loop over.
struct ReadPaths<'s> {
    schema: &'s Value,
    /// Number of reads below each path.
    ways: BTreeMap<ObjectPath, usize>,
    lists: Vec<ObjectPath>,
}

impl ReadPaths<'_> {
    fn note_reads(&mut self, expr: &Expr) {
        if let ExprKind::Comprehension(it) = &expr.kind
            && let Some(path) = object_path(&it.range)
            && matches!(self.node_at(&path).map(data_kind), Some(DataKind::List(..)))
            && !self.lists.contains(&path)
        {
            self.lists.push(path);
        }
        if let Some(path) = object_path(expr).or_else(|| tested_paths(expr).pop()) {
            for way in (SHORTEST..path.len()).filter_map(|length| path.get(..length)) {
                *self.ways.entry(way.to_vec()).or_default() += 1;
            }
            return;
        }
        expr.children().into_iter().for_each(|child| self.note_reads(child));
    }

    /// The object into which most validations look, the innermost of such.
    fn start(&self) -> Option<ObjectPath> {
        let is_object =
            |path: &ObjectPath| matches!(self.node_at(path).map(data_kind), Some(DataKind::Object));
        let ways = self.ways.iter().filter(|(path, _)| is_object(path));
        ways.max_by_key(|(path, count)| (**count, path.len())).map(|(path, _)| path.clone())
    }

    /// The schema of a path on which nothing may be null.
    fn node_at(&self, path: &[String]) -> Option<&Value> {
        path.iter().try_fold(self.schema, |node, name| {
            node.get("properties")?.get(name).filter(|below| !is_nullable(below))
        })
    }

    fn named_part(&self, path: &ObjectPath, taken: &mut Vec<String>) -> Option<NamedPart> {
        let last = path.last().filter(|name| is_selectable(name) && !RESERVED.contains(&name.as_str()))?;
        let is_optional = |way: &&[String]| {
            let Some((name, above)) = way.split_last() else { return false };
            let required = self.node_at(above).and_then(|node| node.get("required")?.as_array());
            !required.is_some_and(|names| names.iter().any(|it| it == name))
        };
        self.node_at(path)?;
        let guards = ways_to(path).filter(is_optional).map(<[String]>::to_vec).collect();
        let numbered = (2..).map(|number| format!("{last}{number}"));
        let name = std::iter::once(last.clone()).chain(numbered).find(|name| !taken.contains(name))?;
        taken.push(name.clone());
        Some(NamedPart { name, path: path.clone(), guards })
    }
}

/// The paths that an object has where a condition is true, or where it is false.
fn known_if(condition: &Expr, is_true: bool) -> Vec<ObjectPath> {
    if let Some(inner) = negated(condition) {
        return known_if(inner, !is_true);
    }
    match chain_of(condition) {
        Some(chain) if chain.is_conjunction == is_true => {
            chain.parts.iter().flat_map(|part| known_if(part, is_true)).collect()
        }
        None if is_true => tested_paths(condition),
        _ => Vec::new(),
    }
}

/// The steps of a selection below `object`.
fn object_path(expr: &Expr) -> Option<ObjectPath> {
    match &expr.kind {
        ExprKind::Ident(name) if name == "object" => Some(Vec::new()),
        ExprKind::Select { operand, field } => {
            let mut path = object_path(operand)?;
            path.push(field.clone());
            Some(path)
        }
        _ => None,
    }
}

/// The steps of a selection below `object` of which the first one is optional: `object.?spec.template`. Behind it each further one is.
fn optional_path(expr: &Expr) -> Option<ObjectPath> {
    match &expr.kind {
        ExprKind::Call { function, args, .. } if function == operators::OPT_SELECT => match args.as_slice() {
            [of, field] if object_path(of).is_some_and(|path| path.is_empty()) => match &field.kind {
                ExprKind::Literal(Literal::String(name)) => Some(vec![name.clone()]),
                _ => None,
            },
            _ => None,
        },
        ExprKind::Select { operand, field } => {
            let mut path = optional_path(operand)?;
            path.push(field.clone());
            Some(path)
        }
        _ => None,
    }
}

/// The paths that an object has where an expression is true that tests the presence of the last one.
fn tested_paths(expr: &Expr) -> Vec<ObjectPath> {
    let ExprKind::Has { operand, field, .. } = &expr.kind else { return Vec::new() };
    let with_field = |mut path: ObjectPath| {
        path.push(field.clone());
        path
    };
    if let Some(path) = object_path(operand) {
        return vec![with_field(path)];
    }
    let path = optional_path(operand).map(with_field).unwrap_or_default();
    ways_to(&path).map(<[String]>::to_vec).collect()
}

/// The paths on the way to a path, and the path.
fn ways_to(path: &[String]) -> impl Iterator<Item = &[String]> {
    (1..=path.len()).filter_map(|length| path.get(..length))
}

fn new_node(kind: ExprKind) -> Expr {
    Expr { id: 0, span: Span::default(), at: 0, kind }
}

fn variable(name: &str) -> Expr {
    selection(new_node(ExprKind::Ident("variables".to_owned())), name)
}

fn selection(of: Expr, field: &str) -> Expr {
    new_node(ExprKind::Select { operand: Box::new(of), field: field.to_owned() })
}

/// Parses an expression without comments, which would be lost.
fn parse_plain(text: &str) -> Option<Expression> {
    kvrules_cel::parse(text).ok().filter(|expression| !expression.has_comments())
}

fn expressions_of(validation: &Value) -> impl Iterator<Item = (&'static str, &str)> {
    EXPRESSIONS.into_iter().filter_map(|name| Some((name, validation.get(name)?.as_str()?)))
}

fn mentions_variable(fields: &Value, name: &str) -> bool {
    let texts = fields.as_object().into_iter().flat_map(Map::values).filter_map(Value::as_str);
    let after = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    texts
        .flat_map(|text| text.split("variables.").skip(1))
        .any(|rest| rest.strip_prefix(name).is_some_and(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        let container = json!({"type": "object", "properties": {"image": {"type": "string"}}});
        let pod = json!({"type": "object", "properties": {
            "hostNetwork": {"type": "boolean"}, "containers": {"type": "array", "items": container},
        }});
        let template = json!({"type": "object", "properties": {"spec": pod}});
        let spec = json!({"type": "object", "required": ["template"], "properties": {"template": template}});
        json!({"type": "object", "required": ["spec"], "properties": {"spec": spec}})
    }

    /// The variables and the expressions, `variables.` written as `$`, `object.spec.template.spec` as `P`.
    fn shared(expressions: &[&str]) -> (Vec<String>, Vec<String>) {
        let long = |text: &str| text.replace('P', "object.spec.template.spec");
        let validations: Vec<Value> =
            expressions.iter().map(|text| json!({"expression": long(text)})).collect();
        let shared = share_parts(&schema(), &validations);
        let short = |it: &Value| {
            let text =
                it["expression"].as_str().unwrap_or_default().replace("object.spec.template.spec", "P");
            text.replace("variables.", "$").split_whitespace().collect::<Vec<_>>().join(" ")
        };
        (shared.variables.iter().map(short).collect(), shared.validations.iter().map(short).collect())
    }

    #[test]
    fn a_shared_object_has_a_name_and_needs_no_test() {
        let (variables, validations) = shared(&[
            "has(P) && has(P.hostNetwork) && P.hostNetwork",
            "!has(P) || !has(P.hostNetwork) || P.hostNetwork == false",
        ]);
        assert_eq!(variables, ["object.spec.template.?spec.orValue({})"]);
        let expected = [
            "has($spec.hostNetwork) && $spec.hostNetwork",
            "!has($spec.hostNetwork) || $spec.hostNetwork == false",
        ];
        assert_eq!(validations, expected);
    }

    #[test]
    fn an_object_that_one_validation_reads_has_no_name() {
        let expression = "has(P) && has(P.hostNetwork) && P.hostNetwork";
        assert_eq!(shared(&[expression]), (Vec::new(), vec![expression.to_owned()]));
    }

    #[test]
    fn an_absent_list_is_an_empty_one() {
        let all = "!has(P) || !has(P.containers) || P.containers.all(c, has(c.image))";
        let some =
            "has(P) && has(P.containers) && P.containers.exists(c, has(c.image)) && object.spec != null";
        let (variables, validations) = shared(&[all, some]);
        let list = "object.spec.template.?spec.containers.orValue([])";
        assert!(variables == [list] || variables[1] == "$spec.?containers.orValue([])", "{variables:?}");
        let expected = [
            "$containers.all(c, has(c.image))",
            "$containers.exists(c, has(c.image)) && object.spec != null",
        ];
        assert_eq!(validations, expected);
    }

    #[test]
    fn a_test_stays_where_nothing_after_it_fails_without_the_part() {
        let (_, validations) = shared(&[
            "has(P) && (has(P.hostNetwork) || has(P.containers))",
            "has(P) && has(P.containers) && P.containers.all(c, has(c.image))",
            "has(P.hostNetwork) && P.hostNetwork",
        ]);
        let expected = [
            "has(P) && (has($spec.hostNetwork) || has($spec.containers))",
            "has($spec.containers) && $containers.all(c, has(c.image))",
            // Without the object the expression ends in an error.
            "has(P.hostNetwork) && $spec.hostNetwork",
        ];
        assert_eq!(validations, expected);
    }

    #[test]
    fn expressions_with_comments_stay_as_they_are() {
        let text = "has(P) && // why\nhas(P.hostNetwork)";
        let long = text.replace('P', "object.spec.template.spec");
        let shared = share_parts(&schema(), &[json!({"expression": long})]);
        assert_eq!(shared.validations[0]["expression"], long);
    }
}
