//! A drawn picture, and the two forms in which it is written.

use crate::pictures::shown::escape_text;

/// The style that pages with inline pictures need once. Without it pictures have the colour of the text around them.
pub const PICTURE_STYLE: &str = "\
.kvp{--kvp-pass:#1a7f37;--kvp-fail:#cf222e;--kvp-warn:#9a6700;--kvp-info:#0969da}.kvp-box{display:block;overflow-x:auto}\
.kvp-pass{color:var(--kvp-pass)}.kvp-fail{color:var(--kvp-fail)}.kvp-warn{color:var(--kvp-warn)}\
.kvp-info{color:var(--kvp-info)}\
@media (prefers-color-scheme:dark){.kvp{--kvp-pass:#3fb950;--kvp-fail:#ff7b72;--kvp-warn:#d29922;--kvp-info:#58a6ff}}";

/// Width that fits on the pages of a phone.
const NARROW: i32 = 300;

/// The colour of text in a file of its own.
const FILE_STYLE: &str = "svg{color:#1f2328;background:#fff}@media (prefers-color-scheme:dark){svg{color:#e6edf3;background:#0d1117}}";

/// A drawn picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
    /// The elements, whose texts are escaped.
    pub(crate) body: String,
}

impl Picture {
    /// Returns the title, one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the text alternative: everything that the picture shows, in sentences.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the width in pixels at which text has the size of its font.
    pub fn width(&self) -> i32 {
        self.width
    }

    /// Returns the height in pixels at which text has the size of its font.
    pub fn height(&self) -> i32 {
        self.height
    }

    /// Returns the picture as a file of its own, which ends with a line break.
    pub fn to_file(&self) -> String {
        let style = format!("<style>{FILE_STYLE}{PICTURE_STYLE}</style>");
        self.write(" xmlns=\"http://www.w3.org/2000/svg\"", &style) + "\n"
    }

    /// Returns the picture as an element of an HTML page, without a line break.
    pub fn to_inline(&self) -> String {
        self.write("", "")
    }

    /// Returns the picture as an element of an HTML page that scrolls if the page is too narrow for it.
    pub fn to_scrolling(&self) -> String {
        // Scrolling needs the keyboard too. On narrow screens all but the smallest pictures scroll.
        let focus = if self.width > NARROW { " tabindex=\"0\"" } else { "" };
        format!("<span class=\"kvp-box\"{focus}>{}</span>", self.to_inline())
    }

    fn write(&self, namespace: &str, style: &str) -> String {
        let Self { width, height, body, .. } = self;
        let title = escape_text(&self.title);
        // An inline picture is one line, also if it describes several.
        let lines: Vec<String> = self.description.lines().map(escape_text).collect();
        let description = lines.join(if namespace.is_empty() { " " } else { "\n" });
        format!(
            "<svg{namespace} class=\"kvp\" role=\"img\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"system-ui,sans-serif\" font-size=\"13\" \
             fill=\"none\"><title>{title}</title><desc>{description}</desc>{style}{body}</svg>"
        )
    }
}
