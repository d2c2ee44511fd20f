//! Cases made by damaging files of every kind.

use std::collections::BTreeMap;
use std::{fs, io};

use super::HostileCase;
use super::commands::COMMANDS;
use crate::fuzz::Mutator;
use crate::repository_root;

/// Pieces that are in files by error or by malice, and parts of the formats.
const PIECES: [&str; 76] = [
    "\"",
    "'",
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
    "{{- if .Values.x }}\n",
    "{% if a %}\n",
    "|",
    ">-",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!binary ",
    "null",
    "~",
    "{}",
    "[]",
    "\u{1b}[2J",
    "\u{9b}2J",
    "\u{202e}",
    "\"\\e[2J\\u202e\\n\"",
    "\\u001b",
    "\u{0}",
    "99999999999999999999",
    "-1",
    "1e400",
    ".inf",
    "0o17",
    "1_000",
    "yes",
    "2001-01-01",
    "? a\n: b\n",
    "%YAML 1.1\n---\n",
    "[[[[[[[[[[[[[[[[",
    "{a: {a: {a: {a: {a: ",
    "$ref: '#'\n",
    "\"$ref\": \"#\",",
    "\"pattern\": \"((((a)*)*)*)*b\",",
    "pattern: '^((a?b?c?){0,9}){9}$'\n",
    "minimum: 5\n",
    "maxLength: -1\n",
    "type: string\n",
    "x-kubernetes-int-or-string: true\n",
    "x-kubernetes-validations: [{rule: 'self == oldSelf'}]\n",
    "self.all(x, x.exists(y, y == x))",
    "default: {}\n",
    "kind: CustomResourceDefinition\n",
    "kind: Template\n",
    "kind: VirtualMachine\n",
    "apiVersion: v1\n",
    "items:\n",
    "metadata:\n",
    "\"max\": \"/spec.domain.cpu.cores\",",
];

/// A text that is a file of some kind.
struct SeedFile {
    /// The kind: the name of its file without what comes after the first point.
    kind: String,
    /// Rest of the name, from the first point.
    extension: String,
    text: String,
}

/// Makes cases. The same seed makes the same cases.
pub struct CaseGenerator {
    mutator: Mutator,
    seeds: Vec<SeedFile>,
    texts: Vec<String>,
}

impl CaseGenerator {
    /// Reads the seeds and begins with a number.
    pub fn new(seed: u64) -> io::Result<Self> {
        let mut seeds = Vec::new();
        for folder in ["tests/cases/hostile/seeds", "docs/examples"] {
            let mut paths: Vec<_> = fs::read_dir(repository_root().join(folder))?
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_file())
                .collect();
            paths.sort();
            for path in paths {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let (kind, extension) = name.split_once('.').unwrap_or((&name, ""));
                let kind = if folder == "docs/examples" { kind_of_example(kind) } else { kind };
                let (kind, extension) = (kind.to_owned(), extension.to_owned());
                seeds.push(SeedFile { kind, extension, text: fs::read_to_string(&path)? });
            }
        }
        let texts = seeds.iter().map(|seed| seed.text.clone()).collect();
        Ok(Self { mutator: Mutator::with_pieces(seed, &PIECES), seeds, texts })
    }

    /// The kinds of files that there are.
    pub fn file_kinds(&self) -> std::collections::BTreeSet<&str> {
        self.seeds.iter().map(|seed| seed.kind.as_str()).collect()
    }

    /// The next case.
    pub fn make_case(&mut self) -> HostileCase {
        let command = &COMMANDS[self.mutator.random_below(COMMANDS.len())];
        let mut case = HostileCase { args: Vec::new(), files: BTreeMap::new() };
        for word in command.words.split_whitespace() {
            self.word(word, &mut case);
        }
        for _ in 0..self.mutator.random_below(4) {
            let Some(option) = self.mutator.pick_one(command.options) else { continue };
            let name = option.split(['=', ' ']).next().unwrap_or_default();
            if !case.has_word(name) {
                for word in option.split(' ') {
                    self.word(word, &mut case);
                }
            }
        }
        if self.mutator.random_below(12) == 0 {
            self.add("config", Some("kvrules.toml"), &mut case);
        }
        if self.mutator.random_below(12) == 0 {
            self.add("manifest", Some("out/.kvrules-manifest"), &mut case);
            self.add("manifest", Some("out/openapi/.kvrules-manifest"), &mut case);
        }
        case
    }

    /// A word of a command: as it is, or a file in the place of `{kind}`, `{any}` or `{dir}`.
    fn word(&mut self, word: &str, case: &mut HostileCase) {
        let Some(kinds) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            case.args.push(word.to_owned());
            return;
        };
        if kinds == "dir" {
            for _ in 0..=self.mutator.random_below(4) {
                let name = self.name(case);
                self.add("any", Some(&format!("d/{name}")), case);
            }
            case.args.push("d".to_owned());
            return;
        }
        let kinds: Vec<&str> = kinds.split('|').collect();
        let kind = self.mutator.pick_one(&kinds).copied().unwrap_or("any");
        // Every kind is generated for every command, even if rarely.
        let kind = if self.mutator.random_below(10) == 0 { "any" } else { kind };
        let name = self.add(kind, None, case);
        case.args.push(name);
    }

    fn name(&mut self, case: &HostileCase) -> String {
        let letter = char::from(b'a' + u8::try_from(case.files.len() % 26).unwrap_or_default());
        match self.mutator.random_below(30) {
            0 => format!("{letter}\u{1b}[2J\u{202e}\n{letter}"),
            1 => format!("{letter} ü"),
            _ => letter.to_string(),
        }
    }

    /// Adds a damaged file of a kind; the answer is its name. A name without a point gets what files of the kind end with.
    fn add(&mut self, kind: &str, name: Option<&str>, case: &mut HostileCase) -> String {
        let fitting: Vec<usize> =
            (0..self.seeds.len()).filter(|index| kind == "any" || self.seeds[*index].kind == kind).collect();
        let seed = &self.seeds[self.mutator.pick_one(&fitting).copied().unwrap_or_default()];
        let name = match name {
            Some(name) if name.contains(".toml") || name.contains(".json") => name.to_owned(),
            Some(name) => format!("{name}.{}", seed.extension),
            None => {
                let extension = seed.extension.clone();
                format!("{}.{extension}", self.name(case))
            }
        };
        let seed = &self.seeds[self.mutator.pick_one(&fitting).copied().unwrap_or_default()];
        let mut text = seed.text.clone();
        for _ in 0..[0, 1, 1, 2, 3, 5][self.mutator.random_below(6)] {
            self.mutator.damage_text(&mut text, &self.texts);
        }
        if self.mutator.random_below(25) == 0 {
            text = self.grown(&text);
        }
        case.files.insert(name.clone(), text);
        name
    }

    /// A text in which some lines stand many times.
    fn grown(&mut self, text: &str) -> String {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (first, number) =
            (self.mutator.random_below(lines.len().max(1)), 1 + self.mutator.random_below(4));
        let times = 2 + self.mutator.random_below(300);
        let end = (first + number).min(lines.len());
        let (before, rest) = lines.split_at(first.min(end));
        let (inside, after) = rest.split_at(end - first.min(end));
        before.concat() + &inside.concat().repeat(times) + &after.concat()
    }
}

fn kind_of_example(name: &str) -> &str {
    if name == "extra-specs" { "specs" } else { "template" }
}
