//! Functions of Kubernetes' own types: quantity, url, ip, cidr, semver, format.

use super::{Overload, Ty, global, member};

/// An exact resource quantity.
const QUANTITY: Ty = Ty::Opaque("kubernetes.Quantity");
/// A parsed URL.
const URL: Ty = Ty::Opaque("kubernetes.URL");
/// An IP address.
const IP: Ty = Ty::Opaque("net.IP");
/// A network.
const CIDR: Ty = Ty::Opaque("net.CIDR");
/// A semantic version.
const SEMVER: Ty = Ty::Opaque("kubernetes.Semver");
/// A named format of strings.
const FORMAT: Ty = Ty::Opaque("kubernetes.NamedFormat");

/// The overloads of Kubernetes' libraries.
#[rustfmt::skip]
pub(super) const OVERLOADS: &[Overload] = &[
    global("quantity", "string_to_quantity", &[Ty::String], QUANTITY),
    global("isQuantity", "is_quantity_string", &[Ty::String], Ty::Bool),
    global("sign", "quantity_sign", &[QUANTITY], Ty::Int),
    member("isGreaterThan", "quantity_is_greater_than", &[QUANTITY, QUANTITY], Ty::Bool),
    member("isLessThan", "quantity_is_less_than", &[QUANTITY, QUANTITY], Ty::Bool),
    member("compareTo", "quantity_compare_to", &[QUANTITY, QUANTITY], Ty::Int),
    member("asApproximateFloat", "quantity_get_float", &[QUANTITY], Ty::Double),
    member("asInteger", "quantity_get_int", &[QUANTITY], Ty::Int),
    member("isInteger", "quantity_is_integer", &[QUANTITY], Ty::Bool),
    member("add", "quantity_add", &[QUANTITY, QUANTITY], QUANTITY),
    member("add", "quantity_add_int", &[QUANTITY, Ty::Int], QUANTITY),
    member("sub", "quantity_sub", &[QUANTITY, QUANTITY], QUANTITY),
    member("sub", "quantity_sub_int", &[QUANTITY, Ty::Int], QUANTITY),
    global("url", "string_to_url", &[Ty::String], URL),
    global("isURL", "is_url_string", &[Ty::String], Ty::Bool),
    member("getScheme", "url_get_scheme", &[URL], Ty::String),
    member("getHost", "url_get_host", &[URL], Ty::String),
    member("getHostname", "url_get_hostname", &[URL], Ty::String),
    member("getPort", "url_get_port", &[URL], Ty::String),
    member("getEscapedPath", "url_get_escaped_path", &[URL], Ty::String),
    member("getQuery", "url_get_query", &[URL], Ty::Map(&Ty::String, &Ty::List(&Ty::String))),
    global("ip", "string_to_ip", &[Ty::String], IP),
    global("isIP", "is_ip", &[Ty::String], Ty::Bool),
    global("ip.isCanonical", "ip_is_canonical", &[Ty::String], Ty::Bool),
    member("family", "ip_family", &[IP], Ty::Int),
    member("isUnspecified", "ip_is_unspecified", &[IP], Ty::Bool),
    member("isLoopback", "ip_is_loopback", &[IP], Ty::Bool),
    member("isLinkLocalMulticast", "ip_is_link_local_multicast", &[IP], Ty::Bool),
    member("isLinkLocalUnicast", "ip_is_link_local_unicast", &[IP], Ty::Bool),
    member("isGlobalUnicast", "ip_is_global_unicast", &[IP], Ty::Bool),
    global("string", "ip_to_string", &[IP], Ty::String),
    global("cidr", "string_to_cidr", &[Ty::String], CIDR),
    global("isCIDR", "is_cidr", &[Ty::String], Ty::Bool),
    member("containsIP", "cidr_contains_ip_string", &[CIDR, Ty::String], Ty::Bool),
    member("containsIP", "cidr_contains_ip_ip", &[CIDR, IP], Ty::Bool),
    member("containsCIDR", "cidr_contains_cidr_string", &[CIDR, Ty::String], Ty::Bool),
    member("containsCIDR", "cidr_contains_cidr", &[CIDR, CIDR], Ty::Bool),
    member("ip", "cidr_ip", &[CIDR], IP),
    member("prefixLength", "cidr_prefix_length", &[CIDR], Ty::Int),
    member("masked", "cidr_masked", &[CIDR], CIDR),
    global("string", "cidr_to_string", &[CIDR], Ty::String),
    global("semver", "string_to_semver", &[Ty::String], SEMVER),
    global("semver", "string_bool_to_semver", &[Ty::String, Ty::Bool], SEMVER),
    global("isSemver", "is_semver_string", &[Ty::String], Ty::Bool),
    global("isSemver", "is_semver_string_bool", &[Ty::String, Ty::Bool], Ty::Bool),
    member("isGreaterThan", "semver_is_greater_than", &[SEMVER, SEMVER], Ty::Bool),
    member("isLessThan", "semver_is_less_than", &[SEMVER, SEMVER], Ty::Bool),
    member("compareTo", "semver_compare_to", &[SEMVER, SEMVER], Ty::Int),
    member("major", "semver_major", &[SEMVER], Ty::Int),
    member("minor", "semver_minor", &[SEMVER], Ty::Int),
    member("patch", "semver_patch", &[SEMVER], Ty::Int),
    global("format.named", "format_named", &[Ty::String], Ty::Optional(&FORMAT)),
    member("validate", "format_validate", &[FORMAT, Ty::String], Ty::Optional(&Ty::List(&Ty::String))),
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
