//! Timestamps: text, calendar, limits.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::EvalError;

/// A point in time, with the zone that it was written in, which shows in its text alone. What expressions make lies in the years 1
/// to 9999; the fields of objects may lie a little outside.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds after that, below 10^9.
    pub nanos: u32,
    /// Seconds east of UTC of the zone.
    pub offset: i64,
}

impl Timestamp {
    // time.go, Equal and Compare: points in time in different zones can be equal
    fn instant(self) -> (i64, u32) {
        (self.seconds, self.nanos)
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.instant() == other.instant()
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        self.instant().cmp(&other.instant())
    }
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
            Ok(Self { seconds, nanos, offset: 0 })
        } else {
            Err(EvalError::new("timestamp overflow"))
        }
    }

    /// Reads RFC 3339 as Go does: one digit of an hour is enough, and a comma may be before the fraction.
    /// Objects may have what lies outside of the years 1 to 9999.
    // time/format.go, parse with the layout RFC3339
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.split_at_checked(10)?;
        let day = parse_date(date)?;
        let time = time.strip_prefix('T')?;
        let hour_digits = time.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let (hour, rest) = time.split_at_checked(hour_digits)?;
        let hour = digits(hour.as_bytes())?;
        let (minute, rest) = two_digits(rest.strip_prefix(':')?)?;
        let (second, rest) = two_digits(rest.strip_prefix(':')?)?;
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let (nanos, zone) = fraction(rest);
        let offset = zone_offset(zone)?;
        let seconds = day * DAY + hour * 3600 + minute * 60 + second - offset;
        Some(Self { seconds, nanos, offset })
    }

    /// The point in time; an error outside of the years 1 to 9999.
    pub fn in_range(self) -> Result<Self, EvalError> {
        Self::from_seconds(self.seconds, self.nanos).map(|_| self)
    }

    /// Adds nanoseconds; the zone stays.
    // cel-go common/types/overflow.go, addTimeDurationChecked
    pub fn add_duration(self, duration: i64) -> Result<Self, EvalError> {
        let nanos = i64::from(self.nanos) + duration % NANOS;
        let seconds =
            self.seconds.checked_add(duration / NANOS).and_then(|it| it.checked_add(nanos.div_euclid(NANOS)));
        let seconds = seconds.ok_or_else(|| EvalError::new("timestamp overflow"))?;
        let sum = Self::from_seconds(seconds, u32::try_from(nanos.rem_euclid(NANOS)).unwrap_or(0))?;
        Ok(Self { offset: self.offset, ..sum })
    }

    /// The nanoseconds between two points in time.
    pub fn duration_since(self, other: Self) -> Result<i64, EvalError> {
        let seconds = i128::from(self.seconds) - i128::from(other.seconds);
        let nanos = seconds * i128::from(NANOS) + i128::from(self.nanos) - i128::from(other.nanos);
        i64::try_from(nanos).map_err(|_| EvalError::new("duration overflow"))
    }

    /// The calendar in a zone so many seconds east of UTC.
    pub fn to_calendar(self, offset: i64) -> Calendar {
        let local = self.seconds + offset;
        let (days, second) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = civil_date(days);
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

    /// RFC 3339 in the zone, with as many digits after the point as are needed.
    // cel-go common/types/timestamp.go, ConvertToType: Format(time.RFC3339Nano)
    pub fn to_rfc3339(self) -> String {
        let it = self.to_calendar(self.offset);
        let sign = if it.year < 0 { "-" } else { "" };
        let mut text = format!(
            "{sign}{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            it.year.abs(),
            it.month,
            it.day,
            it.hour,
            it.minute,
            it.second
        );
        if self.nanos > 0 {
            text.push_str(format!(".{:09}", self.nanos).trim_end_matches('0'));
        }
        let minutes = self.offset.abs() / 60;
        match self.offset {
            0 => text.push('Z'),
            offset => {
                let sign = if offset < 0 { '-' } else { '+' };
                let _ = write!(text, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
            }
        }
        text
    }

    /// As [`Timestamp::to_rfc3339`] in UTC, without a fraction of a second.
    // apimachinery meta/v1/time.go, MarshalJSON
    pub fn utc_text(self) -> String {
        Self { nanos: 0, offset: 0, ..self }.to_rfc3339()
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
    (civil_date(days) == (year, month, day)).then_some(days)
}

/// The seconds east of UTC of `Z`, `+02:00` and `-02:00`. Go lets 24 hours and 60 minutes pass.
fn zone_offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, rest) = two_digits(zone.strip_prefix(['+', '-'])?)?;
    let (minutes, rest) = two_digits(rest.strip_prefix(':')?)?;
    (rest.is_empty() && hours <= 24 && minutes <= 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Two digits and what follows them.
fn two_digits(text: &str) -> Option<(i64, &str)> {
    let (number, rest) = text.split_at_checked(2)?;
    Some((digits(number.as_bytes())?, rest))
}

/// The nanoseconds after the seconds, and what follows; digits beyond the ninth do not count.
fn fraction(text: &str) -> (u32, &str) {
    let Some(after) = text.strip_prefix(['.', ',']) else { return (0, text) };
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let (digits, zone) = after.split_at_checked(end).unwrap_or((after, ""));
    let nine: String = digits.chars().chain("000000000".chars()).take(9).collect();
    match nine.parse() {
        Ok(nanos) if !digits.is_empty() => (nanos, zone),
        _ => (0, text),
    }
}

fn digits(bytes: &[u8]) -> Option<i64> {
    let all = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    all.then(|| bytes.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')))
}

/// Days since 1970 in the proleptic Gregorian calendar.
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March put the leap day last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The year of seconds since 1970.
pub(super) fn year_of(seconds: i64) -> i64 {
    civil_date(seconds.div_euclid(DAY)).0
}

fn civil_date(days: i64) -> (i64, i64, i64) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_calendars_agree() {
        let time = Timestamp::parse("2024-02-29T23:59:58.5+02:00").unwrap();
        assert_eq!(time.to_rfc3339(), "2024-02-29T23:59:58.5+02:00");
        assert_eq!(time.utc_text(), "2024-02-29T21:59:58Z");
        let calendar = time.to_calendar(0);
        assert_eq!((calendar.year_day, calendar.week_day), (59, 4));
        assert!(Timestamp::parse("2023-02-29T00:00:00Z").is_none());
    }

    #[test]
    fn timestamps_are_read_as_go_reads_them() {
        let text = |text| Timestamp::parse(text).map(|time| Timestamp { offset: 0, ..time }.to_rfc3339());
        let noon = |fraction: &str| Some(format!("2024-01-02T12:00:00{fraction}Z"));
        assert_eq!(text("2024-01-02T12:00:00,5Z"), noon(".5"));
        assert_eq!(text("2024-01-02T12:00:00.1234567891Z"), noon(".123456789"));
        assert_eq!(text("2024-01-03T12:00:00+24:00"), noon(""));
        assert_eq!(text("2024-01-02T13:00:00+00:60"), noon(""));
        assert_eq!(text("2024-01-02T1:00:00Z").as_deref(), Some("2024-01-02T01:00:00Z"));
        for refused in
            ["2024-01-02t12:00:00Z", "2024-01-02T12:00:00z", "2024-01-02T12:00:00", "2024-01-02T24:00:00Z"]
        {
            assert_eq!(text(refused), None, "{refused}");
        }
        for refused in
            ["2024-01-02T12:00:60Z", "2024-01-02T12:0:00Z", "2024-01-02T12:00:00.Z", "00000-01-01T00:00:00Z"]
        {
            assert_eq!(text(refused), None, "{refused}");
        }
    }
}
