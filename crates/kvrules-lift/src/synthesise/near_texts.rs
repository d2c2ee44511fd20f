//! Quantities next to those that a rule compares with.

use kvrules_ir::Term;

/// Returns the term whose text `quantity` reads.
pub(super) fn quantity_text(term: &Term) -> Option<&Term> {
    match term {
        Term::Call(call) if call.function == "quantity" => match call.arguments.first()? {
            Term::Call(call) if call.function == "string" => call.arguments.first(),
            text => Some(text),
        },
        _ => None,
    }
}

/// Returns a quantity, and those whose first digits are one more or one less.
pub(super) fn near_quantity(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let number = digits.parse::<i64>().ok();
    let next = [number.and_then(|it| it.checked_add(1)), number.and_then(|it| it.checked_sub(1))];
    let next = next.into_iter().flatten().map(|number| format!("{number}{rest}"));
    std::iter::once(text.to_owned()).chain(next).collect()
}
