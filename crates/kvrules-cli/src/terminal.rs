//! All that is printed: results on standard output, everything else on standard error.

use std::env;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};

use clap::ValueEnum;

use crate::failure::{Failure, reason};
use crate::text::Unread;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    /// Whether to use colours on something that may be a terminal.
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
/// A reader that goes away (`kvrules check | head`) is no failure: what it does not read is dropped, and the exit
/// status is what it would have been.
#[derive(Debug)]
pub(crate) struct Terminal {
    color: ColorChoice,
    quiet: bool,
    /// Nobody reads standard output any more.
    gone: bool,
}

impl Terminal {
    pub(crate) fn new(color: ColorChoice, quiet: bool) -> Self {
        Self { color, quiet, gone: false }
    }

    /// Whether nobody reads standard output any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Colours for standard output.
    pub(crate) fn paint(&self) -> Paint {
        Paint(self.color.on(io::stdout().is_terminal()))
    }

    /// Colours for standard error.
    pub(crate) fn paint_error(&self) -> Paint {
        Paint(self.color.on(io::stderr().is_terminal()))
    }

    /// Colours for a file that output goes to.
    pub(crate) fn paint_file(&self) -> Paint {
        Paint(self.color == ColorChoice::Always)
    }

    /// Writes a result.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        if self.gone {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.gone = true,
            Err(error) => {
                return Err(Failure::new(format!("cannot write to standard output: {}", reason(&error))));
            }
            Ok(()) => {}
        }
        Ok(())
    }

    /// Says how it went, unless asked to be quiet.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            tell(&format!("{text}\n"));
        }
    }

    /// Says something to think about, unless asked to be quiet.
    pub(crate) fn note(&self, text: &str) {
        self.say(&format!("{}: {text}", self.paint_error().blue("note")));
    }

    /// Says why the run stops.
    pub(crate) fn failure(&self, failure: &Failure) {
        match failure {
            Failure::Told { message, help } => self.error(message, help.as_deref()),
            Failure::Shown(text) => tell(text),
        }
    }

    /// Names a file that could not be read.
    pub(crate) fn unread(&self, unread: &Unread) {
        self.error(&unread.to_string(), unread.help.as_deref());
    }

    fn error(&self, message: &str, help: Option<&str>) {
        let paint = self.paint_error();
        let help = help.map(|help| format!("  {}: {help}\n", paint.blue("help"))).unwrap_or_default();
        tell(&format!("{}: {message}\n{help}", paint.red("error")));
    }
}

/// Writes to standard error, whatever the options. When that is closed there is nobody left to tell.
pub(crate) fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint(pub(crate) bool);

impl Paint {
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
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
