//! IP addresses and networks.

use std::net::IpAddr;

use super::{EvalResult, Native, no_such_overload};
use crate::go_text::quote_string;
use crate::value::address::parse_address;
use crate::value::{EvalError, Value};

pub(super) fn find_network_function(name: &str, member: bool) -> Option<Native> {
    Some(match (name, member) {
        ("ip", false) => |args| text(args, |text| parse_ip(text).map(Value::Ip)),
        ("isIP", false) => |args| text(args, |text| Ok(Value::Bool(parse_ip(text).is_ok()))),
        ("ip.isCanonical", false) => {
            |args| text(args, |text| Ok(Value::Bool(parse_ip(text)?.to_string() == text)))
        }
        ("cidr", false) => {
            |args| text(args, |text| parse_cidr(text).map(|(ip, prefix)| Value::Cidr(ip, prefix)))
        }
        ("isCIDR", false) => |args| text(args, |text| Ok(Value::Bool(parse_cidr(text).is_ok()))),
        ("family", true) => |args| ip(args, |ip| Value::Int(if ip.is_ipv4() { 4 } else { 6 })),
        ("isUnspecified", true) => |args| ip(args, |ip| Value::Bool(ip.is_unspecified())),
        ("isLoopback", true) => |args| ip(args, |ip| Value::Bool(ip.is_loopback())),
        ("isLinkLocalMulticast", true) => |args| ip(args, |ip| Value::Bool(link_local_multicast(ip))),
        ("isLinkLocalUnicast", true) => |args| ip(args, |ip| Value::Bool(link_local_unicast(ip))),
        ("isGlobalUnicast", true) => |args| ip(args, |ip| Value::Bool(global_unicast(ip))),
        ("ip", true) => |args| cidr(args, |ip, _| Value::Ip(ip)),
        ("prefixLength", true) => |args| cidr(args, |_, prefix| Value::Int(i64::from(prefix))),
        ("masked", true) => |args| cidr(args, |ip, prefix| Value::Cidr(masked(ip, prefix), prefix)),
        ("containsIP", true) => contains_ip,
        ("containsCIDR", true) => contains_cidr,
        _ => return None,
    })
}

fn text(args: &[Value], work: fn(&str) -> EvalResult) -> EvalResult {
    match args {
        [Value::String(text)] => work(text),
        _ => no_such_overload(),
    }
}

fn ip(args: &[Value], work: fn(IpAddr) -> Value) -> EvalResult {
    match args {
        [Value::Ip(address)] => Ok(work(*address)),
        _ => no_such_overload(),
    }
}

fn cidr(args: &[Value], work: fn(IpAddr, u8) -> Value) -> EvalResult {
    match args {
        [Value::Cidr(address, prefix)] => Ok(work(*address, *prefix)),
        _ => no_such_overload(),
    }
}

/// Addresses with a zone and IPv4 inside of IPv6 are refused.
// apiserver pkg/cel/library/ip.go, parseIPAddr
fn parse_ip(text: &str) -> Result<IpAddr, EvalError> {
    let shown = quote_string(text);
    let address = parse_address(text).map_err(|problem| {
        EvalError::new(format!("IP Address {shown} parse error during conversion from string: {problem}"))
    })?;
    if address.has_zone {
        return Err(EvalError::new(format!("IP address {shown} with zone value is not allowed")));
    }
    if is_mapped(address.ip) {
        return Err(EvalError::new(format!("IPv4-mapped IPv6 address {shown} is not allowed")));
    }
    Ok(address.ip)
}

fn is_mapped(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some())
}

// apiserver pkg/cel/library/cidr.go, parseCIDR
fn parse_cidr(text: &str) -> Result<(IpAddr, u8), EvalError> {
    let prefix = "network address parse error during conversion from string";
    let shown = quote_string(text);
    let (ip, length) = parse_prefix(text).map_err(|problem| {
        EvalError::new(format!("{prefix}: {prefix}: netip.ParsePrefix({shown}): {problem}"))
    })?;
    if is_mapped(ip) {
        return Err(EvalError::new(format!("{prefix}: IPv4-mapped IPv6 address {shown} is not allowed")));
    }
    Ok((ip, length))
}

// net/netip, ParsePrefix
fn parse_prefix(text: &str) -> Result<(IpAddr, u8), String> {
    let (address, length) = text.rsplit_once('/').ok_or("no '/'")?;
    let address = parse_address(address)?;
    if address.has_zone {
        return Err("IPv6 zones cannot be present in a prefix".to_owned());
    }
    let bad = || format!("bad bits after slash: {}", quote_string(length));
    let has_sign_or_zero = length.len() > 1 && !length.starts_with(|c: char| ('1'..='9').contains(&c));
    let bits: i64 = length.parse().ok().filter(|_| !has_sign_or_zero).ok_or_else(bad)?;
    let most = if address.ip.is_ipv4() { 32 } else { 128 };
    let bits = u8::try_from(bits).ok().filter(|bits| *bits <= most);
    Ok((address.ip, bits.ok_or("prefix length out of range")?))
}

// net/netip, Addr.IsLinkLocalMulticast
fn link_local_multicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => matches!(ip.octets(), [224, 0, 0, _]),
        IpAddr::V6(ip) => matches!(ip.octets(), [0xff, second, ..] if second & 0x0f == 2),
    }
}

fn link_local_unicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

// net/netip, Addr.IsGlobalUnicast: private addresses are global
fn global_unicast(ip: IpAddr) -> bool {
    let broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    !(broadcast || ip.is_unspecified() || ip.is_loopback() || ip.is_multicast() || link_local_unicast(ip))
}

fn bits(ip: IpAddr) -> (u128, u32) {
    match ip {
        IpAddr::V4(ip) => (u128::from(ip.to_bits()), 32),
        IpAddr::V6(ip) => (ip.to_bits(), 128),
    }
}

fn masked(ip: IpAddr, prefix: u8) -> IpAddr {
    let (value, width) = bits(ip);
    let hidden = width - u32::from(prefix);
    let kept = value.checked_shr(hidden).and_then(|it| it.checked_shl(hidden)).unwrap_or(0);
    match ip {
        IpAddr::V4(_) => IpAddr::V4(u32::try_from(kept).unwrap_or(0).into()),
        IpAddr::V6(_) => IpAddr::V6(kept.into()),
    }
}

fn within(ip: IpAddr, (network, prefix): (IpAddr, u8)) -> bool {
    ip.is_ipv4() == network.is_ipv4() && masked(ip, prefix) == masked(network, prefix)
}

// apiserver pkg/cel/library/cidr.go, cidrContainsIP and cidrContainsIPString
fn contains_ip(args: &[Value]) -> EvalResult {
    let (network, ip) = match args {
        [Value::Cidr(network, prefix), Value::Ip(ip)] => ((*network, *prefix), *ip),
        [Value::Cidr(network, prefix), Value::String(text)] => {
            // The server does not hand on what is wrong with the address.
            ((*network, *prefix), parse_ip(text).map_err(|_| EvalError::argument_mismatch())?)
        }
        _ => return no_such_overload(),
    };
    Ok(Value::Bool(within(ip, network)))
}

/// As older servers compare: the address of the inner network must be that of the masked outer one.
// apiserver v0.31 pkg/cel/library/cidr.go, cidrContainsCIDR: netip.PrefixFrom keeps the address
pub(in crate::eval) fn contains_unmasked_cidr(args: &[Value]) -> EvalResult {
    let ((ip, length), (inner, prefix)) = match args {
        [Value::Cidr(network, length), Value::Cidr(ip, prefix)] => ((*network, *length), (*ip, *prefix)),
        [Value::Cidr(network, length), Value::String(text)] => ((*network, *length), parse_cidr(text)?),
        _ => return no_such_overload(),
    };
    Ok(Value::Bool(masked(ip, length) == inner && length <= prefix))
}

// apiserver pkg/cel/library/cidr.go, cidrContainsCIDR and cidrContainsCIDRString
fn contains_cidr(args: &[Value]) -> EvalResult {
    let (network, (ip, prefix)) = match args {
        [Value::Cidr(network, length), Value::Cidr(ip, prefix)] => ((*network, *length), (*ip, *prefix)),
        [Value::Cidr(network, length), Value::String(text)] => ((*network, *length), parse_cidr(text)?),
        _ => return no_such_overload(),
    };
    Ok(Value::Bool(within(ip, network) && prefix >= network.1))
}
