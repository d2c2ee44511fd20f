//! Converts a written schema to its shape: follows references, and resolves `allOf` and `if`.

mod alternatives;
mod keywords;
mod objects;

use std::rc::Rc;

use kvrules_diagnostics::{Exactness, Span};
use kvrules_json_schema::ReferenceTargets;
use kvrules_syntax::{Entry, Node, SyntaxKind};

use crate::known_keywords;
use crate::note::{ImportNote, ImportNoteKind, ImportProblem};
use crate::shape::{LostConstraint, SchemaShape, ValueKinds, intersect_shapes};
use crate::source::{ChosenSchema, SchemaSource};

/// Maximum number of schemas after references are written out.
const MOST_SCHEMAS: usize = 50_000;
/// Maximum depth of schemas after references are written out.
const DEEPEST: usize = 100;

/// Reads schemas of a document.
#[derive(Debug)]
pub(crate) struct SchemaReader<'d> {
    source: SchemaSource<'d>,
    targets: ReferenceTargets<'d>,
    /// Place of the schema that is read.
    root: Span,
    /// Number of times that a recursive schema is written out in itself.
    recursion: Option<usize>,
    /// Notes that change nothing.
    pub notes: Vec<ImportNote>,
    /// The references that are being followed, with the places of their targets.
    following: Vec<(String, Span)>,
    count: usize,
    depth: usize,
}

impl<'d> SchemaReader<'d> {
    pub(crate) fn new(chosen: &ChosenSchema<'d>, recursion: Option<usize>) -> Self {
        let (source, root) = (chosen.source, chosen.schema.span_of(0..0));
        let targets = source.reference_targets();
        Self {
            source,
            targets,
            root,
            recursion,
            notes: Vec::new(),
            following: Vec::new(),
            count: 0,
            depth: 0,
        }
    }

    /// The shape of a schema.
    pub(crate) fn schema(&mut self, node: Node<'d>) -> Result<SchemaShape, ImportProblem> {
        self.count += 1;
        Self::bounded(self.count, node)?;
        if self.depth >= DEEPEST {
            let message =
                format!("the schema nests deeper than {DEEPEST} when its references are written out");
            return Err(ImportProblem::new(node.span(), message));
        }
        self.depth += 1;
        let shape = match node.kind() {
            SyntaxKind::True => Ok(SchemaShape::any(node.span())),
            SyntaxKind::False => Ok(SchemaShape::of(ValueKinds::NONE, node.span())),
            SyntaxKind::Map => self.map(node),
            _ => {
                self.add_error(
                    node.span(),
                    "",
                    "a schema must be a map, `true` or `false`; this is left out",
                );
                Ok(SchemaShape::any(node.span()))
            }
        };
        self.depth -= 1;
        let mut shape = shape?;
        shape.weigh();
        Self::bounded(shape.weight, node)?;
        Ok(shape)
    }

    fn bounded(count: usize, node: Node<'d>) -> Result<(), ImportProblem> {
        if count <= MOST_SCHEMAS {
            return Ok(());
        }
        let message =
            format!("the schema has more than {MOST_SCHEMAS} nodes when its references are written out");
        Err(ImportProblem::new(node.span(), message))
    }

    /// The shape of a schema, to be shared.
    fn shared(&mut self, node: Node<'d>) -> Result<Rc<SchemaShape>, ImportProblem> {
        self.schema(node).map(Rc::new)
    }

    fn map(&mut self, node: Node<'d>) -> Result<SchemaShape, ImportProblem> {
        let Some(reference) = node.get("$ref").filter(|reference| reference.as_str().is_some()) else {
            return self.keywords(node);
        };
        let target = self.follow(reference)?;
        if self.source.has_siblings {
            if node.entries_with_merged().nth(1).is_none() {
                return Ok(target);
            }
            let own = self.keywords(node)?;
            return Ok(intersect_shapes(own, &target));
        }
        let mut target = target;
        for Entry { key, .. } in node.entries_with_merged() {
            if known_keywords::find_constraint(key.text()).is_some() {
                let message = format!("`{}` next to `$ref` has no effect in this dialect", key.text());
                self.add_error(key.span(), "$ref", &message);
            }
        }
        let text = |keyword: &str| node.get(keyword).and_then(Node::as_str).map(str::to_owned);
        target.description = text("description").or(target.description);
        target.title = text("title").or(target.title);
        Ok(target)
    }

    fn follow(&mut self, reference: Node<'d>) -> Result<SchemaShape, ImportProblem> {
        let text = reference.text();
        let target = match self.targets.find_target(reference) {
            Some(target) => target,
            None => self.source.resolve(text, reference.span())?,
        };
        let at = target.span_of(0..0);
        let followed = self.following.iter().filter(|(_, followed)| *followed == at).count();
        let open = followed + usize::from(self.root == at);
        if let Some(most) = self.recursion.filter(|most| open > *most) {
            let mut end = SchemaShape::any(reference.span());
            let message =
                format!("recursion through `{text}` ends after {most} levels: deeper values are not checked");
            end.lost.push(to_loss(Exactness::Wider, "$ref", reference.span(), message));
            return Ok(end);
        }
        if let Some(first) = self.following.iter().position(|(_, followed)| *followed == at)
            && self.recursion.is_none()
        {
            let steps = self.following.iter().skip(first).map(|(text, _)| text.as_str()).chain([text]);
            let cycle = steps.collect::<Vec<_>>().join(" → ");
            let message = format!("recursive schema: {cycle}");
            return Err(ImportProblem::new(reference.span(), message).help(
                "a structural schema is finite; end the recursion with `--recursion DEPTH`, below which every value is allowed",
            ));
        }
        self.following.push((text.to_owned(), at));
        let shape = self.schema(target);
        self.following.pop();
        shape
    }

    /// Notes something that is wrong, and changes nothing.
    fn add_error(&mut self, span: Span, keyword: &'static str, message: &str) {
        self.notes.push(ImportNote {
            kind: ImportNoteKind::Mistake,
            effect: Exactness::Exact,
            keyword,
            span,
            message: message.to_owned(),
            rule: None,
        });
    }
}

/// Something that a shape does not keep.
fn to_loss(
    effect: Exactness,
    keyword: &'static str,
    span: Span,
    message: impl Into<String>,
) -> LostConstraint {
    LostConstraint { kind: ImportNoteKind::Loss, effect, keyword, span, message: message.into() }
}
