//! Parses brackets: indices, slices, names, unions and filters.

use std::ops::Range;

use kvrules_ir::{FilterOperator, PathFilter, PathSlice, PathStep};

use super::{PathError, cursor::PathCursor};

/// Parser for the text in brackets as a query of its own.
pub(super) type InnerQuery<'i> = &'i dyn Fn(&str) -> Result<Vec<PathStep>, PathError>;

/// Parses `[…]` behind its opening bracket.
pub(super) fn parse_array(
    cursor: &mut PathCursor<'_>,
    steps: &mut Vec<PathStep>,
    inner_query: InnerQuery<'_>,
) -> Result<(), PathError> {
    loop {
        match cursor.next() {
            None | Some('\n') => return Err(PathError::unterminated_array(cursor.token())),
            Some(']') => break,
            Some(_) => {}
        }
    }
    let range = cursor.token();
    let text = cursor.take();
    let inner = text.get(1..text.len() - 1).unwrap_or_default();
    let inner = if inner == "*" { ":" } else { inner };
    if inner.contains(',') {
        let branches = inner.split(',').map(|part| parse_branch(part.trim_matches(' '), inner_query));
        let branches: Result<Vec<_>, _> = branches.collect();
        steps.push(PathStep::Union(branches.map_err(|error| error.within(&range))?));
    } else if let Some(name) = quoted_name(inner) {
        steps.extend(inner_query(&format!(".{name}")).map_err(|error| error.within(&range))?);
    } else {
        steps.push(PathStep::Slice(parse_slice(inner, &range)?));
    }
    Ok(())
}

/// One side of a union, as if it stood in brackets of its own.
fn parse_branch(part: &str, inner_query: InnerQuery<'_>) -> Result<Vec<PathStep>, PathError> {
    inner_query(&format!("[{part}]"))
}

fn quoted_name(inner: &str) -> Option<&str> {
    inner.strip_prefix('\'')?.strip_suffix('\'').filter(|name| !name.contains('\''))
}

/// `n`, `a:b` or `a:b:c`, each part optional.
fn parse_slice(inner: &str, range: &Range<usize>) -> Result<PathSlice, PathError> {
    let mut parts = inner.split(':');
    let (start, end, step, more) = (parts.next(), parts.next(), parts.next(), parts.next());
    let shaped =
        |part: &str| part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit());
    if more.is_some() || ![start, end, step].into_iter().flatten().all(shaped) {
        return Err(PathError::invalid_index(inner, range.clone()));
    }
    let number = |part: Option<&str>| match part {
        None | Some("") => Ok(None),
        Some(part) => part.parse().map(Some).map_err(|_| PathError::index_not_a_number(part, range.clone())),
    };
    Ok(PathSlice { start: number(start)?, end: number(end)?, step: number(step)?, single: end.is_none() })
}

/// Parses `[?(…)]`.
pub(super) fn parse_filter(
    cursor: &mut PathCursor<'_>,
    inner_query: InnerQuery<'_>,
) -> Result<PathStep, PathError> {
    cursor.skip(3);
    let opening = cursor.token();
    cursor.take();
    let (mut quote, mut closed) = (None, false);
    loop {
        match cursor.next() {
            None | Some('\n') => {
                return Err(PathError::unterminated_filter(opening.start..cursor.token().end));
            }
            // A filter can have only one quoted string, so a second quotation mark is not examined.
            Some(c @ ('"' | '\'')) if quote.is_none() => quote = Some(c),
            Some(c @ ('"' | '\'')) if quote == Some(c) && !cursor.escaped() => closed = true,
            Some(')') if quote.is_some() == closed => break,
            Some(_) => {}
        }
    }
    let end = cursor.token().end;
    if cursor.next() != Some(']') {
        return Err(PathError::unclosed_filter(opening.start..end));
    }
    let range = opening.start..cursor.token().end;
    let text = cursor.take();
    let inner = text.strip_suffix(")]").unwrap_or(text);
    parse_comparison(inner, inner_query).map(PathStep::Filter).map_err(|error| error.within(&range))
}

fn parse_comparison(inner: &str, inner_query: InnerQuery<'_>) -> Result<PathFilter, PathError> {
    let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
    if let Some(at) = inner.find(is_operator).filter(|at| *at > 0) {
        let (left, rest) = inner.split_at_checked(at).unwrap_or((inner, ""));
        let right = rest.trim_start_matches(is_operator);
        // If nothing follows the operator, its last character becomes the right side.
        let right = if right.is_empty() { rest.get(rest.len() - 1..).unwrap_or_default() } else { right };
        let operator = rest.strip_suffix(right).unwrap_or_default();
        if !operator.is_empty() {
            let left = inner_query(left)?;
            return Ok(PathFilter { left, comparison: Some((operator_of(operator), inner_query(right)?)) });
        }
    }
    Ok(PathFilter { left: inner_query(inner)?, comparison: None })
}

fn operator_of(text: &str) -> FilterOperator {
    match text {
        "==" => FilterOperator::Equal,
        "!=" => FilterOperator::NotEqual,
        "<" => FilterOperator::Less,
        "<=" => FilterOperator::LessOrEqual,
        ">" => FilterOperator::Greater,
        ">=" => FilterOperator::GreaterOrEqual,
        _ => FilterOperator::Unknown,
    }
}
