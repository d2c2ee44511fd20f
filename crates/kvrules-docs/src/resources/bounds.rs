//! Bounds in words: `1 to 10`, `at most 63 characters`.

use kvrules_apiserver::definition::keyword_value;
use kvrules_pages::fact_picture::FactPicture;
use serde_json::{Number, Value as Json};

/// Returns the bounds that a schema sets, each in words.
pub(super) fn bound_words(node: &Json) -> Vec<String> {
    let counts = [
        ("minLength", "maxLength", "character", "characters"),
        ("minItems", "maxItems", "item", "items"),
        ("minProperties", "maxProperties", "entry", "entries"),
    ];
    let counted = counts.iter().filter_map(|(min, max, one, several)| {
        let count = |keyword| keyword_value(node, keyword).and_then(Json::as_u64);
        count_words(count(min).filter(|min| *min > 0), count(max), [one, several])
    });
    value_words(node).into_iter().chain(multiple_words(node)).chain(counted).collect()
}

/// Returns the number line of the bounds of an integer, or of a count that has both bounds; of one bound of a count the words
/// say as much.
pub(super) fn bounds_picture(node: &Json) -> Option<FactPicture> {
    let integer = |keyword: &str| {
        keyword_value(node, keyword)
            .and_then(Json::as_number)
            .map(|number| number_text(number).parse::<i64>())
    };
    let is_integer = keyword_value(node, "type").and_then(Json::as_str) == Some("integer");
    let is_open = |keyword: &str| i64::from(keyword_value(node, keyword) == Some(&Json::Bool(true)));
    let (lower, upper) = (integer("minimum").transpose().ok()?, integer("maximum").transpose().ok()?);
    if (lower.is_some() || upper.is_some()) && keyword_value(node, "multipleOf").is_none() {
        let (lower_open, upper_open) = (is_open("exclusiveMinimum"), is_open("exclusiveMaximum"));
        if is_integer || (lower_open, upper_open) == (0, 0) {
            // An integer above 0 is at least 1.
            let lower = lower.and_then(|lower| lower.checked_add(lower_open));
            let upper = upper.and_then(|upper| upper.checked_sub(upper_open));
            return Some(FactPicture::from_integers(lower, upper, None, ""));
        }
    }
    let count = |keyword: &str| keyword_value(node, keyword).and_then(Json::as_i64);
    let kinds = [
        ("minLength", "maxLength", "characters"),
        ("minItems", "maxItems", "items"),
        ("minProperties", "maxProperties", "entries"),
    ];
    kinds.into_iter().find_map(|(min, max, unit)| {
        let (min, max) = (count(min).filter(|min| *min > 0)?, count(max)?);
        Some(FactPicture::from_integers(Some(min), Some(max), Some(0), unit))
    })
}

fn count_words(min: Option<u64>, max: Option<u64>, [one, several]: [&str; 2]) -> Option<String> {
    let noun = |count: u64| if count == 1 { one } else { several };
    match (min, max) {
        (None, None) => None,
        (Some(min), None) => Some(format!("at least {min} {}", noun(min))),
        (None, Some(0)) => Some(format!("no {several}")),
        (None, Some(max)) => Some(format!("at most {max} {}", noun(max))),
        (Some(min), Some(max)) if min == max => Some(format!("exactly {min} {}", noun(min))),
        (Some(min), Some(max)) => Some(format!("{min} to {max} {}", noun(max))),
    }
}

fn value_words(node: &Json) -> Option<String> {
    let bound = |keyword: &str, exclusive: &str| {
        let number = keyword_value(node, keyword)?.as_number()?;
        Some((number_text(number), node.get(exclusive) == Some(&Json::Bool(true))))
    };
    match (bound("minimum", "exclusiveMinimum"), bound("maximum", "exclusiveMaximum")) {
        (None, None) => None,
        (Some((min, false)), Some((max, false))) if min == max => Some(format!("exactly {min}")),
        (Some((min, false)), Some((max, false))) => Some(format!("{min} to {max}")),
        (min, max) => {
            let min = min.map(|(min, open)| format!("{} {min}", if open { "more than" } else { "at least" }));
            let max = max.map(|(max, open)| format!("{} {max}", if open { "less than" } else { "at most" }));
            Some(min.into_iter().chain(max).collect::<Vec<_>>().join(" and "))
        }
    }
}

fn multiple_words(node: &Json) -> Option<String> {
    let number = keyword_value(node, "multipleOf")?.as_number()?;
    Some(format!("a multiple of {}", number_text(number)))
}

/// A number without a fraction that is zero.
fn number_text(number: &Number) -> String {
    let text = number.to_string();
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_are_told_in_words() {
        for (node, words) in [
            (json!({"minimum": 1, "maximum": 10.0}), "1 to 10"),
            (json!({"minimum": 0, "exclusiveMinimum": true}), "more than 0"),
            (json!({"minimum": 1, "maximum": 2, "exclusiveMaximum": true}), "at least 1 and less than 2"),
            (json!({"maximum": -1}), "at most -1"),
            (json!({"minLength": 1, "maxLength": 63}), "1 to 63 characters"),
            (json!({"minLength": 0, "maxLength": 63}), "at most 63 characters"),
            (json!({"minItems": 1}), "at least 1 item"),
            (json!({"maxItems": 0}), "no items"),
            (json!({"minProperties": 2, "maxProperties": 2}), "exactly 2 entries"),
            (json!({"multipleOf": 0.5, "minimum": 1}), "at least 1, a multiple of 0.5"),
            (json!({"minLength": 0, "minimum": "1"}), ""),
        ] {
            assert_eq!(bound_words(&node).join(", "), words);
        }
    }

    #[test]
    fn bounds_are_drawn_if_their_neighbours_are_known() {
        let drawn = |node: Json| Some(bounds_picture(&node)?.draw()?.description().to_owned());
        for (node, description) in [
            (
                json!({"type": "integer", "minimum": 1, "maximum": 10}),
                "1 to 10. 0 and 11 are outside. Not to scale.",
            ),
            (
                json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true}),
                "At least 1. 0 is outside. Not to scale.",
            ),
            (json!({"type": "number", "maximum": 1.0}), "At most 1. 2 is outside. Not to scale."),
            (
                json!({"minLength": 1, "maxLength": 63}),
                "1 to 63 characters. 0 and 64 are outside. Not to scale.",
            ),
        ] {
            assert_eq!(drawn(node.clone()).as_deref(), Some(description), "{node}");
        }
        for node in [
            json!({"maxLength": 63}),
            json!({"type": "number", "minimum": 0, "exclusiveMinimum": true}),
            json!({"type": "number", "minimum": 0.5}),
            json!({"type": "integer", "minimum": 1, "multipleOf": 5}),
            json!({"type": "integer", "minimum": 3, "maximum": 2}),
        ] {
            assert_eq!(drawn(node.clone()), None, "{node}");
        }
    }
}
