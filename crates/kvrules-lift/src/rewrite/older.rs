//! Rules in the words of older servers.

use kvrules_cel::ast::{Expr, ExprKind, Expression, Literal, operators};
use kvrules_cel::types::{RESERVED, escape_property};

use crate::rewrite::formats::without_format;
use crate::rewrite::loops::{with_entry, without_index};
use crate::rewrite::parts::{collect_operands, negated, operand_text, replace_part, text_of};

/// The most changes of one rule.
const MOST_CHANGES: usize = 40;

/// The most kinds of changes of which every combination is tried.
const MOST_COMBINED: usize = 5;

/// A way to write a part otherwise, which older servers take or count less.
type PartForm = fn(&Expression, &Expr) -> Option<String>;

/// The ways, each with a reason.
const FORMS: &[PartForm] = &[
    // The size of a quantity is unknown before 1.32, so that `==` has no bound.
    compare_quantities,
    // Optionals came with 1.29, sets with 1.30, addresses with 1.31, named formats with 1.32.
    without_optional,
    without_set,
    without_format,
    // Words that are reserved may be selected from 1.32 on.
    escape_field,
    // Loops with two variables came with 1.33.
    without_index,
    with_entry,
    // A pattern as the second argument came with 1.28.
    match_member,
    // 1.28 counts `has()`.
    without_guard,
    exclusive_presence,
    choose_by_condition,
];

/// The forms of a rule in which all parts of one kind, or of several kinds, are written for older servers.
pub(crate) fn older_forms(text: &str) -> Vec<String> {
    let applies = |form: &&PartForm| change_one(text, &[**form]).is_some();
    let applicable: Vec<PartForm> = FORMS.iter().filter(applies).copied().collect();
    let mut found = Vec::new();
    for forms in combinations(&applicable) {
        let changed = change_all(text, &forms);
        if changed != text && !found.contains(&changed) {
            found.push(changed);
        }
    }
    found
}

/// All of them, each alone, and every combination of few.
fn combinations(forms: &[PartForm]) -> Vec<Vec<PartForm>> {
    if forms.len() > MOST_COMBINED {
        return forms.iter().map(|form| vec![*form]).chain([forms.to_vec()]).collect();
    }
    let is_in = |set: u32, index: usize| set >> index & 1 == 1;
    let of_set = |set: u32| {
        forms.iter().enumerate().filter(move |(index, _)| is_in(set, *index)).map(|(_, form)| *form).collect()
    };
    (1..1_u32 << forms.len()).map(of_set).collect()
}

fn change_all(text: &str, forms: &[PartForm]) -> String {
    let mut text = text.to_owned();
    for _ in 0..MOST_CHANGES {
        let Some(changed) = change_one(&text, forms) else { break };
        text = changed;
    }
    text
}

/// The rule with its first part that has another form written so.
fn change_one(text: &str, forms: &[PartForm]) -> Option<String> {
    let expression = kvrules_cel::parse(text).ok()?;
    let mut changed = None;
    expression.root.visit_nodes(&mut |part| {
        if changed.is_none() {
            let form = forms.iter().find_map(|form| form(&expression, part));
            changed = form.and_then(|form| replace_part(&expression, part, &form));
        }
    });
    changed
}

/// `quantity(a).compareTo(quantity(b)) == 0` in place of `quantity(a) == quantity(b)`.
fn compare_quantities(expression: &Expression, part: &Expr) -> Option<String> {
    let ExprKind::Call { function, args, .. } = &part.kind else { return None };
    let sign = match function.as_str() {
        operators::EQUALS => "==",
        operators::NOT_EQUALS => "!=",
        _ => return None,
    };
    let [left, right] = args.as_slice() else { return None };
    let is_quantity = |part: &Expr| matches!(&part.kind, ExprKind::Call { function, receiver: None, .. } if function == "quantity");
    if !is_quantity(left) || !is_quantity(right) {
        return None;
    }
    Some(format!("({}.compareTo({}) {sign} 0)", text_of(expression, left), text_of(expression, right)))
}

/// `(has(self.a) ? self.a : b)` in place of `self.?a.orValue(b)`, and `has(self.a)` in place of `self.?a.hasValue()`.
fn without_optional(expression: &Expression, part: &Expr) -> Option<String> {
    let ExprKind::Call { function, receiver: Some(target), args } = &part.kind else { return None };
    let path = OptionalPath::of(expression, target)?;
    let guard = path.guards.join(" && ");
    match (function.as_str(), args.as_slice()) {
        ("hasValue", []) if path.guards.len() == 1 => Some(guard),
        ("hasValue", []) => Some(format!("({guard})")),
        ("orValue", [other]) => Some(format!("({guard} ? {} : {})", path.value, text_of(expression, other))),
        _ => None,
    }
}

/// A selection through optional fields: what has to exist, and the value then.
struct OptionalPath {
    guards: Vec<String>,
    value: String,
}

impl OptionalPath {
    fn of(expression: &Expression, part: &Expr) -> Option<Self> {
        match &part.kind {
            ExprKind::Call { function, args, .. } if function == operators::OPT_SELECT => {
                let [operand, field] = args.as_slice() else { return None };
                let ExprKind::Literal(Literal::String(field)) = &field.kind else { return None };
                let start = || Self { guards: Vec::new(), value: text_of(expression, operand).to_owned() };
                Some(Self::of(expression, operand).unwrap_or_else(start).with_field(field))
            }
            ExprKind::Select { operand, field } => Some(Self::of(expression, operand)?.with_field(field)),
            _ => None,
        }
    }

    fn with_field(mut self, field: &str) -> Self {
        self.value = format!("{}.{field}", self.value);
        self.guards.push(format!("has({})", self.value));
        self
    }
}

/// Loops in place of the functions of the sets library.
fn without_set(expression: &Expression, part: &Expr) -> Option<String> {
    let ExprKind::Call { function, receiver: Some(library), args } = &part.kind else { return None };
    let ([left, right], "sets") = (args.as_slice(), text_of(expression, library)) else { return None };
    let (left, right) = (text_of(expression, left), text_of(expression, right));
    let name = ["it", "item", "element"].into_iter().find(|name| !expression.source.contains(name))?;
    match function.as_str() {
        "contains" => Some(format!("{right}.all({name}, {name} in {left})")),
        "equivalent" => {
            Some(format!("({left}.all({name}, {name} in {right}) && {right}.all({name}, {name} in {left}))"))
        }
        "intersects" => Some(format!("{left}.exists({name}, {name} in {right})")),
        _ => None,
    }
}

/// `self.__namespace__` in place of `self.namespace`.
fn escape_field(expression: &Expression, part: &Expr) -> Option<String> {
    let (ExprKind::Select { operand, field } | ExprKind::Has { operand, field, .. }) = &part.kind else {
        return None;
    };
    // A name that is escaped already is not a reserved word.
    let escaped = escape_property(field).filter(|_| RESERVED.contains(&field.as_str()))?;
    let path = format!("{}.{escaped}", operand_text(expression, operand));
    Some(if matches!(part.kind, ExprKind::Has { .. }) { format!("has({path})") } else { path })
}

/// `text.matches(pattern)` in place of `matches(text, pattern)`.
fn match_member(expression: &Expression, part: &Expr) -> Option<String> {
    let ExprKind::Call { function, receiver: None, args } = &part.kind else { return None };
    let [text, pattern] = args.as_slice() else { return None };
    let is_match = function == "matches";
    is_match.then(|| format!("{}.matches({})", operand_text(expression, text), text_of(expression, pattern)))
}

/// The other operand alone, without a test for a field that may always be there.
fn without_guard(expression: &Expression, part: &Expr) -> Option<String> {
    let ExprKind::Call { function, args, .. } = &part.kind else { return None };
    let [guard, rest] = args.as_slice() else { return None };
    let test = match function.as_str() {
        operators::AND => guard,
        operators::OR => negated(guard)?,
        _ => return None,
    };
    matches!(test.kind, ExprKind::Has { .. }).then(|| operand_text(expression, rest))
}

/// `has(a) != has(b)` in place of `has(a) && !has(b) || !has(a) && has(b)`.
fn exclusive_presence(expression: &Expression, part: &Expr) -> Option<String> {
    let sides = chain_of(part, operators::OR)?;
    let [one, other] = sides.as_slice() else { return None };
    let (one, other) = (chain_of(one, operators::AND)?, chain_of(other, operators::AND)?);
    let ([a, b], [c, d]) = (one.as_slice(), other.as_slice()) else { return None };
    let text = |part: &Expr| text_of(expression, part);
    let (yes, no) = match (negated(a), negated(b)) {
        (None, Some(no)) => (*a, no),
        (Some(no), None) => (*b, no),
        _ => return None,
    };
    let opposite = match (negated(c), negated(d)) {
        (Some(first), None) => (first, *d),
        (None, Some(second)) => (second, *c),
        _ => return None,
    };
    let is_exclusive = (text(opposite.0), text(opposite.1)) == (text(yes), text(no));
    let are_tests = matches!((&yes.kind, &no.kind), (ExprKind::Has { .. }, ExprKind::Has { .. }));
    (is_exclusive && are_tests).then(|| format!("({} != {})", text(yes), text(no)))
}

fn chain_of<'e>(part: &'e Expr, joint: &str) -> Option<Vec<&'e Expr>> {
    let mut operands = Vec::new();
    collect_operands(part, joint, &mut operands);
    (operands.len() > 1).then_some(operands)
}

/// `a && b ? c : true` in place of `!a || !b || c`: it has no negations, and each costs.
fn choose_by_condition(expression: &Expression, part: &Expr) -> Option<String> {
    let operands = chain_of(part, operators::OR)?;
    let conditions: Vec<String> = operands
        .iter()
        .map_while(|part| negated(part))
        .map(|condition| operand_text(expression, condition))
        .collect();
    let demands: Vec<String> =
        operands.iter().skip(conditions.len()).map(|demand| operand_text(expression, demand)).collect();
    let is_implication = !conditions.is_empty() && !demands.is_empty();
    is_implication.then(|| format!("({} ? {} : true)", conditions.join(" && "), demands.join(" || ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_with_what_older_servers_have() {
        let mut failed = Vec::new();
        for (rule, wanted) in [
            ("quantity(self.a) != quantity('1')", "quantity(self.a).compareTo(quantity('1')) != 0"),
            ("self.?a.?b.orValue(1) > 0", "(has(self.a) && has(self.a.b) ? self.a.b : 1) > 0"),
            ("self.?a.b.hasValue() && self.?c.hasValue()", "(has(self.a) && has(self.a.b)) && has(self.c)"),
            ("!has(self.a) || self.a > 1", "self.a > 1"),
            ("!has(self.a) || !has(self.b) || self.a > 1", "has(self.a) && has(self.b) ? self.a > 1 : true"),
            ("self.x && (!has(self.a) || self.b || self.c)", "self.x && (self.b || self.c)"),
            ("sets.contains(self.l, ['a'])", "['a'].all(it, it in self.l)"),
            ("sets.equivalent(self.l, ['a'])", "self.l.all(it, it in ['a']) && ['a'].all(it, it in self.l)"),
            ("sets.intersects(self.l, self.m)", "self.l.exists(it, it in self.m)"),
            ("(has(self.a) && !has(self.b)) || (!has(self.a) && has(self.b))", "has(self.a) != has(self.b)"),
            ("!has(self.s) || (size(self.s) > 1 || self.b)", "size(self.s) > 1 || self.b"),
            (
                "!has(self.namespace) && self.namespace == ''",
                "!has(self.__namespace__) && self.__namespace__ == ''",
            ),
            ("matches(self.a, 'b')", "self.a.matches('b')"),
            ("self.l.all(i, x, x > 1)", "self.l.all(x, x > 1)"),
            ("self.m.exists(k, v, k == v || v == '')", "self.m.exists(k, k == self.m[k] || self.m[k] == '')"),
        ] {
            let found = older_forms(rule);
            if !found.iter().any(|form| form == wanted) {
                failed.push(format!("{rule}: {found:?}"));
            }
        }
        assert!(failed.is_empty(), "{failed:#?}");
        assert_eq!(older_forms("self.a > 1"), [""; 0]);
    }
}
