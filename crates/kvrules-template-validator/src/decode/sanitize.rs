//! The one thing that a VirtualMachine's decoder changes: addresses of name servers are rewritten in canonical form.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::schema::{GoSchema, TypeId};
use crate::value::ValueData;

/// Rewrites `dnsConfig.nameservers` of a `VirtualMachineInstanceSpec`.
// kubevirt.io/api core/v1 types.go, VirtualMachineInstanceSpec.UnmarshalJSON.
pub(super) fn name_servers(spec: TypeId, data: &mut ValueData) {
    let Some(ValueData::Pointer(config)) = member(spec, data, "DNSConfig").map(|(_, data)| data) else {
        return;
    };
    let Some((config_type, _)) = field(spec, "DNSConfig") else { return };
    let config_type = GoSchema::get().pointed_type(config_type);
    let Some((_, ValueData::List(servers))) = member(config_type, config, "Nameservers") else { return };
    for server in servers.shown_mut() {
        if let ValueData::Text(text) = server
            && let Some(canonical) = canonical(text)
        {
            *text = canonical;
        }
    }
}

fn field(ty: TypeId, go: &str) -> Option<(TypeId, usize)> {
    let at = GoSchema::get().fields(ty).iter().position(|field| field.go == go)?;
    Some((GoSchema::get().fields(ty).get(at)?.ty, at))
}

fn member<'d>(ty: TypeId, data: &'d mut ValueData, go: &str) -> Option<(TypeId, &'d mut ValueData)> {
    let (ty, at) = field(ty, go)?;
    let ValueData::Struct(fields) = data else { return None };
    Some((ty, fields.get_mut(at)?))
}

/// Leading zeros are let pass, and an IPv4 address in IPv6 clothes loses them.
// kubevirt.io/api core/v1 sanitizers.go, sanitizeIP, which is k8s.io/utils net.ParseIPSloppy. What is no address stays.
fn canonical(address: &str) -> Option<String> {
    if let Some(address) = four(address) {
        return Some(address.to_string());
    }
    // Go's IP has one form for an IPv4 address and the IPv6 address that maps it.
    let six: Ipv6Addr = address.parse().ok()?;
    Some(six.to_ipv4_mapped().map_or_else(|| six.to_string(), |four| four.to_string()))
}

fn four(address: &str) -> Option<Ipv4Addr> {
    let mut octets = [0_u8; 4];
    let mut parts = address.split('.');
    for octet in &mut octets {
        let part = parts.next().filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?;
        *octet = part.parse().ok()?;
    }
    parts.next().is_none().then(|| octets.into())
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn addresses_become_canonical_and_other_texts_stay() {
        assert_eq!(canonical("010.1.02.3").as_deref(), Some("10.1.2.3"));
        assert_eq!(canonical("::ffff:1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(canonical("FD00:0::0:1").as_deref(), Some("fd00::1"));
        for text in ["", "dns.example", "1.2.3", "1.2.3.256", "+1.2.3.4"] {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
