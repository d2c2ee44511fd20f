//! From shapes to a structural schema: the spine says which fields there are and of which type, branches say no more than
//! values.

mod branch;
mod cel;
mod fill;
mod kind;
mod number;
mod object;
mod sides;
mod spine;

use std::collections::HashMap;

use kvrules_diagnostics::{Exactness, Span};
use kvrules_kubernetes::keywords::VALIDATIONS;
use serde_json::{Map, Value};

use crate::note::{ImportNote, ImportNoteKind, ImportProblem, LocatedRule};
use crate::shape::{LostConstraint, SchemaShape};

/// Maximum number of nodes of the result.
const MOST_NODES: usize = 100_000;

/// The keywords of a node.
pub(crate) type Keywords = Map<String, Value>;

/// Position of a node of the spine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeSite {
    Root,
    Item,
    Field,
}

/// On which side of negations a branch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NegationSide {
    Positive,
    Negative,
}

/// Writes shapes, and notes what they lose.
#[derive(Debug)]
pub(crate) struct ShapeEmitter {
    pub notes: Vec<ImportNote>,
    /// Index of each note, by its place and its message.
    seen: HashMap<(Span, String), usize>,
    count: usize,
    side: NegationSide,
    /// Number of constraints that branches did not express exactly.
    losses: usize,
    /// True if the branch that comes next is one of several that allow no further fields.
    is_among_closed: bool,
    /// The node of the result that is being written, as a JSON pointer.
    path: Vec<String>,
    /// The nodes that have defaults, and where these are in the source.
    pub defaults: Vec<(String, Span)>,
}

impl ShapeEmitter {
    pub(crate) fn new(notes: Vec<ImportNote>) -> Self {
        let mut emitter = Self {
            notes: Vec::new(),
            seen: HashMap::new(),
            count: 0,
            side: NegationSide::Positive,
            losses: 0,
            is_among_closed: false,
            path: Vec::new(),
            defaults: Vec::new(),
        };
        for note in notes {
            emitter.note(note);
        }
        emitter
    }

    /// The structural schema of a shape.
    pub(crate) fn root(&mut self, shape: &SchemaShape) -> Result<Value, ImportProblem> {
        self.spine(shape, NodeSite::Root)
    }

    fn counted(&mut self, at: Span) -> Result<(), ImportProblem> {
        self.count += 1;
        if self.count <= MOST_NODES {
            return Ok(());
        }
        Err(ImportProblem::new(at, format!("the structural schema would have more than {MOST_NODES} nodes")))
    }

    fn pointer(&self) -> String {
        let steps = self.path.iter().map(|step| kvrules_syntax::pointer::escape_step(step));
        steps.flat_map(|step| ["/".to_owned(), step]).collect()
    }

    /// Does something one or two steps further down.
    fn emit_below<T>(&mut self, steps: &[&str], work: impl FnOnce(&mut Self) -> T) -> T {
        self.path.extend(steps.iter().map(|step| (*step).to_owned()));
        let done = work(self);
        self.path.truncate(self.path.len() - steps.len());
        done
    }

    /// Does something on the other side of a negation.
    fn negated<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.side;
        self.side = match before {
            NegationSide::Positive => NegationSide::Negative,
            NegationSide::Negative => NegationSide::Positive,
        };
        let done = work(self);
        self.side = before;
        done
    }

    fn note(&mut self, note: ImportNote) {
        let known = *self.seen.entry((note.span, note.message.clone())).or_insert(self.notes.len());
        match self.notes.get_mut(known) {
            // A condition is written twice, once negated, so that one loss may have both effects.
            Some(known) => known.effect = known.effect.join_with(note.effect),
            None => self.notes.push(note),
        }
    }

    /// Notes a loss; what is wider in a negated branch is narrower for the whole.
    fn lose(
        &mut self,
        effect: Exactness,
        shape: &SchemaShape,
        keyword: &'static str,
        message: impl Into<String>,
    ) {
        let lost = LostConstraint {
            kind: ImportNoteKind::Loss,
            effect,
            keyword,
            span: shape.place(keyword),
            message: message.into(),
        };
        self.lost(&lost);
    }

    fn lost(&mut self, lost: &LostConstraint) {
        let effect = match self.side {
            NegationSide::Positive => lost.effect,
            NegationSide::Negative => lost.effect.negated(),
        };
        self.losses += usize::from(effect != Exactness::Exact);
        self.note(ImportNote {
            kind: lost.kind,
            effect,
            keyword: lost.keyword,
            span: lost.span,
            message: lost.message.clone(),
            rule: None,
        });
    }

    fn remark(&mut self, shape: &SchemaShape, keyword: &'static str, message: impl Into<String>) {
        self.note(ImportNote {
            kind: ImportNoteKind::Remark,
            effect: Exactness::Exact,
            keyword,
            span: shape.place(keyword),
            message: message.into(),
            rule: None,
        });
    }

    /// Says a keyword by a rule on the node that is being written.
    fn rule(
        &mut self,
        out: &mut Keywords,
        shape: &SchemaShape,
        keyword: &'static str,
        rule: String,
        message: &str,
    ) {
        let entry = serde_json::json!({"rule": rule, "message": message});
        match out.get_mut(VALIDATIONS).and_then(Value::as_array_mut) {
            Some(rules) => rules.push(entry),
            None => {
                out.insert(VALIDATIONS.to_owned(), Value::Array(vec![entry]));
            }
        }
        let message = format!("`{keyword}` is expressed by the rule `{rule}`");
        self.note(ImportNote {
            kind: ImportNoteKind::Cel,
            effect: Exactness::Exact,
            keyword,
            span: shape.place(keyword),
            message,
            rule: Some(LocatedRule { node: self.pointer(), rule }),
        });
    }
}

/// Sets a keyword.
fn set_keyword(out: &mut Keywords, keyword: &str, value: impl Into<Value>) {
    out.insert(keyword.to_owned(), value.into());
}
