//! IP addresses as Go reads them, with its words for what is none.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::go_text::quote_string;

/// An address, and whether it names a zone.
pub(crate) struct IpAddress {
    pub(crate) ip: IpAddr,
    pub(crate) has_zone: bool,
}

/// Reads an address.
// net/netip, ParseAddr
pub(crate) fn parse_address(text: &str) -> Result<IpAddress, String> {
    let problem = match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => match four_fields(text) {
            Ok(fields) => return Ok(IpAddress { ip: Ipv4Addr::from(fields).into(), has_zone: false }),
            Err(problem) => problem,
        },
        Some(b':') => match six(text) {
            Ok((bytes, has_zone)) => return Ok(IpAddress { ip: Ipv6Addr::from(bytes).into(), has_zone }),
            Err(problem) => problem,
        },
        Some(_) => plain("missing IPv6 address"),
        None => plain("unable to parse IP"),
    };
    let at = problem.at.map_or_else(String::new, |at| format!(" (at {})", quote_string(&at)));
    Err(format!("ParseAddr({}): {}{at}", quote_string(text), problem.message))
}

struct AddressProblem {
    message: &'static str,
    /// From where on the text is wrong.
    at: Option<String>,
}

fn plain(message: &'static str) -> AddressProblem {
    AddressProblem { message, at: None }
}

fn placed(message: &'static str, at: &str) -> AddressProblem {
    AddressProblem { message, at: Some(at.to_owned()) }
}

// net/netip, parseIPv4Fields
fn four_fields(text: &str) -> Result<[u8; 4], AddressProblem> {
    let mut fields = [0; 4];
    let (mut value, mut digits, mut position) = (0_u32, 0, 0);
    for (index, char) in text.char_indices() {
        let here = text.get(index..).unwrap_or_default();
        match char {
            '0'..='9' => {
                if digits == 1 && value == 0 {
                    return Err(plain("IPv4 field has octet with leading zero"));
                }
                value = value * 10 + char.to_digit(10).unwrap_or_default();
                digits += 1;
                if value > 255 {
                    return Err(plain("IPv4 field has value >255"));
                }
            }
            '.' => {
                if index == 0 || here.len() == 1 || digits == 0 {
                    return Err(placed("IPv4 field must have at least one digit", here));
                }
                if position == 3 {
                    return Err(plain("IPv4 address too long"));
                }
                set(&mut fields, position, value);
                (value, digits, position) = (0, 0, position + 1);
            }
            _ => return Err(placed("unexpected character", here)),
        }
    }
    if position < 3 {
        return Err(plain("IPv4 address too short"));
    }
    set(&mut fields, 3, value);
    Ok(fields)
}

fn set(fields: &mut [u8], position: usize, value: u32) {
    if let Some(field) = fields.get_mut(position) {
        *field = u8::try_from(value).unwrap_or(u8::MAX);
    }
}

/// The bytes of an IPv6 address, and whether it names a zone.
// net/netip, parseIPv6
fn six(text: &str) -> Result<([u8; 16], bool), AddressProblem> {
    let (mut rest, zone) = text.split_once('%').map_or((text, None), |(rest, zone)| (rest, Some(zone)));
    if zone == Some("") {
        return Err(plain("zone must be a non-empty string"));
    }
    let mut bytes = Vec::new();
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix("::") {
        (rest, ellipsis) = (after, Some(0));
    }
    while bytes.len() < 16 && !(rest.is_empty() && ellipsis == Some(bytes.len())) {
        let (group, after) = group(rest)?;
        if after.starts_with('.') {
            if ellipsis.is_none() && bytes.len() != 12 {
                let message = "embedded IPv4 address must replace the final 2 fields of the address";
                return Err(placed(message, rest));
            }
            if bytes.len() + 4 > 16 {
                let message = "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(placed(message, rest));
            }
            bytes.extend(four_fields(rest)?);
            rest = "";
            break;
        }
        bytes.extend(group.to_be_bytes());
        rest = after;
        if rest.is_empty() {
            break;
        }
        rest = after_colon(rest, bytes.len(), &mut ellipsis)?;
    }
    if !rest.is_empty() {
        return Err(placed("trailing garbage after address", rest));
    }
    Ok((expanded(&bytes, ellipsis)?, zone.is_some()))
}

/// A hexadecimal number of up to four digits, and what follows.
// net/netip, parseIPv6: the loop over the digits of one field
fn group(text: &str) -> Result<(u16, &str), AddressProblem> {
    let end = text.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(text.len());
    if end == 0 {
        return Err(placed("each colon-separated field must have at least one digit", text));
    }
    if end > 4 {
        return Err(placed("each group must have 4 or fewer digits", text));
    }
    let (digits, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    Ok((u16::from_str_radix(digits, 16).unwrap_or_default(), rest))
}

/// Returns the rest after a colon, or after the two of an ellipsis.
fn after_colon<'a>(
    text: &'a str,
    length: usize,
    ellipsis: &mut Option<usize>,
) -> Result<&'a str, AddressProblem> {
    let Some(rest) = text.strip_prefix(':') else {
        return Err(placed("unexpected character, want colon", text));
    };
    if rest.is_empty() {
        return Err(placed("colon must be followed by more characters", text));
    }
    match rest.strip_prefix(':') {
        Some(_) if ellipsis.is_some() => Err(placed("multiple :: in address", rest)),
        Some(after) => {
            *ellipsis = Some(length);
            Ok(after)
        }
        None => Ok(rest),
    }
}

fn expanded(bytes: &[u8], ellipsis: Option<usize>) -> Result<[u8; 16], AddressProblem> {
    let missing = 16 - bytes.len().min(16);
    let all = match ellipsis {
        None if missing > 0 => return Err(plain("address string too short")),
        Some(_) if missing == 0 => {
            return Err(plain("the :: must expand to at least one field of zeros"));
        }
        at => {
            let (before, after) = bytes.split_at_checked(at.unwrap_or(bytes.len())).unwrap_or((bytes, &[]));
            [before, &vec![0; missing], after].concat()
        }
    };
    all.try_into().map_err(|_| plain("trailing garbage after address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_go_reads_them() {
        for text in [
            "1.2.3.4",
            "::",
            "::1",
            "1::",
            "1:2:3:4:5:6:7:8",
            "fe80::1%eth0",
            "::ffff:1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4",
        ] {
            let address = parse_address(text).map(|it| it.ip);
            let plain = text.split('%').next().unwrap();
            assert_eq!(address.ok(), plain.parse().ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_told_in_the_words_of_go() {
        let expected = [
            ("", "unable to parse IP"),
            ("a", "unable to parse IP"),
            ("%eth0", "missing IPv6 address"),
            ("1.2.3", "IPv4 address too short"),
            ("1.2.3.4.5", "IPv4 address too long"),
            ("1.2.3.256", "IPv4 field has value >255"),
            ("1.2.3.04", "IPv4 field has octet with leading zero"),
            ("1..2.3", r#"IPv4 field must have at least one digit (at ".2.3")"#),
            (".1.2.3", r#"IPv4 field must have at least one digit (at ".1.2.3")"#),
            ("1.2.3.", r#"IPv4 field must have at least one digit (at ".")"#),
            ("1.2.3.4/8", r#"unexpected character (at "/8")"#),
            ("1:2", "address string too short"),
            ("1:2:", r#"colon must be followed by more characters (at ":")"#),
            ("1:2:3:4:5:6:7:8:9", r#"trailing garbage after address (at "9")"#),
            ("1::2::3", r#"multiple :: in address (at ":3")"#),
            ("12345::", r#"each group must have 4 or fewer digits (at "12345::")"#),
            ("g::", r#"each colon-separated field must have at least one digit (at "g::")"#),
            ("1:2g::", r#"unexpected character, want colon (at "g::")"#),
            ("fe80::1%", "zone must be a non-empty string"),
            ("1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"),
            (
                "1:1.2.3.4",
                r#"embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")"#,
            ),
        ];
        for (text, problem) in expected {
            let message = parse_address(text).err().unwrap_or_default();
            assert_eq!(message, format!("ParseAddr({}): {problem}", quote_string(text)));
        }
    }
}
