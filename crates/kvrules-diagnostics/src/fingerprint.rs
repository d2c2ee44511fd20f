//! Knowing a finding again after its file was edited elsewhere.
//!
//! Line numbers change with every edit above them. So a fingerprint consists of what stays: the code, the file's
//! name, the text of the line with the finding, and a counter among equal findings. Reports that a service compares
//! between two runs contain it, and so do baselines.

use std::collections::HashMap;
use std::fmt;

use crate::{Diagnostic, SourceFile, Sources, Span};

/// Identifier of a finding; sixteen hexadecimal digits when written.
///
/// The number is part of files that people commit. It is the same on every machine and in every release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// The fingerprints of findings, in their order. Findings with the same code, file and line are distinguished by a
/// counter.
///
/// ```
/// use kvrules_diagnostics::{Diagnostic, Sources, Span, fingerprint_findings};
///
/// let finding = |file, start| Diagnostic::refused_input("config", Span::new(file, start, start + 1), "m");
/// let mut sources = Sources::default();
/// let old = sources.add_file("a.yaml", "b: 1\n");
/// let new = sources.add_file("a.yaml", "# one more line\n  b: 1\n");
/// let prints = fingerprint_findings(&[finding(old, 0), finding(new, 18)], &sources);
/// assert_ne!(prints[0], prints[1], "the same line twice in files of one name");
/// assert_eq!(fingerprint_findings(&[finding(old, 0)], &sources), fingerprint_findings(&[finding(new, 18)], &sources));
/// ```
pub fn fingerprint_findings(findings: &[Diagnostic], sources: &Sources) -> Vec<Fingerprint> {
    let mut met: HashMap<u64, u64> = HashMap::new();
    let print = |finding: &Diagnostic| {
        let file = sources.get(finding.primary.span.file);
        let name = file.map(SourceFile::name).unwrap_or_default();
        let line = file.map(|file| span_line(file, finding.primary.span)).unwrap_or_default();
        let base = hash_texts([finding.code, name, line]);
        let occurrence = met.entry(base).or_default();
        *occurrence += 1;
        match *occurrence {
            1 => Fingerprint(base),
            number => Fingerprint(rehash_with(base, number)),
        }
    };
    findings.iter().map(print).collect()
}

/// The line that a span begins in, without the blanks around it.
fn span_line(file: &SourceFile, span: Span) -> &str {
    let text = file.text();
    // Line breaks are single bytes, so both ends are character boundaries for any span.
    let at = (span.start as usize).min(text.len());
    let bytes = text.as_bytes();
    let is_break = |byte: &u8| *byte == b'\n';
    let start = bytes.get(..at).and_then(|head| head.iter().rposition(is_break)).map_or(0, |last| last + 1);
    let end =
        bytes.get(at..).and_then(|tail| tail.iter().position(is_break)).map_or(text.len(), |next| at + next);
    text.get(start..end).unwrap_or_default().trim()
}

/// FNV-1a with 64 bits over texts, each ended by a byte that no text has.
fn hash_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    let ended = texts.into_iter().flat_map(|text| text.bytes().chain([0xff]));
    ended.fold(OFFSET, step)
}

fn rehash_with(base: u64, number: u64) -> u64 {
    number.to_le_bytes().into_iter().fold(base, step)
}

/// The start value and the prime of FNV-1a: <https://www.rfc-editor.org/rfc/rfc9923.html>.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(sources: &Sources, start: u32) -> Diagnostic {
        let id = sources.files()[0].id();
        Diagnostic::refused_input("config", Span::new(id, start, start + 1), "m")
    }

    fn of(text: &str, start: u32) -> Fingerprint {
        let mut sources = Sources::default();
        sources.add_file("a.yaml", text);
        fingerprint_findings(&[finding(&sources, start)], &sources)[0]
    }

    #[test]
    fn the_number_never_changes() {
        // The first is a published test value of FNV-1a.
        assert_eq!(b"foobar".iter().copied().fold(OFFSET, step), 0x8594_4171_f739_67e8);
        assert_eq!(of("b: 1\n", 0), Fingerprint(hash_texts(["config", "a.yaml", "b: 1"])));
        assert_eq!(of("b: 1\n", 0).to_string().len(), 16);
    }

    #[test]
    fn moved_and_indented_lines_keep_their_fingerprint() {
        assert_eq!(of("b: 1\n", 0), of("a: 0\n\n   b: 1\r\n", 9));
        assert_ne!(of("b: 1\n", 0), of("b: 2\n", 0));
    }

    #[test]
    fn alike_findings_are_counted() {
        let mut sources = Sources::default();
        sources.add_file("a.yaml", "b: 1\nb: 1\nb: 1\n");
        let findings = [finding(&sources, 0), finding(&sources, 5), finding(&sources, 10)];
        let mut prints = fingerprint_findings(&findings, &sources);
        assert_eq!(prints[0], of("b: 1\n", 0));
        prints.sort();
        prints.dedup();
        assert_eq!(prints.len(), 3);
    }

    #[test]
    fn spans_outside_the_text_have_a_fingerprint() {
        assert_eq!(of("é", 1), of("é", 0));
        assert_eq!(of("a\n", 99), of("", 0));
    }
}
