//! Functions of Kubernetes' own types: quantity, url, ip, cidr, semver, format.

use super::{Overload, SignatureType, global, member};

/// An exact resource quantity.
const QUANTITY: SignatureType = SignatureType::Opaque("kubernetes.Quantity");
/// A parsed URL.
const URL: SignatureType = SignatureType::Opaque("kubernetes.URL");
/// An IP address.
const IP: SignatureType = SignatureType::Opaque("net.IP");
/// A network.
const CIDR: SignatureType = SignatureType::Opaque("net.CIDR");
/// A semantic version.
const SEMVER: SignatureType = SignatureType::Opaque("kubernetes.Semver");
/// A named format of strings.
const FORMAT: SignatureType = SignatureType::Opaque("kubernetes.NamedFormat");

/// The overloads of Kubernetes' libraries.
#[rustfmt::skip]
pub(super) const OVERLOADS: &[Overload] = &[
    global("quantity", "string_to_quantity", &[SignatureType::String], QUANTITY),
    global("isQuantity", "is_quantity_string", &[SignatureType::String], SignatureType::Bool),
    global("sign", "quantity_sign", &[QUANTITY], SignatureType::Int),
    member("isGreaterThan", "quantity_is_greater_than", &[QUANTITY, QUANTITY], SignatureType::Bool),
    member("isLessThan", "quantity_is_less_than", &[QUANTITY, QUANTITY], SignatureType::Bool),
    member("compareTo", "quantity_compare_to", &[QUANTITY, QUANTITY], SignatureType::Int),
    member("asApproximateFloat", "quantity_get_float", &[QUANTITY], SignatureType::Double),
    member("asInteger", "quantity_get_int", &[QUANTITY], SignatureType::Int),
    member("isInteger", "quantity_is_integer", &[QUANTITY], SignatureType::Bool),
    member("add", "quantity_add", &[QUANTITY, QUANTITY], QUANTITY),
    member("add", "quantity_add_int", &[QUANTITY, SignatureType::Int], QUANTITY),
    member("sub", "quantity_sub", &[QUANTITY, QUANTITY], QUANTITY),
    member("sub", "quantity_sub_int", &[QUANTITY, SignatureType::Int], QUANTITY),
    global("url", "string_to_url", &[SignatureType::String], URL),
    global("isURL", "is_url_string", &[SignatureType::String], SignatureType::Bool),
    member("getScheme", "url_get_scheme", &[URL], SignatureType::String),
    member("getHost", "url_get_host", &[URL], SignatureType::String),
    member("getHostname", "url_get_hostname", &[URL], SignatureType::String),
    member("getPort", "url_get_port", &[URL], SignatureType::String),
    member("getEscapedPath", "url_get_escaped_path", &[URL], SignatureType::String),
    member("getQuery", "url_get_query", &[URL], SignatureType::Map(&SignatureType::String, &SignatureType::List(&SignatureType::String))),
    global("ip", "string_to_ip", &[SignatureType::String], IP),
    global("isIP", "is_ip", &[SignatureType::String], SignatureType::Bool),
    global("ip.isCanonical", "ip_is_canonical", &[SignatureType::String], SignatureType::Bool),
    member("family", "ip_family", &[IP], SignatureType::Int),
    member("isUnspecified", "ip_is_unspecified", &[IP], SignatureType::Bool),
    member("isLoopback", "ip_is_loopback", &[IP], SignatureType::Bool),
    member("isLinkLocalMulticast", "ip_is_link_local_multicast", &[IP], SignatureType::Bool),
    member("isLinkLocalUnicast", "ip_is_link_local_unicast", &[IP], SignatureType::Bool),
    member("isGlobalUnicast", "ip_is_global_unicast", &[IP], SignatureType::Bool),
    global("string", "ip_to_string", &[IP], SignatureType::String),
    global("cidr", "string_to_cidr", &[SignatureType::String], CIDR),
    global("isCIDR", "is_cidr", &[SignatureType::String], SignatureType::Bool),
    member("containsIP", "cidr_contains_ip_string", &[CIDR, SignatureType::String], SignatureType::Bool),
    member("containsIP", "cidr_contains_ip_ip", &[CIDR, IP], SignatureType::Bool),
    member("containsCIDR", "cidr_contains_cidr_string", &[CIDR, SignatureType::String], SignatureType::Bool),
    member("containsCIDR", "cidr_contains_cidr", &[CIDR, CIDR], SignatureType::Bool),
    member("ip", "cidr_ip", &[CIDR], IP),
    member("prefixLength", "cidr_prefix_length", &[CIDR], SignatureType::Int),
    member("masked", "cidr_masked", &[CIDR], CIDR),
    global("string", "cidr_to_string", &[CIDR], SignatureType::String),
    global("semver", "string_to_semver", &[SignatureType::String], SEMVER),
    global("semver", "string_bool_to_semver", &[SignatureType::String, SignatureType::Bool], SEMVER),
    global("isSemver", "is_semver_string", &[SignatureType::String], SignatureType::Bool),
    global("isSemver", "is_semver_string_bool", &[SignatureType::String, SignatureType::Bool], SignatureType::Bool),
    member("isGreaterThan", "semver_is_greater_than", &[SEMVER, SEMVER], SignatureType::Bool),
    member("isLessThan", "semver_is_less_than", &[SEMVER, SEMVER], SignatureType::Bool),
    member("compareTo", "semver_compare_to", &[SEMVER, SEMVER], SignatureType::Int),
    member("major", "semver_major", &[SEMVER], SignatureType::Int),
    member("minor", "semver_minor", &[SEMVER], SignatureType::Int),
    member("patch", "semver_patch", &[SEMVER], SignatureType::Int),
    global("format.named", "format_named", &[SignatureType::String], SignatureType::Optional(&FORMAT)),
    member("validate", "format_validate", &[FORMAT, SignatureType::String], SignatureType::Optional(&SignatureType::List(&SignatureType::String))),
    global("format.dns1123Label", "format_dns1123Label", &[], FORMAT),
    global("format.dns1123Subdomain", "format_dns1123Subdomain", &[], FORMAT),
    global("format.dns1035Label", "format_dns1035Label", &[], FORMAT),
    global("format.qualifiedName", "format_qualifiedName", &[], FORMAT),
    global("format.dns1123LabelPrefix", "format_dns1123LabelPrefix", &[], FORMAT),
    global("format.dns1123SubdomainPrefix", "format_dns1123SubdomainPrefix", &[], FORMAT),
    global("format.dns1035LabelPrefix", "format_dns1035LabelPrefix", &[], FORMAT),
    global("format.labelValue", "format_labelValue", &[], FORMAT),
    global("format.uri", "format_uri", &[], FORMAT),
    global("format.uuid", "format_uuid", &[], FORMAT),
    global("format.byte", "format_byte", &[], FORMAT),
    global("format.date", "format_date", &[], FORMAT),
    global("format.datetime", "format_datetime", &[], FORMAT),
];
