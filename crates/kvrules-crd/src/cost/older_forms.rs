//! Rules in the words of older servers.

use kvrules_cel::ast::{Expr, ExprKind, Expression, Literal, operators};

use super::parts::{replace_part, text_of};

/// The most changes of one rule.
const MOST_CHANGES: usize = 40;

/// A way to write a part otherwise, which older servers take or count less.
type PartForm = fn(&Expression, &Expr) -> Option<String>;

/// The ways, each with a reason: `==` on quantities has no bound before 1.32; optionals came with 1.29, sets with 1.30; 1.28 counts
/// `has()`.
const FORMS: [PartForm; 4] = [compare_quantities, without_optional, without_set, without_guard];

/// The forms of a rule in which all parts of one kind, or of all kinds, are written for older servers.
pub(super) fn older_forms(text: &str) -> Vec<String> {
    let single = FORMS.iter().map(|form| vec![*form]);
    let mut found = Vec::new();
    for forms in single.chain([FORMS.to_vec()]) {
        let changed = change_all(text, &forms);
        if changed != text && !found.contains(&changed) {
            found.push(changed);
        }
    }
    found
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

/// Loops in place of `sets.contains` and `sets.intersects`.
fn without_set(expression: &Expression, part: &Expr) -> Option<String> {
    let ExprKind::Call { function, receiver: Some(library), args } = &part.kind else { return None };
    let ([left, right], "sets") = (args.as_slice(), text_of(expression, library)) else { return None };
    let (left, right) = (text_of(expression, left), text_of(expression, right));
    let name = ["it", "item", "element"].into_iter().find(|name| !expression.source.contains(name))?;
    match function.as_str() {
        "contains" => Some(format!("{right}.all({name}, {name} in {left})")),
        "intersects" => Some(format!("{left}.exists({name}, {name} in {right})")),
        _ => None,
    }
}

/// The other operand alone, without a test for a field that may always be there.
fn without_guard(expression: &Expression, part: &Expr) -> Option<String> {
    let ExprKind::Call { function, args, .. } = &part.kind else { return None };
    let [guard, rest] = args.as_slice() else { return None };
    let test = match (function.as_str(), &guard.kind) {
        (operators::AND, _) => guard,
        (operators::OR, ExprKind::Call { function, args, .. }) if function == operators::NOT => {
            args.first()?
        }
        _ => return None,
    };
    matches!(test.kind, ExprKind::Has { .. }).then(|| text_of(expression, rest).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_with_what_older_servers_have() {
        for (rule, wanted) in [
            ("quantity(self.a) != quantity('1')", "quantity(self.a).compareTo(quantity('1')) != 0"),
            ("self.?a.?b.orValue(1) > 0", "(has(self.a) && has(self.a.b) ? self.a.b : 1) > 0"),
            ("self.?a.b.hasValue() && self.?c.hasValue()", "(has(self.a) && has(self.a.b)) && (has(self.c))"),
            ("!has(self.a) || self.a > 1", "self.a > 1"),
            ("sets.contains(self.l, ['a'])", "['a'].all(it, it in self.l)"),
        ] {
            let found = older_forms(rule);
            assert!(found.iter().any(|form| form == wanted), "{rule}: {found:?}");
        }
        assert_eq!(older_forms("self.a > 1"), [""; 0]);
    }
}
