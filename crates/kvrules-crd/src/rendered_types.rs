//! Types in the server's words about an expression.

/// The function and the types of `found no matching overload for 'F' applied to '(A, B)'`.
pub(crate) fn parse_overload(words: &str) -> Option<(String, &str)> {
    let rest = words.strip_prefix("found no matching overload for '")?;
    let (function, rest) = rest.split_once("' applied to '")?;
    Some((function.to_owned(), rest.strip_suffix('\'')?))
}

/// The parts between commas that are in no brackets.
pub(crate) fn split_types(types: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0usize);
    for char in types.chars() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            _ if char == ',' && depth == 0 => parts.push(String::new()),
            Some(part) => part.push(char),
            None => {}
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
