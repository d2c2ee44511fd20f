//! Every difference has a page, and the page's example shows the difference.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;

use kvrules_template_validator::divergence::{DIFFERENCES, Difference, ModelComparison, compare_annotation};

fn page(difference: &Difference) -> PathBuf {
    let number: u32 = difference.id.trim_start_matches('D').parse().unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/differences");
    folder.join(format!("D{number:02}-{}.md", difference.name))
}

/// The text of the fenced block of a language, by its place among those.
fn block<'p>(page: &'p str, language: &str, at: usize) -> &'p str {
    let block = page.split(&format!("```{language}\n")).nth(at + 1).unwrap();
    block.split("```").next().unwrap()
}

/// Both verdicts, as pages show them.
fn verdicts(comparison: &ModelComparison) -> String {
    let word = |allows: bool| if allows { "allowed" } else { "denied" };
    let rule = comparison.rules.last();
    let spec =
        rule.and_then(|rule| rule.context.spec.outcome()).map_or("no verdict", |outcome| outcome.as_str());
    let (spec, ssp) = match (rule, &comparison.answer) {
        (Some(rule), _) => (format!(" ({spec})"), format!(" ({})", rule.context.ssp)),
        (None, answer) => {
            let text = answer.vm_error.as_ref().or(answer.parse_error.as_ref()).or(answer.panic.as_ref());
            (String::new(), text.map(|text| format!(" ({text})")).unwrap_or_default())
        }
    };
    format!(
        "by its meaning: {}{spec}\nby the validator: {}{ssp}\n",
        word(comparison.spec_allows),
        word(comparison.ssp_allows)
    )
}

#[test]
fn every_page_shows_its_difference() {
    let rewrite = std::env::var_os("KVRULES_WRITE_PAGES").is_some();
    for difference in DIFFERENCES {
        let path = page(difference);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&format!("# {} {}\n", difference.id, difference.name)), "{}", difference.id);
        let comparison = compare_annotation(block(&text, "json", 0), block(&text, "json", 1)).unwrap();
        let last = comparison.rules.last();
        let named = last.map_or(&comparison.whole, |rule| &rule.named);
        assert!(named.contains(&difference.id), "{}: {named:?} {}", difference.id, verdicts(&comparison));
        let shown = block(&text, "verdicts", 0);
        if rewrite {
            let new = format!("```verdicts\n{}```", verdicts(&comparison));
            std::fs::write(&path, text.replace(&format!("```verdicts\n{shown}```"), &new)).unwrap();
        } else {
            assert_eq!(shown, verdicts(&comparison), "{}", difference.id);
        }
    }
}

#[test]
fn ids_are_in_order_and_names_unique() {
    let numbers: Vec<String> = (1..=DIFFERENCES.len()).map(|number| format!("D{number}")).collect();
    assert!(DIFFERENCES.iter().map(|difference| difference.id).eq(numbers.iter().map(String::as_str)));
    let names: std::collections::BTreeSet<_> = DIFFERENCES.iter().map(|difference| difference.name).collect();
    assert_eq!(names.len(), DIFFERENCES.len());
}
