//! The book as mdBook sends it: JSON of which only what matters here is examined, so that the forms of mdBook 0.4 and
//! 0.5 are both understood and everything else comes back as it was.

use std::path::PathBuf;

use serde_json::Value;

/// Input from mdBook in addition to the book.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct BookContext {
    /// The directory of `book.toml`.
    pub(crate) root: PathBuf,
    /// The directory of the chapters, seen from there.
    pub(crate) sources: PathBuf,
    /// Rule files, seen from `root`.
    pub(crate) paths: Vec<String>,
    /// Definitions of extra specs, seen from `root`.
    pub(crate) definitions: Vec<String>,
    /// The directory of templates of the user's own, seen from `root`.
    pub(crate) templates: Option<String>,
    /// The program to ask instead of the one next to this.
    pub(crate) executable: Option<String>,
    /// More arguments for the program.
    pub(crate) arguments: Vec<String>,
}

/// A book.
#[derive(Debug)]
pub(crate) struct Book(Value);

/// One chapter of a book.
pub(crate) struct Chapter<'a> {
    /// Its path below the directory of the chapters, with `/` between the parts.
    pub(crate) path: String,
    /// Its Markdown.
    pub(crate) content: &'a mut String,
}

/// Parses standard input: `[context, book]`.
pub(crate) fn parse(input: &str) -> Result<(BookContext, Book), String> {
    let values: [Value; 2] = serde_json::from_str(input)
        .map_err(|error| format!("not an mdBook book; mdBook runs this program itself: {error}"))?;
    let [context, book] = values;
    Ok((BookContext::read(&context)?, Book(book)))
}

impl BookContext {
    fn read(context: &Value) -> Result<Self, String> {
        let text = |pointer: &str| context.pointer(pointer).and_then(Value::as_str);
        let own =
            |key: &str| context.pointer("/config/preprocessor/kvrules").and_then(|table| table.get(key));
        Ok(Self {
            root: text("/root").unwrap_or(".").into(),
            sources: text("/config/book/src").unwrap_or("src").into(),
            paths: read_strings("path", own("path"))?,
            definitions: read_strings("definitions", own("definitions"))?,
            templates: read_strings("templates", own("templates"))?.pop(),
            executable: read_strings("executable", own("executable"))?.pop(),
            arguments: read_strings("arguments", own("arguments"))?,
        })
    }
}

/// One text or a list of texts in the configuration.
fn read_strings(key: &str, value: Option<&Value>) -> Result<Vec<String>, String> {
    let wrong = || format!("`preprocessor.kvrules.{key}` in book.toml must be a string or a list of strings");
    match value {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

impl Book {
    /// All chapters that have a file, in the order of the book.
    pub(crate) fn chapters(&mut self) -> Vec<Chapter<'_>> {
        let mut found = Vec::new();
        // mdBook 0.5 has `items` where 0.4 had `sections`.
        let lists = self.0.as_object_mut().into_iter().flatten();
        for (_, list) in lists.filter(|(key, _)| matches!(key.as_str(), "items" | "sections")) {
            collect_chapters(list, &mut found);
        }
        found
    }

    /// The book as it is sent back.
    pub(crate) fn to_json(&self) -> String {
        self.0.to_string()
    }
}

fn collect_chapters<'a>(items: &'a mut Value, found: &mut Vec<Chapter<'a>>) {
    for item in items.as_array_mut().into_iter().flatten() {
        let Some(chapter) = item.get_mut("Chapter").and_then(Value::as_object_mut) else { continue };
        let path = chapter.get("path").and_then(Value::as_str).map(|path| path.replace('\\', "/"));
        let (mut content, mut below) = (None, None);
        for (key, value) in chapter.iter_mut() {
            match (key.as_str(), value) {
                ("content", Value::String(text)) => content = Some(text),
                ("sub_items", value) => below = Some(value),
                _ => {}
            }
        }
        if let (Some(path), Some(content)) = (path, content) {
            found.push(Chapter { path, content });
        }
        if let Some(below) = below {
            collect_chapters(below, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V4: &str = r##"[{"root":"/b","config":{"book":{"src":"s"},"preprocessor":{"kvrules":{"path":"r"}}},
        "renderer":"html","mdbook_version":"0.4.52"},
        {"sections":[{"Chapter":{"name":"A","content":"# A","number":null,"sub_items":[
            {"Chapter":{"name":"B","content":"# B","sub_items":[],"path":"d\\b.md"}}],"path":"a.md"}},
            "Separator",{"PartTitle":"P"},{"Chapter":{"name":"Draft","content":"","sub_items":[],"path":null}}],
        "__non_exhaustive":null}]"##;

    #[test]
    fn both_forms_of_mdbook_have_the_same_chapters() {
        for text in [
            V4.to_owned(),
            V4.replace("sections", "items").replace(",\n        \"__non_exhaustive\":null", ""),
        ] {
            let (context, mut book) = parse(&text).unwrap();
            let expected = BookContext {
                root: "/b".into(),
                sources: "s".into(),
                paths: vec!["r".into()],
                ..BookContext::default()
            };
            assert_eq!(context, expected);
            let chapters: Vec<_> =
                book.chapters().into_iter().map(|chapter| (chapter.path, chapter.content.clone())).collect();
            assert_eq!(chapters, [("a.md".into(), "# A".into()), ("d/b.md".into(), "# B".to_owned())]);
        }
    }

    #[test]
    fn what_is_not_looked_at_comes_back_as_it_was() {
        let (_, book) = parse(V4).unwrap();
        let all: Value = serde_json::from_str(V4).unwrap();
        assert_eq!(Some(&serde_json::from_str::<Value>(&book.to_json()).unwrap()), all.get(1));
    }

    #[test]
    fn a_path_that_is_no_text_is_refused() {
        let text = V4.replace("\"path\":\"r\"", "\"path\":7");
        assert!(parse(&text).unwrap_err().contains("`preprocessor.kvrules.path`"));
    }
}
