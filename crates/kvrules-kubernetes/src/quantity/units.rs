//! Integers in the units people read and the suffixes people write.

use num_bigint::BigInt;

/// Name and size in bytes, the larger first and the binary before the decimal.
const BINARY: [(&str, u64); 6] =
    [("Ei", 1 << 60), ("Pi", 1 << 50), ("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)];
const DECIMAL: [(&str, u64); 6] = [
    ("E", 1_000_000_000_000_000_000),
    ("P", 1_000_000_000_000_000),
    ("T", 1_000_000_000_000),
    ("G", 1_000_000_000),
    ("M", 1_000_000),
    ("k", 1_000),
];

/// A number of bytes for readers of documentation: in the unit that needs the fewest characters, exactly, with at most
/// three digits after the point; plain digits where no unit is shorter.
///
/// ```
/// use kvrules_kubernetes::quantity::in_human_units;
/// assert_eq!(in_human_units(&1_610_612_736_u64.into()), "1.5 GiB");
/// assert_eq!(in_human_units(&2_000_000_000_u64.into()), "2 GB");
/// assert_eq!(in_human_units(&1_610_612_735_u64.into()), "1610612735");
/// ```
pub fn in_human_units(bytes: &BigInt) -> String {
    let plain = bytes.to_string();
    let spellings =
        BINARY.iter().chain(&DECIMAL).filter_map(|(unit, size)| Some((in_unit(bytes, *size)?, unit)));
    match spellings.min_by_key(|(number, _)| number.len()) {
        Some((number, unit)) if number.len() < plain.len() => format!("{number} {unit}B"),
        _ => plain,
    }
}

/// `bytes / size` in decimal, if it is at least one and needs at most three digits after the point.
fn in_unit(bytes: &BigInt, size: u64) -> Option<String> {
    let size = BigInt::from(size);
    let scaled: BigInt = bytes * 1000;
    if bytes.magnitude() < size.magnitude() || &scaled % &size != BigInt::ZERO {
        return None;
    }
    let thousandths = BigInt::to_string(&(scaled / size));
    let (whole, fraction) = thousandths.split_at(thousandths.len().saturating_sub(3));
    let fraction = fraction.trim_end_matches('0');
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

/// The canonical spelling of an integer with a binary suffix, as the API server would write it back.
///
/// ```
/// use kvrules_kubernetes::quantity::shortest_binary;
/// assert_eq!(shortest_binary(&1_610_612_736_u64.into()), "1536Mi");
/// assert_eq!(shortest_binary(&1_000.into()), "1000");
/// ```
pub fn shortest_binary(integer: &BigInt) -> String {
    let divisor = |(_, size): &&(&str, u64)| integer % *size == BigInt::ZERO;
    match BINARY.iter().find(divisor).filter(|_| *integer != BigInt::ZERO) {
        Some((suffix, size)) => format!("{}{suffix}", integer / *size),
        None => integer.to_string(),
    }
}
