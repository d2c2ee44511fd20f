//! Our own cases: patterns that Go refuses with its texts, patterns it accepts with their canonical form and with
//! texts that match or not, and input meant to hurt.

use kvrules_regex::{RegexErrorKind as Kind, parse};

/// Pattern, kind, the fragment that Go quotes, the narrower part of the pattern that is to be marked.
const REFUSED: &[(&str, Kind, &str, &str)] = &[
    ("a(?=b)", Kind::LookAhead, "(?=", "(?="),
    ("(?!v)", Kind::LookAhead, "(?!", "(?!"),
    ("a(?<=v)i", Kind::LookBehind, "(?<=v)i", "(?<="),
    ("(?<!v>w)i", Kind::LookBehind, "(?<!v>", "(?<!"),
    (r"(q)\1", Kind::BackReference, r"\1", r"\1"),
    (r"\k<n>", Kind::BackReference, r"\k", r"\k"),
    ("(?P=n)", Kind::BackReference, "(?P", "(?P="),
    ("(?>q)", Kind::AtomicGroup, "(?>", "(?>"),
    ("q++", Kind::PossessiveQuantifier, "++", "++"),
    ("q{2}+", Kind::PossessiveQuantifier, "{2}+", "{2}+"),
    ("(?(1)a|b)", Kind::Conditional, "(?(", "(?("),
    ("(?#x)v", Kind::Comment, "(?#", "(?#"),
    ("(?R)", Kind::Recursion, "(?R", "(?R"),
    ("(?|a)", Kind::BranchReset, "(?|", "(?|"),
    ("(?'n'a)", Kind::QuotedGroupName, "(?'", "(?'"),
    ("(?x) v", Kind::InvalidFlag, "(?x", "(?x"),
    ("(?imx) v", Kind::InvalidFlag, "(?imx", "(?imx"),
    ("(?P", Kind::InvalidFlag, "(?P", "(?P"),
    ("(?i", Kind::IncompleteFlags, "(?i", "(?i"),
    ("(?i-)a", Kind::IncompleteFlags, "(?i-)", "(?i-)"),
    ("(?", Kind::IncompleteFlags, "(?", "(?"),
    ("(?P<n", Kind::BadGroupName, "(?P<n", "(?P<n"),
    ("(?P<>a)", Kind::BadGroupName, "(?P<>", "(?P<>"),
    ("(?P<é>a)", Kind::BadGroupName, "(?P<é>", "(?P<é>"),
    (r"q35\Z", Kind::UnknownEscape, r"\Z", r"\Z"),
    (r"\u0076", Kind::UnknownEscape, r"\u", r"\u"),
    (r"[\b]", Kind::UnknownEscape, r"\b", r"\b"),
    (r"[a-\d]", Kind::UnknownEscape, r"\d", r"\d"),
    (r"\é", Kind::UnknownEscape, r"\é", r"\é"),
    (r"\xZZ", Kind::BadCodePoint, r"\xZZ", r"\xZZ"),
    (r"\x{110000}", Kind::BadCodePoint, r"\x{110000", r"\x{110000"),
    (r"\x{}", Kind::BadCodePoint, r"\x{}", r"\x{}"),
    ("a\\", Kind::TrailingBackslash, "", "\\"),
    ("[\\", Kind::TrailingBackslash, "", "\\"),
    ("a**?", Kind::NestedRepeat, "**?", "**?"),
    ("a{1}{2}", Kind::NestedRepeat, "{1}{2}", "{1}{2}"),
    ("+?a", Kind::MissingRepeatArgument, "+?", "+?"),
    ("(|*)", Kind::MissingRepeatArgument, "*", "*"),
    ("a|{2}", Kind::MissingRepeatArgument, "{2}", "{2}"),
    ("a{1001}", Kind::RepeatTooLarge, "{1001}", "{1001}"),
    ("a{99999999999}", Kind::RepeatTooLarge, "{99999999999}", "{99999999999}"),
    ("((a{100}){10}){2,}?", Kind::RepeatTooLarge, "{2,}?", "{2,}?"),
    ("a*{1001}", Kind::RepeatTooLarge, "{1001}", "{1001}"),
    ("a{2,1}", Kind::RepeatOutOfOrder, "{2,1}", "{2,1}"),
    ("x[a", Kind::MissingBracket, "[a", "[a"),
    ("[]", Kind::MissingBracket, "[]", "[]"),
    ("a(b", Kind::MissingParen, "a(b", "("),
    ("((a)", Kind::MissingParen, "((a)", "("),
    ("ab)c", Kind::UnexpectedParen, "ab)c", ")"),
    ("[bz-a]", Kind::BadClassRange, "z-a", "z-a"),
    ("[[:foo:]]", Kind::UnknownPosixClass, "[:foo:]", "[:foo:]"),
    (r"\p{Letter}", Kind::UnknownUnicodeClass, r"\p{Letter}", r"\p{Letter}"),
    (r"\pQ", Kind::UnknownUnicodeClass, r"\pQ", r"\pQ"),
    (r"[\p{L", Kind::UnknownUnicodeClass, r"\p{L", r"\p{L"),
    (r"\p", Kind::UnknownUnicodeClass, r"\p", r"\p"),
];

#[test]
fn refused_patterns_name_the_construct_and_quote_what_go_quotes() {
    for (pattern, kind, fragment, marked) in REFUSED {
        let error = parse(pattern).expect_err(pattern);
        assert_eq!((error.kind, error.fragment.as_str()), (*kind, *fragment), "{pattern}");
        assert_eq!(pattern.get(error.span.clone()), Some(*marked), "{pattern}");
        assert!(error.go_text().ends_with(&format!(": `{fragment}`")), "{}", error.go_text());
        assert!(!error.to_string().ends_with('.'), "{error}");
    }
}

/// Pattern and canonical form.
const CANONICAL: &[(&str, &str)] = &[
    ("", ""),
    ("(?:)", ""),
    ("a(?:bc)d", "abcd"),
    ("(?:a|b)|c", "a|b|c"),
    ("(?i)Q35-k", "(?i:q35-k)"),
    ("(?i)a(?-i)b", "(?i:a)b"),
    ("(a(?i)b|c)d", "(a(?i:b)|(?i:c))d"),
    ("(?mi)^virtio|scsi$", "(?m:^)(?i:virtio)|(?i:scsi)(?m:$)"),
    (r"\Aa\z", "^a$"),
    ("(?s).", "(?s:.)"),
    ("(?U)a+b*?", "a+?b*"),
    ("a{0,}b{1,}c{0,1}d{1}e{2,}f{2,3}?", "a*b+c?d{1}e{2,}f{2,3}?"),
    ("(?:a*)*", "(?:a*)*"),
    ("^*", "(?:^)*"),
    ("a(?i)*", "a*"),
    ("[0-9]", r"\d"),
    ("[^a-zA-Z0-9_]", r"\W"),
    (r"[\d-z]", r"[\-0-9z]"),
    ("[a]", "a"),
    ("[]a]", r"[\]a]"),
    ("[^]a]", r"[^\]a]"),
    ("[[.a.]]", r"[.\[a]\]"),
    (r"[^\n]", "."),
    (r"[\s\S]", "(?s:.)"),
    (r"[^\x00-\x{10FFFF}]", r"[^\x00-\x{10FFFF}]"),
    (r"\x{D800}", r"[^\x00-\x{10FFFF}]"),
    (r"\Q+a\E+\Q.", r"\+a+\."),
    (r"\07\123\x41\x{1F600}", r"\x07SA\x{1F600}"),
    (r"\/\_\-\@", "/_-@"),
    ("a{,3}{x}{01}", r"a\{,3\}\{x\}\{01\}"),
    ("(?<n>a)(?P<n>b)(?P<1x>c)", "(?P<n>a)(?P<n>b)(?P<1x>c)"),
    (r"\pL\PL\p{^Greek}\p{Greek}", r"\pL\PL\P{Greek}\p{Greek}"),
    (r"(?i)\W", r"[^0-9A-Z_a-z\x{17F}\x{212A}]"),
    ("(?)a", "a"),
    ("(|a)", "(|a)"),
];

#[test]
fn canonical_text_is_as_expected_and_reads_back_as_the_same_tree() {
    for (pattern, canonical) in CANONICAL {
        let regex = parse(pattern).expect(pattern);
        assert_eq!(regex.to_re2(), *canonical, "{pattern}");
        assert_eq!(parse(canonical).expect(canonical), regex, "{pattern}");
    }
}

/// Pattern, texts that match, texts that do not.
const MATCHES: &[(&str, &[&str], &[&str])] = &[
    ("b$", &["ab"], &["b\n"]),
    ("(?m)^b$", &["b\n", "a\nb\nc"], &["ab", "b\r"]),
    ("a.b", &["axb", "aéb"], &["a\nb"]),
    ("(?s)a.b", &["a\nb"], &["ab"]),
    (r"^\d$", &["3"], &["٣"]),
    (r"^\w+$", &["a_1"], &["é"]),
    (r"^\s$", &[" ", "\t"], &["\u{b}", "\u{a0}"]),
    (r"^[[:space:]]$", &["\u{b}"], &["\u{a0}"]),
    (r"^\pL+$", &["é"], &["1"]),
    ("^.$", &["é", "😀"], &["e\u{301}"]),
    ("(?i)^K$", &["k", "\u{212a}"], &["c"]),
    ("(?i)straße", &["STRAẞE"], &["STRASSE"]),
    ("(?i)İ", &["İ"], &["i", "I"]),
    (r"(?i)^[^k]$", &["j"], &["K", "\u{212a}"]),
    (r"\bé", &["aé"], &["é", " é"]),
    (r"\B", &["", "é", "ab"], &["a", "aéb"]),
    (r"a\B", &["ab"], &["a", "aé"]),
    ("^(a|)+$", &["", "aaa"], &["b"]),
    (r"\x{D800}|b", &["b"], &["\u{FFFD}"]),
    ("(?i)(?-i)a", &["a"], &["A"]),
];

#[test]
fn the_matcher_finds_what_go_finds() {
    for (pattern, yes, no) in MATCHES {
        let matcher = parse(pattern).expect(pattern).compile_matcher().expect(pattern);
        assert!(yes.iter().all(|text| matcher.is_match(text)), "{pattern}");
        assert!(!no.iter().any(|text| matcher.is_match(text)), "{pattern}");
    }
}

#[test]
fn anchored_choices_are_listed() {
    let texts = |pattern: &str| {
        let texts = parse(pattern).expect(pattern).literal_alternatives()?;
        Some(texts.into_iter().collect::<Vec<_>>().join(","))
    };
    let listed = [
        ("^(virtio|scsi)$", "scsi,virtio"),
        ("^a$|^b$", "a,b"),
        (r"\Aq35\z", "q35"),
        ("^$", ""),
        ("^(?i:on)$", "ON,On,oN,on"),
        ("^[01]{2}$", "00,01,10,11"),
        ("^v?1(a|^b)$", "1a,v1a"),
    ];
    for (pattern, expected) in listed {
        assert_eq!(texts(pattern).as_deref(), Some(expected), "{pattern}");
    }
    for pattern in ["^virtio|scsi$", "(?m)^a$", "^a*$", "^.$", "^[a-z]{3}$", r"^a\b$", "a", ""] {
        assert_eq!(texts(pattern), None, "{pattern}");
    }
}

#[test]
fn anchors_are_found_on_every_way_through() {
    for pattern in ["^a$", "^(a|b)$", "(^a|^b)$", "^a$|^b$", "(?:^a){1,2}$", r"\A\z"] {
        assert!(parse(pattern).expect(pattern).is_anchored(), "{pattern}");
    }
    for pattern in ["a", "^a|b$", "(?m)^a$", "(?:^a)*$", "^a"] {
        assert!(!parse(pattern).expect(pattern).is_anchored(), "{pattern}");
    }
}

#[test]
fn nesting_is_bounded_as_in_go_and_hurts_nothing() {
    let nested = |open: &str, depth: usize| format!("{}a{}", open.repeat(depth), ")".repeat(depth));
    let deep = parse(&nested("(", 999)).expect("999 groups and a literal are 1000 levels");
    assert!(deep.compile_matcher().expect("a deep tree compiles").is_match("a"));
    assert_eq!(parse(&nested("(", 1000)).expect_err("one more is too deep").kind, Kind::TooDeep);
    assert_eq!(parse(&nested("(?:", 100_000)).expect("plain groups add no level").to_re2(), "a");
    assert_eq!(parse(&"(".repeat(1_000_000)).expect_err("unclosed").kind, Kind::MissingParen);
    let bushes =
        [("(?:x|y(?:z", ")+)*", 198), ("(", ")*?", 498), ("(?:x(?:y|", "))", 490), ("(?:(?:", ")+)*", 499)];
    for (open, close, depth) in bushes {
        let regex = parse(&format!("{}ab{}", open.repeat(depth), close.repeat(depth)))
            .unwrap_or_else(|error| panic!("{open}: {error}"));
        assert_eq!(parse(&regex.to_re2()).expect(open), regex);
        assert!(regex.to_ecma().len() > depth && regex.compile_matcher().is_ok(), "{open}");
        assert!(regex.clone().literal_alternatives().is_none() && !regex.is_anchored(), "{open}");
    }
}

#[test]
fn size_is_bounded_as_in_go() {
    assert!(parse(&"x{1000}".repeat(3000)).is_ok());
    assert_eq!(parse(&"x{1000}".repeat(4000)).expect_err("4000000 instructions").kind, Kind::TooLarge);
    assert!(
        parse(&r"\pL".repeat(1000)).expect("wide").compile_matcher().is_err(),
        "more than an automaton should hold"
    );
    assert_eq!(parse(&"[[:".repeat(30_000)).expect_err("open").kind, Kind::MissingBracket);
    assert_eq!(parse(&r"\pL".repeat(60_000)).expect_err("39 million ranges").kind, Kind::TooLarge);
}
