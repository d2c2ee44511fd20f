//! Naming lints: by code, by the beginning of codes, by name, or all of them.

use std::{fmt, str::FromStr};

use kvrules_diagnostics::{Lint, find_nearest};

use crate::registry::{GROUPS, LINTS, new_code};

/// Selects lints by a code, a prefix or a name.
///
/// ```
/// use kvrules::select::Selector;
///
/// let selector: Selector = "kv10".parse().unwrap();
/// let covered: Vec<_> = kvrules::all_lints().iter().filter(|lint| selector.covers_lint(lint)).map(|lint| lint.code).collect();
/// assert_eq!(covered.first(), Some(&"KV101"));
///
/// let unknown = "missing_kei".parse::<Selector>().unwrap_err();
/// assert_eq!(unknown.help, "did you mean `missing_key`?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selector(SelectorKind);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum SelectorKind {
    All,
    /// The beginning of at least one code, in capitals.
    Prefix(String),
    /// The code of one lint.
    Code(&'static str),
}

/// A text that does not select any lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSelector {
    /// Description of the error, in one sentence.
    pub message: String,
    /// Suggestion for the user.
    pub help: String,
}

impl Selector {
    /// Every lint; it is written `ALL`.
    pub const ALL: Self = Self(SelectorKind::All);

    /// True if the selector covers a lint.
    ///
    /// ```
    /// use kvrules::select::Selector;
    ///
    /// let lint = kvrules::all_lints().iter().find(|lint| lint.code == "KV102").unwrap();
    /// let covers = |text: &str| text.parse::<Selector>().unwrap().covers_lint(lint);
    /// assert!(covers("ALL") && covers("KV1") && covers("KV102") && covers("missing-key"));
    /// assert!(!covers("KV2") && !covers("KV101"));
    /// ```
    pub fn covers_lint(&self, lint: &Lint) -> bool {
        match &self.0 {
            SelectorKind::All => true,
            SelectorKind::Prefix(prefix) => lint.code.starts_with(prefix.as_str()),
            SelectorKind::Code(code) => lint.code == *code,
        }
    }

    /// Returns the specificity of the selector. Where two disagree, the more specific one counts.
    pub(super) fn closeness(&self) -> usize {
        match &self.0 {
            SelectorKind::All => 0,
            SelectorKind::Prefix(prefix) => prefix.len(),
            SelectorKind::Code(_) => usize::MAX,
        }
    }
}

impl FromStr for Selector {
    type Err = UnknownSelector;

    fn from_str(text: &str) -> Result<Self, UnknownSelector> {
        let text = text.trim();
        let code = text.to_ascii_uppercase();
        if code == "ALL" {
            return Ok(Self::ALL);
        }
        // As `kvrules explain` has it, dashes and capitals do not matter in names.
        let name = text.to_ascii_lowercase().replace('-', "_");
        if let Some(lint) = LINTS.iter().find(|lint| lint.code == code || lint.name == name) {
            return Ok(Self(SelectorKind::Code(lint.code)));
        }
        if code.len() >= DOMAIN && LINTS.iter().any(|lint| lint.code.starts_with(&code)) {
            return Ok(Self(SelectorKind::Prefix(code)));
        }
        Err(unknown_selector(text, &code))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match &self.0 {
            SelectorKind::All => "ALL",
            SelectorKind::Prefix(prefix) => prefix,
            SelectorKind::Code(code) => code,
        })
    }
}

impl fmt::Display for UnknownSelector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Number of letters with which codes begin, such as `KV`.
const DOMAIN: usize = 2;

/// True if a text begins as a code does.
fn has_domain(code: &str) -> bool {
    let domain = code.get(..DOMAIN);
    domain.is_some_and(|domain| GROUPS.iter().any(|(prefix, _)| prefix.starts_with(domain)))
}

fn unknown_selector(text: &str, code: &str) -> UnknownSelector {
    let message = format!("{} is not a code, prefix or name of a lint", quote_text(text));
    let near = find_nearest(text, LINTS.iter().flat_map(|lint| [lint.code, lint.name]));
    let prefixes = || GROUPS.iter().map(|(prefix, _)| format!("`{prefix}`")).collect::<Vec<_>>().join(", ");
    if let Some(new) = new_code(code) {
        return UnknownSelector { message, help: format!("`{code}` is now `{new}`") };
    }
    let help = match near {
        // A wrong number is rarely a typing error, so list the prefixes as well.
        _ if has_domain(code) => match near {
            Some(near) => format!("did you mean `{near}`, or one of the prefixes {}?", prefixes()),
            None => format!("the prefixes are {}", prefixes()),
        },
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`kvrules lints` lists all; the prefixes are {}", prefixes()),
    };
    UnknownSelector { message, help }
}

/// A text of the user in backticks, on one line and not too long of it.
pub(super) fn quote_text(text: &str) -> String {
    const MOST: usize = 60;
    let plain = |c: char| if c == '`' { '\'' } else { c };
    let shown: String = text.chars().filter(|c| !c.is_control()).map(plain).take(MOST).collect();
    let cut = if text.chars().count() > MOST { "…" } else { "" };
    format!("`{shown}{cut}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<&'static str> {
        let selector: Selector = text.parse().unwrap();
        LINTS.iter().filter(|lint| selector.covers_lint(lint)).map(|lint| lint.code).collect()
    }

    #[test]
    fn codes_prefixes_and_names_stand_for_lints() {
        assert_eq!(codes("KV102"), ["KV102"]);
        assert_eq!(codes("missing-key"), ["KV102"]);
        assert_eq!(codes("Missing_Key"), ["KV102"]);
        assert!(codes("kv1").len() > 5 && codes("KV1").iter().all(|code| code.starts_with("KV1")));
        let domains = ["KC", "KP", "KR", "KS", "KV", "kx"].map(|domain| codes(domain).len());
        assert!(domains.iter().all(|count| *count > 0) && domains.iter().sum::<usize>() == LINTS.len());
        assert_eq!(codes("all").len(), LINTS.len());
    }

    #[test]
    fn anything_else_is_unknown() {
        for text in ["", "K", "V1", "KV1x", "KV99999", "1", "missing", "`\n"] {
            let unknown = text.parse::<Selector>().unwrap_err();
            assert!(!unknown.message.contains('\n') && !unknown.help.is_empty(), "{text}: {unknown:?}");
        }
        let unknown = "KV302x".parse::<Selector>().unwrap_err();
        assert!(unknown.help.starts_with("did you mean `KV30"), "{unknown:?}");
        assert!(unknown.help.contains("`KV0`, `KV1`"), "{unknown:?}");
        let old = "kv990".parse::<Selector>().unwrap_err();
        assert_eq!(old.help, "`KV990` is now `KC304`");
    }
}
