//! Dialects of JSON, by the names of files.

use crate::ProblemKind;

/// A dialect of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonDialect {
    /// JSON (RFC 8259), one value or one a line.
    Strict,
    /// JSON with comments and commas after the last entry.
    WithComments,
    /// JSON5.
    Json5,
}

/// Files that their tools read as JSON with comments.
// TypeScript, VS Code, Dev Containers, Deno, Turborepo, Biome, Nx, Angular, API Extractor, TSLint, ESLint, Babel
const WITH_COMMENTS: [&str; 12] = [
    "angular.json",
    "api-extractor.json",
    "babel.config.json",
    "biome.json",
    "deno.json",
    "devcontainer.json",
    "jsconfig.json",
    "nx.json",
    "tsconfig.json",
    "tslint.json",
    "turbo.json",
    ".eslintrc.json",
];

impl JsonDialect {
    /// Returns the dialect of a file; `None` for a file that is not called JSON.
    ///
    /// ```
    /// use kvrules_syntax::JsonDialect;
    ///
    /// let dialects = ["a.json", "b/tsconfig.build.json", "c.jsonc", "d.yaml"].map(JsonDialect::from_file_name);
    /// let with_comments = Some(JsonDialect::WithComments);
    /// assert_eq!(dialects, [Some(JsonDialect::Strict), with_comments, with_comments, None]);
    /// ```
    pub fn from_file_name(name: &str) -> Option<Self> {
        let path = name.to_ascii_lowercase();
        let mut parts = path.rsplit(['/', '\\']);
        let file = parts.next().unwrap_or_default();
        let is_editors = parts.next().is_some_and(|folder| [".vscode", ".devcontainer"].contains(&folder));
        let is_project = file.starts_with("tsconfig.") || file.starts_with("jsconfig.");
        match file.rsplit_once('.')?.1 {
            "json5" => Some(Self::Json5),
            "jsonc" => Some(Self::WithComments),
            "json" if is_editors || WITH_COMMENTS.contains(&file) => Some(Self::WithComments),
            "json" if is_project => Some(Self::WithComments),
            "json" | "ndjson" | "jsonl" => Some(Self::Strict),
            _ => None,
        }
    }

    /// True if the dialect allows what is a problem in JSON.
    pub(super) fn allows(self, problem: ProblemKind) -> bool {
        let of_comments = [ProblemKind::JsonComment, ProblemKind::JsonExtraComma];
        // json5.org: names without quotation marks, single quotation marks, `+1`, `.5`, `0x10`, `NaN`.
        let of_json5 = [
            ProblemKind::JsonUnquoted,
            ProblemKind::JsonSingleQuote,
            ProblemKind::JsonNumber,
            ProblemKind::JsonWord,
            ProblemKind::JsonEscape,
        ];
        self != Self::Strict && of_comments.contains(&problem)
            || self == Self::Json5 && of_json5.contains(&problem)
    }
}

/// True if a text begins with an object or a list, after comments.
pub(super) fn begins_like_json(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
        let comment = if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|at| at + 2)
        } else {
            return rest.starts_with(['{', '[']);
        };
        rest = comment.and_then(|end| rest.get(end..)).unwrap_or_default();
    }
}
