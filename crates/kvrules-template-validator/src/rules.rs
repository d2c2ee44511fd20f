//! The rules of an annotation, decoded.

mod decode;
mod key;

pub(crate) use decode::round_half_away;

use std::sync::OnceLock;

use kvrules_regex::Matcher;

use crate::error::DecodeError;
use crate::path::Path;

/// The rules of an annotation as the validator holds them. Many VirtualMachines can be evaluated by rules decoded once.
///
/// ```
/// use kvrules_template_validator::Rules;
///
/// let error = Rules::decode_annotation(r#"[{"path": ".spec.domain.cpu.cores"}]"#).unwrap_err();
/// assert_eq!(error.go_text(), "invalid JSONPath");
/// ```
#[derive(Debug)]
pub struct Rules {
    pub(crate) rules: Vec<Rule>,
}

impl Rules {
    /// Decodes the text of an annotation. An empty text does not contain rules (E001).
    // ssp-operator validation/rules.go, ParseRules: only the empty text has no rules; blanks alone are invalid (E002).
    pub fn decode_annotation(text: &str) -> Result<Self, DecodeError> {
        let rules = if text.is_empty() { Vec::new() } else { decode::decode_rules(text)? };
        Ok(Self { rules })
    }
}

/// A rule. A key that was missing is empty.
// ssp-operator validation/rules.go, Rule. An optional path is a pointer there, whereas `path` itself is a plain struct:
// an absent one is a path without a parser (E326).
#[derive(Debug, Default)]
pub(crate) struct Rule {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) path: Path,
    pub(crate) message: String,
    pub(crate) valid: Option<Path>,
    pub(crate) just_warning: bool,
    pub(crate) values: Vec<TextArgument>,
    pub(crate) min: Option<BoundArgument>,
    pub(crate) max: Option<BoundArgument>,
    pub(crate) min_length: Option<BoundArgument>,
    pub(crate) max_length: Option<BoundArgument>,
    pub(crate) regex: String,
    /// The pattern, compiled when it is first needed, or what is wrong with it.
    matcher: OnceLock<Result<Matcher, String>>,
}

impl Rule {
    /// Returns the compiled pattern, or Go's error if it is invalid (E309).
    // ssp-operator validation/specialized.go, NewRegexRule compiles at evaluation, so an invalid pattern is an error of
    // its rule and not of the annotation. Ours is compiled once, since one set of rules meets many VirtualMachines.
    pub(crate) fn matcher(&self) -> Result<&Matcher, String> {
        let compile = || {
            let regex = kvrules_regex::parse(&self.regex).map_err(|error| error.go_text())?;
            regex.compile_matcher().map_err(|error| error.to_string())
        };
        self.matcher.get_or_init(compile).as_ref().map_err(Clone::clone)
    }
}

/// A bound: a number, or a path to one.
#[derive(Debug)]
// ssp-operator validation/path/variants.go, IntOrPath.
pub(crate) enum BoundArgument {
    Number(i64),
    Path(Path),
}

/// A member of `values`: a text, or a path to one.
#[derive(Debug)]
// ssp-operator validation/path/variants.go, StringOrPath.
pub(crate) enum TextArgument {
    Literal(String),
    Path(Path),
}
