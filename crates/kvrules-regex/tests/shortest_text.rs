//! The shortest text that a pattern matches, read off its tree and found by searching its automaton.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use kvrules_regex::{TextDemands, TextSearch, parse};

#[test]
fn the_text_is_the_one_that_the_search_of_automata_finds() {
    let patterns = [
        "",
        "a",
        "^$",
        "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        "^(https|http)://[^/]+(:[0-9]{1,5})?$",
        "^\\d{2,4}$|^x$",
        "^(bb|ca|c9|cA)$",
        "(?i)^Pod$",
        "(?i)k",
        "[^a-z]",
        "[^a-zA-Z0-9]{3}",
        "^(\\$\\{[A-Z_]+\\}|[1-9][0-9]*)$",
        "(^|x)b",
        "b(x|$)",
        "^(|yz)c{3}$",
        "(?s).{3}",
        "(?m)^b$",
        "^([0-9]+(h|m|s|ms)){1,4}$",
        "^((25[0-5]|2[0-4]\\d)\\.){3}(9|10)$",
    ];
    for pattern in patterns {
        let regex = parse(pattern).unwrap();
        let text = regex.shortest_text().unwrap_or_else(|| panic!("{pattern}"));
        let automaton = regex.to_automaton().unwrap();
        let found = TextDemands { matches: &[&automaton], ..TextDemands::default() }.find_text();
        assert_eq!(found, TextSearch::Found(text), "{pattern}");
    }
    for unknown in ["a^", "a$b", r"\bab", "é", "[à-é]", "^(a|é)$"] {
        assert_eq!(parse(unknown).unwrap().shortest_text(), None, "{unknown}");
    }
}
