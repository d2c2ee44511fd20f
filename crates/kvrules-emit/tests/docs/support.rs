//! Rule sets for the tests, put together as the elaborator does.

use std::collections::BTreeSet;

use kvrules_diagnostics::Origin;
use kvrules_emit::{OutputFile, Request, Template, find_emitter};
use kvrules_ir::{
    AnnotationDialect, ElaboratedRule, ElaboratedSet, Interval, OmittedRule, Operand, OperandRelation, Place,
    PlaceBase, PlaceStep, Predicate, Presence, Requirement, RuleSetUser, Scalar, Selector, Severity,
    ValueTest, ValueType,
};

/// A place from `spec.template.spec.domain.cpu?.cores!`: `?` marks optional steps, `!` defaulted ones.
pub(crate) fn place(base: PlaceBase, path: &str, value_type: ValueType) -> Place {
    let step = |part: &str| {
        let (name, presence) = match part.strip_suffix('?') {
            Some(name) => (name, Presence::Optional),
            None => (part.strip_suffix('!').unwrap_or(part), Presence::Defaulted),
        };
        PlaceStep::Field { name: name.to_owned(), presence }
    };
    let steps = path.split('.').filter(|part| !part.is_empty()).map(step).collect();
    Place { base, steps, value_type, default: None }
}

/// A place below `.spec.template`.
pub(crate) fn root(path: &str, value_type: ValueType) -> Place {
    place(PlaceBase::Root, &format!("spec.template.{path}"), value_type)
}

/// A place below the innermost element.
pub(crate) fn element(path: &str, value_type: ValueType) -> Place {
    place(PlaceBase::Element(0), path, value_type)
}

pub(crate) fn disks() -> Place {
    root("spec.domain.devices.disks", ValueType::List)
}

pub(crate) fn selector(text: &str, lists: Vec<Place>, leaf: Place) -> Selector {
    Selector { text: text.to_owned(), lists, leaf }
}

pub(crate) fn one_of(values: &[&str]) -> ValueTest {
    ValueTest::OneOf(values.iter().map(|value| (*value).to_owned()).collect::<BTreeSet<_>>())
}

pub(crate) fn interval(min: Option<i64>, max: Option<i64>) -> Interval {
    Interval { min: min.map(Into::into), max: max.map(Into::into) }
}

/// Parts of a rule.
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) message: String,
    pub(crate) severity: Severity,
    pub(crate) subject: Selector,
    pub(crate) guard: Option<Selector>,
    pub(crate) test: ValueTest,
    pub(crate) comparisons: Vec<(OperandRelation, Place)>,
}

impl Plan {
    pub(crate) fn new(name: &str, subject: Selector, test: ValueTest) -> Self {
        let message = format!("{name} is not as it should be");
        let (guard, comparisons) = (None, Vec::new());
        Self { name: name.to_owned(), message, severity: Severity::Error, subject, guard, test, comparisons }
    }

    pub(crate) fn guarded(self, guard: Selector) -> Self {
        Self { guard: Some(guard), ..self }
    }

    pub(crate) fn saying(self, message: &str) -> Self {
        Self { message: message.to_owned(), ..self }
    }

    pub(crate) fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    pub(crate) fn compared(mut self, relation: OperandRelation, with: Place) -> Self {
        self.comparisons.push((relation, with));
        self
    }

    pub(crate) fn rule(self) -> ElaboratedRule {
        let applies = self.guard.as_ref().map_or(Predicate::True, exists);
        let holds = Predicate::all_of(self.arguments().into_iter().chain([self.every_value()]));
        ElaboratedRule {
            predicate: Predicate::implication_of(applies.clone(), holds),
            applies,
            requirement: Requirement {
                subject: self.subject,
                guard: self.guard,
                tests: vec![self.test],
                compared_with: self.comparisons.iter().map(|_| ".path".to_owned()).collect(),
            },
            name: self.name,
            message: self.message,
            severity: self.severity,
            written: kvrules_ir::AuthoredRule::default(),
            origin: Origin::default(),
        }
    }

    fn arguments(&self) -> Vec<Predicate> {
        let test = |relation: OperandRelation| match relation {
            OperandRelation::Equal => ValueTest::Length(Interval::default()),
            _ => ValueTest::Integer(Interval::default()),
        };
        let demand = |(how, place): &(OperandRelation, Place)| Predicate::Test {
            place: place.clone(),
            test: test(*how),
        };
        self.comparisons.iter().map(demand).collect()
    }

    fn every_value(&self) -> Predicate {
        let met = self.met();
        if self.subject.lists.is_empty() {
            return met;
        }
        let each = Predicate::implication_of(Predicate::presence_of(self.subject.leaf.clone()), met);
        Predicate::all_of([exists(&self.subject), quantify(&self.subject, each, Predicate::each_element)])
    }

    fn met(&self) -> Predicate {
        let leaf = || self.subject.leaf.clone();
        let compare = |(relation, other): &(OperandRelation, Place)| match relation {
            OperandRelation::Equal => Predicate::Compare {
                left: Operand::Text(leaf()),
                relation: *relation,
                right: Operand::Text(other.clone()),
            },
            _ => Predicate::Compare {
                left: match self.test {
                    ValueTest::Length(_) => Operand::Length(leaf()),
                    _ => Operand::Integer(leaf()),
                },
                relation: *relation,
                right: Operand::Integer(other.clone()),
            },
        };
        let is_choice = |(relation, _): &&(OperandRelation, Place)| *relation == OperandRelation::Equal;
        let test = Predicate::Test { place: leaf(), test: self.test.clone() };
        let choices = self.comparisons.iter().filter(is_choice).map(compare);
        let bounds = self.comparisons.iter().filter(|one| !is_choice(one)).map(compare);
        Predicate::all_of([Predicate::any_of(std::iter::once(test).chain(choices))].into_iter().chain(bounds))
    }
}

fn exists(selector: &Selector) -> Predicate {
    quantify(selector, Predicate::presence_of(selector.leaf.clone()), Predicate::some_element)
}

fn quantify(selector: &Selector, inner: Predicate, wrap: fn(Place, Predicate) -> Predicate) -> Predicate {
    selector.lists.iter().rev().fold(inner, |inner, list| wrap(list.clone(), inner))
}

pub(crate) fn set(name: &str, users: &[&str], rules: Vec<ElaboratedRule>) -> ElaboratedSet {
    let audience = |name: &&str| RuleSetUser {
        name: (*name).to_owned(),
        dialect: AnnotationDialect::Annotation201902,
        origin: Origin::default(),
    };
    let used_by = users.iter().map(audience).collect();
    ElaboratedSet { name: name.to_owned(), used_by, rules, left_out: Vec::new() }
}

pub(crate) fn left_out(name: &str, cause: &str) -> OmittedRule {
    OmittedRule {
        name: name.to_owned(),
        cause: kvrules_ir::OmissionCause::unreadable_rule(cause),
        content: kvrules_ir::OmittedRuleContent::Unknown,
        origin: Origin::default(),
    }
}

pub(crate) fn disk_bus() -> Selector {
    let leaf = element("disk?.bus!", ValueType::String);
    selector(".spec.domain.devices.disks[*].disk.bus", vec![disks()], leaf)
}

pub(crate) fn cdrom_bus() -> Selector {
    let leaf = element("cdrom?.bus!", ValueType::String);
    selector(".spec.domain.devices.disks[*].cdrom.bus", vec![disks()], leaf)
}

pub(crate) fn memory() -> Selector {
    let leaf = root("spec.domain.memory?.guest?", ValueType::Quantity);
    selector(".spec.domain.memory.guest", vec![], leaf)
}

pub(crate) fn cores() -> Selector {
    let mut leaf = root("spec.domain.cpu?.cores!", ValueType::Integer);
    leaf.default = Some(Scalar::Integer(1.into()));
    selector(".spec.domain.cpu.cores", vec![], leaf)
}

/// The rules of the released Windows templates.
pub(crate) fn windows() -> ElaboratedSet {
    let sizes = ["windows10-desktop-large", "windows10-desktop-medium", "windows10-highperformance-large"];
    let bus = one_of(&["virtio", "sata", "scsi"]);
    let rules = vec![
        Plan::new(
            "minimal-required-memory",
            memory(),
            ValueTest::Integer(interval(Some(2_147_483_648), None)),
        )
        .saying("This VM requires more memory."),
        Plan::new("windows-virtio-bus", disk_bus(), one_of(&["virtio"]))
            .guarded(disk_bus())
            .warning()
            .saying("virtio is faster; install its drivers and change the bus"),
        Plan::new("windows-disk-bus", disk_bus(), bus).guarded(disk_bus()).saying("no such disk bus"),
        Plan::new("windows-cd-bus", cdrom_bus(), one_of(&["sata"]))
            .guarded(cdrom_bus())
            .saying("cd bus has to be sata"),
    ];
    set("windows10-desktop-large", &sizes, rules.into_iter().map(Plan::rule).collect())
}

/// The files of a target.
pub(crate) fn files(
    target: &str,
    sets: &[ElaboratedSet],
    templates: &[Template],
) -> Result<Vec<OutputFile>, String> {
    let request = Request { templates, version: "0.0.0", ..Request::for_virtual_machines(sets) };
    let emission = find_emitter(target).expect("the target exists").emit_rule_sets(&request);
    emission.map(|emission| emission.files).map_err(|error| error.to_string())
}

/// One file of a target.
pub(crate) fn file(target: &str, sets: &[ElaboratedSet], path: &str) -> String {
    let files = files(target, sets, &[]).expect("the built-in templates are right");
    files.into_iter().find(|file| file.path == path).map(|file| file.text).expect("the file exists")
}
