//! All that is printed: results on standard output, everything else on standard error.
//!
//! Inputs come from anybody, and a terminal acts upon some characters. So whatever is printed is escaped here, at the edge.
//! Colours of our own are written as marks that no input can hold, and become what a terminal understands after that.

use std::borrow::Cow;
use std::env;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::sync::LazyLock;

use clap::ValueEnum;
use kvrules::render::{RenderFormat, RenderOptions, laid_out, one_line};
use kvrules::{Diagnostic, Sources};

use crate::failure::{Failure, io_reason};
use crate::text::UnreadFile;

/// Use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    /// True if colours are to be used on something that may be a terminal.
    pub(crate) fn on(self, terminal: bool) -> bool {
        let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is = |name: &str, wanted: &str| env::var_os(name).is_some_and(|value| value == wanted);
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto if set("NO_COLOR") => false,
            Self::Auto if set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0") => true,
            Self::Auto => terminal && !is("CLICOLOR", "0") && !is("TERM", "dumb"),
        }
    }
}

/// Standard output and standard error.
///
/// A reader that goes away (`kvrules check | head`) is not a failure: what it does not read is dropped, and the exit
/// status is what it would have been.
#[derive(Clone, Debug)]
pub(crate) struct Terminal {
    color: ColorChoice,
    quiet: bool,
    /// Standard output is closed.
    gone: bool,
}

impl Terminal {
    pub(crate) fn new(color: ColorChoice, quiet: bool) -> Self {
        Self { color, quiet, gone: false }
    }

    /// True if standard output has no reader any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Colours for standard output.
    pub(crate) fn paint(&self) -> ColorPainter {
        ColorPainter(self.color.on(io::stdout().is_terminal()))
    }

    /// True if standard output is a terminal with colours, which shows links.
    pub(crate) fn shows_links(&self) -> bool {
        self.paint().0 && io::stdout().is_terminal()
    }

    /// Colours for standard error.
    pub(crate) fn paint_error(&self) -> ColorPainter {
        ColorPainter(self.color.on(io::stderr().is_terminal()))
    }

    /// Colours for a file that output goes to.
    pub(crate) fn paint_file(&self) -> ColorPainter {
        ColorPainter(self.color == ColorChoice::Always)
    }

    /// Writes a result for people, or in a notation that has no need of what a terminal acts upon.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.write(&sanitize_text(text))
    }

    /// Writes the text of a file as it is, byte by byte; only a terminal is spared what it would act upon.
    pub(crate) fn print_file(&mut self, text: &str) -> Result<(), Failure> {
        if io::stdout().is_terminal() { self.print(text) } else { self.write(text) }
    }

    /// Makes room on a terminal, and elsewhere does nothing.
    pub(crate) fn clear(&mut self) -> Result<(), Failure> {
        if io::stdout().is_terminal() { self.write(CLEAR) } else { Ok(()) }
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        if self.gone {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.gone = true,
            Err(error) => {
                return Err(Failure::new(format!("cannot write to standard output: {}", io_reason(&error))));
            }
            Ok(()) => {}
        }
        Ok(())
    }

    /// Prints a status message, unless `--quiet` is set.
    pub(crate) fn print_status(&self, text: &str) {
        if !self.quiet {
            print_error(&format!("{text}\n"));
        }
    }

    /// Says something to think about, unless asked to be quiet.
    pub(crate) fn note(&self, text: &str) {
        self.print_status(&format!("{}: {}", self.paint_error().blue("note"), one_line(text)));
    }

    /// Says why the run stops.
    pub(crate) fn failure(&self, failure: &Failure) {
        match failure {
            Failure::Message { message, help } => self.error(message, help.as_deref()),
            Failure::Rendered(text) => print_error(text),
        }
    }

    /// Names a file that could not be read.
    pub(crate) fn unread(&self, unread: &UnreadFile) {
        self.error(&unread.to_string(), unread.help.as_deref());
    }

    /// Reports an error, and what to do about it.
    pub(crate) fn error(&self, message: &str, help: Option<&str>) {
        self.report(&self.paint_error().red("error"), message, help);
    }

    /// Reports what makes the run fail without being an error in a file.
    pub(crate) fn warning(&self, message: &str, help: Option<&str>) {
        self.report(&self.paint_error().yellow("warning"), message, help);
    }

    fn report(&self, level: &str, message: &str, help: Option<&str>) {
        let paint = self.paint_error();
        let help = help.map(|help| format!("  {}: {}\n", paint.blue("help"), one_line(help)));
        print_error(&format!("{level}: {}\n{}", one_line(message), help.unwrap_or_default()));
    }
}

/// Clears a terminal with all that was scrolled away, and begins at its top.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J\u{1b}[3J";
/// Start of every sequence that a terminal acts upon.
const ESCAPE: &str = "\u{1b}";
/// Placeholder until the text is printed. Input cannot contain it, because its number is random.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\u{fdd1}{:016x}\u{fdd1}", RandomState::new().hash_one(ESCAPE)));

/// A text as it is printed: escaped, and then coloured.
pub(crate) fn sanitize_text(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK.as_str()) {
        return laid_out(text);
    }
    let parts: Vec<_> = text.split(MARK.as_str()).map(laid_out).collect();
    Cow::Owned(parts.join(ESCAPE))
}

/// A text that is written to a file instead of the terminal, with the requested colours.
pub(crate) fn to_file(text: &str) -> String {
    text.replace(MARK.as_str(), ESCAPE)
}

/// Writes over the last line of standard error, which is a terminal; without a text the line is gone.
pub(crate) fn show_progress(text: &str) {
    let _ = write!(io::stderr().lock(), "\r{ESCAPE}[K{}", one_line(text));
}

/// Findings in a format, to be printed. For people they come with marks for the colours, since what draws them has escaped
/// all else.
pub(crate) fn render_findings(
    format: RenderFormat,
    found: &[Diagnostic],
    sources: &Sources,
    options: &RenderOptions,
) -> String {
    let text = kvrules::render::render_diagnostics(format, found, sources, options);
    if format == RenderFormat::Human { mark_own_colors(&text) } else { text }
}

/// A text in which all colours and links are our own: nothing of an input is in it that a terminal acts upon.
pub(crate) fn mark_own_colors(text: &str) -> String {
    text.replace(ESCAPE, &MARK)
}

/// Writes to standard error, even with `--quiet`. Errors are ignored, because a closed standard error has no
/// reader.
pub(crate) fn print_error(text: &str) {
    let _ = io::stderr().lock().write_all(sanitize_text(text).as_bytes());
}

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorPainter(pub(crate) bool);

impl ColorPainter {
    pub(crate) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.with("1;31", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    pub(crate) fn blue(self, text: &str) -> String {
        self.with("1;34", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("{mark}[{code}m{text}{mark}[0m", mark = *MARK) } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_of_our_own_are_colours() {
        let text = ColorPainter(true).red("a\u{1b}[31mb") + "\u{202e}\u{fdd1}0\u{fdd1}31m\n";
        let expected = "\u{1b}[1;31ma\\u{1b}[31mb\u{1b}[0m\\u{202e}\u{fdd1}0\u{fdd1}31m\n";
        assert_eq!(sanitize_text(&text), expected);
        assert_eq!(sanitize_text("plain\n"), "plain\n");
    }

    #[test]
    fn findings_keep_their_links() {
        let mut sources = Sources::default();
        let file = sources.add_file("b.yaml", "b: 1");
        let lint = kvrules::all_lints()[0];
        let found =
            lint.diagnostic_at(kvrules_diagnostics::Span::new(file, 0, 1), "no \u{1b}]8;;https://evil");
        let options = RenderOptions {
            color: true,
            links_codes: true,
            page_url: Some("https://rules.example.com/".to_owned()),
            summaries: vec![(lint.code, lint.summary)],
            ..RenderOptions::default()
        };
        let shown =
            sanitize_text(&render_findings(RenderFormat::Human, &[found], &sources, &options)).into_owned();
        let page = format!("{}-{}", lint.code, lint.name.replace('_', "-"));
        assert!(
            shown.contains(&format!("\u{1b}]8;;https://rules.example.com/{page}.html\u{1b}\\")),
            "{shown:?}"
        );
        assert!(!shown.contains("\u{1b}]8;;https://evil"), "{shown:?}");
    }

    #[test]
    fn findings_keep_their_colours() {
        let mut sources = Sources::default();
        let file = sources.add_file("a\u{1b}[2J.yaml", "b: \u{1b}[2J\u{9b}2J");
        let span = kvrules_diagnostics::Span::new(file, 0, 1);
        let found = Diagnostic::refused_input("config", span, "no \u{1b}[2J");
        let options = RenderOptions { color: true, ..RenderOptions::default() };
        let text = render_findings(RenderFormat::Human, &[found], &sources, &options);
        assert!(!text.contains('\u{1b}'), "{text:?}");
        let shown = sanitize_text(&text);
        assert!(
            shown.contains("\u{1b}[1m") && !shown.contains("\u{1b}[2J") && !shown.contains('\u{9b}'),
            "{shown:?}"
        );
    }
}
