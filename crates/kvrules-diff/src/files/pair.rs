//! Pairs each unit of one side with its counterpart on the other.

use super::{ComparableUnit, IncomparableReason, NamedPair, SideFile, UnitContent};

/// A unit and the text that it is in.
pub(super) type Found<'s> = (&'s SideFile, &'s ComparableUnit);

/// Function that returns true if two units may be one.
type UnitPredicate<'f> = &'f dyn Fn(Found<'_>, Found<'_>) -> bool;

/// The matched units, and the unmatched ones.
#[derive(Default)]
pub(super) struct MatchedUnits<'s> {
    pub(super) pairs: Vec<(Found<'s>, Found<'s>)>,
    pub(super) removed: Vec<Found<'s>>,
    pub(super) added: Vec<Found<'s>>,
}

/// Matches by file and name, then by name, then what is alone of its kind in a file, and last what is alone of its kind.
pub(super) fn match_units<'s>(old: &'s [SideFile], new: &'s [SideFile]) -> MatchedUnits<'s> {
    let all = |side: &'s [SideFile]| -> Vec<Found<'s>> {
        side.iter().flat_map(|part| part.units.iter().map(move |unit| (part, unit))).collect()
    };
    let (olds, mut left) = (all(old), all(new));
    let mut partners: Vec<Option<Found<'s>>> = vec![None; olds.len()];
    let kind = |found: Found<'_>| found.1.content.kind();
    let by_name = |one: Found<'_>, other: Found<'_>| kind(one) == kind(other) && one.1.name == other.1.name;
    let by_path = |one: Found<'_>, other: Found<'_>| kind(one) == kind(other) && one.0.path == other.0.path;
    let ways: [UnitPredicate<'_>; 2] = [&|one, other| by_name(one, other) && by_path(one, other), &by_name];
    for fits in ways {
        for (one, partner) in olds.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let at = left.iter().position(|other| fits(*one, *other));
            *partner = at.map(|at| left.remove(at));
        }
    }
    let ways: [UnitPredicate<'_>; 2] = [&by_path, &|one, other| kind(one) == kind(other)];
    for fits in ways {
        for number in 0..olds.len() {
            let Some(one) =
                olds.get(number).copied().filter(|_| partners.get(number).is_some_and(Option::is_none))
            else {
                continue;
            };
            let open =
                olds.iter().zip(&partners).filter(|(it, partner)| partner.is_none() && fits(**it, one));
            let mut fitting = left.iter().enumerate().filter(|(_, other)| fits(one, **other));
            if let (1, Some((at, _)), None) = (open.count(), fitting.next(), fitting.next())
                && may_be_renamed(one, olds.len())
                && let Some(partner) = partners.get_mut(number)
            {
                *partner = Some(left.remove(at));
            }
        }
    }
    let mut matched = MatchedUnits { added: left, ..MatchedUnits::default() };
    for (one, partner) in olds.into_iter().zip(partners) {
        match partner {
            Some(other) => matched.pairs.push((one, other)),
            None => matched.removed.push(one),
        }
    }
    matched
}

impl<'s> MatchedUnits<'s> {
    /// Takes two units out of the pairs and of what has no partner. A unit that was the partner of one of them has none then.
    pub(super) fn take_units(&mut self, [old, new]: [Found<'s>; 2]) {
        let is_it = |one: &Found<'_>, other: &Found<'_>| std::ptr::eq(one.1, other.1);
        let (taken, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pairs)
            .into_iter()
            .partition(|(one, other)| is_it(one, &old) || is_it(other, &new));
        self.pairs = kept;
        self.removed.extend(taken.iter().map(|(one, _)| *one));
        self.added.extend(taken.iter().map(|(_, other)| *other));
        self.removed.retain(|one| !is_it(one, &old));
        self.added.retain(|other| !is_it(other, &new));
    }
}

/// True if another name may stand for the same thing: a file's only rule set is called after the file, and a single version
/// gets another name when it matures. Of many, one that goes and one that comes are two things.
fn may_be_renamed(one: Found<'_>, number: usize) -> bool {
    number == 1 || one.0.units.len() == 1 || matches!(one.1.content, UnitContent::ExtraSpecs(_))
}

/// The units that the user names: a definition also without its version, or by the kind of its objects.
pub(super) fn find_named<'s>(
    old: &'s [SideFile],
    new: &'s [SideFile],
    names: &[NamedPair],
) -> Result<Vec<[Found<'s>; 2]>, IncomparableReason> {
    let find = |side: &'s [SideFile], name: &str, word: &str| {
        let is_named = |unit: &ComparableUnit| match &unit.content {
            UnitContent::Schema(definition) => {
                [&unit.name, &definition.version.definition, &definition.version.kind]
                    .iter()
                    .any(|own| *own == name)
            }
            _ => unit.name == name,
        };
        let units = side.iter().flat_map(|part| part.units.iter().map(move |unit| (part, unit)));
        units.clone().find(|(_, unit)| is_named(unit)).ok_or_else(|| {
            let known: Vec<String> = units.map(|(_, unit)| format!("`{}`", unit.name)).collect();
            IncomparableReason::Names(format!("the {word} side has no `{name}`; it has {}", known.join(", ")))
        })
    };
    names.iter().map(|(one, other)| Ok([find(old, one, "old")?, find(new, other, "new")?])).collect()
}
