//! The schemas of a version in one flat list, read once for every check that looks at the text.
//!
//! Names are rendered for findings alone, since most schemas have none.

use std::collections::HashMap;
use std::ops::Range;

use kvrules_kubernetes::keywords::{EMBEDDED_RESOURCE, INT_OR_STRING, PRESERVE_UNKNOWN_FIELDS, VALIDATIONS};
use kvrules_syntax::{Entry, Node};

use crate::plain;
use crate::schema_location::{SchemaLocation, join_names};

macro_rules! keywords {
    ($($name:ident $text:tt,)*) => {
        /// A keyword that is examined.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Keyword {
            $($name,)*
        }

        impl Keyword {
            fn from_text(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$name),)*
                    _ => None,
                }
            }

            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

keywords! {
    Type "type",
    Format "format",
    Nullable "nullable",
    Enum "enum",
    Default "default",
    Pattern "pattern",
    Required "required",
    Minimum "minimum",
    Maximum "maximum",
    ExclusiveMinimum "exclusiveMinimum",
    ExclusiveMaximum "exclusiveMaximum",
    MultipleOf "multipleOf",
    MinLength "minLength",
    MaxLength "maxLength",
    MinItems "minItems",
    MaxItems "maxItems",
    MinProperties "minProperties",
    MaxProperties "maxProperties",
    Properties "properties",
    Items "items",
    AdditionalProperties "additionalProperties",
    AllOf "allOf",
    AnyOf "anyOf",
    OneOf "oneOf",
    Not "not",
    IntOrString INT_OR_STRING,
    PreserveUnknownFields PRESERVE_UNKNOWN_FIELDS,
    EmbeddedResource EMBEDDED_RESOURCE,
    Validations VALIDATIONS,
}

/// A set of keywords.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeywordSet(u32);

impl KeywordSet {
    pub(crate) const fn from_keywords(keywords: &[Keyword]) -> Self {
        let (mut set, mut rest) = (0, keywords);
        while let [first, others @ ..] = rest {
            set |= 1 << (*first as u32);
            rest = others;
        }
        Self(set)
    }

    fn insert_keyword(&mut self, keyword: Keyword) {
        self.0 |= 1 << (keyword as u32);
    }
}

/// The schemas of a version.
pub(crate) struct SchemaTree<'d> {
    /// Each before those below it.
    nodes: Vec<SchemaNode<'d>>,
    /// The keywords of all nodes, merged ones included.
    keywords: Vec<(Keyword, Entry<'d>)>,
    /// The nodes of the spine with rules, in their order.
    with_rules: Vec<usize>,
}

/// One schema.
struct SchemaNode<'d> {
    owner: Node<'d>,
    /// The key that the schema stands under.
    key: Node<'d>,
    /// The schema around it, and the step from there.
    parent: Option<usize>,
    step: ParentStep<'d>,
    /// The branch that it is in, if any.
    branch: Option<&'static str>,
    keywords: Range<usize>,
    present: KeywordSet,
    /// True if a schema above has rules.
    is_below_rules: bool,
    /// The index past the last schema below.
    past: usize,
}

/// A step from a schema to one below it.
#[derive(Clone, Copy)]
enum ParentStep<'d> {
    Property(&'d str),
    Items,
    AdditionalProperties,
    /// Into a branch, which is about the same values.
    Branch,
}

/// One schema of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'t, 'd> {
    tree: &'t SchemaTree<'d>,
    node: &'t SchemaNode<'d>,
    index: usize,
}

impl<'d> SchemaTree<'d> {
    /// Reads the schema that stands under a key, and all below it.
    pub(crate) fn new(owner: Node<'d>, key: Node<'d>) -> Self {
        let mut tree = Self { nodes: Vec::new(), keywords: Vec::new(), with_rules: Vec::new() };
        let root = ParentLink { parent: None, step: ParentStep::Branch, branch: None, is_below_rules: false };
        tree.add_schema(owner, key, root);
        tree
    }

    fn add_schema(&mut self, owner: Node<'d>, key: Node<'d>, below: ParentLink<'d>) {
        let ParentLink { parent, step, branch, is_below_rules } = below;
        let index = self.nodes.len();
        let first = self.keywords.len();
        let mut present = KeywordSet::default();
        for entry in owner.entries_with_merged() {
            if let Some(keyword) = Keyword::from_text(entry.key.text()) {
                present.insert_keyword(keyword);
                self.keywords.push((keyword, entry));
            }
        }
        let keywords = first..self.keywords.len();
        let node = SchemaNode {
            owner,
            key,
            parent,
            step,
            branch,
            keywords: keywords.clone(),
            present,
            is_below_rules,
            past: index + 1,
        };
        self.nodes.push(node);
        let has_rules = self.schema(index).is_some_and(Schema::has_rules);
        if branch.is_none() && has_rules {
            self.with_rules.push(index);
        }
        let child =
            ParentLink { parent: Some(index), step, branch, is_below_rules: is_below_rules || has_rules };
        for at in keywords {
            if let Some((keyword, entry)) = self.keywords.get(at).copied() {
                self.add_below(keyword, entry, child);
            }
        }
        let past = self.nodes.len();
        if let Some(node) = self.nodes.get_mut(index) {
            node.past = past;
        }
    }

    /// Adds the schemas that a keyword holds.
    fn add_below(&mut self, keyword: Keyword, entry: Entry<'d>, below: ParentLink<'d>) {
        let value = entry.value;
        let branch = |name| ParentLink { step: ParentStep::Branch, branch: Some(name), ..below };
        match keyword {
            Keyword::Properties => {
                for property in value.entries_with_merged().filter(|property| property.value.is_map()) {
                    let step = ParentStep::Property(property.key.text());
                    self.add_schema(property.value, property.key, ParentLink { step, ..below });
                }
            }
            Keyword::Items if value.is_map() => {
                self.add_schema(value, entry.key, ParentLink { step: ParentStep::Items, ..below });
            }
            Keyword::AdditionalProperties if value.is_map() => {
                self.add_schema(
                    value,
                    entry.key,
                    ParentLink { step: ParentStep::AdditionalProperties, ..below },
                );
            }
            Keyword::Not if value.is_map() => self.add_schema(value, entry.key, branch("not")),
            Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf => {
                for item in value.items().filter(|item| item.is_map()) {
                    self.add_schema(item, entry.key, branch(keyword.as_str()));
                }
            }
            _ => {}
        }
    }

    fn schema(&self, index: usize) -> Option<Schema<'_, 'd>> {
        Some(Schema { tree: self, node: self.nodes.get(index)?, index })
    }

    /// Every schema, each before those below it.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = Schema<'_, 'd>> {
        self.nodes.iter().enumerate().map(|(index, node)| Schema { tree: self, node, index })
    }

    /// The schemas of the spine that have rules, by the way from the root as the server writes it.
    pub(crate) fn with_rules(&self) -> HashMap<String, SchemaLocation<'d>> {
        let mut found = HashMap::new();
        for schema in self.with_rules.iter().filter_map(|index| self.schema(*index)) {
            found.entry(schema.server_path()).or_insert_with(|| schema.to_location());
        }
        found
    }
}

/// Relation of a schema to its parent.
#[derive(Clone, Copy)]
struct ParentLink<'d> {
    parent: Option<usize>,
    step: ParentStep<'d>,
    branch: Option<&'static str>,
    is_below_rules: bool,
}

impl<'t, 'd> Schema<'t, 'd> {
    /// The map that it is written as.
    pub(crate) fn owner(self) -> Node<'d> {
        self.node.owner
    }

    /// True if it declares fields, and is not in a branch.
    pub(crate) fn is_spine(self) -> bool {
        self.node.branch.is_none()
    }

    /// True if any of the keywords is written.
    pub(crate) fn has_any(self, keywords: KeywordSet) -> bool {
        self.node.present.0 & keywords.0 != 0
    }

    /// The keywords in their order, merged ones last.
    pub(crate) fn keywords(self) -> &'t [(Keyword, Entry<'d>)] {
        self.tree.keywords.get(self.node.keywords.clone()).unwrap_or_default()
    }

    /// The entry of a keyword, found as by [`Node::entry`].
    pub(crate) fn entry(self, keyword: Keyword) -> Option<Entry<'d>> {
        if !self.has_any(KeywordSet::from_keywords(&[keyword])) {
            return None;
        }
        if self.node.owner.has_merges() {
            return self.node.owner.entry(keyword.as_str());
        }
        self.keywords().iter().rev().find(|(known, _)| *known == keyword).map(|(_, entry)| *entry)
    }

    /// The value of a keyword.
    pub(crate) fn get(self, keyword: Keyword) -> Option<Node<'d>> {
        self.entry(keyword).map(|entry| entry.value)
    }

    /// True if a keyword is `true` for Kubernetes.
    pub(crate) fn is_true(self, keyword: Keyword) -> bool {
        self.get(keyword).is_some_and(plain::is_true)
    }

    /// The type that it names; empty if it names none.
    pub(crate) fn ty(self) -> &'d str {
        self.get(Keyword::Type).map(Node::text).unwrap_or_default()
    }

    fn has_rules(self) -> bool {
        self.get(Keyword::Validations).is_some_and(|rules| rules.items().next().is_some())
    }

    /// True if there are rules above it and below it.
    pub(crate) fn is_between_rules(self) -> bool {
        let rules = &self.tree.with_rules;
        let next = rules.partition_point(|index| *index <= self.index);
        self.node.is_below_rules && rules.get(next).is_some_and(|index| *index < self.node.past)
    }

    /// The schemas from the root to this one.
    fn schema_chain(self) -> Vec<&'t SchemaNode<'d>> {
        let parent = |node: &&'t SchemaNode<'d>| self.tree.nodes.get(node.parent?);
        let mut line: Vec<_> = std::iter::successors(Some(self.node), parent).collect();
        line.reverse();
        line
    }

    /// Returns its name: the path to the values that it is for, `spec.disks[].name`; empty at the root.
    pub(crate) fn name(self) -> String {
        self.schema_chain().into_iter().fold(String::new(), |name, node| match node.step {
            ParentStep::Property(property) => join_names(&name, property),
            ParentStep::Items => name + "[]",
            ParentStep::AdditionalProperties => name + ".*",
            ParentStep::Branch => name,
        })
    }

    /// The way from the root as the server writes it: `.properties[spec].items`.
    fn server_path(self) -> String {
        self.schema_chain().into_iter().fold(String::new(), |way, node| match node.step {
            ParentStep::Property(property) => format!("{way}.properties[{property}]"),
            ParentStep::Items => way + ".items",
            ParentStep::AdditionalProperties => way + ".additionalProperties",
            ParentStep::Branch => way,
        })
    }

    /// It as a place of findings.
    pub(crate) fn to_location(self) -> SchemaLocation<'d> {
        let node = self.node;
        SchemaLocation {
            name: self.name(),
            branch: node.branch,
            ..SchemaLocation::root(node.owner, Some(node.key))
        }
    }
}
