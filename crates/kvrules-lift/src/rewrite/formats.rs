//! Formats of texts as patterns, which every server has.

mod patterns;

use kvrules_cel::ast::{Expr, ExprKind, Expression, Literal, operators};
use kvrules_cel::literal::to_string_literal;
use kvrules_ir::{Constant, Formula, Quantification, Term, TermCall, TermRelation};

use self::patterns::{TextFormat, address_family, named_format, network_format, whole_format};
use crate::rewrite::parts::{collect_operands, negated, text_of};

impl TextFormat {
    /// The format as an expression about a text.
    fn to_cel(&self, text: &str) -> String {
        let matches = |pattern: &str| format!("{text}.matches({})", to_string_literal(pattern));
        let of_choice = |(pattern, excluded): &(String, Option<String>)| match excluded {
            Some(excluded) => format!("{} && !{}", matches(pattern), matches(excluded)),
            None => matches(pattern),
        };
        let choices: Vec<String> = self.choices.iter().map(of_choice).collect();
        let whole = match choices.as_slice() {
            [only] => only.clone(),
            several => several
                .iter()
                .map(|choice| if choice.contains(" && ") { format!("({choice})") } else { choice.clone() })
                .collect::<Vec<_>>()
                .join(" || "),
        };
        match self.longest {
            Some(longest) => format!("(size({text}) <= {longest} && {whole})"),
            None if self.choices.iter().all(|(_, excluded)| excluded.is_none())
                && self.choices.len() == 1 =>
            {
                whole
            }
            None => format!("({whole})"),
        }
    }

    /// The format as a formula about a text.
    fn to_formula(&self, text: &Term) -> Formula {
        let matches = |pattern: &str| {
            let pattern = Term::Constant(Constant::Text(pattern.to_owned()));
            Formula::has_truth(Term::call_of("matches", true, vec![text.clone(), pattern]), true)
        };
        let of_choice = |(pattern, excluded): &(String, Option<String>)| {
            let without = excluded.as_ref().map(|excluded| Formula::negation_of(matches(excluded)));
            Formula::all_of([matches(pattern)].into_iter().chain(without))
        };
        let longest = self.longest.map(|longest| {
            let longest = Term::Constant(Constant::Integer(longest));
            Formula::comparison_of(Term::size_of(text.clone()), TermRelation::LessOrEqual, longest)
        });
        let any = Formula::any_of(self.choices.iter().map(of_choice));
        Formula::all_of(longest.into_iter().chain([any]))
    }
}

/// Patterns in place of functions about addresses and of named formats.
pub(crate) fn without_format(expression: &Expression, part: &Expr) -> Option<String> {
    guarded_family(expression, part).or_else(|| tested_format(expression, part))
}

/// `isIP(a)`, `isCIDR(a)` and `!format.uuid().validate(a).hasValue()`.
fn tested_format(expression: &Expression, part: &Expr) -> Option<String> {
    if let Some(text) = negated(part).and_then(|inner| invalid_text(expression, inner)) {
        return Some(text.0.to_cel(text.1));
    }
    if let Some((format, text)) = invalid_text(expression, part) {
        return Some(format!("!{}", format.to_cel(text)));
    }
    let (name, text) = global_call(part)?;
    Some(whole_format(name)?.to_cel(text_of(expression, text)))
}

/// The format and the text of `format.uuid().validate(text).hasValue()`.
fn invalid_text<'e>(expression: &'e Expression, part: &Expr) -> Option<(TextFormat, &'e str)> {
    let ExprKind::Call { function, receiver: Some(validated), .. } = &part.kind else { return None };
    let ExprKind::Call { function: validate, receiver: Some(format), args } = &validated.kind else {
        return None;
    };
    let ([text], "hasValue", "validate") = (args.as_slice(), function.as_str(), validate.as_str()) else {
        return None;
    };
    let name = text_of(expression, format).strip_prefix("format.")?.strip_suffix("()")?;
    Some((named_format(name)?, text_of(expression, text)))
}

/// `isIP(a) && ip(a).family() == 4` as one pattern; `cidr(a).ip()` in the same way. Other operands of `&&` stay.
fn guarded_family(expression: &Expression, part: &Expr) -> Option<String> {
    let mut operands = Vec::new();
    collect_operands(part, operators::AND, &mut operands);
    let known: Vec<(usize, &str, &str)> = operands
        .iter()
        .enumerate()
        .filter_map(|(index, operand)| {
            let (name, text) = global_call(operand)?;
            Some((index, name, text_of(expression, text)))
        })
        .collect();
    let mut written: Vec<Option<String>> = operands
        .iter()
        .map(|operand| Some(crate::rewrite::parts::operand_text(expression, operand)))
        .collect();
    let mut is_changed = false;
    for (index, operand) in operands.iter().enumerate() {
        let Some((name, text, family)) = tested_family(expression, operand) else { continue };
        let Some((guard, ..)) = known.iter().find(|known| (known.1, known.2) == (name, text)) else {
            continue;
        };
        let format = if name == "isIP" { address_family(family) } else { network_format(family) };
        if let (Some(format), Some(slot)) = (format, written.get_mut(index)) {
            *slot = Some(format.to_cel(text));
            is_changed = true;
            if let Some(slot) = written.get_mut(*guard) {
                *slot = None;
            }
        }
    }
    let kept: Vec<String> = written.into_iter().flatten().collect();
    is_changed.then(|| if kept.len() == 1 { kept.concat() } else { format!("({})", kept.join(" && ")) })
}

/// The test that guards it, the text and the family of `ip(text).family() == 4` or `cidr(text).ip().family() == 4`.
fn tested_family<'e>(expression: &'e Expression, part: &Expr) -> Option<(&'static str, &'e str, i64)> {
    let ExprKind::Call { function, args, .. } = &part.kind else { return None };
    let [left, Expr { kind: ExprKind::Literal(Literal::Int(family)), .. }] = args.as_slice() else {
        return None;
    };
    let ExprKind::Call { function: member, receiver: Some(address), .. } = &left.kind else { return None };
    if function != operators::EQUALS || member != "family" {
        return None;
    }
    if let ExprKind::Call { function, receiver: Some(network), args } = &address.kind
        && function == "ip"
        && args.is_empty()
    {
        let (name, text) = global_call(network)?;
        return (name == "cidr").then(|| ("isCIDR", text_of(expression, text), *family));
    }
    let (name, text) = global_call(address)?;
    (name == "ip").then(|| ("isIP", text_of(expression, text), *family))
}

fn global_call(part: &Expr) -> Option<(&str, &Expr)> {
    match &part.kind {
        ExprKind::Call { function, receiver: None, args } => match args.as_slice() {
            [text] => Some((function, text)),
            _ => None,
        },
        _ => None,
    }
}

/// The formula with patterns in place of formats.
pub(crate) fn expand_formats(formula: &Formula) -> Formula {
    let quantified = |it: &Quantification| {
        Box::new(Quantification {
            range: it.range.clone(),
            entry: it.entry,
            holds: expand_formats(&it.holds),
        })
    };
    match formula {
        Formula::All(parts) => Formula::all_of(parts.iter().map(expand_formats)),
        Formula::Any(parts) => Formula::any_of(parts.iter().map(expand_formats)),
        Formula::Not(inner) => Formula::negation_of(expand_formats(inner)),
        Formula::Each(it) => Formula::Each(quantified(it)),
        Formula::Some(it) => Formula::Some(quantified(it)),
        Formula::Compare { left: Term::Call(call), relation, right: Term::Constant(constant) } => {
            expand_test(call, *relation, constant).unwrap_or_else(|| formula.clone())
        }
        other => other.clone(),
    }
}

/// A comparison of a test of a format with a boolean, or of a family with a number.
fn expand_test(call: &TermCall, relation: TermRelation, constant: &Constant) -> Option<Formula> {
    let is_equal = match relation {
        TermRelation::Equal => true,
        TermRelation::NotEqual => false,
        TermRelation::Less | TermRelation::LessOrEqual => return None,
    };
    if let Constant::Integer(family @ (4 | 6)) = constant {
        let (is_network, text) = text_of_family(call)?;
        let family = if is_equal { *family } else { 10 - *family };
        let format = if is_network { network_format(family)? } else { address_family(family)? };
        let other = if is_network { network_format(10 - family)? } else { address_family(10 - family)? };
        // No text has both.
        return Some(Formula::all_of([
            format.to_formula(text),
            Formula::negation_of(other.to_formula(text)),
        ]));
    }
    let Constant::Boolean(wanted) = constant else { return None };
    let (format, text, is_valid) = match (call.function.as_str(), call.arguments.as_slice()) {
        ("hasValue", [Term::Call(validated)]) => {
            match (validated.function.as_str(), validated.arguments.as_slice()) {
                ("validate", [Term::Call(format), text]) => {
                    (named_format(format.function.strip_prefix("format.")?)?, text, false)
                }
                _ => return None,
            }
        }
        (name, [text]) => (whole_format(name)?, text, true),
        _ => return None,
    };
    let formula = format.to_formula(text);
    Some(if (*wanted == is_equal) == is_valid {
        formula
    } else {
        Formula::all_of([Formula::is_defined(text.clone()), Formula::negation_of(formula)])
    })
}

/// The text of `ip(text).family()`, or with true of `cidr(text).ip().family()`.
fn text_of_family(call: &TermCall) -> Option<(bool, &Term)> {
    let ("family", [Term::Call(address)]) = (call.function.as_str(), call.arguments.as_slice()) else {
        return None;
    };
    match (address.function.as_str(), address.is_member, address.arguments.as_slice()) {
        ("ip", false, [text]) => Some((false, text)),
        ("ip", true, [Term::Call(network)]) if network.function == "cidr" => {
            network.arguments.first().map(|text| (true, text))
        }
        _ => None,
    }
}
