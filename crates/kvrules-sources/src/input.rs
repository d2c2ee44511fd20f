//! Format of a file, by its name, and the documents in it.

use kvrules_diagnostics::{SourceFile, Span};
use kvrules_syntax::{
    Document, DocumentStream, JsonDialect, ProblemKind,
    markdown::{FencedBlock, find_fenced_blocks},
    restructuredtext, source_stream,
    templated::Template,
};

/// A file as the parsers see it.
pub struct Input<'s> {
    text: &'s str,
    name: &'s str,
    /// The examples of a Markdown or reStructuredText file; none for YAML and JSON.
    blocks: Option<Vec<FencedBlock<'s>>>,
    /// The template that a YAML file is.
    template: Option<Template>,
}

/// A file whose documents are parsed.
pub struct ParsedFile<'a> {
    /// The text.
    pub source: &'a SourceFile,
    /// Its format.
    pub input: &'a Input<'a>,
    /// The streams of documents: the whole file, or each example in it.
    pub streams: &'a [DocumentStream<'a>],
    /// The documents of all streams.
    pub documents: Vec<&'a Document<'a>>,
}

/// The streams of a file: what the file keeps, or those of its examples or of what is between template tags.
pub enum ParsedStreams<'s> {
    /// The documents of the whole file.
    Kept(&'s DocumentStream<'s>),
    /// Other documents.
    Own(Vec<DocumentStream<'s>>),
}

impl<'s> ParsedStreams<'s> {
    /// The streams.
    pub fn as_slice(&self) -> &[DocumentStream<'s>] {
        match self {
            Self::Kept(stream) => std::slice::from_ref(*stream),
            Self::Own(streams) => streams,
        }
    }
}

/// Parses a file, and reads its documents.
pub fn with_documents<T>(source: &SourceFile, read: impl FnOnce(&ParsedFile<'_>) -> T) -> T {
    Input::parse(source).with_documents(source, read)
}

/// Parses a file with the text of template tags in it, which is YAML where quotation marks are around it, and reads its documents.
pub fn with_written_documents<T>(source: &SourceFile, read: impl FnOnce(&ParsedFile<'_>) -> T) -> T {
    Input::parse_written(source).with_documents(source, read)
}

/// Readability of a file with template tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateReadability {
    /// The text between the tags was read.
    Partial,
    /// Not even that, from here on, and rules are among what was not read.
    Unread(Span),
}

/// The languages of examples that may hold rules.
const LANGUAGES: [&str; 3] = ["yaml", "yml", "json"];

impl<'s> Input<'s> {
    /// Reads the documents.
    fn with_documents<T>(&self, source: &SourceFile, read: impl FnOnce(&ParsedFile<'_>) -> T) -> T {
        let parsed = self.parse_streams(source);
        let streams = parsed.as_slice();
        let documents = streams.iter().flat_map(|stream| &stream.documents).collect();
        read(&ParsedFile { source, input: self, streams, documents })
    }

    /// As [`Self::parse`], with template tags as plain text.
    pub fn parse_written(source: &'s SourceFile) -> Self {
        Self { template: None, ..Self::parse(source) }
    }

    /// Recognises the format of a file by its name, and finds the examples in a text.
    pub fn parse(source: &'s SourceFile) -> Self {
        let ends_with = |ends: &[&str]| {
            let name = source.name().to_ascii_lowercase();
            ends.iter().any(|end| name.ends_with(end))
        };
        let found = if ends_with(&[".md", ".markdown"]) {
            Some(find_fenced_blocks(source.text()))
        } else if ends_with(&[".rst", ".rest"]) {
            Some(restructuredtext::find_code_blocks(source.text()))
        } else {
            None
        };
        let of_ours =
            |block: &FencedBlock<'_>| LANGUAGES.contains(&block.language.to_ascii_lowercase().as_str());
        let is_whole = |block: &FencedBlock<'_>| {
            source.text().get(block.range.clone()).is_none_or(|text| !is_excerpt(text))
        };
        let examples = |block: &FencedBlock<'_>| of_ours(block) && is_whole(block);
        let blocks = found.map(|found| found.into_iter().filter(examples).collect::<Vec<_>>());
        // In a JSON file double braces are plain text.
        let is_text = blocks.is_some() || JsonDialect::from_file_name(source.name()).is_some();
        let template = if is_text { None } else { Template::from_source(source.text()) };
        Self { text: source.text(), name: file_stem(source.name()), blocks, template }
    }

    /// Parses the documents: of the whole file, or of each example in it. Policies of other engines are restated as
    /// ValidatingAdmissionPolicies, with the locations of their text.
    pub fn parse_streams(&'s self, source: &'s SourceFile) -> ParsedStreams<'s> {
        self.parse_written_streams(source).restate_policies()
    }

    /// Parses the documents as their authors wrote them: policies of other engines are not restated.
    pub(crate) fn parse_written_streams(&'s self, source: &'s SourceFile) -> ParsedStreams<'s> {
        let file = source.id();
        match (&self.blocks, &self.template) {
            (Some(blocks), _) => ParsedStreams::Own(blocks.iter().map(|block| block.parse(file)).collect()),
            (None, Some(template)) => ParsedStreams::Own(vec![template.parse(file)]),
            (None, None) => ParsedStreams::Kept(source_stream(source)),
        }
    }

    /// The parts of the text that are YAML or JSON: all of it, or each example.
    pub fn yaml_parts(&self) -> Vec<std::ops::Range<usize>> {
        match &self.blocks {
            Some(blocks) => blocks.iter().map(|block| block.range.clone()).collect(),
            None => std::iter::once(0..self.text.len()).collect(),
        }
    }

    /// True if the documents are examples in a text.
    pub(crate) fn is_text(&self) -> bool {
        self.blocks.is_some()
    }

    /// Returns the readability of a template; `None` for a file that is none.
    pub(crate) fn template_readability(&self, streams: &[DocumentStream<'_>]) -> Option<TemplateReadability> {
        self.template.as_ref()?;
        let mut documents = streams.iter().flat_map(|stream| &stream.documents);
        let mentions_rules = is_mentioned(self.text);
        let unread = documents.find_map(Document::template_problem).filter(|_| mentions_rules);
        Some(unread.map_or(TemplateReadability::Partial, |problem| TemplateReadability::Unread(problem.span)))
    }

    /// Returns the name of a rule set that nothing else names: that of the file, without folders and extension.
    pub fn name(&self) -> &'s str {
        self.name
    }

    /// The documents whose problems are worth reporting. Of a YAML file that is all. Of the examples in Markdown, which
    /// may be snippets of anything, it is those that have to do with rules.
    pub fn relevant_documents<'d>(&self, documents: &[&'d Document<'d>]) -> Vec<&'d Document<'d>> {
        let all = self.blocks.is_none();
        // Text between tags may be a fragment of a document, such as the argument of `tpl`.
        let is_whole = |document: &Document<'_>| self.template.is_none() || !is_fragment(document, self.text);
        let is_relevant = |document: &Document<'_>| {
            if all { is_whole(document) } else { is_about_rules(document, self.text) }
        };
        documents.iter().copied().filter(|document| is_relevant(document)).collect()
    }
}

/// True if a document has an annotation of ours, or breaks off in a text that mentions one.
fn is_about_rules(document: &Document<'_>, text: &str) -> bool {
    let broken = document.problems().iter().any(|problem| problem.kind == ProblemKind::Yaml);
    let mentioned = || is_mentioned(text);
    kvrules_elaborate::annotation::count_annotations(document) > 0 || (broken && mentioned())
}

/// True for an example with dots in place of what its author left out, such as `names: {kind: Pond, ...}`.
fn is_excerpt(text: &str) -> bool {
    let is_dots = |text: &str| matches!(text.trim(), "..." | "…" | "[...]" | "{...}" | "[…]" | "{…}");
    text.lines().any(|line| {
        let content = line.trim_start_matches([' ', '-', '#', '\t']);
        // At the beginning of a line, dots end a document.
        let is_indented = content.len() < line.len();
        let values = || content.split([',', '{', '}', '[', ']', ':']).any(is_dots);
        (is_indented && is_dots(content)) || (content.contains(['{', '[', ':']) && values())
    })
}

/// True for a document that is not laid out as YAML, in a text that is not about rules.
fn is_fragment(document: &Document<'_>, text: &str) -> bool {
    let is_layout = |kind: ProblemKind| matches!(kind, ProblemKind::Yaml | ProblemKind::YamlIndentation);
    document.problems().iter().any(|problem| is_layout(problem.kind)) && !is_mentioned(text)
}

fn is_mentioned(text: &str) -> bool {
    let words = [
        "validations",
        "jsonpath::",
        "kind: CustomResourceDefinition",
        "kind: ValidatingAdmissionPolicy",
        "kind: ValidatingPolicy",
        "kind: NamespacedValidatingPolicy",
        "kind: ConstraintTemplate",
        "kind: RuleSet",
    ];
    words.into_iter().any(|word| text.contains(word))
}

fn file_stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file);
    if stem.is_empty() || file == "-" || file.starts_with('<') { "rules" } else { stem }
}

#[cfg(test)]
mod tests {
    use super::is_excerpt;

    #[test]
    fn dots_stand_for_what_is_left_out() {
        for text in [
            "a:\n  ...\n",
            "- a\n- ...\n",
            "a: {b: c, ...}\n",
            "a: ...\n",
            "a:\n  # ...\n",
            "a: [...]\n",
            "a: …\n",
        ] {
            assert!(is_excerpt(text), "{text}");
        }
        for text in ["a: b\n...\n", "a: b...\n", "a: \"x ... y\"\n", "# more ...\na: b\n"] {
            assert!(!is_excerpt(text), "{text}");
        }
    }
}
