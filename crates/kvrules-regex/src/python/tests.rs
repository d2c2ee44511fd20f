//! The dialect's corners, one of each.

use super::*;

fn matches(pattern: &str, text: &str) -> bool {
    PythonRegex::new(pattern).unwrap().compile_matcher().unwrap().try_full_match(text).unwrap()
}

#[test]
fn constructs_with_another_meaning_in_rust_keep_pythons() {
    for (pattern, text, expected) in [
        ("[a&&b]+", "a&b", true),
        ("[a~~b]+", "a~b", true),
        ("[[:alpha:]]", "a]", true),
        ("[[:alpha:]]", "x", false),
        ("a*+a", "aa", false),
        ("(?>a|ab)c", "abc", false),
        ("a{,2}", "aaa", false),
        ("a{b}", "a{b}", true),
        (r"\Aab\Z", "ab\n", false),
        (r"\101\x42\u0043", "ABC", true),
        (r"(?a)\d+", "٣", false),
        (r"(?P<y>\d+)-(?P=y)", "1-2", false),
        ("(<)?a(?(1)>|$)", "<a", false),
        ("(<)?a(?(1)>|$)", "<a>", true),
        ("(?x) a b # c", "ab", true),
        (r"\bé\b", "é", true),
        ("a$\n?", "a\n", true),
        (r".+(?<!x)", "ax", false),
        ("(?i)yes", "yeſ", true),
        ("(?i)ı", "I", true),
        (r"\s", "\x1C", true),
        ("", "", true),
        (r"\B", "", false),
        (r"(?:(?:a|b)*|c)*d", "abcabd", true),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern} {text:?}");
    }
}

#[test]
fn what_python_refuses_is_refused_at_its_place() {
    for (pattern, place) in [
        ("a--[", 3..4),
        ("[a--b]", 1..4),
        ("a(b", 1..2),
        ("a)", 1..2),
        ("*a", 0..1),
        ("a**", 2..3),
        ("^*", 1..2),
        ("(?P<a-b>x)", 4..7),
        ("(?P<a>x)(?P<a>y)", 12..13),
        (r"\q", 0..2),
        (r"(a\1)", 2..4),
        ("a(?i)b", 1..5),
        ("(?<=a+)b", 0..7),
        ("x{3,1}", 1..6),
    ] {
        let error = PythonRegex::new(pattern).unwrap_err();
        assert_eq!((error.python_class(), error.span.clone()), (Some("error"), place), "{pattern}: {error}");
    }
    let error = PythonRegex::new("a{4294967295}").unwrap_err();
    assert_eq!(error.python_class(), Some("OverflowError"));
}

#[test]
fn what_no_engine_in_linear_time_has_is_named() {
    for (pattern, construct) in [
        ("(?=a)a", Construct::LookAhead),
        ("(?<!x)a", Construct::LookBehind),
        (r"(a)\1", Construct::BackReference),
        ("(a)?(?(1)b|c)", Construct::Conditional),
        ("(?>a)", Construct::AtomicGroup),
        ("a++", Construct::PossessiveQuantifier),
        (r"\ba", Construct::UnicodeWordBoundary),
        ("a$\n?", Construct::EndBeforeMore),
        (r"\N{DASH}", Construct::CharacterName),
    ] {
        let error = PythonRegex::new(pattern).and_then(|regex| regex.to_regex()).unwrap_err();
        assert_eq!(error.unsupported_construct(), Some(construct), "{pattern}");
        assert_eq!(error.python_class(), None);
    }
}

#[test]
fn every_decimal_digit_has_its_value() {
    let values = ['0', '9', '٣', '９', '𝟘', '𝟡', '𝟢'].map(digit_value);
    assert_eq!(values, [0, 9, 3, 9, 0, 9, 0].map(Some));
    assert_eq!(['²', '½', 'a', '①'].map(digit_value), [None; 4]);
    assert_eq!(unicode::digit_class().len(), 660); // The number in SEMANTICS.md for Python 3.11
}

#[test]
fn printed_patterns_say_where_they_differ() {
    let print = |pattern: &str, dialect| PythonRegex::new(pattern).unwrap().print_for(dialect).unwrap();
    assert_eq!(print("([a-zA-Z0-9_-]{1,64})?", PatternDialect::Ecma).text, r"^([\-0-9A-Z_a-z]{1,64})?$");
    assert_eq!(print(r"[^:]+:\d+(?:\s*,)*", PatternDialect::Re2).inexact, [Inexactness::UnicodeVersion]);
    assert_eq!(print("^a|b$", PatternDialect::Ecma).text, "^(?:^a|b$)$");
    assert_eq!(print("^foo$", PatternDialect::Rust).text, "^foo$");
    assert_eq!(print(r"(a)\1", PatternDialect::Ecma).text, r"^(a)(?:\1)$");
    assert_eq!(print(r"[\w-]+", PatternDialect::Ecma).text, r"^[\p{L}\p{N}_\-]+$");
    assert_eq!(print("(?i:1|2)", PatternDialect::Re2).text, "^(?:1|2)$");
    assert_eq!(print(r"(?a)\B", PatternDialect::Ecma).text, r"^(?!^$)\B$");
    assert_eq!(print(r"\ba", PatternDialect::Rust).inexact, [Inexactness::WordBoundary]);
    assert!(print("a|b", PatternDialect::Re2).inexact.is_empty());
}

#[test]
fn exponential_patterns_take_bounded_time() {
    let text = format!("{}!", "a".repeat(2_000));
    for pattern in ["([a-z]+(,)?)+", "(?=a)([a-z]+(,)?)+", r"\b([a-z]+(,)?)+"] {
        assert!(!matches(pattern, &text));
    }
}
