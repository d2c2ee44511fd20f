//! Damaging texts: bytes, lines, and the words that the formats are made of.

/// Makes inputs from a corpus. The same seed makes the same inputs.
#[derive(Clone, Debug)]
pub struct Mutator {
    state: u64,
    pieces: &'static [&'static str],
}

/// Pieces that people and editors put into files by error, and parts of the formats.
const PIECES: [&str; 64] = [
    "\"",
    "'",
    "“",
    "”",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ": ",
    "\\",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "  ",
    "#",
    " # c\n",
    "//",
    "- ",
    "---\n",
    "...\n",
    "é",
    "\u{feff}",
    "\u{2028}",
    "\u{85}",
    "${X}",
    "${{X}}",
    "{{ .x }}",
    "{% if a %}",
    "|",
    "|2-",
    "|+",
    ">",
    ">-",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "null",
    "{}",
    "[]",
    "validations: |\n",
    "validation",
    "vm.kubevirt.io/validations",
    "jsonpath::",
    "/spec.",
    "$.spec.",
    ".spec.template.spec.",
    "\"included\": [\"a\"],",
    "\"values\": [\"/spec.a\"]",
    "\"justWarning\": true,",
    "\"name\": \"a\",",
    "\"max\": 1e3,",
    "\"x\": {\"y\": [1, {}]},",
    "kind: VirtualMachine\n",
    "kind: Template\n",
    "kind: List\n",
    "objects:\n",
    "metadata:\n",
    "annotations:\n",
    "\\u0041",
];

/// Words of the formats, and what takes their place.
const WORDS: [(&str, &str); 24] = [
    ("validations: |", "validations: >"),
    ("validations: |", "validations: |-"),
    ("validations: |", "validations: |+ # c"),
    ("vm.kubevirt.io/validations", "validations"),
    ("validations", "vm.kubevirt.io/validations"),
    ("validations", "validation"),
    ("jsonpath::.spec", "/spec"),
    ("jsonpath::", "jsonpath::$"),
    ("jsonpath::", ""),
    ("\"/spec", "\"jsonpath::.spec"),
    ("included", "values"),
    ("values", "included"),
    ("kind: Template", "kind: VirtualMachine"),
    ("VirtualMachine", "Pod"),
    ("kind: Pod", "kind: VirtualMachine"),
    ("objects:", "items:"),
    ("metadata:", "metadata: {}"),
    ("annotations:", "annotations: {}"),
    ("\n", "\r\n"),
    ("\n", "\n\n"),
    ("  ", " "),
    ("  ", "\t"),
    ("\"", "\\\""),
    ("],", "]"),
];

impl Mutator {
    /// Begins anew with a seed.
    pub fn new(seed: u64) -> Self {
        Self::with_pieces(seed, &PIECES)
    }

    /// As [`new`](Self::new), with pieces of other formats to put into texts.
    pub fn with_pieces(seed: u64, pieces: &'static [&'static str]) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, pieces }
    }

    /// A text from the corpus, damaged in a few places; now and then as it is.
    pub fn next_input(&mut self, corpus: &[String]) -> String {
        let mut text = self.pick_one(corpus).cloned().unwrap_or_default();
        for _ in 0..[0, 1, 1, 1, 2, 2, 3, 5, 9][self.random_below(9)] {
            self.damage_text(&mut text, corpus);
        }
        text
    }

    /// Damages a text in one place.
    pub fn damage_text(&mut self, text: &mut String, corpus: &[String]) {
        match self.random_below(10) {
            0 => self.cut(text, 40),
            1 => self.cut(text, 4),
            2..=4 => {
                let (at, piece) = (self.place(text), self.pieces[self.random_below(self.pieces.len())]);
                text.insert_str(at, piece);
            }
            5 | 6 => self.word(text),
            7 => self.line(text),
            8 => self.shift(text),
            _ => self.splice(text, corpus),
        }
    }

    fn cut(&mut self, text: &mut String, most: usize) {
        let start = self.place(text);
        let end = floor_boundary(text, start + self.random_below(most));
        text.replace_range(start..end.max(start), "");
    }

    /// One word in the place of another, once or everywhere.
    fn word(&mut self, text: &mut String) {
        let (from, to) = WORDS[self.random_below(WORDS.len())];
        let places: Vec<_> = text.match_indices(from).map(|(at, _)| at).collect();
        if self.random_below(4) == 0 {
            *text = text.replace(from, to);
        } else if let Some(at) = self.pick_one(&places).copied() {
            text.replace_range(at..at + from.len(), to);
        }
    }

    /// Doubles, takes out or moves a line.
    fn line(&mut self, text: &mut String) {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if lines.is_empty() {
            return;
        }
        let (at, to) = (self.random_below(lines.len()), self.random_below(lines.len()));
        match self.random_below(3) {
            0 => lines.insert(to, lines[at].clone()),
            1 => _ = lines.remove(at),
            _ => {
                let line = lines.remove(at);
                lines.insert(to.min(lines.len()), line);
            }
        }
        *text = lines.concat();
    }

    /// Indents some lines more, or less.
    fn shift(&mut self, text: &mut String) {
        let lines = text.split_inclusive('\n').count().max(1);
        let (first, number) = (self.random_below(lines), 1 + self.random_below(12));
        let (less, blanks) = (self.random_below(2) == 0, " ".repeat(1 + self.random_below(4)));
        let shifted = text.split_inclusive('\n').enumerate().map(|(at, line)| {
            match line.strip_prefix(blanks.as_str()) {
                Some(rest) if less && (first..first + number).contains(&at) => rest.to_owned(),
                _ if !less && (first..first + number).contains(&at) => format!("{blanks}{line}"),
                _ => line.to_owned(),
            }
        });
        *text = shifted.collect();
    }

    /// A stretch of another text of the corpus.
    fn splice(&mut self, text: &mut String, corpus: &[String]) {
        let Some(other) = self.pick_one(corpus).cloned() else { return };
        let start = self.place(&other);
        let end = floor_boundary(&other, start + self.random_below(400));
        let at = self.place(text);
        text.insert_str(at, &other[start..end.max(start)]);
    }

    fn place(&mut self, text: &str) -> usize {
        let at = self.random_below(text.len() + 1);
        floor_boundary(text, at)
    }

    /// One of some things.
    pub fn pick_one<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        if from.is_empty() { None } else { from.get(self.random_below(from.len())) }
    }

    /// A number below another one, which is not zero.
    pub fn random_below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % end
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
