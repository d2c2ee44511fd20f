//! Patterns as JSON Schema has them, which are ECMAScript's, written as RE2 reads them.
//!
//! Most patterns are the same in both. What is spelled otherwise, or means something else, is respelled so that the same
//! texts match; what RE2 does not have is refused.

/// Members of `\s` in ECMAScript.
const SPACE: &str =
    r"\t\n\x0B\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
/// Characters that `.` excludes.
const LINE_ENDS: &str = r"\n\r\x{2028}\x{2029}";

/// The pattern for RE2, or a sentence why there is none: look-around, references to groups, and what is not ECMA-262.
///
/// ```
/// assert_eq!(kvrules_regex::ecma::to_re2(r"^\u0041[^a]$").as_deref(), Ok(r"^\x{41}[^a]$"));
/// assert_eq!(kvrules_regex::ecma::to_re2("(?=a)"), Err("RE2 has no look-ahead `(?=`".to_owned()));
/// ```
pub fn to_re2(pattern: &str) -> Result<String, String> {
    let mut scanner = Scanner { rest: pattern, out: String::new() };
    scanner.pattern()?;
    match crate::parse(&scanner.out) {
        Ok(_) => Ok(scanner.out),
        Err(error) => Err(error.to_string()),
    }
}

struct Scanner<'p> {
    rest: &'p str,
    out: String,
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn take(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn pattern(&mut self) -> Result<(), String> {
        while let Some(next) = self.next() {
            match next {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                '.' => self.out.extend(["[^", LINE_ENDS, "]"]),
                '(' if self.rest.starts_with('?') => self.group()?,
                other => self.out.push(other),
            }
        }
        Ok(())
    }

    fn group(&mut self) -> Result<(), String> {
        for (mark, what) in
            [("?=", "look-ahead"), ("?!", "look-ahead"), ("?<=", "look-behind"), ("?<!", "look-behind")]
        {
            if self.rest.starts_with(mark) {
                return Err(format!("RE2 has no {what} `({mark}`"));
            }
        }
        if !self.rest.starts_with("?:") && !self.rest.starts_with("?<") {
            return Err("a group that begins so is not part of ECMAScript".to_owned());
        }
        self.out.push('(');
        Ok(())
    }

    fn class(&mut self) -> Result<(), String> {
        if self.take("^]") {
            self.out.push_str(r"(?s:.)");
            return Ok(());
        }
        if self.take("]") {
            self.out.push_str(r"[^\x00-\x{10FFFF}]");
            return Ok(());
        }
        self.out.push('[');
        if self.take("^") {
            self.out.push('^');
        }
        loop {
            match self.next() {
                None => return Err("a class `[` is not closed".to_owned()),
                Some(']') => break,
                Some('[') => self.out.push_str(r"\["),
                Some('\\') => self.escape(true)?,
                Some(other) => self.out.push(other),
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn escape(&mut self, in_class: bool) -> Result<(), String> {
        let Some(next) = self.next() else { return Err("trailing backslash".to_owned()) };
        match next {
            's' if in_class => self.out.push_str(SPACE),
            's' => self.out.extend(["[", SPACE, "]"]),
            'S' if !in_class => self.out.extend(["[^", SPACE, "]"]),
            'S' => return Err(r"RE2 reads `\S` in a class otherwise".to_owned()),
            'b' if in_class => self.out.push_str(r"\x08"),
            'd' | 'D' | 'w' | 'W' | 't' | 'n' | 'r' | 'f' | 'v' | 'b' | 'B' | 'p' | 'P' => self.keep(next),
            'x' => match self.hex(2) {
                Some(code) => self.code(code),
                None => return Err(r"`\x` needs two hexadecimal digits".to_owned()),
            },
            'u' => self.unicode()?,
            'c' => match self.next().filter(char::is_ascii_alphabetic) {
                Some(letter) => self.code(u32::from(letter.to_ascii_uppercase()) - 64),
                None => return Err(r"`\c` needs a letter".to_owned()),
            },
            '0' if !self.rest.starts_with(|digit: char| digit.is_ascii_digit()) => self.code(0),
            '0'..='9' => return Err(format!(r"RE2 has no reference `\{next}` to a group")),
            letter if letter.is_ascii_alphabetic() => {
                return Err(format!(r"`\{letter}` is not an escape of ECMAScript"));
            }
            sign if sign.is_ascii() => self.keep(sign),
            other => self.out.push(other),
        }
        Ok(())
    }

    fn keep(&mut self, letter: char) {
        self.out.push('\\');
        self.out.push(letter);
    }

    fn code(&mut self, code: u32) {
        let code = format!("{code:X}");
        self.out.extend([r"\x{", &code, "}"]);
    }

    /// Number of hexadecimal digits.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text =
            self.rest.get(..digits).filter(|text| text.chars().all(|digit| digit.is_ascii_hexdigit()))?;
        let code = u32::from_str_radix(text, 16).ok()?;
        self.rest = self.rest.get(digits..)?;
        Some(code)
    }

    /// `\u0041`, `\u{41}`, and a pair of surrogates, which is one character.
    fn unicode(&mut self) -> Result<(), String> {
        let wrong = || r"`\u` needs a character of Unicode".to_owned();
        if self.take("{") {
            let end = self.rest.find('}').filter(|end| *end <= 8).ok_or_else(wrong)?;
            let code = self.hex(end).ok_or_else(wrong)?;
            self.next();
            self.code(char::from_u32(code).ok_or_else(wrong)?.into());
            return Ok(());
        }
        let first = self.hex(4).ok_or_else(wrong)?;
        let code = if (0xD800..0xDC00).contains(&first) && self.take(r"\u") {
            let second = self.hex(4).filter(|second| (0xDC00..0xE000).contains(second)).ok_or_else(wrong)?;
            0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        } else {
            first
        };
        self.code(char::from_u32(code).ok_or_else(wrong)?.into());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::to_re2;

    #[test]
    fn what_both_dialects_share_stays_as_it_is() {
        for pattern in ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", r"\d+\/\w{1,3}", "", "a{,3}", r"^(?:a|b)\b"] {
            assert_eq!(to_re2(pattern).as_deref(), Ok(pattern));
        }
    }

    #[test]
    fn what_is_spelled_otherwise_matches_the_same() {
        let cases = [
            (r"^\u0041\x42\cI$", "AB\t", "u0041"),
            (r"^\uD83D\uDE00$", "\u{1F600}", "D83D"),
            (r"^\s$", "\u{A0}", "x"),
            ("^.$", "a", "\r"),
            ("^[^]$", "\n", ""),
            (r"^[\b[]+$", "[\u{8}", "b"),
        ];
        for (pattern, yes, no) in cases {
            let regex = crate::parse(&to_re2(pattern).unwrap()).unwrap();
            let matcher = regex.compile_matcher().unwrap();
            assert!(matcher.is_match(yes) && !matcher.is_match(no), "{pattern}");
        }
    }

    #[test]
    fn what_re2_lacks_or_reads_otherwise_is_refused() {
        for pattern in
            ["(?=a)", r"(a)\1", r"^a\Z", r"\Qa", "(?i)a", "[a", r"(?<!a)b", "a{1001}", r"\u{110000}", "a++"]
        {
            assert!(to_re2(pattern).is_err(), "{pattern}");
        }
    }
}
