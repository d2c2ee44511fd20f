//! Patterns for quantities of any size, compared with the values of their spellings.

use kvrules_emit::schema::quantity_pattern::{LONGEST, NanoRange, any_quantity, common_in_range};
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigUint;
use regex::Regex;

/// Suffixes with the powers of ten and of two of their values in billionths.
const SUFFIXES: [(&str, u32, u32); 16] = [
    ("n", 0, 0),
    ("u", 3, 0),
    ("m", 6, 0),
    ("", 9, 0),
    ("k", 12, 0),
    ("M", 15, 0),
    ("G", 18, 0),
    ("T", 21, 0),
    ("P", 24, 0),
    ("E", 27, 0),
    ("Ki", 9, 10),
    ("Mi", 9, 20),
    ("Gi", 9, 30),
    ("Ti", 9, 40),
    ("Pi", 9, 50),
    ("Ei", 9, 60),
];

const BOUNDS: [&str; 14] =
    ["0", "1n", "100m", "0.5", "1", "1500m", "2.5", "1k", "64Mi", "100M", "1.5Gi", "2Gi", "1Ti", "8E"];

fn spellings(bound: &str) -> Vec<String> {
    let nanos = Quantity::parse(bound).unwrap().to_nanos().unwrap().to_biguint().unwrap();
    let mut texts = Vec::new();
    for (suffix, tens, twos) in SUFFIXES {
        let whole = &nanos / (BigUint::from(10_u8).pow(tens) << twos);
        for number in
            [&whole / 10_u8, &whole / 2_u8, whole.clone(), &whole + 1_u8, &whole + 9_u8, &whole * 3_u8]
        {
            for less in [0_u8, 1] {
                let number = if number >= BigUint::from(less) { &number - less } else { number.clone() };
                texts.push(format!("{number}{suffix}"));
                if tens >= 9 {
                    texts.extend(
                        ["0", "00", "5", "50", "25", "01", "99", "48", "3"]
                            .map(|digits| format!("{number}.{digits}{suffix}")),
                    );
                }
            }
        }
    }
    texts
}

#[test]
fn common_spellings_match_just_where_they_are_within_the_bounds() {
    let (mut evaluated, mut matched) = (0, 0);
    for (index, min) in BOUNDS.iter().enumerate() {
        for max in BOUNDS.iter().skip(index).map(Some).chain([None]) {
            for range in [
                (Some(*min), max.copied(), 0),
                (None, Some(*min), 0),
                // Both bounds are excluded.
                (Some(*min), max.copied(), 1),
            ] {
                let (low, high, margin) = range;
                let nanos = |text: &str| Quantity::parse(text).unwrap().to_nanos().unwrap();
                let own = NanoRange {
                    min: low.map(|it| nanos(it) + margin),
                    max: high.map(|it| nanos(it) - margin),
                };
                let patterns: Vec<Vec<Regex>> = common_in_range(&own)
                    .iter()
                    .map(|any| any.iter().map(|one| Regex::new(one).unwrap()).collect())
                    .collect();
                for text in low.iter().chain(high.iter()).flat_map(|bound| spellings(bound)) {
                    let value = Quantity::parse(&text).unwrap().to_nanos().unwrap();
                    let is_within = own.min.as_ref().is_none_or(|min| value >= *min)
                        && own.max.as_ref().is_none_or(|max| value <= *max);
                    let is_matched = patterns.iter().all(|any| any.iter().any(|one| one.is_match(&text)));
                    assert_eq!(is_matched, is_within, "{text} in {range:?}");
                    evaluated += 1;
                    matched += usize::from(is_matched);
                }
            }
        }
    }
    assert!(
        evaluated > 100_000 && matched > evaluated / 10 && matched < evaluated,
        "{matched} of {evaluated}"
    );
}

#[test]
fn patterns_are_short() {
    for bound in BOUNDS {
        let nanos = Quantity::parse(bound).unwrap().to_nanos();
        for range in
            [NanoRange { min: nanos.clone(), max: None }, NanoRange { min: None, max: nanos.clone() }]
        {
            for pattern in common_in_range(&range).iter().flatten() {
                assert!(pattern.len() <= LONGEST, "{bound}: {} characters", pattern.len());
            }
        }
    }
}

#[test]
fn texts_that_servers_read_are_quantities() {
    let any = Regex::new(any_quantity()).unwrap();
    let texts = [
        "1", "+1", "-1", "1.", ".5", "1.5Gi", "1e3", "1E-3", "1E", "001k", "1e+05", "Gi", "", "1 Gi", "1gi",
        "1K", "1ei", "--1", "1.5.5", "e5", "1e", "abc", ".", "1Ei", "5n", "1_000", "1e3Ki",
    ];
    for text in texts {
        let is_without_digit = !text.contains(|c: char| c.is_ascii_digit()) || text == "e5";
        assert_eq!(any.is_match(text), Quantity::parse(text).is_ok() && !is_without_digit, "{text}");
    }
}
