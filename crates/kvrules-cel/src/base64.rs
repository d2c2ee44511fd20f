//! Base64 as Go decodes it.

/// Decodes base64; the error is the server's message.
// encoding/base64, CorruptInputError
pub fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let corrupt = |at: usize| Err(format!("illegal base64 data at input byte {at}"));
    let (mut decoded, mut group, mut padding) = (Vec::new(), Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\n' | b'\r')) {
        match (byte, digit(byte)) {
            (b'=', _) if group.len() + padding >= 2 && group.len() + padding < 4 => padding += 1,
            (_, Some(digit)) if padding == 0 => group.push(digit),
            _ => return corrupt(at),
        }
        if group.len() + padding == 4 {
            let bits = group.iter().fold(0u32, |bits, digit| bits << 6 | u32::from(*digit)) << (6 * padding);
            decoded.extend(bits.to_be_bytes().into_iter().skip(1).take(3 - padding));
            if padding == 0 {
                group.clear();
            }
        }
    }
    let is_whole = group.is_empty() || group.len() + padding == 4;
    if is_whole { Ok(decoded) } else { corrupt(text.len().saturating_sub(group.len() + padding)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_as_go_does_it() {
        assert_eq!(decode_base64("aGk=").as_deref(), Ok("hi".as_bytes()));
        assert_eq!(decode_base64("aGV5").as_deref(), Ok("hey".as_bytes()));
        assert_eq!(decode_base64("").as_deref(), Ok("".as_bytes()));
        assert!(
            decode_base64("a!").is_err()
                && decode_base64("aGk").is_err()
                && decode_base64("=").is_err()
                && decode_base64("aGk=a").is_err()
                && decode_base64("aG=k").is_err()
        );
    }
}
