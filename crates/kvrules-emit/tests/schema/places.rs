//! Places and rules, written the way elaboration makes them.

use kvrules_diagnostics::Origin;
use kvrules_ir::{
    AnnotationDialect, ElaboratedRule, ElaboratedSet, Interval, Place, PlaceBase, PlaceStep, Predicate,
    Presence, RegexPattern, Requirement, RuleSetUser, Scalar, Selector, Severity, ValueTest, ValueType,
};

/// A place: `name?` is optional, `name!` required, `name` defaulted, `{key}` a key of a map, `[n]` an item.
pub(crate) fn place(base: PlaceBase, path: &str, value_type: ValueType) -> Place {
    let steps = path.split('.').filter(|step| !step.is_empty()).map(step).collect();
    Place { base, steps, value_type, default: None }
}

fn step(text: &str) -> PlaceStep {
    let field = |name: &str, presence| PlaceStep::Field { name: name.to_owned(), presence };
    if let Some(key) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        PlaceStep::Key(key.to_owned())
    } else if let Some(index) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        PlaceStep::Item(index.parse().unwrap())
    } else if let Some(name) = text.strip_suffix('?') {
        field(name, Presence::Optional)
    } else if let Some(name) = text.strip_suffix('!') {
        field(name, Presence::Required)
    } else {
        field(text, Presence::Defaulted)
    }
}

pub(crate) fn root(path: &str, value_type: ValueType) -> Place {
    place(PlaceBase::Root, path, value_type)
}

pub(crate) fn element(path: &str, value_type: ValueType) -> Place {
    place(PlaceBase::Element(0), path, value_type)
}

pub(crate) fn domain(path: &str, value_type: ValueType) -> Place {
    root(&format!("spec!.template?.spec.domain.{path}"), value_type)
}

pub(crate) fn disks() -> Place {
    domain("devices.disks?", ValueType::List)
}

pub(crate) fn with_default(place: Place, default: Scalar) -> Place {
    Place { default: Some(default), ..place }
}

pub(crate) fn test(place: Place, test: ValueTest) -> Predicate {
    Predicate::Test { place, test }
}

pub(crate) fn interval(min: Option<i64>, max: Option<i64>) -> Interval {
    Interval { min: min.map(Into::into), max: max.map(Into::into) }
}

pub(crate) fn between(min: impl Into<Option<i64>>, max: impl Into<Option<i64>>) -> ValueTest {
    ValueTest::Integer(interval(min.into(), max.into()))
}

pub(crate) fn length(min: impl Into<Option<i64>>, max: impl Into<Option<i64>>) -> ValueTest {
    ValueTest::Length(interval(min.into(), max.into()))
}

pub(crate) fn one_of(texts: &[&str]) -> ValueTest {
    ValueTest::OneOf(texts.iter().map(|text| (*text).to_owned()).collect())
}

pub(crate) fn matches(pattern: &str) -> ValueTest {
    ValueTest::Matches(RegexPattern(pattern.to_owned()))
}

pub(crate) const GIB: i64 = 1 << 30;

/// The rule on memory.
pub(crate) fn memory(min: i64) -> Predicate {
    test(domain("memory?.guest?", ValueType::Quantity), between(min, None))
}

/// A rule on cores.
pub(crate) fn cores(bounds: ValueTest) -> Predicate {
    test(domain("cpu?.cores", ValueType::Integer), bounds)
}

/// The rule on a disk's bus; `guarded` by the disk itself or not.
pub(crate) fn bus(kind: &str, buses: &[&str], guarded: bool) -> Predicate {
    let exists = Predicate::presence_of(element(&format!("{kind}?"), ValueType::Object));
    let passes = test(element(&format!("{kind}?.bus"), ValueType::String), one_of(buses));
    let each = Predicate::each_element(disks(), Predicate::implication_of(exists.clone(), passes));
    let some = Predicate::some_element(disks(), exists);
    if guarded { Predicate::implication_of(some, each) } else { Predicate::all_of([some, each]) }
}

pub(crate) fn rule(
    name: &str,
    message: &str,
    path: &str,
    severity: Severity,
    predicate: Predicate,
) -> ElaboratedRule {
    let leaf = root("", ValueType::Any);
    let subject = Selector { text: path.to_owned(), lists: Vec::new(), leaf };
    ElaboratedRule {
        name: name.to_owned(),
        message: message.to_owned(),
        severity,
        applies: Predicate::True,
        predicate,
        requirement: Requirement { subject, guard: None, tests: Vec::new(), compared_with: Vec::new() },
        written: kvrules_ir::AuthoredRule::default(),
        origin: Origin::default(),
    }
}

pub(crate) fn set(name: &str, users: &[&str], rules: Vec<ElaboratedRule>) -> ElaboratedSet {
    let audience = |name: &&str| RuleSetUser {
        name: (*name).to_owned(),
        dialect: AnnotationDialect::Annotation201902,
        origin: Origin::default(),
    };
    ElaboratedSet {
        name: name.to_owned(),
        used_by: users.iter().map(audience).collect(),
        rules,
        left_out: Vec::new(),
    }
}
