//! Files, templates and errors of pages, which other targets share.

/// A document template that replaces a built-in one of the same name.
#[derive(Clone, Debug)]
pub struct Template {
    /// Such as `markdown/rule_set.md.j2`.
    pub name: String,
    /// The template.
    pub text: String,
}

/// One file of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Below the target's own folder, with `/` between parts.
    pub path: String,
    /// The content.
    pub text: String,
}

/// An error that prevents a target from being made. Rules that a target cannot express are not errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// Description of the error, with its template and location.
    pub message: String,
}

impl std::fmt::Display for EmitError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for EmitError {}
