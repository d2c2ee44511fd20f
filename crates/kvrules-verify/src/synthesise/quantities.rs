//! Quantities around bounds, in all the ways in which they are written.

use std::sync::LazyLock;

use kvrules_kubernetes::quantity::Quantity;
use kvrules_regex::Matcher;
use num_bigint::BigInt;
use serde_json::Value;

use super::candidate::Candidate;
use super::integers;

/// Suffixes that multiply: the text, and the factor as a power of ten or of two.
const SUFFIXES: [(&str, u32, u32); 12] = [
    ("k", 10, 3),
    ("M", 10, 6),
    ("G", 10, 9),
    ("T", 10, 12),
    ("P", 10, 15),
    ("E", 10, 18),
    ("Ki", 2, 10),
    ("Mi", 2, 20),
    ("Gi", 2, 30),
    ("Ti", 2, 40),
    ("Pi", 2, 50),
    ("Ei", 2, 60),
];

/// Spellings that are worth asking about whatever the bounds are.
const USUAL: [&str; 18] = [
    "0",
    "-0",
    "0Gi",
    "1",
    "-1Gi",
    "100m",
    "1500m",
    "1e3",
    "1E",
    "2E3",
    "1.5Gi",
    "1.",
    ".5",
    "9000000Ei",
    "1e30",
    // A fraction of a byte whose last digits are those of an eighth.
    "1.0125Ki",
    "1e-21",
    "0.0000000000000000000001e21",
];

/// As many as an exponent beyond those that readers of texts go through takes away.
const ZEROS: &str = "000000000000000000000";

/// Strings that other parsers accept as quantities but the API server does not, and strings that none accepts.
const ODD: [&str; 6] = ["Gi", "1gi", "2 Gi", "1.5.5", "1e1.5", "Inf"];

/// Quantities around the bounds. Those that are asked about are written in every notation. Of compared ones there are fewer,
/// since each meets each.
pub(super) fn quantities_around(bounds: &[BigInt], listed: &[BigInt], few: bool) -> Vec<Candidate> {
    let numbers = integers::integers_around(bounds).into_iter();
    if few {
        let texts = bounds.iter().flat_map(|bound| {
            let halves =
                [bound * 10_u8 - 5_u8, bound * 10_u8 + 5_u8].map(|halves| decimal_spelling(&halves, 1, ""));
            let near = [bound - 1_u8, bound.clone(), bound + 1_u8].map(|number| number.to_string());
            near.into_iter().chain(halves).chain([format!("{bound}000m")])
        });
        let texts: Vec<Candidate> = texts.map(|text| text_candidate(&text)).collect();
        return numbers.chain(texts).chain(["-0.5", "0.5", "1Ki", "1.5Ki"].map(text_candidate)).collect();
    }
    let texts = USUAL.into_iter().chain(ODD).map(text_candidate);
    let fractions = integers::fractions_around(bounds)
        .into_iter()
        .map(|candidate| Candidate { served: false, ..candidate });
    numbers.chain(fractions).chain(listed.iter().flat_map(bound_spellings)).chain(texts).collect()
}

/// A text as the value of a quantity: served where the pattern of the field's schema lets it in.
pub(super) fn text_candidate(text: &str) -> Candidate {
    // As the VirtualMachine's CRD has it: a fact of the API.
    static PATTERN: LazyLock<Option<Matcher>> = LazyLock::new(|| {
        let number = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))";
        let pattern = format!(r"^(\+|-)?{number}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{number}))?$");
        kvrules_regex::parse(&pattern).ok().and_then(|regex| regex.compile_matcher().ok())
    });
    let served =
        PATTERN.as_ref().is_some_and(|pattern| pattern.is_match(text)) && Quantity::parse(text).is_ok();
    Candidate { value: Value::from(text), served }
}

/// One bound and its neighbours, in every notation.
fn bound_spellings(bound: &BigInt) -> Vec<Candidate> {
    let mut texts = Vec::new();
    for number in [bound - 1_u8, bound.clone(), bound + 1_u8] {
        texts.extend([
            format!("{number}"),
            format!("{number}.0"),
            format!("{number}000m"),
            format!("{number}e0"),
            format!("{number}{ZEROS}e-21"),
            decimal_spelling(&number, 21, "e21"),
        ]);
        texts.push(if number < BigInt::ZERO { format!("{number}.") } else { format!("+0{number}") });
    }
    for halves in [bound * 10_u8 - 5_u8, bound * 10_u8 + 5_u8] {
        texts.extend([decimal_spelling(&halves, 1, ""), format!("{halves}00m")]);
    }
    texts.extend([format!("{bound}000000u"), format!("{bound}000000000n"), format!(" {bound} ")]);
    for (suffix, base, power) in SUFFIXES {
        texts.extend(with_suffix(bound, suffix, base, power));
    }
    texts.iter().map(|text| text_candidate(text)).collect()
}

/// The bound in units of a suffix: exactly, and the nearest whole, half and finer numbers on both sides.
fn with_suffix(bound: &BigInt, suffix: &str, base: u32, power: u32) -> Vec<String> {
    let factor = BigInt::from(base).pow(power);
    let (whole, exact) = (bound / &factor, (bound % &factor) == BigInt::ZERO);
    let mut texts = vec![format!("{whole}{suffix}"), format!("{}{suffix}", &whole + 1_u8)];
    texts.extend([
        format!("{}{suffix}", &whole - 1_u8),
        format!("{whole}.5{suffix}"),
        format!("{whole}.25{suffix}"),
    ]);
    if exact || power <= 30 {
        // Of a gibibyte, this fraction is less than one byte.
        let numbers = [&whole - 1_u8, whole.clone(), &whole + 1_u8, BigInt::from(-2)];
        texts.extend(numbers.iter().map(|number| format!("{number}.00000000000625{suffix}")));
        texts.push(format!("{whole}.3{suffix}"));
    }
    if base == 10 {
        texts.extend([format!("{whole}e{power}"), format!("{}E+{power}", &whole + 1_u8)]);
        texts.push(format!("{whole}e{}", power + 1));
        texts.push(decimal_spelling(bound, power, suffix));
    } else {
        texts.extend(binary_spellings(bound, power, suffix));
    }
    texts
}

/// The bound itself with a decimal suffix.
fn decimal_spelling(bound: &BigInt, power: u32, suffix: &str) -> String {
    let width = usize::try_from(power).unwrap_or(0);
    let (sign, digits) =
        if *bound < BigInt::ZERO { ("-", (-bound).to_string()) } else { ("", bound.to_string()) };
    let padded = format!("{digits:0>width$}", width = width + 1);
    let (whole, fraction) = padded.split_at_checked(padded.len() - width).unwrap_or((&padded, "0"));
    format!("{sign}{whole}.{fraction}{suffix}")
}

/// The bound and its neighbours with a binary suffix, where few digits after the point say it.
fn binary_spellings(bound: &BigInt, power: u32, suffix: &str) -> Vec<String> {
    if power > 30 {
        return Vec::new();
    }
    let scale = BigInt::from(5_u8).pow(power);
    let near = [bound - 1_u8, bound.clone(), bound + 1_u8];
    let whole = near.iter().map(|number| decimal_spelling(&(number * &scale), power, suffix));
    // Half a base unit below and above the bound, which is not an integer in any unit.
    let halves = [bound * 10_u8 - 5_u8, bound * 10_u8 + 5_u8];
    whole.chain(halves.iter().map(|number| decimal_spelling(&(number * &scale), power + 1, suffix))).collect()
}
