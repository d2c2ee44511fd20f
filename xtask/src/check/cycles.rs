//! Cycles between the modules of one crate. Uses are read off the text: every `crate::…`, `self::…` and `super::…`
//! outside tests. A use from one module to another counts as an arrow between the two neighbours, in the folder
//! where their paths part, that hold them; parents and children may use each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::scan::{code_only, without_tests, words};
use crate::workspace::{Finding, Source, line_of};

/// A module as the names that lead to it from the root of its crate.
type Module = Vec<String>;

/// Arrows between modules, each with the place that makes it.
type Graph = BTreeMap<Module, BTreeMap<Module, (String, usize)>>;

pub(super) fn findings(sources: &[Source]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Vec<(Module, &Source)>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_rust() && !source.is_test()) {
        if let Some((root, module)) = place(&source.path) {
            crates.entry(root).or_default().push((module, source));
        }
    }
    crates.values().flat_map(|files| findings_in(files)).collect()
}

/// Splits `crates/x/src/a/b.rs` into its crate and its module; `lib.rs` and `main.rs` are the crate itself.
fn place(path: &str) -> Option<(&str, Module)> {
    let (root, inside) = path.split_once("/src/")?;
    let mut names: Module = inside.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if names.first().is_some_and(|name| name == "bin") {
        return None;
    }
    let is_root = names.len() == 1 && matches!(names[0].as_str(), "lib" | "main");
    if is_root || names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    Some((root, names))
}

fn findings_in(files: &[(Module, &Source)]) -> Vec<Finding> {
    let mut graph = graph(files);
    let mut findings = Vec::new();
    // Remove each cycle that is reported, so that it cannot hide another.
    while let Some(cycle) = find_cycle(&neighbours(&graph)) {
        let names: Vec<String> = cycle.iter().map(|module| module.join("::")).collect();
        let steps = cycle.windows(2);
        let places: Vec<_> = steps.filter_map(|pair| graph.get_mut(&pair[0])?.remove(&pair[1])).collect();
        let listed: Vec<String> = places.iter().map(|(path, line)| format!("{path}:{line}")).collect();
        let Some((path, line)) = places.first() else { break };
        let text = format!("cyclic modules: {} (at {})", names.join(" → "), listed.join(", "));
        findings.push(Finding::new(path, *line, text));
    }
    findings
}

fn neighbours(graph: &Graph) -> BTreeMap<Module, Vec<Module>> {
    graph.iter().map(|(from, to)| (from.clone(), to.keys().cloned().collect())).collect()
}

fn graph(files: &[(Module, &Source)]) -> Graph {
    // Includes the parent modules, which need not have a file of their own.
    let modules: BTreeSet<&[String]> =
        files.iter().flat_map(|(module, _)| (1..=module.len()).map(|end| &module[..end])).collect();
    let mut graph = Graph::new();
    for (module, source) in files {
        let code = without_tests(&code_only(&source.text));
        for (offset, path) in uses(&code, module) {
            let Some((from, to)) = arrow(module, &path, &modules) else { continue };
            let place = (source.path.clone(), line_of(&code, offset));
            graph.entry(from).or_default().entry(to).or_insert(place);
        }
    }
    graph
}

/// The neighbours that a use of `path` in `module` joins, when `path` leads to another branch of the crate.
fn arrow(module: &Module, path: &Module, modules: &BTreeSet<&[String]>) -> Option<(Module, Module)> {
    let mut target = path.clone();
    while !target.is_empty() && !modules.contains(target.as_slice()) {
        target.pop();
    }
    let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
    let (from, to) = (module.get(..=shared)?, target.get(..=shared)?);
    Some((from.to_vec(), to.to_vec()))
}

/// Every path into the crate that the code names, resolved to names from its root.
fn uses(code: &str, module: &Module) -> Vec<(usize, Module)> {
    let mut found = Vec::new();
    for at in words(code, "crate") {
        collect(at, &code[at + "crate".len()..], &Module::new(), &mut found);
    }
    for at in words(code, "self") {
        collect(at, &code[at + "self".len()..], module, &mut found);
    }
    for at in words(code, "super") {
        // The later words of `super::super` are read with the first.
        if !code[..at].ends_with("super::") && !code[..at].ends_with("self::") {
            let (up, rest) = climb(&code[at..]);
            let base = module[..module.len().saturating_sub(up)].to_vec();
            collect(at, rest, &base, &mut found);
        }
    }
    found
}

/// Counts the `super`s a path begins with; gives the text after the last.
fn climb(mut text: &str) -> (usize, &str) {
    let mut up = 0;
    loop {
        let word = text.strip_prefix("::").unwrap_or(text);
        let Some(rest) = word.strip_prefix("super") else { return (up, text) };
        up += 1;
        text = rest;
    }
}

/// Follows `::name::name` and `::{a, b::c}` from `base`, noting each path with the offset of its first word.
fn collect(at: usize, rest: &str, base: &Module, found: &mut Vec<(usize, Module)>) {
    let Some(rest) = rest.trim_start().strip_prefix("::") else { return };
    let rest = rest.trim_start();
    let mut path = base.clone();
    if let Some(group) = rest.strip_prefix('{') {
        for item in group_items(group) {
            collect(at, &format!("::{}", item.trim_start()), base, found);
        }
        return;
    }
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if name.is_empty() {
        return;
    }
    let after = &rest[name.len()..];
    path.push(name);
    if after.trim_start().starts_with("::") {
        collect(at, after, &path, found);
    }
    found.push((at, path));
}

/// The items of a group whose opening brace has been read, up to its closing one.
fn group_items(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (offset, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&group[start..offset]);
                return items;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&group[start..offset]);
                start = offset + 1;
            }
            _ => {}
        }
    }
    items
}

/// A way round, its first node repeated at the end; none when the graph has no circle.
fn find_cycle<N: Ord + Clone>(graph: &BTreeMap<N, Vec<N>>) -> Option<Vec<N>> {
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| walk(graph, start, &mut Vec::new(), &mut done))
}

fn walk<'a, N: Ord + Clone>(
    graph: &'a BTreeMap<N, Vec<N>>,
    node: &'a N,
    trail: &mut Vec<&'a N>,
    done: &mut BTreeSet<&'a N>,
) -> Option<Vec<N>> {
    if let Some(first) = trail.iter().position(|seen| *seen == node) {
        return Some(trail[first..].iter().copied().chain([node]).cloned().collect());
    }
    if done.contains(node) {
        return None;
    }
    trail.push(node);
    let found = graph.get(node).into_iter().flatten().find_map(|next| walk(graph, next, trail, done));
    trail.pop();
    done.insert(node);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> Vec<String> {
        let source = |(path, text): &(&str, &str)| Source { path: (*path).into(), text: (*text).into() };
        let sources: Vec<Source> = files.iter().map(source).collect();
        findings(&sources).into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn a_graph_without_a_way_round_has_no_cycle() {
        assert_eq!(find_cycle(&BTreeMap::from([(1, vec![2, 3]), (2, vec![3]), (3, vec![])])), None);
    }

    #[test]
    fn a_cycle_is_reported_as_a_path() {
        let graph = BTreeMap::from([(0, vec![1]), (1, vec![2]), (2, vec![3]), (3, vec![1])]);
        assert_eq!(find_cycle(&graph), Some(vec![1, 2, 3, 1]));
    }

    #[test]
    fn modules_that_use_each_other_are_found_with_their_places() {
        let found = texts(&[
            ("crates/x/src/lib.rs", "mod a;\nmod b;\nuse crate::a::A;\n"),
            ("crates/x/src/a.rs", "use std::fmt;\nuse crate::{Z, b::{B, C}};\n"),
            ("crates/x/src/b/inner.rs", "fn f() -> super::super::a::A {}\n"),
        ]);
        assert_eq!(
            found,
            [
                "crates/x/src/a.rs:2: cyclic modules: a → b → a (at crates/x/src/a.rs:2, crates/x/src/b/inner.rs:1)"
            ]
        );
    }

    #[test]
    fn every_circle_of_a_crate_is_told() {
        let found = texts(&[
            ("crates/x/src/a.rs", "use crate::{b, c};"),
            ("crates/x/src/b.rs", "use crate::a;"),
            ("crates/x/src/c.rs", "use crate::a;"),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn neighbours_below_the_top_are_looked_at_too() {
        let found = texts(&[
            ("crates/x/src/a/mod.rs", "mod b; mod c;"),
            ("crates/x/src/a/b.rs", "use super::c::C;"),
            ("crates/x/src/a/c.rs", "use crate::a::b::B;"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn parents_children_tests_and_comments_make_no_arrow() {
        let found = texts(&[
            (
                "crates/x/src/a.rs",
                "use self::b::B;\n// crate::c::C\n#[cfg(test)]\nmod tests { use crate::c::C; }\n",
            ),
            ("crates/x/src/a/b.rs", "use super::A;"),
            ("crates/x/src/c.rs", "use crate::a::A;"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
