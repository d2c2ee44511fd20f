//! A regular expression for integers in a range, in digits of ASCII with a sign, leading zeros, and single underscores
//! between digits, as `int` of Python reads them.

/// The numbers from `min` to `max`.
pub(super) fn range_pattern(min: Option<i128>, max: Option<i128>) -> String {
    let mut parts = Vec::new();
    if max.is_none_or(|max| max >= 0) {
        let least = min.map_or(0, |min| u128::try_from(min).unwrap_or(0));
        let greatest = max.map(i128::unsigned_abs);
        parts.push(format!(r"\+?(?:0_?)*(?:{})", magnitude_patterns(least, greatest).join("|")));
    }
    // `-0` is zero, so it needs a pattern if the range contains zero.
    if min.is_none_or(|min| min <= 0) && max.is_none_or(|max| max >= 0) {
        parts.push("-0(?:_?0)*".to_owned());
    }
    if min.is_none_or(|min| min < 0) {
        let least = max.filter(|max| *max < 0).map_or(1, i128::unsigned_abs);
        let greatest = min.map(i128::unsigned_abs);
        parts.push(format!("-(?:0_?)*(?:{})", magnitude_patterns(least, greatest).join("|")));
    }
    // An empty range matches nothing, which a class without members expresses.
    if parts.is_empty() { r"[^\s\S]".to_owned() } else { parts.join("|") }
}

/// Expressions for numbers without sign and without zeros in front.
fn magnitude_patterns(least: u128, greatest: Option<u128>) -> Vec<String> {
    if greatest.is_some_and(|greatest| greatest < least) {
        return vec![r"[^\s\S]".to_owned()];
    }
    let low = least.to_string();
    let Some(greatest) = greatest else {
        return vec![
            digits_between(&text_digits(&low), &vec![9; low.len()]),
            format!("[1-9](?:_?[0-9]){{{},}}", low.len()),
        ];
    };
    let high = greatest.to_string();
    // Numbers of equal length are in the order of their digits, so each length gets one expression.
    let of_length = |length: usize| {
        let first = if length == 1 { vec![0] } else { [vec![1], vec![0; length - 1]].concat() };
        let from = if length == low.len() { text_digits(&low) } else { first };
        let to = if length == high.len() { text_digits(&high) } else { vec![9; length] };
        digits_between(&from, &to)
    };
    (low.len()..=high.len()).map(of_length).collect()
}

fn text_digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|char| char.to_digit(10)).collect()
}

/// The numbers between two of the same length.
fn digits_between(low: &[u32], high: &[u32]) -> String {
    let (Some((first, low_rest)), Some((last, high_rest))) = (low.split_first(), high.split_first()) else {
        return String::new();
    };
    if low.iter().all(|digit| *digit == 0) && high.iter().all(|digit| *digit == 9) {
        return any_digits(low.len());
    }
    if low_rest.is_empty() {
        return if first == last { first.to_string() } else { format!("[{first}-{last}]") };
    }
    // With equal first digits, the remaining digits decide. `_?` allows Python's underscore between two digits.
    if first == last {
        return format!("{first}_?{}", digits_between(low_rest, high_rest));
    }
    let (zeros, nines) = (vec![0; low_rest.len()], vec![9; low_rest.len()]);
    let mut parts = vec![format!("{first}_?{}", digits_between(low_rest, &nines))];
    // Between the two first digits all rests are allowed.
    if first + 1 < *last {
        parts.push(format!("[{}-{}]_?{}", first + 1, last - 1, any_digits(low_rest.len())));
    }
    parts.push(format!("{last}_?{}", digits_between(&zeros, high_rest)));
    format!("(?:{})", parts.join("|"))
}

fn any_digits(length: usize) -> String {
    if length == 1 { "[0-9]".to_owned() } else { format!("[0-9](?:_?[0-9]){{{}}}", length - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expression_takes_the_numbers_of_the_range_and_no_others() {
        let bounds =
            [None, Some(-120), Some(-9), Some(-1), Some(0), Some(1), Some(8), Some(15), Some(99), Some(105)];
        for (min, max) in bounds.into_iter().flat_map(|min| bounds.map(|max| (min, max))) {
            let expression = kvrules_regex::parse(&format!("^(?:{})$", range_pattern(min, max)))
                .ok()
                .and_then(|regex| regex.compile_matcher().ok())
                .unwrap_or_else(|| panic!("{min:?} {max:?}"));
            for number in -250..250_i128 {
                let inside = min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max);
                let plain = number.unsigned_abs().to_string();
                let parted = plain.chars().map(String::from).collect::<Vec<_>>().join("_");
                let sign = if number < 0 { "-" } else { "" };
                for text in [
                    format!("{number}"),
                    format!("{number:+05}"),
                    format!("{number:05}"),
                    format!("{sign}{parted}"),
                    format!("{sign}0_0{parted}"),
                ] {
                    assert_eq!(expression.is_match(&text), inside, "{text} of {min:?} to {max:?}");
                }
                for text in
                    [format!("{sign}_{plain}"), format!("{sign}{plain}_"), format!("{sign}0__{plain}")]
                {
                    assert!(!expression.is_match(&text), "{text} of {min:?} to {max:?}");
                }
            }
        }
    }
}
