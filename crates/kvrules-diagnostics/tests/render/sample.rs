//! One small set of findings that meets what formats find hard: tabs, wide characters, several lines, several
//! files, a very long line, and texts with control characters.

use kvrules_diagnostics::render::{RenderFormat, RenderOptions};
use kvrules_diagnostics::{Diagnostic, FileId, Level, Lint, Sources, Span};

/// Shows findings with the options that the tests use.
pub(crate) fn render(format: RenderFormat, diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let options = RenderOptions { tool_version: "0.1.0".to_owned(), ..RenderOptions::default() };
    kvrules_diagnostics::render::render_diagnostics(format, diagnostics, sources, &options)
}

/// The span of the first `part` in the file's text.
pub(crate) fn span_of(sources: &Sources, file: FileId, part: &str) -> Span {
    let start = sources.get(file).unwrap().text().find(part).unwrap();
    Span::new(file, u32::try_from(start).unwrap(), u32::try_from(start + part.len()).unwrap())
}

/// A finding of a lint without a fix.
pub(crate) fn raise_finding(
    code: &'static str,
    name: &'static str,
    level: Level,
    span: Span,
    message: impl Into<String>,
) -> Diagnostic {
    Lint { code, name, level, summary: "", fix: None }.diagnostic_at(span, message)
}

/// The set.
pub(crate) fn sample() -> (Vec<Diagnostic>, Sources) {
    let mut sources = Sources::default();
    let rules = "rules:\n- name: größe\n  path: \"名前 [*]\" # 名\n\tmin: 4\n  valid: |\n    [\n      1,\n    ]\nend: 1\n";
    let rules = sources.add_file("rules/größe 1.yaml", rules);
    let long =
        format!("{{{}\"min\": 5, \"max\": 4{}}}", "\"a\": 1, ".repeat(3000), ", \"z\": 2".repeat(3000));
    let long = sources.add_file("long.json", long);
    let at = |file, part| span_of(&sources, file, part);
    let diagnostics = vec![
        raise_finding(
            "KV102",
            "missing_key",
            Level::Error,
            at(rules, "名前"),
            "the rule `größe` has no `rule` key",
        )
        .with_label("asked for by this path")
        .with_secondary_label(at(rules, "größe"), "the rule")
        .with_secondary_label(at(long, "\"max\""), "named here too")
        .with_help("add `rule: integer`"),
        raise_finding("KV001", "tab", Level::Warning, at(rules, "min"), "a tab, 50% wrong: stands\nhere"),
        raise_finding(
            "KV102",
            "missing_key",
            Level::Info,
            at(rules, "|\n    [\n      1,\n    ]\n"),
            "a list",
        ),
        raise_finding("KV200", "empty_range", Level::Error, at(long, "4"), "`max` is below `min`")
            .with_label("less than 5")
            .with_secondary_label(at(long, "5"), "")
            .with_help("swap them,\nor drop one"),
        raise_finding("KV900", "lost", Level::Error, Span::new(FileId(7), 1, 2), "no such file"),
    ];
    (diagnostics, sources)
}
