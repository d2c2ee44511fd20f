//! A schema in a form of its own: the demands on each kind of value are separate, references are written out and `allOf`
//! is merged in.

mod declare_fields;
mod fields;
mod intersect;
mod simplify;
mod value_kinds;

use std::collections::BTreeSet;
use std::rc::Rc;

use kvrules_diagnostics::{Exactness, Span};
use serde_json::{Map, Number, Value};

pub(crate) use declare_fields::declare_branch_fields;
pub(crate) use fields::NamedShapes;
pub(crate) use intersect::intersect_shapes;
pub(crate) use simplify::simplify_shape;
pub(crate) use value_kinds::ValueKinds;

use crate::note::ImportNoteKind;

/// Meaning of a schema.
#[derive(Clone, Debug)]
pub(crate) struct SchemaShape {
    /// Location of the schema.
    pub at: Span,
    /// The kinds of values that it accepts at all.
    pub kinds: ValueKinds,
    /// The values that it accepts, where they are listed.
    pub values: Option<Vec<Value>>,
    pub numbers: NumberConstraints,
    pub texts: StringConstraints,
    pub list: ListConstraints,
    pub object: ObjectConstraints,
    /// Alternatives.
    pub groups: Vec<ShapeGroup>,
    /// Shapes that must not match.
    pub nots: Vec<Rc<SchemaShape>>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub default: Option<Value>,
    /// Keywords of Kubernetes, which are passed on.
    pub extensions: Map<String, Value>,
    /// Constraints that could not be kept, and keywords that are wrong.
    pub lost: Vec<LostConstraint>,
    /// Locations of keywords.
    pub places: Vec<(&'static str, Span)>,
    /// True if it is known only from alternatives.
    pub is_hoisted: bool,
    /// Number of shapes in it, where one that occurs twice counts twice.
    pub weight: usize,
}

/// Constraints on numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberConstraints {
    pub min: Option<NumberBound>,
    pub max: Option<NumberBound>,
    pub factors: Vec<Number>,
    /// `int32`, `int64`, `float` or `double`.
    pub format: Option<String>,
}

/// A bound of a number.
#[derive(Clone, Debug)]
pub(crate) struct NumberBound {
    pub value: Number,
    pub is_exclusive: bool,
}

/// Constraints on strings.
#[derive(Clone, Debug, Default)]
pub(crate) struct StringConstraints {
    pub min: Option<u64>,
    pub max: Option<u64>,
    /// As RE2 has them.
    pub patterns: Vec<String>,
    pub formats: Vec<String>,
}

/// Constraints on lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListConstraints {
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub items: Option<Rc<SchemaShape>>,
    pub is_unique: bool,
    pub contains: Vec<ContainsConstraint>,
}

/// Number of items that must match a shape.
#[derive(Clone, Debug)]
pub(crate) struct ContainsConstraint {
    pub shape: Rc<SchemaShape>,
    pub min: u64,
    pub max: Option<u64>,
}

/// Constraints on objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectConstraints {
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub fields: NamedShapes,
    pub required: Vec<String>,
    /// Shape of further fields.
    pub additional: Option<Rc<SchemaShape>>,
    /// True if there must be no further fields.
    pub is_closed: bool,
    /// True if fields of alternatives are allowed, as by `unevaluatedProperties`.
    pub is_unevaluated: bool,
    /// True if the author says that there may be further fields.
    pub is_open: bool,
    /// Shapes of fields whose names match.
    pub patterns: Vec<(String, Rc<SchemaShape>)>,
    /// Shapes of the names of fields.
    pub names: Vec<Rc<SchemaShape>>,
    /// Fields that others ask for.
    pub dependents: Vec<(String, Vec<String>)>,
}

/// Shapes of which at least one, or exactly one, must hold.
#[derive(Clone, Debug)]
pub(crate) struct ShapeGroup {
    pub is_one: bool,
    pub branches: Vec<Rc<SchemaShape>>,
    pub at: Span,
}

/// Something that the result does not say.
#[derive(Clone, Debug)]
pub(crate) struct LostConstraint {
    pub kind: ImportNoteKind,
    pub effect: Exactness,
    pub keyword: &'static str,
    pub span: Span,
    pub message: String,
}

impl SchemaShape {
    /// The shape of every value.
    pub(crate) fn any(at: Span) -> Self {
        Self {
            at,
            kinds: ValueKinds::ALL,
            values: None,
            numbers: NumberConstraints::default(),
            texts: StringConstraints::default(),
            list: ListConstraints::default(),
            object: ObjectConstraints::default(),
            groups: Vec::new(),
            nots: Vec::new(),
            title: None,
            description: None,
            default: None,
            extensions: Map::new(),
            lost: Vec::new(),
            places: Vec::new(),
            is_hoisted: false,
            weight: 1,
        }
    }

    /// The shape of values of some kinds.
    pub(crate) fn of(kinds: ValueKinds, at: Span) -> Self {
        Self { kinds, ..Self::any(at) }
    }

    /// The shape of what has these fields.
    pub(crate) fn requiring(names: &[String], at: Span) -> Self {
        let mut shape = Self::of(ValueKinds::OBJECT, at);
        shape.object.required = names.to_vec();
        shape
    }

    /// The shape of what has not another shape.
    pub(crate) fn not(shape: Rc<SchemaShape>) -> Self {
        let mut not = Self::any(shape.at);
        not.nots.push(shape);
        not.weigh();
        not
    }

    /// Counts the shapes in it again.
    pub(crate) fn weigh(&mut self) {
        let object = &self.object;
        let further = object.additional.iter().chain(object.patterns.iter().map(|(_, shape)| shape));
        let of_object = object.fields.iter().map(|(_, shape)| shape).chain(further).chain(&object.names);
        let of_list = self.list.items.iter().chain(self.list.contains.iter().map(|contains| &contains.shape));
        let sides = self.groups.iter().flat_map(|group| &group.branches).chain(&self.nots);
        let all = of_object.chain(of_list).chain(sides);
        self.weight = all.fold(1, |sum: usize, shape| sum.saturating_add(shape.weight));
    }

    /// Returns the location of a keyword, else that of the schema.
    pub(crate) fn place(&self, keyword: &str) -> Span {
        self.places.iter().find(|(name, _)| *name == keyword).map_or(self.at, |(_, span)| *span)
    }

    /// True if it only constrains the kinds of values.
    pub(crate) fn is_plain(&self) -> bool {
        self.values.is_none() && self.groups.is_empty() && self.nots.is_empty() && self.about().is_empty()
    }

    /// The kinds of values that have constraints of their own.
    pub(crate) fn about(&self) -> ValueKinds {
        let mut kinds = ValueKinds::NONE;
        let mut add = |says: bool, kind: ValueKinds| kinds = if says { kinds.or(kind) } else { kinds };
        let numbers = &self.numbers;
        let is_number = numbers.format.is_some() || !numbers.factors.is_empty();
        add(is_number || numbers.min.is_some() || numbers.max.is_some(), ValueKinds::NUMBER);
        let texts = &self.texts;
        let is_text = !texts.patterns.is_empty() || !texts.formats.is_empty();
        add(is_text || texts.min.is_some() || texts.max.is_some(), ValueKinds::STRING);
        let list = &self.list;
        let is_list = list.items.is_some() || list.is_unique || !list.contains.is_empty();
        add(is_list || list.min.is_some() || list.max.is_some(), ValueKinds::ARRAY);
        add(self.object.says_anything(), ValueKinds::OBJECT);
        kinds
    }

    /// Only what concerns values of these kinds.
    pub(crate) fn restrict(&mut self, kinds: ValueKinds) {
        self.kinds = self.kinds.and(kinds);
        if let Some(values) = &mut self.values {
            values.retain(|value| kinds.meets(ValueKinds::of(value)));
        }
        if !kinds.meets(ValueKinds::NUMBER) {
            self.numbers = NumberConstraints::default();
        }
        if !kinds.meets(ValueKinds::STRING) {
            self.texts = StringConstraints::default();
        }
        if !kinds.meets(ValueKinds::ARRAY) {
            self.list = ListConstraints::default();
        }
        if !kinds.meets(ValueKinds::OBJECT) {
            self.object = ObjectConstraints::default();
        }
    }
}

impl SchemaShape {
    /// Adds the names of the fields of its alternatives, however deep.
    pub(crate) fn collect_branch_fields(&self, names: &mut BTreeSet<String>) {
        let branches = self.groups.iter().flat_map(|group| &group.branches);
        for branch in branches.chain(&self.nots) {
            names.extend(branch.object.field_names());
            branch.collect_branch_fields(names);
        }
    }
}

impl ObjectConstraints {
    /// The names of the fields.
    pub(crate) fn field_names(&self) -> BTreeSet<String> {
        self.fields.iter().map(|(name, _)| name.clone()).collect()
    }

    /// True if there must not be a field with this name.
    pub(crate) fn forbids_field(&self, name: &str) -> bool {
        let is_free = self.additional.is_some() || self.fields.contains(name) || self.may_match_pattern(name);
        self.is_closed && !is_free
    }

    /// True if a name matches one of the patterns, or may.
    pub(crate) fn may_match_pattern(&self, name: &str) -> bool {
        let matches = |pattern: &String| {
            let matcher = kvrules_regex::parse(pattern).ok().and_then(|regex| regex.compile_matcher().ok());
            matcher.is_none_or(|matcher| matcher.is_match(name))
        };
        self.patterns.iter().any(|(pattern, _)| matches(pattern))
    }

    fn says_anything(&self) -> bool {
        !self.fields.is_empty()
            || !self.required.is_empty()
            || self.min.is_some()
            || self.max.is_some()
            || self.additional.is_some()
            || self.is_closed
            || self.is_open
            || !self.patterns.is_empty()
            || !self.names.is_empty()
            || !self.dependents.is_empty()
    }
}
