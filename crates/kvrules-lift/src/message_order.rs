//! Messages that state an order the other way round than their rules.

use kvrules_ir::{Constant, Formula, Term, TermRelation};

/// Words behind "must be", and whether they make what precedes them the lesser.
const ORDER_WORDS: [(&str, bool); 25] = [
    ("less than", true),
    ("lower than", true),
    ("smaller than", true),
    ("shorter than", true),
    ("fewer than", true),
    ("no more than", true),
    ("no greater than", true),
    ("no larger than", true),
    ("no longer than", true),
    ("at most", true),
    ("below", true),
    ("before", true),
    ("greater than", false),
    ("higher than", false),
    ("larger than", false),
    ("bigger than", false),
    ("longer than", false),
    ("more than", false),
    ("no less than", false),
    ("no lower than", false),
    ("no fewer than", false),
    ("at least", false),
    ("above", false),
    ("after", false),
    ("over", false),
];

/// An order that a message states.
struct StatedOrder<'m> {
    /// The words, such as `must not be less than`.
    words: &'m str,
    /// The word before them.
    subject: &'m str,
    /// The word behind them.
    object: &'m str,
    /// True if the subject must be the lesser, or equal.
    is_below: bool,
}

/// Returns the words of a message that state an order which the formula of its rule has the other way round. Only `a must be less than b`
/// is compared, in such words, where the formula has one order alone.
pub(crate) fn find_turned_order<'m>(formula: &Formula, message: &'m str) -> Option<&'m str> {
    let stated = stated_order(message)?;
    let mut orders = Vec::new();
    collect_orders(formula, &mut orders);
    let (first, others) = orders.split_first()?;
    if others.iter().any(|other| other != first) {
        return None;
    }
    let (lesser, greater) = first.as_ref()?;
    let is_turned = match (lesser, greater) {
        (Side::Number(number), Side::Value(_)) => stated.is_below && is_near(*number, stated.object),
        (Side::Value(_), Side::Number(number)) => !stated.is_below && is_near(*number, stated.object),
        (Side::Value(Some(lesser)), Side::Value(Some(greater))) if lesser != greater => {
            let (below, above) = if stated.is_below {
                (stated.subject, stated.object)
            } else {
                (stated.object, stated.subject)
            };
            is_name(below, greater) && is_name(above, lesser)
        }
        _ => false,
    };
    is_turned.then_some(stated.words)
}

/// A side of an order.
#[derive(PartialEq)]
enum Side {
    Number(f64),
    /// A value, with its name if it is a field.
    Value(Option<String>),
}

/// Collects the orders of a formula, the lesser side first; `None` for one that is negated or computed.
fn collect_orders(formula: &Formula, orders: &mut Vec<Option<(Side, Side)>>) {
    let known = orders.len();
    if let Formula::Compare { left, relation: TermRelation::Less | TermRelation::LessOrEqual, right } =
        formula
    {
        orders.push(side_of(left).zip(side_of(right)));
    }
    formula.children().iter().for_each(|part| collect_orders(part, orders));
    if matches!(formula, Formula::Not(_)) {
        orders.iter_mut().skip(known).for_each(|order| *order = None);
    }
}

fn side_of(term: &Term) -> Option<Side> {
    match term {
        #[expect(clippy::cast_precision_loss, reason = "compared with a number of a message")]
        Term::Constant(Constant::Integer(number)) => Some(Side::Number(*number as f64)),
        Term::Constant(Constant::Float(number)) => Some(Side::Number(*number)),
        Term::Root(_) | Term::Variable(_) => Some(Side::Value(None)),
        Term::Field(_, name) => Some(Side::Value(Some(name.clone()))),
        Term::Call(call)
            if matches!(call.function.as_str(), "size" | "duration" | "quantity" | "timestamp") =>
        {
            side_of(call.arguments.first()?)
        }
        _ => None,
    }
}

/// The order that a message states, if it is one sentence with `must be` and such words alone.
fn stated_order(message: &str) -> Option<StatedOrder<'_>> {
    if !message.is_ascii() {
        return None;
    }
    let text = message.trim().trim_end_matches('.');
    let at = text.find(" must ").or_else(|| text.find(" should "))?;
    let (before, behind) = text.split_at_checked(at)?;
    let modal = if behind.starts_with(" must ") { " must " } else { " should " };
    let (is_negated, rest) = match behind.strip_prefix(modal)?.strip_prefix("not ") {
        Some(rest) => (true, rest),
        None => (false, behind.strip_prefix(modal)?),
    };
    let rest = ["be ", "have ", "contain "].iter().find_map(|verb| rest.strip_prefix(verb))?;
    let (words, is_less) = ORDER_WORDS
        .iter()
        .find(|(words, _)| rest.strip_prefix(words).is_some_and(|behind| behind.starts_with(' ')))?;
    let mut object = rest.strip_prefix(words)?.trim_start();
    for filler in ["or equal to ", "or equals ", "the ", "or equal "] {
        object = object.strip_prefix(filler).unwrap_or(object);
    }
    // Whatever else the message says may be about another case.
    let mut objects = object.split_whitespace();
    let object = objects.next()?;
    let unit = objects.next();
    if objects.next().is_some() || unit.is_some_and(|unit| matches!(unit, "if" | "when" | "unless")) {
        return None;
    }
    let subject = before.split_whitespace().next_back()?;
    let end = text.len() - rest.len() + words.len();
    let words = text.get(at..end)?.trim_start();
    Some(StatedOrder { words, subject, object, is_below: *is_less != is_negated })
}

/// True if a word of a message is a number, or the one next to it.
fn is_near(number: f64, word: &str) -> bool {
    word.parse::<f64>().is_ok_and(|stated| (stated - number).abs() <= 1.0)
}

/// True if a word of a message names a field: `maxSize`, `spec.maxSize`.
fn is_name(word: &str, name: &str) -> bool {
    let word = word.trim_matches(['`', '\'', '"', ',']);
    word.rsplit('.').next() == Some(name)
}
