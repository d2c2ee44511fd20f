//! Templates: text and queries in braces.

use kvrules_ir::{FilterTerm, PathSegment, PathStep};

use super::{PathError, array, cursor::PathCursor};

/// Brackets within brackets, each of which is parsed on its own.
const MAX_DEPTH: usize = 32;

/// Parses a text in the Kubernetes JSONPath template language.
pub fn parse_template(text: &str) -> Result<Vec<PathSegment>, PathError> {
    parse_at(text, 0)
}

/// Parses what stands between braces as a query of its own; the first segment of its result counts.
fn parse_query(inner: &str, depth: usize) -> Result<Vec<PathStep>, PathError> {
    let segments = parse_at(&format!("{{{inner}}}"), depth + 1)?;
    Ok(match segments.into_iter().next() {
        Some(PathSegment::Query(steps)) => steps,
        _ => Vec::new(),
    })
}

fn parse_at(text: &str, depth: usize) -> Result<Vec<PathSegment>, PathError> {
    if depth > MAX_DEPTH {
        return Err(PathError::too_deep(0..text.len()));
    }
    let mut cursor = PathCursor::new(text);
    let mut segments = Vec::new();
    loop {
        let literal = cursor.rest().find('{').unwrap_or(cursor.rest().len());
        cursor.skip(literal);
        let literal = cursor.take();
        if !literal.is_empty() {
            segments.push(PathSegment::Literal(literal.to_owned()));
        }
        if cursor.peek().is_none() {
            return Ok(segments);
        }
        cursor.skip(1);
        cursor.take();
        segments.push(PathSegment::Query(parse_steps(&mut cursor, depth)?));
    }
}

/// Parses steps up to and with the closing brace.
fn parse_steps(cursor: &mut PathCursor<'_>, depth: usize) -> Result<Vec<PathStep>, PathError> {
    let mut steps = Vec::new();
    loop {
        let rest = cursor.rest();
        if rest.starts_with('}') {
            cursor.skip(1);
            cursor.take();
            return Ok(steps);
        } else if rest.starts_with("[?(") {
            steps.push(array::parse_filter(cursor, &|inner| parse_query(inner, depth))?);
        } else if rest.starts_with("..") {
            parse_descent(cursor, &mut steps)?;
        } else {
            parse_step(cursor, &mut steps, depth)?;
        }
    }
}

fn parse_step(cursor: &mut PathCursor<'_>, steps: &mut Vec<PathStep>, depth: usize) -> Result<(), PathError> {
    match cursor.next() {
        None | Some('\r' | '\n') => return Err(PathError::unclosed_action(cursor.token())),
        // `$` and `@` name the current object, where a query starts anyway.
        Some(' ' | '@' | '$') => {
            cursor.take();
        }
        Some('[') => array::parse_array(cursor, steps, &|inner| parse_query(inner, depth))?,
        Some(quote @ ('"' | '\'')) => {
            steps.push(PathStep::Constant(FilterTerm::Text(parse_quoted(cursor, quote)?)));
        }
        Some('.') => steps.push(parse_field(cursor)),
        Some(c) if matches!(c, '+' | '-') || is_digit(c) => {
            cursor.back();
            steps.push(PathStep::Constant(parse_number(cursor)?));
        }
        Some(c) if is_word(c) => {
            cursor.back();
            steps.push(parse_identifier(cursor));
        }
        Some(c) => return Err(PathError::unrecognized(c, cursor.token())),
    }
    Ok(())
}

fn parse_descent(cursor: &mut PathCursor<'_>, steps: &mut Vec<PathStep>) -> Result<(), PathError> {
    cursor.skip(2);
    if steps.last() == Some(&PathStep::Descend) {
        return Err(PathError::multiple_descent(cursor.token()));
    }
    cursor.take();
    steps.push(PathStep::Descend);
    if cursor.peek().is_some_and(is_word) {
        steps.push(parse_field(cursor));
    }
    Ok(())
}

/// A name up to its terminator; a backslash takes the next character as it is.
fn parse_field(cursor: &mut PathCursor<'_>) -> PathStep {
    cursor.take();
    loop {
        match cursor.next() {
            Some('\\') => {
                cursor.next();
            }
            None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}') => {
                cursor.back();
                break;
            }
            Some(_) => {}
        }
    }
    match cursor.take() {
        "*" => PathStep::Wildcard,
        name if name.contains('\\') => PathStep::Field(name.replace('\\', "")),
        name => PathStep::Field(name.to_owned()),
    }
}

fn parse_identifier(cursor: &mut PathCursor<'_>) -> PathStep {
    while cursor.peek().is_some_and(is_word) {
        cursor.next();
    }
    match cursor.take() {
        "true" => PathStep::Constant(FilterTerm::Boolean(true)),
        "false" => PathStep::Constant(FilterTerm::Boolean(false)),
        word => PathStep::Identifier(word.to_owned()),
    }
}

fn parse_number(cursor: &mut PathCursor<'_>) -> Result<FilterTerm, PathError> {
    if cursor.peek().is_some_and(|c| matches!(c, '+' | '-')) {
        cursor.next();
    }
    while cursor.peek().is_some_and(|c| c == '.' || is_digit(c)) {
        cursor.next();
    }
    let range = cursor.token();
    let text = cursor.take();
    if let Ok(integer) = text.parse() {
        return Ok(FilterTerm::Integer(integer));
    }
    text.parse::<f64>()
        .map(|_| FilterTerm::Float(text.to_owned()))
        .map_err(|_| PathError::number(text, range))
}

fn parse_quoted(cursor: &mut PathCursor<'_>, quote: char) -> Result<String, PathError> {
    loop {
        match cursor.next() {
            None | Some('\n') => return Err(PathError::unterminated_quote(cursor.token())),
            Some(c) if c == quote && !cursor.escaped() => break,
            Some(_) => {}
        }
    }
    let range = cursor.token();
    let text = cursor.take();
    unquote_literal(text).ok_or_else(|| PathError::unquote(text, range))
}

/// Undoes the quoting of a Go string literal, in either kind of quotation marks.
fn unquote_literal(text: &str) -> Option<String> {
    let quote = text.chars().next()?;
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    let mut out = String::new();
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            '\\' => out.push('\\'),
            same if same == quote => out.push(same),
            'x' => out.push(char::from(u8::try_from(parse_hex(&mut chars, 2)?).ok()?)),
            'u' => out.push(char::from_u32(parse_hex(&mut chars, 4)?)?),
            'U' => out.push(char::from_u32(parse_hex(&mut chars, 8)?)?),
            _ => return None,
        }
    }
    Some(out)
}

fn parse_hex(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<u32> {
    (0..digits).try_fold(0, |code, _| Some(code * 16 + chars.next()?.to_digit(16)?))
}

fn is_digit(c: char) -> bool {
    c.is_numeric() && (c.is_ascii_digit() || !c.is_ascii())
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
