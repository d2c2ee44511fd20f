//! From the fields that the server names to places in the file.

use std::collections::HashMap;

use kvrules_diagnostics::Span;
use kvrules_kubernetes::keywords::BRANCH_LISTS;
use kvrules_syntax::kubernetes::follow_field;
use kvrules_syntax::{Entry, Node};

/// The properties of schemas by their names, for those who follow many fields.
#[derive(Default)]
pub(crate) struct PropertyIndex<'d>(HashMap<Span, HashMap<&'d str, Entry<'d>>>);

impl<'d> PropertyIndex<'d> {
    /// The property with the longest name that a text begins with; behind it comes `]`, and then a dot or nothing.
    fn find_property(&mut self, properties: Node<'d>, text: &str) -> Option<Entry<'d>> {
        let known = self.0.entry(properties.span()).or_insert_with(|| {
            let mut known = HashMap::new();
            for entry in properties.entries_with_merged() {
                known.insert(entry.key.text(), entry);
            }
            known
        });
        let ends = text.match_indices(']').filter(|(at, _)| {
            text.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        let names = ends.filter_map(|(at, _)| text.get(..at));
        names.filter_map(|name| known.get(name).copied()).next_back()
    }
}

/// Location of a field of a schema.
#[derive(Clone, Debug)]
pub(crate) struct SchemaLocation<'d> {
    /// The schema that the field belongs to.
    pub(crate) owner: Node<'d>,
    /// The key that the schema stands under; none at the root.
    pub(crate) owner_key: Option<Node<'d>>,
    /// Name of the schema: the path to the values it is for, `spec.disks[].name`; empty at the root.
    pub(crate) name: String,
    /// The keyword; empty for the schema as a whole.
    pub(crate) keyword: String,
    /// The entry of the keyword, where it is written.
    pub(crate) entry: Option<Entry<'d>>,
    /// Part of the keyword's value that the field names: an entry of rules with its field, a part of a default.
    pub(crate) inner: Option<Entry<'d>>,
    /// Branch that the schema is in: `allOf`, `anyOf`, `oneOf` or `not`.
    pub(crate) branch: Option<&'static str>,
}

impl<'d> SchemaLocation<'d> {
    /// The root of a schema that stands under a key.
    pub(crate) fn root(owner: Node<'d>, owner_key: Option<Node<'d>>) -> Self {
        let (name, keyword) = (String::new(), String::new());
        Self { owner, owner_key, name, keyword, entry: None, inner: None, branch: None }
    }

    /// Follows a field, such as `.properties[a].type`, as far as it is written.
    pub(crate) fn follow_field(self, field: &str) -> Self {
        self.follow_by(field, &mut PropertyIndex::default())
    }

    /// Follows one of many fields.
    pub(crate) fn follow_by(mut self, field: &str, index: &mut PropertyIndex<'d>) -> Self {
        let mut rest = field;
        while let Some(step) = rest.strip_prefix('.') {
            match self.descend_into(step, index) {
                Some((below, after)) => (self, rest) = (below, after),
                None => return self.follow_keyword(step),
            }
        }
        self
    }

    /// A schema below, where the step leads to one.
    fn descend_into<'f>(&self, step: &'f str, index: &mut PropertyIndex<'d>) -> Option<(Self, &'f str)> {
        if let Some(names) = step.strip_prefix("properties[") {
            let entry = index.find_property(self.owner.get("properties")?, names)?;
            let after = names.get(entry.key.text().len() + 1..)?;
            let name = join_names(&self.name, entry.key.text());
            return Some((self.child_location(entry.value, entry.key, name), after));
        }
        for (keyword, sign) in [("items", "[]"), ("additionalProperties", ".*")] {
            let Some(after) = step.strip_prefix(keyword).filter(|after| after.starts_with('.')) else {
                continue;
            };
            let entry = self.owner.entry(keyword).filter(|entry| entry.value.is_map())?;
            return Some((
                self.child_location(entry.value, entry.key, format!("{}{sign}", self.name)),
                after,
            ));
        }
        for junctor in BRANCH_LISTS.into_iter().chain(["items"]) {
            let Some(index) = step.strip_prefix(junctor).and_then(|after| after.strip_prefix('[')) else {
                continue;
            };
            let (index, after) = index.split_once(']')?;
            let entry = self.owner.entry(junctor)?;
            let branch = entry.value.items().nth(index.parse().ok()?)?;
            let below = self.child_location(branch, entry.key, self.name.clone());
            return Some((Self { branch: Some(junctor), ..below }, after));
        }
        let after = step.strip_prefix("not").filter(|after| after.starts_with('.'))?;
        let entry = self.owner.entry("not")?;
        let below = self.child_location(entry.value, entry.key, self.name.clone());
        Some((Self { branch: Some("not"), ..below }, after))
    }

    fn child_location(&self, owner: Node<'d>, key: Node<'d>, name: String) -> Self {
        Self { branch: self.branch, name, ..Self::root(owner, Some(key)) }
    }

    /// The last steps: a keyword, and perhaps a way into its value.
    fn follow_keyword(mut self, step: &str) -> Self {
        let written = self.owner.entries_with_merged().filter(|entry| {
            let rest = step.strip_prefix(entry.key.text());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        });
        let Some(entry) = written.max_by_key(|entry| entry.key.text().len()) else {
            let end = step.find(['.', '[']).unwrap_or(step.len());
            step.get(..end).unwrap_or_default().clone_into(&mut self.keyword);
            return self;
        };
        entry.key.text().clone_into(&mut self.keyword);
        self.entry = Some(entry);
        let rest = step.strip_prefix(entry.key.text()).unwrap_or_default();
        self.inner = (!rest.is_empty()).then(|| follow_field(entry, rest).entry);
        self
    }

    /// The location of the error as narrow as it can be: what is wrong with a value is there, what is missing is at the
    /// head of what misses it.
    pub(crate) fn value_span(&self) -> Span {
        match self.inner.or(self.entry) {
            Some(entry) if !entry.value.span().to_range().is_empty() => node_head_span(entry.value),
            Some(entry) => entry.key.span(),
            None => self.head_span(),
        }
    }

    /// The key of the keyword, or what there is instead of it.
    pub(crate) fn key_span(&self) -> Span {
        self.inner.or(self.entry).map_or_else(|| self.head_span(), |entry| entry.key.span())
    }

    /// The head of the schema: the key that it stands under.
    pub(crate) fn head_span(&self) -> Span {
        self.owner_key.map_or_else(|| node_head_span(self.owner), Node::span)
    }

    /// Returns the name of the schema for a sentence.
    pub(crate) fn display_name(&self) -> String {
        if self.name.is_empty() {
            "the root of the schema".to_owned()
        } else {
            crate::text::backtick_text(&self.name)
        }
    }
}

/// The place of a node where a container is reported by its first line alone.
pub(crate) fn node_head_span(node: Node<'_>) -> Span {
    let span = node.span();
    if !(node.is_map() || node.is_list()) || node.is_alias() {
        return span;
    }
    let first =
        node.entries().next().map(|entry| entry.key.span()).or_else(|| node.items().next().map(Node::span));
    match first {
        // In block style a map begins at its first key; otherwise there is a bracket.
        Some(first) if first.start == span.start && first.end <= span.end => Span { end: first.end, ..span },
        _ => span,
    }
}

/// The way to a name below another.
pub(crate) fn join_names(name: &str, below: &str) -> String {
    match (name.is_empty(), below.contains(['.', '[', '/', ' '])) {
        (_, true) => format!("{name}['{below}']"),
        (true, false) => below.to_owned(),
        (false, false) => format!("{name}.{below}"),
    }
}
