//! `Quantity` against the spellings and values seen on the API server, and against arithmetic done another way.

use std::cmp::Ordering;

use kvrules_kubernetes::quantity::{Quantity, QuantityError, in_human_units, shortest_binary};
use num_bigint::BigInt;
use proptest::prelude::*;

/// A spelling and what it means.
enum Meaning {
    Integer(i128),
    Fraction,
    Refused,
}
use Meaning::{Fraction, Integer, Refused};

/// The quantities of the observed cases E227 to E276, in that order (a JSON number stands as its literal text).
const OBSERVED: [(&str, Meaning); 50] = [
    ("0", Integer(0)),
    ("1", Integer(1)),
    ("1Gi", Integer(1 << 30)),
    ("1.5Gi", Integer(3 << 29)),
    ("1536Mi", Integer(3 << 29)),
    ("0.5Gi", Integer(1 << 29)),
    ("0.5", Fraction),
    ("1.0", Integer(1)),
    ("0.0", Integer(0)),
    ("100m", Fraction),
    ("1000m", Integer(1)),
    ("1500m", Fraction),
    ("1e3", Integer(1000)),
    ("1E3", Integer(1000)),
    ("1e-3", Fraction),
    ("1.5G", Integer(1_500_000_000)),
    ("2.25k", Integer(2250)),
    ("1.2345k", Fraction),
    ("1T", Integer(1_000_000_000_000)),
    ("16Ti", Integer(16 << 40)),
    ("99Ti", Integer(99 << 40)),
    ("100Ti", Integer(100 << 40)),
    ("99999Gi", Integer(99_999 << 30)),
    ("100000Gi", Integer(100_000 << 30)),
    ("1Pi", Integer(1 << 50)),
    ("1Ei", Integer(1 << 60)),
    ("1P", Integer(1_000_000_000_000_000)),
    ("1E", Integer(1_000_000_000_000_000_000)),
    ("9E", Integer(9_000_000_000_000_000_000)),
    ("10E", Integer(10_000_000_000_000_000_000)),
    ("999999999999999999", Integer(999_999_999_999_999_999)),
    ("1000000000000000000", Integer(1_000_000_000_000_000_000)),
    ("9223372036854775807", Integer(9_223_372_036_854_775_807)),
    ("-1Gi", Integer(-(1 << 30))),
    ("+1Gi", Integer(1 << 30)),
    ("001Gi", Integer(1 << 30)),
    ("1.Gi", Integer(1 << 30)),
    ("1.", Integer(1)),
    ("1n", Fraction),
    (" 1Gi ", Integer(1 << 30)),
    ("1gi", Refused),
    ("1K", Refused),
    ("", Refused),
    ("1 Gi", Refused),
    ("1", Integer(1)),
    ("1.5", Fraction),
    ("2.0", Integer(2)),
    ("1000.0", Integer(1000)),
    ("true", Refused),
    ("1.5Gi", Integer(3 << 29)),
];

#[test]
fn observed_spellings_have_their_meaning() {
    for (text, meaning) in OBSERVED {
        let quantity = Quantity::parse_trimmed(text);
        match meaning {
            Integer(value) => {
                let quantity = quantity.unwrap();
                assert!(quantity.is_integer(), "{text}");
                assert_eq!(quantity.to_integer(), Some(value.into()), "{text}");
                assert_eq!(quantity.compare_integer(&value.into()), Ordering::Equal, "{text}");
            }
            Fraction => {
                let quantity = quantity.unwrap();
                assert!(!quantity.is_integer(), "{text}");
                assert_eq!(quantity.to_integer(), None, "{text}");
            }
            Refused => assert!(quantity.is_err(), "{text}"),
        }
    }
}

#[test]
fn blanks_are_dropped_by_the_trimming_reader_only() {
    assert!(Quantity::parse(" 1Gi").is_err());
    assert!(Quantity::parse("1Gi\n").is_err());
    assert!(Quantity::parse_trimmed("\t1Gi\n").is_ok());
}

#[test]
fn exponents_are_signed_integers_of_64_bits() {
    for text in ["1e+3", "1E-0", "1e003", "1e9223372036854775807", "1e-9223372036854775808", "1Ei", ".5e1"] {
        assert!(Quantity::parse(text).is_ok(), "{text}");
    }
    for text in
        ["1e", "1e+", "1e1.5", "1eE3", "1e9223372036854775808", "1e1_0", "1e3k", "1+3", "1ki", "1mi", "1i"]
    {
        assert!(matches!(Quantity::parse(text), Err(QuantityError::Suffix(_))), "{text}");
    }
    for text in ["1.2.3", "--1", "+-1", "1e3 ", "٣", "1é", "0x10", "1,5", "NaN"] {
        assert!(Quantity::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_text_without_digits_is_zero_where_the_api_server_reads_it_fast() {
    for text in ["+", "-", ".", "k", "-.Ki", "Ti", "n", "e-9", "E", "e18"] {
        assert_eq!(Quantity::parse(text).unwrap().to_integer(), Some(BigInt::ZERO), "{text}");
    }
    for text in ["Pi", ".Ei", "e-10"] {
        assert_eq!(Quantity::parse(text).unwrap_err(), QuantityError::NoDigit, "{text}");
    }
    assert_eq!(Quantity::parse("e").unwrap_err().to_string(), "`e` is not a suffix of a quantity");
}

#[test]
fn hostile_exponents_are_compared_without_being_written_out() {
    let huge = Quantity::parse("1e999999999").unwrap();
    let tiny = Quantity::parse("-1e-9223372036854775808").unwrap();
    let largest = Quantity::parse("1.00000e9223372036854775807").unwrap();
    let bound = BigInt::from(10_u8).pow(200);
    assert_eq!(huge.compare_integer(&bound), Ordering::Greater);
    assert_eq!(tiny.compare_integer(&-&bound), Ordering::Greater);
    assert_eq!(tiny.compare_integer(&BigInt::ZERO), Ordering::Less);
    assert!(huge < largest && tiny < huge && largest == largest.clone());
    assert_eq!(Quantity::parse("10e999999998").unwrap(), huge);
    assert!(huge.is_integer() && !tiny.is_integer());
    assert_eq!(huge.to_integer(), None);
    assert_eq!(Quantity::parse("0e999999999").unwrap().to_integer(), Some(BigInt::ZERO));
    assert_eq!(Quantity::parse("0e-999999999").unwrap().to_integer(), Some(BigInt::ZERO));
}

#[test]
fn units_for_people_are_exact_and_short() {
    let human = |value: i64| in_human_units(&value.into());
    let expected = [
        (0, "0"),
        (7, "7"),
        (1000, "1 kB"),
        (1024, "1 KiB"),
        (1025, "1025"),
        (-(3 << 29), "-1.5 GiB"),
        (1026 << 30, "1026 GiB"),
        (1 << 60, "1 EiB"),
        (1_234_567, "1234567"),
        (2_500_000, "2.5 MB"),
    ];
    for (value, text) in expected {
        assert_eq!(human(value), text);
    }
}

#[test]
fn shortest_binary_spellings_are_canonical() {
    let expected =
        [(0, "0"), (1023, "1023"), (1024, "1Ki"), (-(3 << 29), "-1536Mi"), (1025, "1025"), (1 << 62, "4Ei")];
    for (value, text) in expected {
        assert_eq!(shortest_binary(&i64::into(value)), text);
    }
}

const SUFFIXES: [(&str, i32, u32); 18] = [
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
    ("e5", 5, 0),
    ("E-4", -4, 0),
    ("Ki", 0, 10),
    ("Mi", 0, 20),
    ("Gi", 0, 30),
    ("Ti", 0, 40),
    ("Pi", 0, 50),
    ("Ei", 0, 60),
];

/// A spelling and its value as an integer number of 10⁻⁴⁰.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn spelling() -> impl Strategy<Value = (String, BigInt)> {
    let number = ("[0-9]{1,12}", "[0-9]{0,12}", "[+-]?");
    (number, prop::sample::select(SUFFIXES.as_slice())).prop_map(
        |((whole, fraction, sign), (suffix, tens, twos))| {
            let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
            let places = u32::try_from(40 + tens).unwrap() - u32::try_from(fraction.len()).unwrap();
            let value = (digits << twos) * BigInt::from(10).pow(places);
            let value = if sign == "-" { -value } else { value };
            (format!("{sign}{whole}.{fraction}{suffix}"), value)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(kvrules_testdata::case_count(20_000)))]

    #[test]
    fn values_agree_with_fixed_point_arithmetic(left in spelling(), right in spelling()) {
        let one = BigInt::from(10).pow(40);
        let (quantity, other) = (Quantity::parse(&left.0).unwrap(), Quantity::parse(&right.0).unwrap());
        prop_assert_eq!(quantity.compare_quantity(&other), left.1.cmp(&right.1));
        let whole = &left.1 % &one == BigInt::ZERO;
        prop_assert_eq!(quantity.is_integer(), whole);
        prop_assert_eq!(quantity.to_integer(), whole.then(|| &left.1 / &one));
        let near = &left.1 / &one;
        prop_assert_eq!(quantity.compare_integer(&near), left.1.cmp(&(&near * &one)));
    }

    #[test]
    fn canonical_spellings_keep_the_value(value: i128) {
        let value = BigInt::from(value >> (value & 127));
        prop_assert_eq!(Quantity::parse(&shortest_binary(&value)).unwrap().to_integer(), Some(value));
    }

    #[test]
    fn any_text_is_read_or_refused_without_panic(text in "\\PC*|[+-]?[0-9.]{0,9}[eEinumkKMGTP+0-9-]{0,5}") {
        if let Ok(quantity) = Quantity::parse(&text) {
            prop_assert!(quantity.to_integer().is_none_or(|value| quantity == Quantity::from(value)));
        }
    }
}
