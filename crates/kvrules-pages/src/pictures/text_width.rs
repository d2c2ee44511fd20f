//! Widths of texts without a font: estimates that are at least as wide as what common fonts draw.

/// A font of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFont {
    /// The font of pages, for words.
    Words,
    /// The font of code, in which all letters have the same width.
    Code,
    /// The font of pages, smaller.
    Small,
}

impl TextFont {
    /// Returns the size in pixels.
    pub fn size(self) -> i32 {
        match self {
            Self::Words => 13,
            Self::Code => 12,
            Self::Small => 11,
        }
    }
}

/// Width of a character in hundredths of the size. The widths of letters are those of DejaVu Sans, the widest of common fonts.
fn advance(char: char, font: TextFont) -> i32 {
    match (char, font) {
        (' '..='~', TextFont::Code) => 62,
        ('i' | 'j' | 'l' | '\'' | '|' | ' ' | '.' | ',' | ':' | ';' | '!' | '-' | 'I', _) => 40,
        ('f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '`', _) => 45,
        (char, _) if is_wide(char) => 100,
        ('A'..='Z' | '&' | '$' | '_' | '"' | '*', _) => 80,
        (' '..='~', _) => 65,
        // Wide characters of East Asia, symbols, and all that a fallback font draws.
        _ => 210,
    }
}

fn is_wide(char: char) -> bool {
    "mwMW%@OQGHN+=<>~#^–…≠≤≥∞→—".contains(char) || ('\u{a0}'..='\u{24f}').contains(&char)
}

/// Returns the estimated width of a text in pixels, which is not less than its real width in common fonts.
///
/// ```
/// use kvrules_pages::pictures::{TextFont, estimate_width};
/// assert_eq!(estimate_width("spec.cpu", TextFont::Code), 60);
/// assert_eq!(estimate_width("", TextFont::Words), 0);
/// ```
pub fn estimate_width(text: &str, font: TextFont) -> i32 {
    let hundredths = text.chars().fold(0_i32, |sum, char| sum.saturating_add(advance(char, font)));
    hundredths.saturating_mul(font.size()).saturating_add(99) / 100
}

/// Returns a text that is at most so wide: the text itself, or its beginning with an ellipsis.
///
/// ```
/// use kvrules_pages::pictures::{TextFont, fit_text};
/// assert_eq!(fit_text("spec.replicas", TextFont::Code, 200), "spec.replicas");
/// assert_eq!(fit_text("spec.replicas", TextFont::Code, 60), "spec.r…");
/// ```
pub fn fit_text(text: &str, font: TextFont, width: i32) -> String {
    let room = width.saturating_mul(100) / font.size().max(1);
    let mut used = 0_i32;
    let mut fitting = String::new();
    // The longest beginning that leaves room for the ellipsis.
    let mut cut = 0;
    for char in text.chars() {
        used = used.saturating_add(advance(char, font));
        if used > room {
            fitting.truncate(cut);
            fitting.push('…');
            return fitting;
        }
        fitting.push(char);
        if used.saturating_add(advance('…', font)) <= room {
            cut = fitting.len();
        }
    }
    fitting
}
