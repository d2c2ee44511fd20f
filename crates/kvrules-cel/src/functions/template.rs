//! The clauses of the templates of `format`, which are read before and during evaluation.

/// A clause after a `%`.
pub(crate) struct TemplateClause<'a> {
    /// The letter.
    pub(crate) verb: char,
    /// The number after the point.
    pub(crate) precision: Option<u64>,
    /// The rest of the template.
    pub(crate) rest: &'a str,
}

impl<'a> TemplateClause<'a> {
    /// Reads a clause after its `%`; the error is the server's message.
    // cel-go ext/formatting.go, parseFormattingClause and parsePrecision
    pub(crate) fn parse_clause(text: &'a str) -> Result<Self, String> {
        let (precision, rest) = match text.strip_prefix('.') {
            Some(digits) => {
                let end = digits.find(|c: char| !c.is_ascii_digit()).ok_or(
                    "error while parsing precision: could not find end of precision specifier".to_owned(),
                )?;
                let (number, rest) = digits.split_at_checked(end).unwrap_or((digits, ""));
                (Some(precision(number)?), rest)
            }
            None => (None, text),
        };
        // The server examines a single byte, not a character.
        let first = rest.bytes().next().map(char::from).unwrap_or_default();
        if !"sdfebxXo".contains(first) {
            return Err(format!("unrecognized formatting clause \"{first}\""));
        }
        Ok(Self { verb: first, precision, rest: rest.get(1..).unwrap_or_default() })
    }
}

// strconv/atoi.go, Atoi
fn precision(number: &str) -> Result<u64, String> {
    let problem = if number.is_empty() { "invalid syntax" } else { "value out of range" };
    number.parse::<i64>().ok().and_then(|number| u64::try_from(number).ok()).ok_or_else(|| {
        format!(
            "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing \
             \"{number}\": {problem}"
        )
    })
}

/// Server's message that lists the types that `%s` can format.
pub(crate) const PRINTABLE: &str = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, \
                                    lists, types, durations, and timestamps";
