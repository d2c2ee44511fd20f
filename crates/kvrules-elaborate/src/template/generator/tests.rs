//! Each expression with the result of both engines, taken from their sources: `=` and one value, or `!` and a part
//! of the error; then the number of values.

use super::{TemplateKind, ValueGenerator};

/// The expression; what OpenShift makes of it; what KubeVirt makes of it.
const CASES: &[(&str, &str, &str)] = &[
    ("[a-z]{8}", "=aaaaaaaa 152587890625", "=aaaaaaaa 208827064576"),
    ("test[0-9]{1}x", "=test0x 9", "=test0x 10"),
    ("[0-1]{8}", "=00000000 1", "=00000000 256"),
    ("0x[A-F0-9]{4}", "=0xAAAA 38416", "=0xAAAA 65536"),
    ("[a-z]{2}-[0-9]{3}", "=aa-000 455625", "=aa-000 676000"),
    ("[\\w]{1}", "=a 63", "=a 63"),
    ("[\\d]{2}", "=00 100", "=00 100"),
    ("[\\a]{1}", "=a 62", "=a 62"),
    ("[\\A]{1}", "=~ 32", "=! 32"),
    ("[a-zA-Z\\d]{1}", "!starts with", "=a 62"),
    ("[abc123]{1}", "!starts with", "=a 6"),
    ("[a]{10}", "!starts with", "=aaaaaaaaaa 1"),
    ("[a-a]{3}", "!without characters", "=aaa 1"),
    ("[abc-f]{1}", "=a 4", "=a 4"),
    ("[a-c-e]{1}", "=a 2", "=a 4"),
    ("[\\wa]{1}", "=a 62", "=a 63"),
    ("[z-a]{1}", "!ends before", "!ends before"),
    ("[A-z]{1}", "!ends before", "!ends before"),
    ("[a-Z]{1}", "=a 51", "=a 52"),
    ("[a-7]{1}", "=a 59", "=a 60"),
    ("[0-a]{1}", "!ends before", "!ends before"),
    ("[--9]{1}", "!starts with", "!only letters"),
    ("[-]{1}", "!starts with", "!without characters"),
    ("[\\]{1}", "!starts with", "!without characters"),
    ("[\\x]{2}", "!starts with", "=xx 1"),
    ("[a-]{1}", "!starts with", "=a 1"),
    ("[a-\\]{1}", "!starts with", "!only letters"),
    ("[a-z]{0}", "!1 to 255", "!1 to 255"),
    ("[a-z]{256}", "!1 to 255", "!1 to 255"),
    ("[0-1]{255}", "= 1", "= -"),
    ("[0-1]{007}", "=0000000 1", "=0000000 128"),
    ("[a-z]{99999999999999999999}", "!1 to 255", "!1 to 255"),
    ("[a-z]{abc}", "=[a-z]{abc} 1", "!not a number"),
    ("[a-z]{}", "=[a-z]{} 1", "=[a-z]{} 1"),
    ("[]{8}", "=[]{8} 1", "=[]{8} 1"),
    ("[a-z{8}", "=[a-z{8} 1", "=[a-z{8} 1"),
    ("[invalid", "=[invalid 1", "=[invalid 1"),
    ("[a z]{2}", "=[a z]{2} 1", "=[a z]{2} 1"),
    ("[[a-b]{1}x", "=[ax 1", "=[ax 2"),
    ("é[0-1]{1}", "=é0 1", "=é0 2"),
    ("", "= 1", "= 1"),
];

fn made(from: &str, kind: TemplateKind) -> Result<(String, String), String> {
    let generator = ValueGenerator::new(from, kind)?;
    let count = generator.value_count().map_or_else(|| "-".to_owned(), |count| count.to_string());
    Ok((generator.first_value(), count))
}

#[test]
fn both_engines_make_of_an_expression_what_their_sources_say() {
    for (from, openshift, kubevirt) in CASES {
        for (kind, expected) in [(TemplateKind::OpenShift, openshift), (TemplateKind::KubeVirt, kubevirt)] {
            let made = made(from, kind);
            let fits = match (&made, expected.strip_prefix('!'), expected.strip_prefix('=')) {
                (Err(why), Some(part), _) => why.contains(part),
                (Ok((value, count)), _, Some(text)) => {
                    let (text, number) = text.rsplit_once(' ').unwrap();
                    (text.is_empty() || value == text) && count == number
                }
                _ => false,
            };
            assert!(fits, "{from} for {kind:?}: {made:?}, expected {expected}");
        }
    }
    println!("{} expressions for two engines", CASES.len());
}

#[test]
fn the_pattern_matches_every_value() {
    for (from, ..) in CASES {
        for kind in [TemplateKind::OpenShift, TemplateKind::KubeVirt] {
            let Ok(generator) = ValueGenerator::new(from, kind) else { continue };
            let pattern = format!(r"\A(?:{})\z", generator.to_pattern());
            let matcher = kvrules_regex::parse(&pattern).unwrap().compile_matcher().unwrap();
            let last = generator.generate_value(&mut |count| count - 1);
            assert!(!generator.is_exact() || matcher.is_match(&generator.first_value()), "{pattern}");
            assert!(!generator.is_exact() || matcher.is_match(&last), "{pattern}: {last}");
        }
    }
}

#[test]
fn a_part_that_comes_to_be_is_replaced_as_well() {
    let generator = ValueGenerator::new("[[0-0]{1}]{2}", TemplateKind::KubeVirt).unwrap();
    assert!(!generator.is_exact());
    assert_eq!(generator.first_value(), "00");
}

#[test]
fn a_huge_expression_is_refused() {
    let from = "[a-z]{255}".repeat(10_000);
    assert!(ValueGenerator::new(&from, TemplateKind::KubeVirt).unwrap_err().contains("more than"));
}
