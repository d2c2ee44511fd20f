//! Parts of timestamps and durations.

use super::{EvalResult, Native, no_such_overload};
use crate::go_text::quote_string;
use crate::value::time::Calendar;
use crate::value::zone::offset_at;
use crate::value::{EvalError, Value};

pub(super) fn find_time_function(name: &str, member: bool) -> Option<Native> {
    if !member {
        return None;
    }
    Some(match name {
        "getFullYear" => |args| part(args, |it| it.year),
        "getMonth" => |args| part(args, |it| it.month - 1),
        "getDate" => |args| part(args, |it| it.day),
        "getDayOfMonth" => |args| part(args, |it| it.day - 1),
        "getDayOfWeek" => |args| part(args, |it| it.week_day),
        "getDayOfYear" => |args| part(args, |it| it.year_day),
        "getHours" => |args| whole(args, 3_600_000_000_000, |it| it.hour),
        "getMinutes" => |args| whole(args, 60_000_000_000, |it| it.minute),
        "getSeconds" => |args| whole(args, 1_000_000_000, |it| it.second),
        "getMilliseconds" => milliseconds,
        _ => return None,
    })
}

// cel-go common/stdlib/standard.go, timestampGetMonth and its siblings: months and days of the year count from 0
fn part(args: &[Value], pick: fn(&Calendar) -> i64) -> EvalResult {
    let (time, offset) = match args {
        [Value::Timestamp(time)] => (time, 0),
        [Value::Timestamp(time), Value::String(zone)] => (time, offset(zone, time.seconds)?),
        _ => return no_such_overload(),
    };
    Ok(Value::Int(pick(&time.to_calendar(offset))))
}

/// Of a duration the whole number of units, of a timestamp the part of the day.
fn whole(args: &[Value], unit: i64, pick: fn(&Calendar) -> i64) -> EvalResult {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Int(nanos / unit)),
        _ => part(args, pick),
    }
}

fn milliseconds(args: &[Value]) -> EvalResult {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Int(nanos / 1_000_000)),
        [Value::Timestamp(time)] => Ok(Value::Int(i64::from(time.nanos / 1_000_000))),
        [Value::Timestamp(time), Value::String(zone)] => {
            offset(zone, time.seconds).map(|_| Value::Int(i64::from(time.nanos / 1_000_000)))
        }
        _ => no_such_overload(),
    }
}

/// The seconds east of UTC of a zone, which is a name without a colon, or hours and minutes.
// cel-go common/types/timestamp.go, timeZone
fn offset(zone: &str, seconds: i64) -> Result<i64, EvalError> {
    let Some((hours, minutes)) = zone.split_once(':') else { return named(zone, seconds) };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minutes = if zone.starts_with('-') { -minutes } else { minutes };
    let offset = hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60));
    // The server accepts larger offsets, but the calendar here cannot represent them.
    if offset.abs() > 86_400 * 366 {
        return Err(EvalError::unsupported_feature(format!("the time zone `{zone}`")));
    }
    Ok(offset)
}

// time/zoneinfo.go, LoadLocation
fn named(zone: &str, seconds: i64) -> Result<i64, EvalError> {
    if zone.starts_with(['/', '\\']) || zone.contains("..") {
        return Err(EvalError::new("time: invalid location name"));
    }
    offset_at(zone, seconds).ok_or_else(|| EvalError::new(format!("unknown time zone {zone}")))
}

// strconv/atoi.go, Atoi
fn number(text: &str) -> Result<i64, EvalError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let problem = if is_number { "value out of range" } else { "invalid syntax" };
    let failed = || EvalError::new(format!("strconv.Atoi: parsing {}: {problem}", quote_string(text)));
    text.parse().ok().filter(|_| is_number).ok_or_else(failed)
}
