//! HTML pages with pictures that commands print.

use kvrules::pictures::PICTURE_STYLE;
use kvrules::render::xml::escape_text;

/// Returns a page with a title and an introduction, which are escaped, and a body in HTML.
pub(super) fn write_page(title: &str, introduction: &str, body: &str) -> String {
    let [title, introduction] = [title, introduction].map(escape_text);
    let body = if body.is_empty() { "<p>There is nothing to show.</p>\n" } else { body };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n\
         :root {{ color-scheme: light dark; }}\n\
         body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }}\n\
         {PICTURE_STYLE}\n</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n<p>{introduction}</p>\n{body}\
         </main>\n</body>\n</html>\n"
    )
}
