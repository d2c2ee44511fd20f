//! Checks that a string is JSON. Go checks the whole string before it decodes any of it, so a wrong type behind a wrong
//! character is never seen.

/// Maximum nesting depth of lists and objects.
// encoding/json scanner.go, maxNestingDepth.
const DEEPEST: usize = 10_000;

// encoding/json scanner.go, scanner.eof.
const UNEXPECTED_END: &str = "unexpected end of JSON input";

/// Next part that an open bracket expects.
#[derive(Clone, Copy)]
// encoding/json scanner.go: parseObjectKey, parseObjectValue and parseArrayValue.
enum OpenContainer {
    Key,
    Member,
    Item,
}

/// Next token that is allowed.
#[derive(Clone, Copy)]
enum ExpectedToken {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    AfterValue,
}

struct Checker<'t> {
    bytes: &'t [u8],
    at: usize,
    open: Vec<OpenContainer>,
}

/// Go's words for the first thing that is wrong, if any.
// encoding/json scanner.go, checkValid.
pub(crate) fn check_json(text: &str) -> Result<(), String> {
    let mut checker = Checker { bytes: text.as_bytes(), at: 0, open: Vec::new() };
    let mut expect = ExpectedToken::Value;
    loop {
        checker.blanks();
        let Some(byte) = checker.peek() else {
            let complete = matches!(expect, ExpectedToken::AfterValue) && checker.open.is_empty();
            return if complete { Ok(()) } else { Err(UNEXPECTED_END.to_owned()) };
        };
        expect = match expect {
            ExpectedToken::ValueOrEnd if byte == b']' => checker.close(),
            ExpectedToken::Value | ExpectedToken::ValueOrEnd => checker.value(byte)?,
            ExpectedToken::KeyOrEnd if byte == b'}' => checker.close(),
            ExpectedToken::Key | ExpectedToken::KeyOrEnd => checker.key(byte)?,
            ExpectedToken::AfterValue => checker.after(byte)?,
        };
    }
}

impl Checker<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    // encoding/json scanner.go, stateBeginValue.
    fn value(&mut self, byte: u8) -> Result<ExpectedToken, String> {
        match byte {
            b'{' => return self.nest(byte, OpenContainer::Key, ExpectedToken::KeyOrEnd),
            b'[' => return self.nest(byte, OpenContainer::Item, ExpectedToken::ValueOrEnd),
            b'"' => self.string()?,
            b'-' | b'0'..=b'9' => self.number()?,
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            other => return Err(invalid(other, "looking for beginning of value")),
        }
        Ok(ExpectedToken::AfterValue)
    }

    // encoding/json scanner.go, scanner.pushParseState.
    fn nest(
        &mut self,
        byte: u8,
        open: OpenContainer,
        expect: ExpectedToken,
    ) -> Result<ExpectedToken, String> {
        self.open.push(open);
        if self.open.len() > DEEPEST {
            return Err(invalid(byte, "exceeded max depth"));
        }
        self.at += 1;
        Ok(expect)
    }

    fn close(&mut self) -> ExpectedToken {
        self.open.pop();
        self.at += 1;
        ExpectedToken::AfterValue
    }

    // encoding/json scanner.go, stateBeginStringOrEmpty and stateBeginString.
    fn key(&mut self, byte: u8) -> Result<ExpectedToken, String> {
        if byte != b'"' {
            return Err(invalid(byte, "looking for beginning of object key string"));
        }
        self.string()?;
        Ok(ExpectedToken::AfterValue)
    }

    // encoding/json scanner.go, stateEndValue; stateEndTop if nothing is open.
    fn after(&mut self, byte: u8) -> Result<ExpectedToken, String> {
        let Some(open) = self.open.last_mut() else {
            return Err(invalid(byte, "after top-level value"));
        };
        let expect = match (*open, byte) {
            (OpenContainer::Key, b':') => {
                *open = OpenContainer::Member;
                ExpectedToken::Value
            }
            (OpenContainer::Member, b',') => {
                *open = OpenContainer::Key;
                ExpectedToken::Key
            }
            (OpenContainer::Item, b',') => ExpectedToken::Value,
            (OpenContainer::Member, b'}') | (OpenContainer::Item, b']') => return Ok(self.close()),
            (OpenContainer::Key, _) => return Err(invalid(byte, "after object key")),
            (OpenContainer::Member, _) => return Err(invalid(byte, "after object key:value pair")),
            (OpenContainer::Item, _) => return Err(invalid(byte, "after array element")),
        };
        self.at += 1;
        Ok(expect)
    }

    /// The next byte. Go puts a blank behind the text's end, and reports that where no blank may be.
    // encoding/json scanner.go, scanner.eof.
    fn must(&mut self) -> u8 {
        let byte = self.peek().unwrap_or(b' ');
        self.at += 1;
        byte
    }

    // encoding/json scanner.go, stateInString.
    fn string(&mut self) -> Result<(), String> {
        self.at += 1;
        loop {
            if self.at >= self.bytes.len() {
                return Err(UNEXPECTED_END.to_owned());
            }
            match self.must() {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                byte if byte < b' ' => return Err(invalid(byte, "in string literal")),
                _ => {}
            }
        }
    }

    // encoding/json scanner.go, stateInStringEsc and stateInStringEscU.
    fn escape(&mut self) -> Result<(), String> {
        match self.must() {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => Ok(()),
            b'u' => (0..4).try_for_each(|_| match self.must() {
                byte if byte.is_ascii_hexdigit() => Ok(()),
                byte => Err(invalid(byte, "in \\u hexadecimal character escape")),
            }),
            byte => Err(invalid(byte, "in string escape code")),
        }
    }

    // encoding/json scanner.go: stateNeg, state0, state1, stateDot, stateE and stateESign.
    fn number(&mut self) -> Result<(), String> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.digit("in numeric literal")? != b'0' {
            self.digits();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digit("after decimal point in numeric literal")?;
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digit("in exponent of numeric literal")?;
            self.digits();
        }
        Ok(())
    }

    fn digit(&mut self, context: &str) -> Result<u8, String> {
        match self.must() {
            byte if byte.is_ascii_digit() => Ok(byte),
            byte => Err(invalid(byte, context)),
        }
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }

    // encoding/json scanner.go: stateT, stateF, stateN and those that follow them.
    fn word(&mut self, word: &str) -> Result<(), String> {
        for expected in word.bytes() {
            let byte = self.must();
            if byte != expected {
                let expected = char::from(expected);
                return Err(invalid(byte, &format!("in literal {word} (expecting '{expected}')")));
            }
        }
        Ok(())
    }
}

fn invalid(byte: u8, context: &str) -> String {
    format!("invalid character {} {context}", quoted(byte))
}

/// Go takes the byte for a character of its own, so a byte of UTF-8 shows as a Latin-1 letter (E010).
// encoding/json scanner.go, quoteChar, with strconv.Quote.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'\\' => r"'\\'".to_owned(),
        0x07 => r"'\a'".to_owned(),
        0x08 => r"'\b'".to_owned(),
        0x0c => r"'\f'".to_owned(),
        b'\n' => r"'\n'".to_owned(),
        b'\r' => r"'\r'".to_owned(),
        b'\t' => r"'\t'".to_owned(),
        0x0b => r"'\v'".to_owned(),
        0..=0x1f | 0x7f => format!(r"'\x{byte:02x}'"),
        0x80..=0xa0 | 0xad => format!(r"'\u{byte:04x}'"),
        other => format!("'{}'", char::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        check_json(text).unwrap_err()
    }

    #[test]
    fn what_is_json_passes() {
        for text in ["null", " [1, -0.5e+3, {\"a\": [], \"b\": {}}] ", r#""\u00e9\"""#, "0"] {
            assert_eq!(check_json(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn words_are_go_words() {
        assert_eq!(error("[1,]"), "invalid character ']' looking for beginning of value");
        assert_eq!(error("{,}"), "invalid character ',' looking for beginning of object key string");
        assert_eq!(error("{\"a\" 1}"), "invalid character '1' after object key");
        assert_eq!(error("{\"a\":1 2}"), "invalid character '2' after object key:value pair");
        assert_eq!(error("[1 2]"), "invalid character '2' after array element");
        assert_eq!(error("[01]"), "invalid character '1' after array element");
        assert_eq!(error("[\"a"), "unexpected end of JSON input");
        assert_eq!(error("-"), "invalid character ' ' in numeric literal");
        assert_eq!(error("nul"), "invalid character ' ' in literal null (expecting 'l')");
        assert_eq!(error("\"\\x\""), "invalid character 'x' in string escape code");
        assert_eq!(error("\"\u{1}\""), r"invalid character '\x01' in string literal");
        assert_eq!(error("tru?"), "invalid character '?' in literal true (expecting 'e')");
        assert_eq!(error("\u{a0}1"), "invalid character 'Â' looking for beginning of value");
        assert_eq!(error("[1.]"), "invalid character ']' after decimal point in numeric literal");
    }

    #[test]
    fn nesting_has_a_limit() {
        assert_eq!(check_json(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))), Ok(()));
        assert_eq!(error(&"[".repeat(10_001)), "invalid character '[' exceeded max depth");
    }
}
