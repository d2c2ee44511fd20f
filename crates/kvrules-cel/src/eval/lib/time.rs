//! Parts of timestamps and durations.

use super::{Native, Result1, overload};
use crate::value::time::{Calendar, zone_offset};
use crate::value::{EvalError, Value};

pub(super) fn find(name: &str, member: bool) -> Option<Native> {
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

fn part(args: &[Value], pick: fn(&Calendar) -> i64) -> Result1 {
    let (time, offset) = match args {
        [Value::Timestamp(time)] => (time, 0),
        [Value::Timestamp(time), Value::String(zone)] => (time, offset(zone)?),
        _ => return overload(),
    };
    Ok(Value::Int(pick(&time.calendar(offset))))
}

/// Of a duration the whole number of units, of a timestamp the part of the day.
fn whole(args: &[Value], unit: i64, pick: fn(&Calendar) -> i64) -> Result1 {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Int(nanos / unit)),
        _ => part(args, pick),
    }
}

fn milliseconds(args: &[Value]) -> Result1 {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Int(nanos / 1_000_000)),
        [Value::Timestamp(time), ..] => Ok(Value::Int(i64::from(time.nanos / 1_000_000))),
        _ => overload(),
    }
}

/// Zones by their offset and UTC; the data base of named zones is not here.
fn offset(zone: &str) -> Result<i64, EvalError> {
    if matches!(zone, "UTC" | "" | "Etc/UTC" | "GMT" | "Etc/GMT") {
        return Ok(0);
    }
    let signed = if zone.starts_with(['+', '-']) { zone.to_owned() } else { format!("+{zone}") };
    match zone_offset(&signed) {
        Some(seconds) => Ok(seconds),
        None => Err(EvalError::unsupported(format!("the time zone `{zone}`"))),
    }
}
