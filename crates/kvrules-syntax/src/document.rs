//! A parsed document: nodes in one flat list, texts in the source or next to it.

use std::borrow::Cow;

use kvrules_diagnostics::{FileId, Span};

use crate::{Node, Notation, Problem, ProblemKind, scalar_map::ScalarMap, templated::Template};

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxKind {
    /// `null`, `~`, or nothing at all.
    Null,
    /// `true`.
    True,
    /// `false`.
    False,
    /// A number; its text is kept as written.
    Number,
    /// A string.
    String,
    /// `${NAME}` or `${{NAME}}` in the place of a value: an OpenShift template parameter.
    Parameter,
    /// A YAML sequence or a JSON array.
    List,
    /// A YAML mapping or a JSON object.
    Map,
    /// Something stood here that could not be read; a problem says what.
    Hole,
    /// A YAML alias. Accessors of [`Node`] look through it.
    Alias,
}

/// Notation of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeStyle {
    /// Without quotation marks.
    Plain,
    /// In single quotation marks.
    Single,
    /// In double quotation marks.
    Double,
    /// A literal block, `|`.
    Literal,
    /// A folded block, `>`.
    Folded,
}

/// Location of the text of a scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeText {
    /// In the document's own text.
    Own { start: u32, len: u32 },
    /// In the side buffer, because unescaping or folding changed it.
    Side { start: u32, len: u32 },
}

/// One node. Nodes stand in the order of the text; the children of a container follow it directly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeData {
    pub kind: SyntaxKind,
    pub style: NodeStyle,
    /// True if it is or has a text with a dollar sign, or an alias.
    pub may_refer: bool,
    pub start: u32,
    pub end: u32,
    pub payload: NodePayload,
}

/// Data of a node, depending on its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NodePayload {
    Text(NodeText),
    /// Index just past the last node of this container.
    Container {
        past: u32,
        merges: bool,
    },
    /// Index of the node that an alias stands for.
    Target(u32),
}

/// One document: a YAML document of a stream, a JSON text, or the JSON inside a scalar.
#[derive(Debug)]
pub struct Document<'s> {
    pub(crate) file: FileId,
    /// Notation of the text.
    pub(crate) notation: Notation,
    /// The text that nodes refer to.
    pub(crate) text: Cow<'s, str>,
    /// From offsets in `text` to offsets in the file.
    pub(crate) map: ScalarMap,
    /// Texts that differ from how they are written.
    pub(crate) side: String,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) problems: Vec<Problem>,
    /// The template that the text is, with what its tags leave open.
    pub(crate) template: Option<&'s Template>,
    /// True if a problem was left out because template tags may be its cause.
    pub(crate) obscured: bool,
    /// Problem at which a template stopped being YAML.
    pub(crate) unrendered: Option<Problem>,
    /// True if the tree was made of parts of another one.
    pub(crate) is_restated: bool,
}

impl<'s> Document<'s> {
    pub(crate) fn new(file: FileId, text: Cow<'s, str>, map: ScalarMap) -> Self {
        Self {
            file,
            notation: Notation::default(),
            text,
            map,
            side: String::new(),
            nodes: Vec::new(),
            problems: Vec::new(),
            template: None,
            obscured: false,
            unrendered: None,
            is_restated: false,
        }
    }

    /// The document in another notation than YAML.
    pub(crate) fn written_in(self, notation: Notation) -> Self {
        Self { notation, ..self }
    }

    /// The outermost node; none if the document is empty.
    pub fn root(&self) -> Option<Node<'_>> {
        self.nodes.first().map(|_| Node::new(self, 0))
    }

    /// Problems of the text, in the order of the text.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// True if a syntax error hides parts of the text. After duplicate keys, wrong indentation, and comments and commas in JSON
    /// all of it is read.
    pub fn has_unread_parts(&self) -> bool {
        let harmless = [
            ProblemKind::DuplicateKey,
            ProblemKind::YamlIndentation,
            ProblemKind::JsonExtraComma,
            ProblemKind::JsonComment,
        ];
        self.problems.iter().any(|problem| !harmless.contains(&problem.kind))
    }

    /// The template that the text is; none if it has no template tags.
    pub fn template(&self) -> Option<&'s Template> {
        self.template
    }

    /// Returns the problem that stopped the reading of a template. The rendered text may well be sound.
    pub fn template_problem(&self) -> Option<&Problem> {
        self.unrendered.as_ref()
    }

    /// Notes the template that the text is in, and leaves out the problems that its tags may be the cause of.
    pub(crate) fn keep_reported(&mut self, template: Option<&'s Template>) {
        let Some(known) = template else { return };
        let is_structure = |problem: &&Problem| problem.kind != ProblemKind::DuplicateKey;
        let before = self.problems.iter().filter(is_structure).count();
        known.keep_reported(&mut self.problems);
        self.obscured = self.problems.iter().filter(is_structure).count() < before;
        self.template = template;
    }

    /// True if the tree says what its text says in another notation; see [`restated`](crate::restated).
    pub fn is_restated(&self) -> bool {
        self.is_restated
    }

    /// The file that all positions refer to.
    pub fn file_id(&self) -> FileId {
        self.file
    }

    pub(crate) fn text_of(&self, text: NodeText) -> &str {
        let (buffer, start, len): (&str, u32, u32) = match text {
            NodeText::Own { start, len } => (&self.text, start, len),
            NodeText::Side { start, len } => (&self.side, start, len),
        };
        buffer.get(start as usize..(start + len) as usize).unwrap_or_default()
    }

    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        Span::new(self.file, start, end)
    }
}
