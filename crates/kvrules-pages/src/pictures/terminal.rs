//! Coloured output of a program as a picture of a terminal.

use crate::pictures::canvas::{Canvas, Frame, FrameLook, MARGIN, TextSpan, Tone};
use crate::pictures::picture::Picture;
use crate::pictures::shown::to_coordinate;
use crate::pictures::text_width::{TextFont, estimate_width};

/// Height of a line.
const LINE: i32 = 18;
/// Lines that are drawn.
const MOST_LINES: usize = 120;
/// Characters of a line that are drawn.
const LONGEST_LINE: usize = 160;

/// Draws a command and what it prints, with the colours of ANSI sequences; other sequences are ignored.
///
/// ```
/// let picture = kvrules_pages::pictures::draw_terminal("kvrules check", "\u{1b}[1;31merror\u{1b}[0m: no rules\n");
/// assert_eq!(picture.title(), "Output of kvrules check");
/// assert_eq!(picture.description(), "$ kvrules check\nerror: no rules\n");
/// ```
pub fn draw_terminal(command: &str, output: &str) -> Picture {
    let prompt = vec![span(Tone::Pass, false, "$ "), span(Tone::Ink, true, command)];
    let mut state = (Tone::Ink, false);
    let lines = output.lines().map(|line| read_spans(line, &mut state));
    let lines: Vec<Vec<TextSpan>> = std::iter::once(prompt).chain(lines).take(MOST_LINES).collect();
    let text = |line: &Vec<TextSpan>| line.iter().map(|span| span.text.as_str()).collect::<String>();
    let width = lines.iter().map(|line| estimate_width(&text(line), TextFont::Code)).max().unwrap_or(0);
    let mut canvas = Canvas::default();
    let frame = Frame {
        x: 1,
        y: 1,
        width: width + 4 * MARGIN,
        height: to_coordinate(lines.len()) * LINE + 3 * MARGIN,
    };
    canvas.frame(frame, FrameLook { radius: 8, tone: Tone::Ink, is_dashed: false, fill: 4 });
    let mut y = 2 * MARGIN + 10;
    for line in &lines {
        canvas.spans((2 * MARGIN, y), line);
        y += LINE;
    }
    let description: String = lines.iter().map(|line| text(line) + "\n").collect();
    canvas.finish(format!("Output of {command}"), description)
}

fn span(tone: Tone, is_bold: bool, text: &str) -> TextSpan {
    TextSpan { tone, is_bold, text: text.to_owned() }
}

/// The stretches of a line between changes of colour. The colour goes on in the next line.
fn read_spans(line: &str, state: &mut (Tone, bool)) -> Vec<TextSpan> {
    let mut spans = Vec::new();
    let mut room = LONGEST_LINE;
    for (index, part) in line.split('\u{1b}').enumerate() {
        let text = if index == 0 { part } else { apply_sequence(part, state) };
        let text: String = text.chars().take(room).collect();
        room -= text.chars().count();
        if !text.is_empty() {
            spans.push(TextSpan { tone: state.0, is_bold: state.1, text });
        }
    }
    spans
}

/// Applies the sequence that a part begins with, and returns the text behind it.
fn apply_sequence<'t>(part: &'t str, state: &mut (Tone, bool)) -> &'t str {
    let Some((codes, text)) = part.strip_prefix('[').and_then(|part| part.split_once('m')) else {
        return part;
    };
    for code in codes.split(';') {
        match code {
            "" | "0" => *state = (Tone::Ink, false),
            "1" => state.1 = true,
            "31" | "91" => state.0 = Tone::Fail,
            "32" | "92" => state.0 = Tone::Pass,
            "33" | "93" => state.0 = Tone::Warn,
            "34" | "36" | "94" | "96" => state.0 = Tone::Info,
            _ => {}
        }
    }
    text
}
