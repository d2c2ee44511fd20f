//! Decides if a rule may depend on the value at a place of the object, by the chains of fields in its expression.

use kvrules_cel::ast::{ComprehensionKind, Expr, ExprKind, Literal, operators};
use kvrules_cel::types::unescape_property;
use kvrules_generate::PlaceStep;

/// The path of a value below the object; `None` if it is computed.
type ValuePath = Option<Vec<PlaceStep>>;

/// Functions whose result is their receiver.
const PASSING: [&str; 3] = ["value", "orValue", "or"];

/// A place that a rule reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRead {
    /// The steps to it from the object.
    pub path: Vec<PlaceStep>,
    /// True if only its presence, or the number of its items, is used.
    pub is_presence: bool,
}

/// Returns the places that a rule at `place` reads: what it does not list has no effect on the rule. The rule runs for each value at its
/// place, so the presence of that is the first.
///
/// ```
/// use kvrules_generate::{PlaceStep, place_text};
/// use kvrules_lift::place_reads;
///
/// let spec = [PlaceStep::Field("spec".to_owned())];
/// let rule = kvrules_cel::parse("!has(self.ports) || self.size > 1").unwrap();
/// let reads = place_reads(&spec, &rule.root);
/// let paths: Vec<_> = reads.iter().map(|read| (place_text(&read.path), read.is_presence)).collect();
/// assert_eq!(paths, [("spec".into(), true), ("spec.ports".into(), true), ("spec.size".into(), false)]);
/// ```
pub fn place_reads(place: &[PlaceStep], expression: &Expr) -> Vec<PlaceRead> {
    let mut reader = PlaceReader { place, variables: Vec::new(), reads: Vec::new() };
    reader.read_presence(place);
    reader.read_value(expression);
    reader.reads
}

/// True if the expression of a rule at `place` may depend on the value at `wanted`, or on one below it. `false` is certain as long as
/// the objects around `wanted` exist.
///
/// ```
/// use kvrules_generate::PlaceStep;
/// use kvrules_lift::reads_place;
///
/// let field = |name: &str| PlaceStep::Field(name.to_owned());
/// let reads = |text: &str| {
///     let rule = kvrules_cel::parse(text).unwrap();
///     reads_place(&[field("spec")], &rule.root, &[field("spec"), field("ports"), PlaceStep::Any, field("name")])
/// };
/// assert!(reads("self.ports.all(port, port.name != '')") && reads("self == oldSelf"));
/// assert!(!reads("self.ports.all(port, port.number > 0)") && !reads("has(self.ports) && self.size > 1"));
/// // A rule runs only if its place has a value.
/// let never = kvrules_cel::parse("false").unwrap();
/// assert!(reads_place(&[field("size")], &never.root, &[field("size")]));
/// ```
pub fn reads_place(place: &[PlaceStep], expression: &Expr, wanted: &[PlaceStep]) -> bool {
    // One path leads to the other, whichever is longer; the presence of what is around the wanted one says nothing about that.
    place_reads(place, expression).iter().any(|read| {
        let is_within = !read.is_presence || read.path.len() >= wanted.len();
        is_within && wanted.iter().zip(&read.path).all(|(wanted, step)| are_alike(wanted, step))
    })
}

struct PlaceReader<'a> {
    place: &'a [PlaceStep],
    /// The names of loops around the expression, with the paths of their values.
    variables: Vec<(String, ValuePath)>,
    reads: Vec<PlaceRead>,
}

impl PlaceReader<'_> {
    /// An expression whose whole value is used.
    fn read_value(&mut self, expr: &Expr) {
        if let Some(path) = self.read_path(expr) {
            self.reads.push(PlaceRead { path, is_presence: false });
        }
    }

    /// An expression of which only the presence, or the number of items, is used.
    fn read_presence(&mut self, path: &[PlaceStep]) {
        self.reads.push(PlaceRead { path: path.to_vec(), is_presence: true });
    }

    /// The path of the value of an expression. What the expression reads to compute it is noted, and not the value itself.
    fn read_path(&mut self, expr: &Expr) -> ValuePath {
        match &expr.kind {
            ExprKind::Ident(name) => self.path_of_name(name),
            ExprKind::Select { operand, field } => {
                self.read_path(operand).map(|path| with_step(path, PlaceStep::Field(unescape(field))))
            }
            ExprKind::Has { operand, field, .. } => {
                if let Some(path) = self.read_path(operand) {
                    self.read_presence(&with_step(path, PlaceStep::Field(unescape(field))));
                }
                None
            }
            ExprKind::Call { function, receiver, args } => {
                self.read_call(function, receiver.as_deref(), args)
            }
            ExprKind::Comprehension(it) => {
                let path = self.read_range(&it.range);
                let count = self.variables.len();
                let names: Vec<String> = it.variable_names().map(str::to_owned).collect();
                self.variables.extend(names.into_iter().map(|name| (name, path.clone())));
                it.condition.iter().chain([&it.body]).for_each(|part| self.read_value(part));
                self.variables.truncate(count);
                let is_filter = it.kind == ComprehensionKind::Filter;
                path.filter(|_| is_filter).map(|mut path| {
                    path.pop();
                    path
                })
            }
            ExprKind::OptMap { target, var, body, .. } => {
                let path = self.read_path(target);
                self.read_below(var, path, body);
                None
            }
            ExprKind::SortBy { range, var, key } => {
                let path = self.read_range(range);
                self.read_below(var, path.clone(), key);
                path.map(|mut path| {
                    path.pop();
                    path
                })
            }
            _ => {
                expr.children().into_iter().for_each(|child| self.read_value(child));
                None
            }
        }
    }

    /// An expression with a variable in it.
    fn read_below(&mut self, var: &str, path: ValuePath, body: &Expr) {
        self.variables.push((var.to_owned(), path));
        self.read_value(body);
        self.variables.pop();
    }

    /// A list or map to loop over, and the path of its values.
    fn read_range(&mut self, range: &Expr) -> ValuePath {
        let path = self.read_path(range)?;
        self.read_presence(&path);
        Some(with_step(path, PlaceStep::Any))
    }

    fn read_call(&mut self, function: &str, receiver: Option<&Expr>, args: &[Expr]) -> ValuePath {
        match (function, receiver, args) {
            (operators::OPT_SELECT, None, [operand, field]) => {
                let path = self.read_path(operand)?;
                match &field.kind {
                    ExprKind::Literal(Literal::String(field)) => {
                        Some(with_step(path, PlaceStep::Field(field.clone())))
                    }
                    _ => Some(path),
                }
            }
            (operators::INDEX | operators::OPT_INDEX, None, [operand, key]) => {
                self.read_value(key);
                let path = self.read_path(operand)?;
                let step = match &key.kind {
                    ExprKind::Literal(Literal::String(key)) => PlaceStep::Field(key.clone()),
                    _ => PlaceStep::Any,
                };
                Some(with_step(path, step))
            }
            ("hasValue", Some(operand), []) => {
                if let Some(path) = self.read_path(operand) {
                    self.read_presence(&path);
                }
                None
            }
            (name, Some(operand), _) if PASSING.contains(&name) => {
                for argument in args {
                    self.read_value(argument);
                }
                self.read_path(operand)
            }
            _ => {
                receiver.into_iter().chain(args).for_each(|part| self.read_value(part));
                None
            }
        }
    }

    fn path_of_name(&self, name: &str) -> ValuePath {
        let known = self.variables.iter().rev().find(|(known, _)| known == name);
        match (known, name) {
            (Some((_, path)), _) => path.clone(),
            (None, "self" | "oldSelf") => Some(self.place.to_vec()),
            (None, _) => None,
        }
    }
}

/// The name of a property whose escaped name an expression has.
fn unescape(field: &str) -> String {
    unescape_property(field).unwrap_or_else(|| field.to_owned())
}

fn with_step(mut path: Vec<PlaceStep>, step: PlaceStep) -> Vec<PlaceStep> {
    path.push(step);
    path
}

/// True if two steps may lead to the same value.
fn are_alike(one: &PlaceStep, other: &PlaceStep) -> bool {
    one == other || matches!((one, other), (PlaceStep::Any, _) | (_, PlaceStep::Any))
}
