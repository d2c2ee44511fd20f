//! What a file is, by its name, and the documents in it.

use kvrules_diagnostics::{FileId, SourceFile};
use kvrules_syntax::{
    Document, ProblemKind, Stream,
    markdown::{Block, blocks},
    parse_stream,
};

/// A file as the parsers see it.
pub(crate) struct Input<'s> {
    text: &'s str,
    name: &'s str,
    /// The fenced examples of a Markdown file; none for YAML and JSON.
    blocks: Option<Vec<Block<'s>>>,
}

/// The languages of fenced blocks that may hold rules.
const LANGUAGES: [&str; 3] = ["yaml", "yml", "json"];

impl<'s> Input<'s> {
    pub(crate) fn parse(source: &'s SourceFile) -> Self {
        let markdown =
            [".md", ".markdown"].iter().any(|end| source.name().to_ascii_lowercase().ends_with(end));
        let of_ours = |block: &Block<'_>| LANGUAGES.contains(&block.language.to_ascii_lowercase().as_str());
        let blocks = markdown.then(|| blocks(source.text()).into_iter().filter(of_ours).collect());
        Self { text: source.text(), name: stem(source.name()), blocks }
    }

    /// The documents: of the whole file, or of each example in it.
    pub(crate) fn streams(&'s self, file: FileId) -> Vec<Stream<'s>> {
        match &self.blocks {
            Some(blocks) => blocks.iter().map(|block| block.parse(file)).collect(),
            None => vec![parse_stream(file, self.text)],
        }
    }

    /// The name of a rule set that nothing else names: that of the file, without folders and extension.
    pub(crate) fn name(&self) -> &'s str {
        self.name
    }

    /// The documents whose problems are worth telling. Of a YAML file that is all. Of the examples in Markdown, which
    /// may be snippets of anything, it is those that have to do with rules.
    pub(crate) fn told<'d>(&self, documents: &[&'d Document<'d>]) -> Vec<&'d Document<'d>> {
        let all = self.blocks.is_none();
        documents.iter().copied().filter(|document| all || is_about_rules(document, self.text)).collect()
    }
}

/// Whether a document has an annotation of ours, or breaks off in a text that mentions one.
fn is_about_rules(document: &Document<'_>, text: &str) -> bool {
    let broken = document.problems().iter().any(|problem| problem.kind == ProblemKind::Yaml);
    let mentioned = || text.contains("validations") || text.contains("jsonpath::");
    !kvrules_elaborate::annotation::find(document).is_empty() || (broken && mentioned())
}

fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file);
    if stem.is_empty() || file == "-" || file.starts_with('<') { "rules" } else { stem }
}
