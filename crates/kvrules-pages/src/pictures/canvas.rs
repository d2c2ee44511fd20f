//! The surface that pictures are drawn on: elements of SVG with whole coordinates, and the size that they need.

use std::fmt::Write as _;

use crate::pictures::picture::Picture;
use crate::pictures::shown::escape_text;
use crate::pictures::text_width::{TextFont, estimate_width};

/// Space around a picture.
pub(crate) const MARGIN: i32 = 8;

/// Colour of an element. Everything has the colour of the text unless it means more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Ink,
    Soft,
    Pass,
    Fail,
    Warn,
    Info,
}

impl Tone {
    fn attributes(self) -> &'static str {
        match self {
            Self::Ink => "",
            Self::Soft => " opacity=\".75\"",
            Self::Pass => " class=\"kvp-pass\"",
            Self::Fail => " class=\"kvp-fail\"",
            Self::Warn => " class=\"kvp-warn\"",
            Self::Info => " class=\"kvp-info\"",
        }
    }
}

/// A stretch of a line of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextSpan {
    pub(crate) tone: Tone,
    pub(crate) is_bold: bool,
    pub(crate) text: String,
}

/// The part of a text that is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Middle,
    End,
}

/// A box: left, top, width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// Look of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameLook {
    pub(crate) radius: i32,
    pub(crate) tone: Tone,
    pub(crate) is_dashed: bool,
    /// Percentage of the colour that fills it.
    pub(crate) fill: u8,
}

/// A picture that is being drawn.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
    /// The tracks, which are one element below all others.
    tracks: String,
    right: i32,
    bottom: i32,
}

impl Canvas {
    /// Writes a text with its baseline at `y`.
    pub(crate) fn text(&mut self, at: (i32, i32), align: Align, font: TextFont, tone: Tone, text: &str) {
        let (x, y) = at;
        let width = estimate_width(text, font);
        let right = match align {
            Align::Start => x.saturating_add(width),
            Align::Middle => x.saturating_add(width / 2 + 1),
            Align::End => x,
        };
        self.reach(right, y + font.size() / 3);
        let anchor = match align {
            Align::Start => "",
            Align::Middle => " text-anchor=\"middle\"",
            Align::End => " text-anchor=\"end\"",
        };
        let family = match font {
            TextFont::Words => "",
            TextFont::Code => " font-family=\"ui-monospace,monospace\" font-size=\"12\"",
            TextFont::Small => " font-size=\"11\"",
        };
        let (tone, text) = (tone.attributes(), escape_text(text));
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\"{anchor}{family}{tone} fill=\"currentColor\">{text}</text>"
        ));
    }

    /// Writes a line of code that begins at a point. Blanks keep their width.
    pub(crate) fn spans(&mut self, (x, y): (i32, i32), spans: &[TextSpan]) {
        let whole: String = spans.iter().map(|span| span.text.as_str()).collect();
        self.reach(x.saturating_add(estimate_width(&whole, TextFont::Code)), y + 4);
        let spans = spans.iter().map(|span| {
            let weight = if span.is_bold { " font-weight=\"bold\"" } else { "" };
            // Blanks that do not break are not joined either.
            let text = escape_text(&span.text).replace(' ', "\u{a0}");
            format!("<tspan{}{weight}>{text}</tspan>", span.tone.attributes())
        });
        let spans: String = spans.collect();
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-family=\"ui-monospace,monospace\" font-size=\"12\" fill=\"currentColor\">{spans}</text>"
        ));
    }

    /// Writes a text from bottom to top, which begins at `at`.
    pub(crate) fn rising_text(&mut self, at: (i32, i32), font: TextFont, text: &str) {
        let (x, y) = at;
        self.reach(x + font.size() / 3, y);
        let family = if font == TextFont::Code {
            " font-family=\"ui-monospace,monospace\" font-size=\"12\""
        } else {
            ""
        };
        let text = escape_text(text);
        self.add(format_args!(
            "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(-90 {x} {y})\"{family} fill=\"currentColor\">{text}</text>"
        ));
    }

    /// Draws a line through points.
    pub(crate) fn line(&mut self, points: &[(i32, i32)], tone: Tone, width: i32) {
        let mut path = String::new();
        for (index, (x, y)) in points.iter().enumerate() {
            self.reach(*x, *y);
            let _ = write!(path, "{}{x} {y}", if index == 0 { "M" } else { "L" });
        }
        let tone = tone.attributes();
        self.add(format_args!("<path d=\"{path}\" stroke=\"currentColor\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{tone}/>"));
    }

    /// Draws a track through points, its corners rounded. Each stretch is horizontal or vertical.
    pub(crate) fn track(&mut self, points: &[(i32, i32)]) {
        const RADIUS: i32 = 6;
        let towards = |from: (i32, i32), to: (i32, i32)| {
            let step = |from: i32, to: i32| {
                (to - from).clamp(-RADIUS.min((to - from).abs() / 2), RADIUS.min((to - from).abs() / 2))
            };
            (from.0 + step(from.0, to.0), from.1 + step(from.1, to.1))
        };
        for (index, at) in points.iter().enumerate() {
            self.reach(at.0, at.1);
            let path = &mut self.tracks;
            let before = index.checked_sub(1).and_then(|index| points.get(index));
            let _ = match (before, points.get(index + 1)) {
                (None, _) => write!(path, "M{} {}", at.0, at.1),
                (Some(before), Some(after)) => {
                    let ((ax, ay), (bx, by)) = (towards(*at, *before), towards(*at, *after));
                    write!(path, "L{ax} {ay}Q{} {} {bx} {by}", at.0, at.1)
                }
                (Some(_), None) => write!(path, "L{} {}", at.0, at.1),
            };
        }
    }

    /// Draws the head of an arrow whose tip is at a point: to the right, left or down.
    pub(crate) fn arrow_head(&mut self, tip: (i32, i32), (dx, dy): (i32, i32), tone: Tone) {
        let (x, y) = tip;
        let back = |side: i32| (x - dx * 7 + dy * side * 4, y - dy * 7 + dx * side * 4);
        let ((ax, ay), (bx, by)) = (back(1), back(-1));
        let tone = tone.attributes();
        self.reach(x.max(ax).max(bx), y.max(ay).max(by));
        self.add(format_args!("<path d=\"M{x} {y}L{ax} {ay}L{bx} {by}Z\" fill=\"currentColor\"{tone}/>"));
    }

    /// Draws a box.
    pub(crate) fn frame(&mut self, frame: Frame, look: FrameLook) {
        let Frame { x, y, width, height } = frame;
        self.reach(x + width, y + height);
        let dashed = if look.is_dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        let (radius, tone, fill) = (look.radius, look.tone.attributes(), look.fill);
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" stroke=\"currentColor\" \
             stroke-opacity=\".6\"{dashed} fill=\"currentColor\" fill-opacity=\".{fill:02}\"{tone}/>"
        ));
    }

    /// Draws a bar without a border.
    pub(crate) fn bar(&mut self, frame: Frame, tone: Tone) {
        let Frame { x, y, width, height } = frame;
        self.reach(x + width, y + height);
        let tone = tone.attributes();
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"currentColor\"{tone}/>"
        ));
    }

    /// Draws a dot; an empty one is a ring.
    pub(crate) fn dot(&mut self, (x, y): (i32, i32), radius: i32, tone: Tone, is_filled: bool) {
        self.reach(x + radius + 1, y + radius + 1);
        let tone = tone.attributes();
        let fill = if is_filled { " fill=\"currentColor\"" } else { "" };
        self.add(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" stroke=\"currentColor\" stroke-width=\"2\"{fill}{tone}/>"));
    }

    /// Draws a cross.
    pub(crate) fn cross(&mut self, (x, y): (i32, i32), radius: i32, tone: Tone) {
        self.line(&[(x - radius, y - radius), (x + radius, y + radius)], tone, 2);
        self.line(&[(x - radius, y + radius), (x + radius, y - radius)], tone, 2);
    }

    /// Returns the picture, with room for everything that was drawn.
    pub(crate) fn finish(self, title: String, description: String) -> Picture {
        let (width, height) = (self.right + MARGIN, self.bottom + MARGIN);
        let tracks = match self.tracks.as_str() {
            "" => String::new(),
            tracks => format!("<path d=\"{tracks}\" stroke=\"currentColor\" stroke-opacity=\".7\"/>"),
        };
        Picture { title, description, width, height, body: tracks + &self.body }
    }

    fn reach(&mut self, x: i32, y: i32) {
        self.right = self.right.max(x);
        self.bottom = self.bottom.max(y);
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = self.body.write_fmt(element);
    }
}
