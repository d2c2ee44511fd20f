//! Texts of expressions, joined by operators with as few parentheses as they need.

/// An expression with the binding strength of its outermost operator.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Choice,
    Or,
    And,
    Relation,
    Unary,
    Whole,
}

pub(super) fn negate(text: &Text) -> Text {
    match text.text.as_str() {
        "true" => whole("false"),
        "false" => whole("true"),
        _ => Text { text: format!("!{}", at_level(text, Level::Unary)), level: Level::Unary },
    }
}

pub(super) fn join_all(parts: Vec<Text>) -> Text {
    join(parts, " && ", Level::And, "true", "false")
}

pub(super) fn join_any(parts: Vec<Text>) -> Text {
    join(parts, " || ", Level::Or, "false", "true")
}

/// Joins operands; the neutral one is left out, and the other decides.
pub(super) fn join(parts: Vec<Text>, operator: &str, level: Level, neutral: &str, decisive: &str) -> Text {
    let mut kept: Vec<Text> = Vec::new();
    for part in parts {
        if part.text == decisive {
            return whole(decisive);
        }
        if part.text != neutral && !kept.contains(&part) {
            kept.push(part);
        }
    }
    match kept.len() {
        0 => whole(neutral),
        1 => kept.remove(0),
        _ => {
            let texts: Vec<_> = kept.iter().map(|part| at_level(part, level)).collect();
            Text { text: texts.join(operator), level }
        }
    }
}

/// `condition ? yes : no`
pub(super) fn choose(condition: &Text, yes: &Text, no: &Text) -> Text {
    let [condition, yes, no] = [condition, yes, no].map(|part| at_level(part, Level::Or));
    Text { text: format!("{condition} ? {yes} : {no}"), level: Level::Choice }
}

pub(super) fn at_level(text: &Text, level: Level) -> String {
    if text.level < level { format!("({})", text.text) } else { text.text.clone() }
}

pub(super) fn whole(text: &str) -> Text {
    Text { text: text.to_owned(), level: Level::Whole }
}

pub(super) fn relation(text: String) -> Text {
    Text { text, level: Level::Relation }
}
