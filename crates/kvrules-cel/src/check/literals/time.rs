//! Which texts are timestamps.

/// The seconds since 1970 of the years 1 to 9999.
pub(super) const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
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
