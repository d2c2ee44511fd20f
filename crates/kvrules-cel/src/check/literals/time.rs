//! Which texts are durations and timestamps.

/// The seconds since 1970 of the years 1 to 9999.
pub(super) const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// Units of a duration and their nanoseconds.
const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Whether a text is a duration such as `1h30m` or `-1.5s`: numbers with units, at most 64 bits of nanoseconds.
pub(super) fn is_duration(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "0" {
        return true;
    }
    let limit = if text.starts_with('-') { 1 << 63 } else { (1 << 63) - 1 };
    nanoseconds(unsigned).is_some_and(|sum| sum <= limit)
}

fn nanoseconds(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut sum = 0u64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let (whole, after) = split(rest, |c| c.is_ascii_digit());
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => split(after, |c| c.is_ascii_digit()),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (unit, after) = split(after, |c| c != '.' && !c.is_ascii_digit());
        let (_, size) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        sum = sum.checked_add(whole.checked_mul(*size)?)?.checked_add(part(fraction, *size))?;
        if sum > 1 << 63 {
            return None;
        }
        rest = after;
    }
    Some(sum)
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The fraction of a unit, in whole nanoseconds; digits beyond them do not count.
fn part(digits: &str, unit: u64) -> u64 {
    let mut size = unit;
    let mut sum = 0;
    for digit in digits.chars().filter_map(|digit| digit.to_digit(10)).take(18) {
        size /= 10;
        sum += size * u64::from(digit);
    }
    sum
}

/// Whether a text is a timestamp of RFC 3339, of the years 1 to 9999 in UTC.
pub(super) fn is_timestamp(text: &str) -> bool {
    parse_timestamp(text).is_some()
}

fn parse_timestamp(text: &str) -> Option<()> {
    let (date, rest) = text.split_once('T')?;
    let [year, month, day] = numbers::<3>(date, '-', [4, 2, 2])?;
    let end = rest.find(['Z', '+', '-', '.']).unwrap_or(rest.len());
    let (clock, rest) = rest.split_at_checked(end)?;
    let [hour, minute, second] = numbers::<3>(clock, ':', [2, 2, 2])?;
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let (digits, zone) = split(fraction, |c| c.is_ascii_digit());
            (!digits.is_empty()).then_some(zone)?
        }
        None => rest,
    };
    let fits = (1..=12).contains(&month)
        && (1..=days(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let offset = offset_minutes(zone)?;
    (fits && in_range(year, month, day, hour * 60 + minute, offset)).then_some(())
}

fn numbers<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[i64; N]> {
    let parts: Vec<&str> = text.split(separator).collect();
    let parts: [&str; N] = parts.try_into().ok()?;
    let mut parsed = [0; N];
    for ((slot, part), width) in parsed.iter_mut().zip(parts).zip(widths) {
        if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *slot = part.parse().ok()?;
    }
    Some(parsed)
}

fn offset_minutes(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = numbers::<2>(zone.strip_prefix(['+', '-'])?, ':', [2, 2])?;
    (hours <= 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether the moment lies in the years 1 to 9999 after the offset is taken off.
fn in_range(year: i64, month: i64, day: i64, minute: i64, offset: i64) -> bool {
    let utc = minute - offset;
    let before = (year, month, day) == (1, 1, 1) && utc < 0;
    let after = (year, month, day) == (9999, 12, 31) && utc >= 24 * 60;
    let last_day_of_zero = (year, month, day) == (0, 12, 31) && utc >= 24 * 60;
    (year >= 1 || last_day_of_zero) && !before && !after
}
