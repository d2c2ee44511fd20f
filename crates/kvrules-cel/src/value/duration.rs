//! Durations: two ways to read them, one to write them.

/// Units of a duration and their nanoseconds.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The greatest magnitude, that of the least duration.
const LIMIT: u64 = 1 << 63;

/// Reads a duration such as `1h30m` or `-1.5s`, in nanoseconds.
// time/format.go, ParseDuration
pub fn parse_duration(text: &str) -> Option<i64> {
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (amount, after) = amount(rest)?;
        total = total.checked_add(amount).filter(|total| *total <= LIMIT)?;
        rest = after;
    }
    if negative { Some(0_i64.wrapping_sub_unsigned(total)) } else { i64::try_from(total).ok() }
}

/// A number with its unit in nanoseconds, and what follows.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the server computes fractions in floats"
)]
// time/format.go, ParseDuration: the fraction is truncated to nanoseconds
fn amount(text: &str) -> Option<(u64, &str)> {
    let (whole, after) = split_digits(text);
    let (fraction, after) = match after.strip_prefix('.') {
        Some(after) => split_digits(after),
        None => ("", after),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
    let (unit, after) = after.split_at_checked(end)?;
    let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok().filter(|it| *it <= LIMIT)? };
    let whole = whole.checked_mul(*nanos).filter(|amount| *amount <= LIMIT)?;
    let (number, scale) = leading_fraction(fraction);
    let part = (number as f64 * (*nanos as f64 / scale)) as u64;
    Some((whole.checked_add(part).filter(|amount| *amount <= LIMIT)?, after))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The digits after the point as a number, and what to divide it by; digits beyond 63 bits do not count.
// time/format.go, leadingFraction
fn leading_fraction(digits: &str) -> (u64, f64) {
    let (mut number, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        if number > (LIMIT - 1) / 10 {
            break;
        }
        let next = number * 10 + u64::from(digit - b'0');
        if next > LIMIT {
            break;
        }
        number = next;
        scale *= 10.0;
    }
    (number, scale)
}

/// Names of units: full names, prefixes of longer names, nanoseconds.
const WORDS: [(&[&str], &str, i64); 8] = [
    (&["ns"], "nano", 1),
    (&["us", "µs"], "micro", 1_000),
    (&["ms"], "milli", 1_000_000),
    (&["s"], "sec", 1_000_000_000),
    (&["m"], "min", 60_000_000_000),
    (&["h", "hr"], "hour", 3_600_000_000_000),
    (&["d"], "day", 86_400_000_000_000),
    (&["w", "wk"], "week", 604_800_000_000_000),
];

/// Reads the value of a field of the format `duration`: as [`parse_duration`], or the sum of all numbers with a unit in
/// words that are in the text, such as `1d 2h`, `3 seconds` or `PT1H`.
// kube-openapi validation/strfmt/duration.go, ParseDuration
pub fn parse_format_duration(text: &str) -> Option<i64> {
    if let Some(nanos) = parse_duration(text) {
        return Some(nanos);
    }
    let mut total = None;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (number, after) = split_digits(rest.get(start..).unwrap_or_default());
        rest = after;
        let word = after.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let end = word.find(|c: char| !c.is_ascii_alphabetic() && c != 'µ').unwrap_or(word.len());
        let (unit, after) = word.split_at_checked(end).unwrap_or((word, ""));
        if unit.is_empty() {
            continue;
        }
        rest = after;
        let number: i64 = number.parse().ok()?;
        let unit = unit.to_lowercase();
        if let Some((_, _, nanos)) =
            WORDS.iter().find(|(names, begin, _)| names.contains(&unit.as_str()) || unit.starts_with(begin))
        {
            // The server's sums and products wrap around.
            total = Some(total.unwrap_or(0_i64).wrapping_add(number.wrapping_mul(*nanos)));
        }
    }
    total
}

/// A duration as the language writes it: seconds, as many digits as a double of them has.
// cel-go common/types/duration.go, ConvertToType
#[expect(clippy::cast_precision_loss, reason = "the server computes in floats")]
pub fn duration_text(nanos: i64) -> String {
    let seconds = (nanos / 1_000_000_000) as f64 + (nanos % 1_000_000_000) as f64 / 1e9;
    format!("{}s", if seconds == 0.0 { 0.0 } else { seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        let read = [
            ("1h30m0.5s", 5_400_500_000_000),
            ("-1.5h", -5_400_000_000_000),
            ("+5s", 5_000_000_000),
            (".5s", 500_000_000),
            ("1.s", 1_000_000_000),
            ("0", 0),
            ("1us2µs3μs", 6_000),
            ("-9223372036854775808ns", i64::MIN),
            ("0.9223372036854775807h", 3_320_413_933_267),
        ];
        for (text, nanos) in read {
            assert_eq!(parse_duration(text), Some(nanos), "{text}");
        }
        for text in
            ["", "-", "1", "1d", ".s", "1h 2m", "9223372036854775808ns", "1e3s", "1.2.3s", "1S", "3000000h"]
        {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn durations_of_fields_may_be_in_words() {
        const SECOND: i64 = 1_000_000_000;
        let read = [
            ("1d 2h", 93_600),
            ("3 seconds", 3),
            ("1 week", 604_800),
            ("PT1H", 3_600),
            ("2 weeks", 1_209_600),
            ("4 hours", 14_400),
            ("5 HR", 18_000),
            ("6 minutes and 1 sec", 361),
            ("1.5d", 432_000),
            ("7mins", 420),
            ("1h30m", 5_400),
            ("in 2 days, no 3 WEEKS", 1_987_200),
        ];
        for (text, seconds) in read {
            assert_eq!(parse_format_duration(text), Some(seconds * SECOND), "{text}");
        }
        assert_eq!(parse_format_duration("2 nanos 3 microseconds"), Some(3_002));
        for text in ["", "soon", "1", "3 wks", "3 months ago", "99999999999999999999 d", "PT"] {
            assert_eq!(parse_format_duration(text), None, "{text}");
        }
    }

    #[test]
    fn long_durations_are_written_with_the_digits_of_a_double() {
        assert_eq!(duration_text(-1_500_000_000), "-1.5s");
        assert_eq!(duration_text(0), "0s");
        assert_eq!(duration_text(90_000_000_000), "90s");
        assert_eq!(duration_text(1), "0.000000001s");
        assert_eq!(duration_text(i64::MAX), "9223372036.854776s");
    }
}
