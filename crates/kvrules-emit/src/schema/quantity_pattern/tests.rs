//! The pattern against the exact arithmetic of [`Quantity`], on spellings crowded around the bounds.

use std::cell::Cell;

use kvrules_kubernetes::quantity::Quantity;
use num_bigint::{BigInt, BigUint, Sign};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use regex::{Regex, RegexBuilder};

use super::{NEVER, pattern_between};

type Bounds = (Option<BigInt>, Option<BigInt>);

#[test]
fn spellings_around_a_lower_bound_are_told_apart() {
    let pattern = compile(&(Some(1_610_612_736.into()), None));
    for text in [
        "1.5Gi",
        "1536Mi",
        "1610612736",
        "2G",
        "1610612.736k",
        "1.5000Gi",
        "01.5Gi",
        "+2Gi",
        "1610612736000m",
        "1610612736.",
        "0001572864.000Ki",
        "1.610612736G",
        "1.610612736e9",
        "1.610612736E+09",
        "1610612736e0",
        "1610612736000000e-06",
        "1Ei",
        ".001E",
        ".00146484375Ti",
        "1.52587890625Gi",
        "16106127.36e2",
        "161.0612736E+007",
        "16106127360e-1",
        "161061273600000000000000000000e-20",
        "1e10",
        "0.00000000161061273600e18",
        "1e20",
        "1e21",
        "1e9999",
        " 2Gi",
        "2Gi\n",
        "\u{2028}2Gi\u{85}\t\u{a0}",
    ] {
        assert!(pattern.is_match(text), "{text}");
    }
    for text in [
        "1.4999999Gi",
        "1610612735",
        "1.6G",
        "1610612735.999",
        "1610612736.5",
        "1610612736500m",
        "1.6106127361G",
        "1.6Gi",
        ".001Ei",
        ".00146484374Ti",
        "-1.5Gi",
        "1.5gi",
        "2 Gi",
        "2Gi\u{8}",
        "1610612735e0",
        "16106127.35e2",
        "16106127.365e1",
        "1610612736.5e0",
        "16106127361e-1",
        "1e9",
        "1e-21",
        "99999999999999999999e-21",
        "0e21",
        "1e99999999999999999999",
        " ",
        "",
        "Gi",
        ".",
        "2K",
        "2e",
    ] {
        assert!(!pattern.is_match(text), "{text}");
    }
}

#[test]
fn the_patterns_of_usual_bounds_are_of_bearable_length() {
    let usual: [(Option<i64>, Option<i64>, usize); 5] = [
        (Some(1_610_612_736), None, 9000),
        (None, Some(1_610_612_736), 11_500),
        (Some(1 << 30), Some(2 << 30), 14_000),
        (Some(1), Some(16), 5000),
        (None, None, 3000),
    ];
    for (min, max, limit) in usual {
        let pattern = pattern_between(min.map(Into::into).as_ref(), max.map(Into::into).as_ref()).pattern;
        assert!(pattern.len() <= limit, "{} characters for {min:?} to {max:?}", pattern.len());
        assert!(Regex::new(&pattern).is_ok(), "{min:?} to {max:?} takes too much memory");
    }
}

#[test]
fn interchanged_bounds_match_nothing() {
    let bounds = (Some(BigInt::from(2)), Some(BigInt::from(1)));
    assert_eq!(pattern_between(bounds.0.as_ref(), bounds.1.as_ref()).pattern, NEVER);
    for text in ["", "1", "2", "1.5", "x", "\n"] {
        assert!(!compile(&bounds).is_match(text), "{text:?}");
    }
}

#[test]
fn zero_is_zero_with_every_sign_and_suffix() {
    let pattern = compile(&(Some(0.into()), Some(0.into())));
    for text in ["0", "-0", "+00.000Gi", ".0m", "0.Ei", "0e-12345", "-.00E7", "0n", "0e1234567890123456789"] {
        assert!(pattern.is_match(text), "{text}");
    }
    for text in ["1", "1n", "0.0000000001Ki", "0ee3", "0e", "0K", "", " ", "1e-99", "0e99999999999999999999"]
    {
        assert!(!pattern.is_match(text), "{text}");
    }
}

#[test]
fn what_is_zero_without_a_digit_matches_with_zero() {
    let pattern = compile(&(None, Some(5.into())));
    let beyond = compile(&(Some(1.into()), None));
    for text in [".", "-", "+", "+.", "Gi", ".Ti", "-n", "E", "e5", "E-9", "-.e+007", "e-4294967296", " . "] {
        assert_eq!(
            Quantity::parse_trimmed(text).map(|zero| zero.to_integer()),
            Ok(Some(BigInt::ZERO)),
            "{text}"
        );
        assert!(pattern.is_match(text) && !beyond.is_match(text), "{text}");
    }
    for text in ["Pi", "-Ei", "e-10", "e-12345", "..", "+-", "ee", "Ki5"] {
        assert!(Quantity::parse_trimmed(text).is_err() && !pattern.is_match(text), "{text}");
    }
}

#[test]
fn every_blank_that_a_decoder_drops_is_passed_over() {
    let pattern = compile(&(Some(2.into()), None));
    for blank in (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| c.is_whitespace()) {
        assert!(pattern.is_match(&format!("{blank}2{blank}{blank}")), "{blank:?}");
    }
}

#[test]
fn only_portable_syntax_is_printed() {
    let all = pattern_between(Some(&(-5_000_000).into()), Some(&3_000_000_000_u64.into())).pattern;
    let rest = ["(?:", "[+]", r"\.", r"[^\x00-\x08\x0E-\x1F!-\x7F]"]
        .iter()
        .fold(all, |text, construct| text.replace(construct, ""));
    let known = |character: char| character.is_ascii_alphanumeric() || "^$|)[]?*+{},-".contains(character);
    assert!(rest.chars().all(known), "{rest}");
}

/// Every suffix as a power of ten and of two.
const UNITS: [(&str, i32, u32); 32] = [
    ("n", -9, 0),
    ("u", -6, 0),
    ("m", -3, 0),
    ("", 0, 0),
    ("k", 3, 0),
    ("M", 6, 0),
    ("G", 9, 0),
    ("T", 12, 0),
    ("P", 15, 0),
    ("E", 18, 0),
    ("Ki", 0, 10),
    ("Mi", 0, 20),
    ("Gi", 0, 30),
    ("Ti", 0, 40),
    ("Pi", 0, 50),
    ("Ei", 0, 60),
    ("e0", 0, 0),
    ("E+06", 6, 0),
    ("e-3", -3, 0),
    ("E18", 18, 0),
    ("e7", 7, 0),
    ("e-12", -12, 0),
    ("e1", 1, 0),
    ("e-1", -1, 0),
    ("E2", 2, 0),
    ("e14", 14, 0),
    ("E-017", -17, 0),
    ("e20", 20, 0),
    ("E-20", -20, 0),
    ("e21", 21, 0),
    ("e-21", -21, 0),
    ("e+30", 30, 0),
];

/// Departure of a spelling from the exact text of a bound.
#[derive(Debug, Clone)]
struct Change {
    cut: Option<usize>,
    step: i8,
    appended: String,
    zeros: (String, String),
    sign: &'static str,
}

fn change() -> impl Strategy<Value = Change> {
    let appended =
        prop_oneof![2 => Just(String::new()), 1 => "[0-9]{1,5}", 1 => "(5|25|75|125|375|625|875|0625)"];
    let cut = prop_oneof![2 => Just(None), 1 => (0_usize..24).prop_map(Some)];
    let sign = prop::sample::select(["", "", "", "+", "-"].as_slice());
    (cut, -1_i8..=1, appended, ("0{0,2}", "0{0,2}"), sign)
        .prop_map(|(cut, step, appended, zeros, sign)| Change { cut, step, appended, zeros, sign })
}

fn bound() -> impl Strategy<Value = BigInt> {
    let power = |base: u32, most: u32| {
        (0..most, -40_i64..40, -1_i64..=1)
            .prop_map(move |(exponent, factor, off)| BigInt::from(base).pow(exponent) * factor + off)
    };
    prop_oneof![
        (-30_i64..3000).prop_map(BigInt::from),
        power(2, 66),
        power(10, 22),
        any::<i64>().prop_map(BigInt::from),
        any::<u32>().prop_map(BigInt::from),
        "-?[1-9][0-9]{99}".prop_map(|text| text.parse().unwrap_or_default()),
    ]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    prop_oneof![
        bound().prop_map(|min| (Some(min), None)),
        bound().prop_map(|max| (None, Some(max))),
        (bound(), 0_i64..5000).prop_map(|(min, width)| (Some(min.clone()), Some(min + width))),
        (bound(), bound()).prop_map(|(a, b)| (Some((&a).min(&b).clone()), Some(a.max(b)))),
        Just((None, None)),
    ]
}

#[test]
fn the_pattern_agrees_with_exact_arithmetic_near_the_bounds() {
    let pairs = Cell::new(0_usize);
    let matched = Cell::new(0_usize);
    let changes = prop::collection::vec(change(), 24);
    let run = TestRunner::new(config(60)).run(&(bounds(), changes), |(bounds, changes)| {
        let pattern = compile(&bounds);
        for near in [&bounds.0, &bounds.1].into_iter().flatten() {
            for unit in UNITS {
                for change in &changes {
                    let text = spell(near, unit, change);
                    agree(&pattern, &bounds, &text, unit)?;
                    pairs.set(pairs.get() + 1);
                    matched.set(matched.get() + usize::from(pattern.is_match(&text)));
                }
            }
        }
        Ok(())
    });
    run.unwrap();
    assert!(pairs.get() > 25_000, "only {} pairs", pairs.get());
    assert!(matched.get() > pairs.get() / 10, "only {} of {} pairs match", matched.get(), pairs.get());
}

#[test]
fn the_pattern_agrees_with_exact_arithmetic_at_large() {
    let number = "([+-]?0?[0-9]{1,9}(\\.[0-9]{0,4})?|[+-]?\\.[0-9]{1,20}|[0-9]{1,40})";
    let numbers = prop::collection::vec((number, prop::sample::select(UNITS.as_slice())), 200);
    let run = TestRunner::new(config(20)).run(&(bounds(), numbers), |(bounds, numbers)| {
        let pattern = compile(&bounds);
        for (number, unit) in numbers {
            agree(&pattern, &bounds, &format!("{number}{}", unit.0), unit)?;
        }
        Ok(())
    });
    run.unwrap();
}

#[test]
fn what_is_no_quantity_does_not_match() {
    let texts = prop::collection::vec(
        "[+-]?[0-9.]{0,6}[eEinumkKMGTP+ 0-9-]{0,4}|[\\t ]{0,2}[+-]?[.]?[eEinumkKMGTP]{0,2}[+-]?[0-9]{0,9}|\\PC{0,6}",
        100,
    );
    let run = TestRunner::new(config(20)).run(&(bounds(), texts), |(bounds, texts)| {
        let pattern = compile(&bounds);
        for text in texts {
            let passed_over = |c: char| !c.is_ascii() || ('\t'..='\r').contains(&c) || c == ' ';
            let quantity = Quantity::parse(text.trim_matches(passed_over));
            prop_assert!(quantity.is_ok() || !pattern.is_match(&text), "{text}");
        }
        Ok(())
    });
    run.unwrap();
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

fn compile(bounds: &Bounds) -> Regex {
    let pattern = pattern_between(bounds.0.as_ref(), bounds.1.as_ref()).pattern;
    RegexBuilder::new(&pattern).size_limit(1 << 27).build().unwrap()
}

/// Holds the pattern to the meaning, but for what it declares.
fn agree(pattern: &Regex, bounds: &Bounds, text: &str, unit: (&str, i32, u32)) -> Result<(), TestCaseError> {
    let Ok(quantity) = Quantity::parse(text) else {
        prop_assert!(!pattern.is_match(text), "{text:?} matches");
        return Ok(());
    };
    let above = bounds.0.as_ref().is_none_or(|min| quantity.compare_integer(min).is_ge());
    let below = bounds.1.as_ref().is_none_or(|max| quantity.compare_integer(max).is_le());
    let intended = above && below && quantity.is_integer();
    let number = text.strip_suffix(unit.0).unwrap_or_default();
    let fraction = number.split_once('.').map_or("", |(_, fraction)| fraction.trim_end_matches('0'));
    let matches = pattern.is_match(text);
    if unit.1.abs() > 20 {
        prop_assert!(matches || !intended, "{text} does not match");
    } else if unit.2 > 0 && fraction.len() >= 4 {
        // Fractions of one byte are accepted, even if that byte is the bound.
        let one = |bound: &Option<BigInt>, one: i8| *bound == Some(one.into());
        let above = above || one(&bounds.0, 1) && quantity.compare_integer(&BigInt::ZERO).is_gt();
        let below = below || one(&bounds.1, -1) && quantity.compare_integer(&BigInt::ZERO).is_lt();
        prop_assert!(matches || !intended, "{text} does not match");
        prop_assert!(above && below || !matches, "{text} matches");
    } else {
        prop_assert_eq!(matches, intended, "{}", text);
    }
    Ok(())
}

/// The text of a number in a unit, exact or changed.
fn spell(bound: &BigInt, unit: (&str, i32, u32), change: &Change) -> String {
    let mut number = exact_text(bound, unit);
    number.truncate(change.cut.unwrap_or(number.len()));
    if number.contains('.') {
        number.truncate(number.trim_end_matches('0').len());
    }
    let mut number = step(&number, change.step);
    let (before, after) = &change.zeros;
    if number.contains('.') {
        number.push_str(&change.appended);
        number.push_str(after);
    }
    if before.is_empty() && number.ends_with('.') {
        number.pop();
    }
    let negative = bound.sign() == Sign::Minus;
    let sign = if negative && change.sign.is_empty() { "-" } else { change.sign };
    format!("{sign}{before}{number}{}", unit.0)
}

/// The magnitude of a bound in a unit, always with a point.
fn exact_text(bound: &BigInt, (_, tens, twos): (&str, i32, u32)) -> String {
    let places = usize::try_from(tens).unwrap_or_default() + usize::try_from(twos).unwrap_or_default();
    let zeros = u32::try_from(-tens).unwrap_or_default();
    let digits = bound.magnitude() * BigUint::from(5_u8).pow(twos) * BigUint::from(10_u8).pow(zeros);
    let digits = format!("{:0>width$}", digits.to_string(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{whole}.{fraction}")
}

/// Adds to the last digit, if that stays a digit.
fn step(number: &str, step: i8) -> String {
    let mut characters: Vec<char> = number.chars().collect();
    if let Some(last) = characters.iter_mut().rfind(|character| character.is_ascii_digit()) {
        let value = last.to_digit(10).and_then(|value| value.checked_add_signed(step.into()));
        *last = value.and_then(|value| char::from_digit(value, 10)).unwrap_or(*last);
    }
    characters.into_iter().collect()
}
