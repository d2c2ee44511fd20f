//! Lints of all crates, their pages, and the groups of their codes. `cargo xtask codegen` reads the titles of the groups off
//! this text for the book.

mod all;
mod pages;

pub(crate) use all::LINTS;
pub(crate) use pages::all_pages;

/// A group of lints: the prefix of their codes, and its title.
///
/// ```
/// let (prefix, title) = kvrules::find_group("KV205").unwrap();
/// assert_eq!((prefix, title), ("KV2", "Paths"));
/// ```
pub type LintGroup = (&'static str, &'static str);

/// Every group, ordered by prefix.
#[rustfmt::skip]
pub(crate) static GROUPS: &[LintGroup] = &[
    ("KC1", "Documents for a Kubernetes API server"),
    ("KC2", "Schemas of CustomResourceDefinitions"),
    ("KC3", "CEL rules of definitions and policies"),
    ("KP1", "Admission policies"),
    ("KR1", "RuleSets with errors"),
    ("KR2", "Sense and examples of RuleSets"),
    ("KS1", "JSON Schema and OpenAPI"),
    ("KV0", "Reading YAML and JSON"),
    ("KV1", "Shape of rules"),
    ("KV2", "Paths"),
    ("KV3", "Presence of fields"),
    ("KV4", "Arguments"),
    ("KV5", "Regular expressions"),
    ("KV6", "Relations between rules"),
    ("KV7", "Messages"),
    ("KV8", "Units and deprecated paths"),
    ("KV9", "Deployed validator, targets and ignores"),
    ("KX1", "Definitions of extra specs"),
    ("KX2", "Extra specs of flavors"),
    ("KX3", "Metadata definitions of Glance"),
];

/// The codes that lints had before they were numbered by domain, and their present ones.
#[rustfmt::skip]
static RENUMBERED: &[(&str, &str)] = &[
    ("KV960", "KX101"),
    ("KV961", "KX102"),
    ("KV962", "KX103"),
    ("KV963", "KX104"),
    ("KV964", "KX105"),
    ("KV965", "KX106"),
    ("KV966", "KX107"),
    ("KV967", "KX108"),
    ("KV968", "KX109"),
    ("KV969", "KX110"),
    ("KV971", "KX201"),
    ("KV972", "KX202"),
    ("KV973", "KX203"),
    ("KV974", "KX204"),
    ("KV975", "KX205"),
    ("KV976", "KX206"),
    ("KV977", "KX207"),
    ("KV978", "KC102"),
    ("KV979", "KC103"),
    ("KV980", "KC101"),
    ("KV981", "KC201"),
    ("KV982", "KC202"),
    ("KV983", "KC203"),
    ("KV984", "KC204"),
    ("KV985", "KC205"),
    ("KV986", "KC206"),
    ("KV987", "KC301"),
    ("KV988", "KC302"),
    ("KV989", "KC303"),
    ("KV990", "KC304"),
    ("KV991", "KC207"),
    ("KV992", "KC208"),
    ("KV993", "KP101"),
    ("KV994", "KP102"),
    ("KV995", "KC305"),
    ("KV996", "KC306"),
    ("KV997", "KC209"),
    ("KV998", "KC210"),
    ("KV999", "KP103"),
];

/// Returns the groups of lints: a prefix of codes and a title each, ordered by prefix.
///
/// ```
/// assert!(kvrules::lint_groups().contains(&("KC3", "CEL rules of definitions and policies")));
/// ```
pub fn lint_groups() -> &'static [LintGroup] {
    GROUPS
}

/// Returns every lint, ordered by code.
///
/// ```
/// use kvrules::Level;
///
/// let missing_key = kvrules::all_lints().iter().find(|lint| lint.code == "KV102").unwrap();
/// assert_eq!((missing_key.name, missing_key.level), ("missing_key", Level::Error));
/// ```
pub fn all_lints() -> &'static [&'static kvrules_diagnostics::Lint] {
    LINTS
}

/// Returns the present code of a lint that had another one before the first release.
///
/// ```
/// assert_eq!(kvrules::new_code("KV990"), Some("KC304"));
/// assert_eq!(kvrules::new_code("KV205"), None);
/// ```
pub fn new_code(old: &str) -> Option<&'static str> {
    RENUMBERED.iter().find(|(known, _)| *known == old).map(|(_, new)| *new)
}

/// Returns the group of a code, such as `KV205`; `None` if no group has its prefix.
///
/// ```
/// assert_eq!(kvrules::find_group("KC305"), Some(("KC3", "CEL rules of definitions and policies")));
/// assert_eq!(kvrules::find_group("E101"), None);
/// ```
pub fn find_group(code: &str) -> Option<LintGroup> {
    GROUPS.iter().copied().find(|(prefix, _)| code.starts_with(prefix))
}

/// Returns the page of a lint, in Markdown. `lint` is a code in any case, or a name; `None` if no lint has it.
///
/// ```
/// let page = kvrules::lint_page("kc305").unwrap();
/// assert!(page.starts_with("# KC305 runtime_cost\n"));
/// assert_eq!(kvrules::lint_page("runtime_cost"), Some(page));
/// assert_eq!(kvrules::lint_page("KC999"), None);
/// ```
pub fn lint_page(lint: &str) -> Option<&'static str> {
    let known = LINTS.iter().find(|known| known.code.eq_ignore_ascii_case(lint) || known.name == lint)?;
    all_pages().find(|(code, _)| *code == known.code).map(|(_, page)| page)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists of the crates that raise findings.
    const DECLARED: [&[&kvrules_diagnostics::Lint]; 7] = [
        crate::lints::LINTS,
        kvrules_emit::lints::LINTS,
        kvrules_crd::lints::LINTS,
        kvrules_extra_specs::lints::LINTS,
        kvrules_json_schema::lints::LINTS,
        kvrules_lint::lints::LINTS,
        kvrules_rule_set::lints::LINTS,
    ];

    #[test]
    fn every_lint_is_registered_once_in_the_order_of_codes() {
        assert!(LINTS.windows(2).all(|pair| pair[0].code < pair[1].code));
        for lint in DECLARED.iter().copied().flatten() {
            let registered = LINTS.iter().filter(|known| std::ptr::eq(**known, *lint));
            assert_eq!(registered.count(), 1, "{}", lint.code);
        }
        assert_eq!(LINTS.len(), DECLARED.iter().map(|lints| lints.len()).sum::<usize>());
    }

    #[test]
    fn every_lint_has_a_page_that_is_found_by_code_and_by_name() {
        assert!(all_pages().map(|(code, _)| code).eq(LINTS.iter().map(|lint| lint.code)));
        for lint in LINTS {
            let text = lint_page(lint.code).unwrap_or_else(|| panic!("{}", lint.code));
            assert_eq!(lint_page(lint.name), Some(text));
            assert!(!lint.summary.ends_with('.'), "{}", lint.summary);
        }
        assert_eq!(lint_page("KV899"), None);
    }

    #[test]
    fn every_lint_is_in_a_group() {
        for lint in LINTS {
            assert!(find_group(lint.code).is_some(), "{}", lint.code);
        }
    }

    #[test]
    fn renumbered_lints_exist_under_their_new_codes_only() {
        for (old, new) in RENUMBERED {
            let exists = |code: &str| LINTS.iter().any(|lint| lint.code == code);
            assert!(exists(new) && !exists(old), "{old} {new}");
        }
    }

    #[test]
    fn groups_are_ordered_and_their_prefixes_differ() {
        assert!(GROUPS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
