//! Addresses of the pages of lints on a site.

use super::RenderOptions;

/// Replaced by the name of a page, such as `KV102-missing-key`.
const PAGE: &str = "{page}";
/// Replaced by the code of a lint.
const CODE: &str = "{code}";

/// Returns the address of the page of a lint; `None` without a site, and for codes that are not among the summaries.
pub(super) fn page_address(code: &str, name: &str, options: &RenderOptions) -> Option<String> {
    let pattern = options.page_url.as_deref()?;
    options.summaries.iter().find(|(known, _)| *known == code)?;
    Some(lint_page_address(pattern, code, name))
}

/// Returns the address of the page of a lint on a site.
///
/// ```
/// use kvrules_diagnostics::render::lint_page_address;
/// let page = lint_page_address("https://rules.example.com/lints", "KV102", "missing_key");
/// assert_eq!(page, "https://rules.example.com/lints/KV102-missing-key.html");
/// ```
pub fn lint_page_address(pattern: &str, code: &str, name: &str) -> String {
    let page = format!("{code}-{}", name.replace('_', "-"));
    if pattern.contains(PAGE) || pattern.contains(CODE) {
        return pattern.replace(PAGE, &page).replace(CODE, code);
    }
    format!("{}/{page}.html", pattern.trim_end_matches('/'))
}

/// Returns the error in an address of pages, which begins with `http://` or `https://` and has neither blanks nor invisible
/// characters.
///
/// ```
/// use kvrules_diagnostics::render::check_page_url;
/// assert_eq!(check_page_url("https://rules.example.com/lints"), Ok(()));
/// assert!(check_page_url("rules.example.com").is_err());
/// ```
///
/// # Errors
///
/// The error as a message.
pub fn check_page_url(url: &str) -> Result<(), String> {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    if !host.is_some_and(|host| !host.is_empty() && !host.starts_with('/')) {
        return Err("address of pages must begin with `https://` or `http://`".to_owned());
    }
    if url.chars().any(|char| !char.is_ascii_graphic()) {
        return Err("address of pages must have no blanks and only ASCII characters".to_owned());
    }
    Ok(())
}
