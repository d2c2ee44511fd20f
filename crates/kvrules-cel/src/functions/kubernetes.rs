//! Functions of Kubernetes' own types: quantity, url, ip, cidr, semver, format.

use super::{Overload, SignatureType, global_overload, member_overload};

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
// apiserver pkg/cel/library: quantityLibraryDecls, urlLibraryDecls, cidrLibraryDecls, formatLibraryDecls; ip.go, semverlib.go
#[rustfmt::skip]
pub(super) const OVERLOADS: &[Overload] = &[
    global_overload("quantity", "string_to_quantity", &[SignatureType::String], QUANTITY),
    global_overload("isQuantity", "is_quantity_string", &[SignatureType::String], SignatureType::Bool),
    global_overload("sign", "quantity_sign", &[QUANTITY], SignatureType::Int),
    member_overload("isGreaterThan", "quantity_is_greater_than", &[QUANTITY, QUANTITY], SignatureType::Bool),
    member_overload("isLessThan", "quantity_is_less_than", &[QUANTITY, QUANTITY], SignatureType::Bool),
    member_overload("compareTo", "quantity_compare_to", &[QUANTITY, QUANTITY], SignatureType::Int),
    member_overload("asApproximateFloat", "quantity_get_float", &[QUANTITY], SignatureType::Double),
    member_overload("asInteger", "quantity_get_int", &[QUANTITY], SignatureType::Int),
    member_overload("isInteger", "quantity_is_integer", &[QUANTITY], SignatureType::Bool),
    member_overload("add", "quantity_add", &[QUANTITY, QUANTITY], QUANTITY),
    member_overload("add", "quantity_add_int", &[QUANTITY, SignatureType::Int], QUANTITY),
    member_overload("sub", "quantity_sub", &[QUANTITY, QUANTITY], QUANTITY),
    member_overload("sub", "quantity_sub_int", &[QUANTITY, SignatureType::Int], QUANTITY),
    global_overload("url", "string_to_url", &[SignatureType::String], URL),
    global_overload("isURL", "is_url_string", &[SignatureType::String], SignatureType::Bool),
    member_overload("getScheme", "url_get_scheme", &[URL], SignatureType::String),
    member_overload("getHost", "url_get_host", &[URL], SignatureType::String),
    member_overload("getHostname", "url_get_hostname", &[URL], SignatureType::String),
    member_overload("getPort", "url_get_port", &[URL], SignatureType::String),
    member_overload("getEscapedPath", "url_get_escaped_path", &[URL], SignatureType::String),
    member_overload("getQuery", "url_get_query", &[URL], SignatureType::Map(&SignatureType::String, &SignatureType::List(&SignatureType::String))),
    global_overload("ip", "string_to_ip", &[SignatureType::String], IP),
    global_overload("isIP", "is_ip", &[SignatureType::String], SignatureType::Bool),
    global_overload("ip.isCanonical", "ip_is_canonical", &[SignatureType::String], SignatureType::Bool),
    member_overload("family", "ip_family", &[IP], SignatureType::Int),
    member_overload("isUnspecified", "ip_is_unspecified", &[IP], SignatureType::Bool),
    member_overload("isLoopback", "ip_is_loopback", &[IP], SignatureType::Bool),
    member_overload("isLinkLocalMulticast", "ip_is_link_local_multicast", &[IP], SignatureType::Bool),
    member_overload("isLinkLocalUnicast", "ip_is_link_local_unicast", &[IP], SignatureType::Bool),
    member_overload("isGlobalUnicast", "ip_is_global_unicast", &[IP], SignatureType::Bool),
    global_overload("string", "ip_to_string", &[IP], SignatureType::String),
    global_overload("cidr", "string_to_cidr", &[SignatureType::String], CIDR),
    global_overload("isCIDR", "is_cidr", &[SignatureType::String], SignatureType::Bool),
    member_overload("containsIP", "cidr_contains_ip_string", &[CIDR, SignatureType::String], SignatureType::Bool),
    member_overload("containsIP", "cidr_contains_ip_ip", &[CIDR, IP], SignatureType::Bool),
    member_overload("containsCIDR", "cidr_contains_cidr_string", &[CIDR, SignatureType::String], SignatureType::Bool),
    member_overload("containsCIDR", "cidr_contains_cidr", &[CIDR, CIDR], SignatureType::Bool),
    member_overload("ip", "cidr_ip", &[CIDR], IP),
    member_overload("prefixLength", "cidr_prefix_length", &[CIDR], SignatureType::Int),
    member_overload("masked", "cidr_masked", &[CIDR], CIDR),
    global_overload("string", "cidr_to_string", &[CIDR], SignatureType::String),
    global_overload("semver", "string_to_semver", &[SignatureType::String], SEMVER),
    global_overload("semver", "string_bool_to_semver", &[SignatureType::String, SignatureType::Bool], SEMVER),
    global_overload("isSemver", "is_semver_string", &[SignatureType::String], SignatureType::Bool),
    global_overload("isSemver", "is_semver_string_bool", &[SignatureType::String, SignatureType::Bool], SignatureType::Bool),
    member_overload("isGreaterThan", "semver_is_greater_than", &[SEMVER, SEMVER], SignatureType::Bool),
    member_overload("isLessThan", "semver_is_less_than", &[SEMVER, SEMVER], SignatureType::Bool),
    member_overload("compareTo", "semver_compare_to", &[SEMVER, SEMVER], SignatureType::Int),
    member_overload("major", "semver_major", &[SEMVER], SignatureType::Int),
    member_overload("minor", "semver_minor", &[SEMVER], SignatureType::Int),
    member_overload("patch", "semver_patch", &[SEMVER], SignatureType::Int),
    global_overload("format.named", "format_named", &[SignatureType::String], SignatureType::Optional(&FORMAT)),
    member_overload("validate", "format_validate", &[FORMAT, SignatureType::String], SignatureType::Optional(&SignatureType::List(&SignatureType::String))),
    global_overload("format.dns1123Label", "format_dns1123Label", &[], FORMAT),
    global_overload("format.dns1123Subdomain", "format_dns1123Subdomain", &[], FORMAT),
    global_overload("format.dns1035Label", "format_dns1035Label", &[], FORMAT),
    global_overload("format.qualifiedName", "format_qualifiedName", &[], FORMAT),
    global_overload("format.dns1123LabelPrefix", "format_dns1123LabelPrefix", &[], FORMAT),
    global_overload("format.dns1123SubdomainPrefix", "format_dns1123SubdomainPrefix", &[], FORMAT),
    global_overload("format.dns1035LabelPrefix", "format_dns1035LabelPrefix", &[], FORMAT),
    global_overload("format.labelValue", "format_labelValue", &[], FORMAT),
    global_overload("format.uri", "format_uri", &[], FORMAT),
    global_overload("format.uuid", "format_uuid", &[], FORMAT),
    global_overload("format.byte", "format_byte", &[], FORMAT),
    global_overload("format.date", "format_date", &[], FORMAT),
    global_overload("format.datetime", "format_datetime", &[], FORMAT),
];
