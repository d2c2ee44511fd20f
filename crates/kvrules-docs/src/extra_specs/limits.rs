//! Bounds of integers, in the unit that the description of the value ends with: `The memory, in MiB.`

use kvrules_kubernetes::quantity::in_human_units;
use kvrules_pages::Text;
use kvrules_pages::document::Limit;
use kvrules_pages::prose::Prose;
use num_bigint::BigInt;

/// Units that descriptions name, and how many bytes those are of which that is certain.
const UNITS: [(&str, Option<u64>); 16] = [
    ("bytes", Some(1)),
    ("KiB", Some(1 << 10)),
    ("MiB", Some(1 << 20)),
    ("GiB", Some(1 << 30)),
    ("TiB", Some(1 << 40)),
    ("kilobytes", None),
    // Descriptions may write MB where they mean MiB, so these have no size.
    ("KB", None),
    ("MB", None),
    ("GB", None),
    ("bytes per second", None),
    ("kilobytes per second", None),
    ("Mbit/s", None),
    ("microseconds", None),
    ("milliseconds", None),
    ("seconds", None),
    ("percent", None),
];

/// The bounds of a number that is described so.
pub(super) fn range_limits(min: Option<i128>, max: Option<i128>, description: &str) -> Vec<Limit> {
    let unit = described_unit(description);
    let bound = |label: &str, number: i128| to_limit(label, number, unit);
    let least = min.map(|min| bound("Minimum", min));
    least.into_iter().chain(max.map(|max| bound("Maximum", max))).collect()
}

fn to_limit(label: &str, number: i128, unit: Option<(&str, Option<u64>)>) -> Limit {
    let machine = number.to_string();
    let human = match unit {
        Some((_, Some(size))) if number > 0 => in_bytes(number, size),
        Some((unit, _)) => format!("{number} {unit}"),
        None => machine.clone(),
    };
    let wording = Prose::from(human.as_str());
    let wording = if human == machine { wording } else { wording.text(", written ").code(machine.as_str()) };
    Limit {
        label: label.to_owned(),
        text: Text::from_prose(&wording),
        machine: Some(machine),
        human: Some(human),
    }
}

fn in_bytes(number: i128, size: u64) -> String {
    let human = in_human_units(&(BigInt::from(number) * size));
    // A number that is not shorter in a unit has none.
    if human.ends_with('B') { human } else { format!("{human} bytes") }
}

/// The unit after the last `in` of the first sentence.
fn described_unit(description: &str) -> Option<(&'static str, Option<u64>)> {
    let sentence = description.split(['.', ';']).next()?;
    let (_, last) = sentence.rsplit_once(" in ")?;
    UNITS.into_iter().find(|(unit, _)| *unit == last.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_told_in_the_unit_of_the_description() {
        let wording = |min, description| range_limits(Some(min), None, description)[0].text.plain.clone();
        assert_eq!(wording(1, "The number of nodes."), "1");
        assert_eq!(wording(1, "The memory of the node, in MiB."), "1 MiB, written `1`");
        assert_eq!(wording(2048, "The size in MiB; all of it."), "2 GiB, written `2048`");
        assert_eq!(wording(5, "The rate, in bytes per second."), "5 bytes per second, written `5`");
        assert_eq!(wording(7, "What stands in books."), "7");
    }
}
