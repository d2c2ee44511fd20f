//! Parses times as Go does with the layout of RFC 3339. Returns only Go's errors.

const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";

/// A part of a time's text that is still to be read.
struct TimeReader<'t> {
    whole: &'t str,
    rest: &'t str,
}

type ReadResult<T> = Result<T, String>;

/// Go's words for what is wrong with a time, if anything.
// time/format.go, parse.
pub(crate) fn check_time(text: &str) -> Result<(), String> {
    let mut reader = TimeReader { whole: text, rest: text };
    let year = reader.year()?;
    reader.literal("-")?;
    let month = reader.number("01", true)?;
    reader.range((1..=12).contains(&month), "month")?;
    reader.literal("-")?;
    let day = reader.number("02", true)?;
    reader.literal("T")?;
    let hour = reader.number("15", false)?;
    reader.range(hour < 24, "hour")?;
    reader.literal(":")?;
    let minute = reader.number("04", true)?;
    reader.range(minute < 60, "minute")?;
    reader.literal(":")?;
    let second = reader.number("05", true)?;
    reader.range(second < 60, "second")?;
    reader.fraction();
    reader.zone()?;
    if !reader.rest.is_empty() {
        return Err(reader.message(&format!(": extra text: {}", quote(reader.rest))));
    }
    // The day is compared with its month after everything has parsed, text behind the time included.
    reader.range((1..=days(year, month)).contains(&day), "day")
}

impl<'t> TimeReader<'t> {
    // time/format.go, ParseError.Error, with a message and without one.
    fn message(&self, message: &str) -> String {
        format!("parsing time {}{message}", quote(self.whole))
    }

    fn cannot(&self, rest: &str, element: &str) -> String {
        let (whole, layout) = (quote(self.whole), quote(LAYOUT));
        format!("parsing time {whole} as {layout}: cannot parse {} as {}", quote(rest), quote(element))
    }

    fn range(&self, holds: bool, name: &str) -> ReadResult<()> {
        if holds { Ok(()) } else { Err(self.message(&format!(": {name} out of range"))) }
    }

    fn take(&mut self, bytes: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken)
    }

    fn digits(&self) -> usize {
        self.rest.bytes().take_while(u8::is_ascii_digit).count()
    }

    // time/format.go, skip.
    fn literal(&mut self, literal: &str) -> ReadResult<()> {
        match self.rest.strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.cannot(self.rest, literal)),
        }
    }

    // time/format.go, parse: stdLongYear.
    fn year(&mut self) -> ReadResult<u32> {
        let hold = self.rest;
        let year = (self.digits() >= 4).then(|| self.take(4)).flatten();
        year.and_then(|year| year.parse().ok()).ok_or_else(|| self.cannot(hold, "2006"))
    }

    /// Two digits, or one where two are not asked for.
    // time/format.go, getnum. Only the hour of this layout may have one digit.
    fn number(&mut self, element: &str, two: bool) -> ReadResult<u32> {
        let digits = self.digits().min(2);
        if digits == 0 || (two && digits < 2) {
            return Err(self.cannot(self.rest, element));
        }
        Ok(self.take(digits).and_then(|number| number.parse().ok()).unwrap_or_default())
    }

    /// Seconds may have a fraction that the layout does not have.
    // time/format.go, parse: a comma is taken as well as a point (commaOrPeriod).
    fn fraction(&mut self) {
        if let Some(rest) = self.rest.strip_prefix(['.', ',']) {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                self.take(digits + 1);
            }
        }
    }

    // time/format.go, parse: stdISO8601ColonTZ.
    fn zone(&mut self) -> ReadResult<()> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(());
        }
        let hold = self.rest;
        let wrong = self.cannot(hold, "Z07:00");
        let bytes = hold.as_bytes();
        let number = |at: usize| hold.get(at..at + 2).filter(|two| two.bytes().all(|b| b.is_ascii_digit()));
        let (Some(b'+' | b'-'), Some(b':'), Some(hour), Some(minute)) =
            (bytes.first(), bytes.get(3), number(1), number(4))
        else {
            return Err(wrong);
        };
        self.take(6);
        // `24` hours and `60` minutes pass: Go compares with `>`.
        self.range(hour.parse().is_ok_and(|hour: u8| hour <= 24), "time zone offset hour")?;
        self.range(minute.parse().is_ok_and(|minute: u8| minute <= 60), "time zone offset minute")
    }
}

// time/format.go, parse: daysIn.
fn days(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(400) || (year.is_multiple_of(4) && !year.is_multiple_of(100)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The text in quotation marks, as the time package writes it: all except plain ASCII byte by byte.
// time/format.go, quote, which does not escape U+007F.
fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            ' '..='\u{7f}' => out.push(char),
            _ => {
                let mut bytes = [0; 4];
                out.extend(char.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\x{byte:02x}")));
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::check_time;

    #[test]
    fn times_of_rfc_3339_parse() {
        for text in ["2024-02-29T01:02:03Z", "2024-01-01T1:02:03.5+01:00", "0000-01-01T00:00:00,123-24:60"] {
            assert_eq!(check_time(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn errors_are_go_words() {
        let layout = r#"as "2006-01-02T15:04:05Z07:00": cannot parse"#;
        let cannot = |text: &str, rest: &str, element: &str| {
            let expected = format!(r#"parsing time "{text}" {layout} "{rest}" as "{element}""#);
            assert_eq!(check_time(text), Err(expected));
        };
        cannot("x", "x", "2006");
        cannot("", "", "2006");
        cannot("2024-1-01T00:00:00Z", "1-01T00:00:00Z", "01");
        cannot("2024-01-01 00:00:00Z", " 00:00:00Z", "T");
        cannot("2024-01-01T00:00:00", "", "Z07:00");
        let message = |text: &str, message: &str| {
            assert_eq!(check_time(text), Err(format!(r#"parsing time "{text}": {message}"#)));
        };
        message("2024-13-01T00:00:00Z", "month out of range");
        message("2023-02-29T00:00:00Z", "day out of range");
        message("2023-02-28T24:00:00Z", "hour out of range");
        message("2023-02-28T00:00:00Zx", r#"extra text: "x""#);
    }
}
