//! Chains of selections before a place of an expression that need not be complete, such as `self.spec.containers[0]`.

/// A chain: a name, and what is selected from its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// The name that it begins with.
    pub(super) root: String,
    /// Offset of that name.
    pub(super) start: usize,
    /// The selections, in their order.
    pub(super) steps: Vec<Step>,
}

/// A selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// `.name`, as it is written.
    Field(String),
    /// `['name']`, unescaped.
    Key(String),
    /// An item or a value: by an index or an unknown key, or the element of a loop.
    Index,
    /// The same value or a list of the same items.
    Same,
    /// Something else.
    Unknown,
}

/// Macros that bind names to the elements of their receiver.
const LOOPS: [&str; 10] = [
    "all",
    "exists",
    "exists_one",
    "existsOne",
    "filter",
    "map",
    "sortBy",
    "transformList",
    "transformMap",
    "transformMapEntry",
];

/// Returns the chain that ends at an offset; `None` if something else ends there.
pub(super) fn chain_before(text: &str, end: usize) -> Option<Chain> {
    let mut steps = Vec::new();
    let mut at = end;
    loop {
        let before = text.get(..at)?.trim_end();
        if before.ends_with(']') {
            let open = opening_before(before, '[', ']')?;
            let inside = before.get(open + 1..before.len() - 1)?.trim_start_matches('?').trim();
            steps.push(quoted_text(inside).map_or(Step::Index, |key| Step::Key(key.to_owned())));
            at = open;
            continue;
        }
        if before.ends_with(')') {
            let open = opening_before(before, '(', ')')?;
            let (name, receiver) = name_before(before.get(..open)?)?;
            steps.push(match name {
                "orValue" | "or" | "value" | "filter" | "sort" | "reverse" | "distinct" | "slice" => {
                    Step::Same
                }
                "first" | "last" => Step::Index,
                _ => Step::Unknown,
            });
            at = receiver_end(before.get(..receiver)?)?;
            continue;
        }
        let (name, start) = name_before(before)?;
        let Some(receiver) = receiver_end(before.get(..start)?) else {
            steps.reverse();
            return Some(Chain { root: name.to_owned(), start, steps });
        };
        steps.push(Step::Field(name.to_owned()));
        at = receiver;
    }
}

/// Returns the end of the list or map whose elements a name is bound to at an offset, and true if the name is the element and
/// not its index or key. `None` if no loop around the offset binds it.
pub(super) fn loop_around(text: &str, at: usize, name: &str) -> Option<(usize, bool)> {
    let mut end = at;
    loop {
        let open = open_call_before(text.get(..end)?)?;
        let before = text.get(..open)?;
        let bound =
            name_before(before).filter(|(called, _)| LOOPS.contains(called)).and_then(|(_, start)| {
                let receiver = receiver_end(before.get(..start)?)?;
                let mut names = text.get(open + 1..at)?.split(',').map(str::trim);
                let (first, second) = (names.next()?, names.next());
                let rest = names.next();
                // With two names, the second is the element.
                let is_second = second == Some(name) && rest.is_some();
                (first == name || is_second)
                    .then_some((receiver, is_second || !(rest.is_some() && is_name(second?))))
            });
        if bound.is_some() {
            return bound;
        }
        end = open;
    }
}

/// Returns the names that loops around an offset bind.
pub(super) fn loop_names(text: &str, at: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut end = at;
    while let Some(open) = text.get(..end).and_then(open_call_before) {
        let inside = text.get(open + 1..at).unwrap_or_default();
        let bound = inside.split(',').map(str::trim).take(2).filter(|name| is_name(name));
        let bound =
            bound.filter(|name| loop_around(text, at, name).is_some() && !names.iter().any(|it| it == name));
        let bound: Vec<String> = bound.map(str::to_owned).collect();
        names.extend(bound);
        end = open;
    }
    names
}

/// The last opening parenthesis that is not closed.
fn open_call_before(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    for (at, char) in text.char_indices().rev() {
        if let Some(open) = quote {
            quote = quote.filter(|_| open != char);
            continue;
        }
        match char {
            '\'' | '"' => quote = Some(char),
            ')' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The bracket that the last character closes.
fn opening_before(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    for (at, char) in text.char_indices().rev() {
        if let Some(mark) = quote {
            quote = quote.filter(|_| mark != char);
        } else if matches!(char, '\'' | '"') {
            quote = Some(char);
        } else if char == close {
            depth += 1;
        } else if char == open {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The name that a text ends with, and its start.
fn name_before(text: &str) -> Option<(&str, usize)> {
    let start = text.trim_end_matches(|char: char| char.is_alphanumeric() || char == '_').len();
    let name = text.get(start..)?;
    is_name(name).then_some((name, start))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|char: char| char.is_alphabetic() || char == '_')
        && text.chars().all(|char| char.is_alphanumeric() || char == '_')
}

/// The end of what a dot at the end of a text selects from.
fn receiver_end(text: &str) -> Option<usize> {
    let text = text.trim_end();
    let text = text.strip_suffix('?').filter(|rest| rest.ends_with('.')).unwrap_or(text);
    text.strip_suffix('.').map(str::len)
}

/// The content of a literal without escapes.
fn quoted_text(text: &str) -> Option<&str> {
    let quoted = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    quoted('\'').or_else(|| quoted('"')).filter(|inside| !inside.contains(['\\', '\'', '"']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let Some(chain) = chain_before(text, text.len()) else { return "none".to_owned() };
        let steps = chain.steps.iter().map(|step| match step {
            Step::Field(name) => format!(" .{name}"),
            Step::Key(name) => format!(" '{name}'"),
            Step::Index => " []".to_owned(),
            Step::Same => " same".to_owned(),
            Step::Unknown => " ?".to_owned(),
        });
        chain.root.clone() + &steps.collect::<String>()
    }

    #[test]
    fn chains_are_read_backwards() {
        assert_eq!(show("1 + self.spec.containers[0].image"), "self .spec .containers [] .image");
        assert_eq!(show("!has(object.metadata.labels['a/b'])"), "none");
        assert_eq!(show("object.metadata.labels['a/b']"), "object .metadata .labels 'a/b'");
        assert_eq!(show("object.?spec\n  .?replicas.orValue(f(1, ')'))"), "object .spec .replicas same");
        assert_eq!(show("self.items.filter(i, i.n > 0)[0].n"), "self .items same [] .n");
        assert_eq!(show("self.map(i, i)"), "self ?");
        assert_eq!(show("1 + 2"), "none");
        assert_eq!(show(""), "none");
        assert_eq!(show("]"), "none");
    }

    #[test]
    fn names_of_loops_are_found() {
        let bound = |text: &str, name: &str| {
            let (end, is_element) = loop_around(text, text.len(), name)?;
            Some((text.get(..end)?.to_owned(), is_element))
        };
        assert_eq!(bound("self.a.all(c, c.b && ", "c"), Some(("self.a".to_owned(), true)));
        assert_eq!(bound("x.all(a, a.b.exists(d, f(d) && ", "a"), Some(("x".to_owned(), true)));
        assert_eq!(bound("x.all(a, true) && ", "a"), None);
        assert_eq!(bound("x.all(i, v, v > ", "v"), Some(("x".to_owned(), true)));
        assert_eq!(bound("x.all(i, v, v > ", "i"), Some(("x".to_owned(), false)));
        assert_eq!(bound("f(a, ", "a"), None);
    }
}
