//! Python's `str(float)`: the shortest digits that read back as the same number.

/// The text of a number as Python's `str` and `repr` give it.
///
/// ```
/// use kvrules_extra_specs::python::float_text;
/// assert_eq!([1.0, 1e16, 1.5e-5, 123456.0].map(float_text), ["1.0", "1e+16", "1.5e-05", "123456.0"]);
/// ```
// CPython Objects/floatobject.c, float_repr; Python/pystrtod.c, format_float_short.
pub fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // The format `r` writes an exponent from 1e16 on and below 1e-4.
    if (-4..16).contains(&exponent) {
        return plain_digits(number);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    // Python's exponent has a sign and at least two digits; Rust's has neither.
    format!("{digits}e{sign}{:02}", exponent.abs())
}

fn plain_digits(number: f64) -> String {
    let text = format!("{number}");
    if text.contains('.') { text } else { format!("{text}.0") }
}
