//! Timestamps and durations: text, calendar, limits.

use super::EvalError;

/// A point in time, from year 1 to year 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds after that, below 10^9.
    pub nanos: u32,
}

/// A point in time as a calendar shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// Year.
    pub year: i64,
    /// Month from 1.
    pub month: i64,
    /// Day of the month from 1.
    pub day: i64,
    /// Day of the year from 0.
    pub year_day: i64,
    /// Day of the week, Sunday 0.
    pub week_day: i64,
    /// Hour.
    pub hour: i64,
    /// Minute.
    pub minute: i64,
    /// Second.
    pub second: i64,
}

const DAY: i64 = 86_400;
const FIRST_SECOND: i64 = -62_135_596_800;
const LAST_SECOND: i64 = 253_402_300_799;
const NANOS: i64 = 1_000_000_000;

impl Timestamp {
    /// From seconds; an error outside of the years 1 to 9999.
    pub fn from_seconds(seconds: i64, nanos: u32) -> Result<Self, EvalError> {
        if (FIRST_SECOND..=LAST_SECOND).contains(&seconds) {
            Ok(Self { seconds, nanos })
        } else {
            Err(EvalError::new("timestamp overflow"))
        }
    }

    /// Reads RFC 3339.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (date, time) = text.split_at_checked(10)?;
        let time = time.strip_prefix('T')?;
        let day = parse_date(date)?;
        let number = |from: usize| digits(bytes.get(from..from + 2)?);
        let (hour, minute, second) = (number(11)?, number(14)?, number(17)?);
        let separated = bytes.get(13) == Some(&b':') && bytes.get(16) == Some(&b':');
        if !separated || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let (nanos, zone) = fraction(time.get(8..)?)?;
        let offset = zone_offset(zone)?;
        let seconds = day * DAY + hour * 3600 + minute * 60 + second - offset;
        Self::from_seconds(seconds, nanos).ok()
    }

    /// Adds nanoseconds.
    pub fn plus(self, duration: i64) -> Result<Self, EvalError> {
        let nanos = i64::from(self.nanos) + duration % NANOS;
        let seconds =
            self.seconds.checked_add(duration / NANOS).and_then(|it| it.checked_add(nanos.div_euclid(NANOS)));
        let seconds = seconds.ok_or_else(|| EvalError::new("timestamp overflow"))?;
        Self::from_seconds(seconds, u32::try_from(nanos.rem_euclid(NANOS)).unwrap_or(0))
    }

    /// The nanoseconds between two points in time.
    pub fn minus(self, other: Self) -> Result<i64, EvalError> {
        let seconds = i128::from(self.seconds) - i128::from(other.seconds);
        let nanos = seconds * i128::from(NANOS) + i128::from(self.nanos) - i128::from(other.nanos);
        i64::try_from(nanos).map_err(|_| EvalError::new("duration overflow"))
    }

    /// The calendar in a zone so many seconds east of UTC.
    pub fn calendar(self, offset: i64) -> Calendar {
        let local = self.seconds + offset;
        let (days, second) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = civil(days);
        Calendar {
            year,
            month,
            day,
            year_day: days - days_from_civil(year, 1, 1),
            week_day: (days + 4).rem_euclid(7),
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
        }
    }

    /// RFC 3339 in UTC, with as many digits after the point as are needed.
    pub fn text(self) -> String {
        let it = self.calendar(0);
        let mut text = format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            it.year, it.month, it.day, it.hour, it.minute, it.second
        );
        if self.nanos > 0 {
            text.push_str(format!(".{:09}", self.nanos).trim_end_matches('0'));
        }
        text.push('Z');
        text
    }
}

/// Days since 1970 of a date `YYYY-MM-DD`.
pub fn parse_date(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return None;
    }
    let (year, month, day) = (digits(bytes.get(..4)?)?, digits(bytes.get(5..7)?)?, digits(bytes.get(8..)?)?);
    let valid = (1..=12).contains(&month) && day >= 1;
    let days = valid.then(|| days_from_civil(year, month, day))?;
    (civil(days) == (year, month, day)).then_some(days)
}

/// The seconds east of UTC of `Z`, `+02:00` and `-02:00`.
pub fn zone_offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.strip_prefix(['+', '-'])?.split_once(':')?;
    let two = |text: &str| (text.len() == 2).then(|| digits(text.as_bytes()))?;
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours <= 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn fraction(text: &str) -> Option<(u32, &str)> {
    let Some(after) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = after.find(|c: char| !c.is_ascii_digit())?;
    let (digits, zone) = after.split_at_checked(end)?;
    if digits.is_empty() {
        return None;
    }
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    Some((nine.parse().ok()?, zone))
}

fn digits(bytes: &[u8]) -> Option<i64> {
    let all = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    all.then(|| bytes.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// Days since 1970 in the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March put the leap day last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Units of a duration and their nanoseconds.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a duration such as `1h30m` or `-1.5s`, in nanoseconds.
pub fn parse_duration(text: &str) -> Option<i64> {
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(end)?;
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(end)?;
        let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
        total = total.checked_add(amount(number, *nanos)?)?;
        rest = after;
    }
    i64::try_from(if negative { -total } else { total }).ok()
}

fn amount(number: &str, nanos: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let kept: String = fraction.chars().take(18).collect();
    let part: i128 = if kept.is_empty() { 0 } else { kept.parse().ok()? };
    let scale = 10_i128.checked_pow(u32::try_from(kept.len()).ok()?)?;
    whole.checked_mul(nanos)?.checked_add(part * nanos / scale)
}

/// A duration as the language writes it: seconds.
pub fn duration_text(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let (whole, part) = (nanos.unsigned_abs() / 1_000_000_000, nanos.unsigned_abs() % 1_000_000_000);
    let fraction = format!(".{part:09}");
    let fraction = if part == 0 { "" } else { fraction.trim_end_matches('0') };
    format!("{sign}{whole}{fraction}s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_calendars_agree() {
        let time = Timestamp::parse("2024-02-29T23:59:58.5+02:00").unwrap();
        assert_eq!(time.text(), "2024-02-29T21:59:58.5Z");
        let calendar = time.calendar(0);
        assert_eq!((calendar.year_day, calendar.week_day), (59, 4));
        assert!(Timestamp::parse("2023-02-29T00:00:00Z").is_none());
        assert_eq!(parse_duration("1h30m0.5s"), Some(5_400_500_000_000));
        assert_eq!(duration_text(-1_500_000_000), "-1.5s");
        assert_eq!(parse_duration("1d"), None);
    }
}
