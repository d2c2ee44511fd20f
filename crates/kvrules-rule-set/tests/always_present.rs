//! Counts of fields of which some are always there: expressions without tests that are always true.

use kvrules_rule_set::{Condition, RulePath, to_cel};
use serde_json::{Value, json};

fn schema() -> Value {
    let field = json!({"type": "string"});
    json!({"type": "object", "required": ["a", "b"], "properties": {
        "a": field, "b": field, "c": field, "d": field, "e": field, "f": field, "g": field}})
}

fn count(names: &str, least: usize, most: usize) -> String {
    let paths = names.chars().filter_map(|name| RulePath::parse(&name.to_string()).ok()).collect();
    to_cel(&Condition::CountPresent { paths, least, most }, &schema()).unwrap_or_default()
}

#[test]
fn fields_that_are_always_there_have_no_test() {
    for (names, bounds, text) in [
        ("ac", (1, 1), "!has(self.c)"),
        ("acd", (1, 1), "!(has(self.c) || has(self.d))"),
        ("abc", (1, 1), "false"),
        ("ac", (0, 1), "!has(self.c)"),
        ("ab", (0, 1), "false"),
        ("ac", (1, 2), "true"),
        ("acd", (2, 3), "has(self.c) || has(self.d)"),
        ("acd", (3, 3), "has(self.c) && has(self.d)"),
        (
            "acdefg",
            (2, 2),
            "[has(self.c), has(self.d), has(self.e), has(self.f), has(self.g)].exists_one(present, present)",
        ),
        ("cd", (1, 1), "has(self.c) != has(self.d)"),
    ] {
        assert_eq!(count(names, bounds.0, bounds.1), text, "{names} {bounds:?}");
    }
    let set = |name: &str| RulePath::parse(name).ok().map(Condition::Present);
    let unset = |name: &str| set(name).map(|set| Condition::Not(Box::new(set)));
    let all = |names: [&str; 3]| Condition::All(names.into_iter().filter_map(set).collect());
    let none = |names: [&str; 3]| Condition::All(names.into_iter().filter_map(unset).collect());
    let together = |names| to_cel(&Condition::Any(vec![all(names), none(names)]), &schema());
    assert_eq!(together(["a", "c", "d"]).as_deref(), Some("has(self.c) && has(self.d)"));
    assert_eq!(
        together(["c", "d", "e"]).as_deref(),
        Some("has(self.c) ? has(self.d) && has(self.e) : !(has(self.d) || has(self.e))")
    );
}
