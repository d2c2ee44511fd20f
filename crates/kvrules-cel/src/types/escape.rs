//! Names of properties as expressions write them.

/// Names that are words of the language, and so are between underscores in the names of properties.
// apiserver pkg/cel/escaping.go, celReservedSymbols
pub const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Replacements of characters that a name of the language cannot contain, longest first.
const SEQUENCES: &[(&str, &str)] =
    &[("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")];

/// The name under which an expression reaches a property; `None` when it cannot be reached.
///
/// ```
/// use kvrules_cel::types::escape_property;
/// assert_eq!(escape_property("in").as_deref(), Some("__in__"));
/// assert_eq!(escape_property("x-y").as_deref(), Some("x__dash__y"));
/// assert_eq!(escape_property("1st"), None);
/// ```
// apiserver pkg/cel/escaping.go, Escape
pub fn escape_property(name: &str) -> Option<String> {
    if is_plain(name) {
        return Some(name.to_owned());
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || "_-./".contains(first)) {
        return None;
    }
    let mut escaped = String::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if let Some((plain, sequence)) = SEQUENCES.iter().find(|(plain, _)| rest.starts_with(plain)) {
            escaped.push_str(sequence);
            rest = rest.strip_prefix(plain)?;
        } else if first.is_ascii_alphanumeric() || first == '_' {
            escaped.push(first);
            rest = rest.strip_prefix(first)?;
        } else {
            return None;
        }
    }
    Some(escaped)
}

/// True if the escaped name of a property equals its name.
pub(crate) fn is_plain(name: &str) -> bool {
    let begins = name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let mut last = 0;
    let is_word = |byte: u8| {
        let is_double = std::mem::replace(&mut last, byte) == b'_' && byte == b'_';
        byte.is_ascii_alphanumeric() || byte == b'_' && !is_double
    };
    // No reserved word is longer than `namespace`.
    let is_word_of_language = || name.len() <= 9 && RESERVED.contains(&name);
    begins && name.bytes().all(is_word) && !is_word_of_language()
}

/// The escaped name of a property that is a word of the language and is selected by that word: `import` of
/// `self.import`, which the server takes where the grammar does.
pub(crate) fn escape_word(field: &str) -> Option<String> {
    RESERVED.contains(&field).then(|| format!("__{field}__"))
}

/// The property that an escaped name stands for; `None` when no property has this escaped name.
///
/// ```
/// assert_eq!(kvrules_cel::types::unescape_property("a__dot__b").as_deref(), Some("a.b"));
/// ```
// apiserver pkg/cel/escaping.go, Unescape; the last line also refuses names that Escape would write in another way
pub fn unescape_property(escaped: &str) -> Option<String> {
    // Fast path for each field access in an evaluation: most names are not escaped.
    if !escaped.contains("__") {
        return is_plain(escaped).then(|| escaped.to_owned());
    }
    let word = escaped.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    if let Some(word) = word.filter(|word| RESERVED.contains(word)) {
        return Some(word.to_owned());
    }
    let mut name = String::new();
    let mut rest = escaped;
    while let Some(first) = rest.chars().next() {
        if let Some((plain, sequence)) = SEQUENCES.iter().find(|(_, sequence)| rest.starts_with(sequence)) {
            name.push_str(plain);
            rest = rest.strip_prefix(sequence)?;
        } else {
            name.push(first);
            rest = rest.strip_prefix(first)?;
        }
    }
    (escape_property(&name).as_deref() == Some(escaped)).then_some(name)
}
