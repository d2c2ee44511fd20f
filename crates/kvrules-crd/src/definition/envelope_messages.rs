//! The server's refusals of what stands around the schemas, in words for the author.

use crate::text::backtick_text;

/// Message and help for errors with this end of the field and this beginning of the detail. `{value}` is the value in
/// the file.
struct EnvelopeMessage {
    field: &'static str,
    detail: &'static str,
    message: &'static str,
    help: &'static str,
}

const fn envelope_message(
    field: &'static str,
    detail: &'static str,
    message: &'static str,
    help: &'static str,
) -> EnvelopeMessage {
    EnvelopeMessage { field, detail, message, help }
}

const LABEL: &str = "write lower case letters, digits and `-`, at most 63 characters, that start with a letter and end with a letter or \
                     digit";
const KIND: &str = "write letters, digits and `-`, at most 63 characters, that start with a letter, such as `VirtualMachine`";
const PATH: &str = "write the path of a field, step by step from the object: `.spec.name`";
const APPROVAL: &str = "choose another group; the groups `k8s.io` and `kubernetes.io` belong to the Kubernetes project, whose \
                        definitions have the annotation with the address of the approval";

#[rustfmt::skip]
const SENTENCES: &[EnvelopeMessage] = &[
    envelope_message("spec.group", "should be a domain", "group {value} has no dot", "write a domain that is yours, such as `example.com`"),
    envelope_message("spec.group", "a lowercase RFC 1123", "invalid group {value}", "write a domain in lower case letters, such as `example.com`"),
    envelope_message("spec.group", "must be no more", "group {value} is too long", "write at most 253 characters"),
    envelope_message("spec.scope", "supported values", "unknown scope {value}", "write `Cluster` or `Namespaced`"),
    envelope_message("names.plural", "a DNS-1035", "invalid plural name {value}", LABEL),
    envelope_message("names.singular", "a DNS-1035", "invalid singular name {value}", LABEL),
    envelope_message("names.kind", "may have mixed case", "invalid kind {value}", KIND),
    envelope_message("names.listKind", "may have mixed case", "invalid list kind {value}", KIND),
    envelope_message("names.listKind", "kind and listKind", "`listKind` is the same as `kind`", "write another name, such as the kind followed by `List`, or remove it"),
    envelope_message("shortNames", "a DNS-1035", "invalid short name {value}", LABEL),
    envelope_message("categories", "a DNS-1035", "invalid category {value}", LABEL),
    envelope_message("names.", "must be no more than", "name {value} is too long", "write at most 63 characters"),
    envelope_message("name", "a DNS-1035", "invalid version name {value}", "write it as `v1`, `v1beta1` or `v2alpha1`"),
    envelope_message("name", "must be no more than", "version name {value} is too long", "write at most 63 characters"),
    envelope_message("spec.versions", "must contain unique", "duplicate version name", "rename one of them"),
    envelope_message("openAPIV3Schema", "", "missing schema of a version", "write `schema.openAPIV3Schema`; one that accepts everything is `type: object` with `x-kubernetes-preserve-unknown-fields: true`"),
    envelope_message("preserveUnknownFields", "cannot set to true", "`preserveUnknownFields: true` is not allowed in `v1`",
        "remove it, and write `x-kubernetes-preserve-unknown-fields: true` in the schema where it is needed"),
    envelope_message("deprecationWarning", "can only be set", "`deprecationWarning` of a version that is not deprecated", "write `deprecated: true`, or remove the warning"),
    envelope_message("deprecationWarning", "must be <= 256", "`deprecationWarning` exceeds 256 bytes", "shorten it"),
    envelope_message("deprecationWarning", "must not be an empty", "`deprecationWarning` is empty", "write a warning, or remove it: the server then writes one"),
    envelope_message("deprecationWarning", "must only contain", "unprintable character in `deprecationWarning`", "write it on one line, without control characters"),
    envelope_message("strategy", "supported values", "unknown conversion strategy {value}", "write `None` or `Webhook`"),
    envelope_message("strategy", "must be None", "conversion by a webhook next to `preserveUnknownFields: true`", "remove `preserveUnknownFields`"),
    envelope_message("webhookClientConfig", "required when", "missing `webhook.clientConfig` of the strategy `Webhook`", "write `clientConfig` with `service` or `url`"),
    envelope_message("webhookClientConfig", "exactly one of", "`clientConfig` needs exactly one of `url` and `service`", "keep one of the two"),
    envelope_message("webhookClientConfig", "should not be set", "`clientConfig` without the strategy `Webhook`", "write `strategy: Webhook`, or remove `webhook`"),
    envelope_message("conversionReviewVersions", "should not be set", "`conversionReviewVersions` without the strategy `Webhook`", "write `strategy: Webhook`, or remove `webhook`"),
    envelope_message("conversionReviewVersions", "must include", "no supported review version", "add `v1`"),
    envelope_message("conversionReviewVersions[", "duplicate version", "duplicate review version {value}", "remove one"),
    envelope_message("conversionReviewVersions[", "a DNS-1035", "invalid review version {value}", "write `v1`"),
    envelope_message("clientConfig.url", "'https' is", "URL {value} does not begin with `https`", "write `https://HOST/PATH`"),
    envelope_message("clientConfig.url", "host must be", "URL {value} has no host", "write `https://HOST/PATH`"),
    envelope_message("clientConfig.url", "user information", "URL {value} contains user information", "write `https://HOST/PATH`"),
    envelope_message("clientConfig.url", "fragments", "URL {value} has a fragment", "remove `#` and what follows it"),
    envelope_message("clientConfig.url", "query parameters", "URL {value} has a query", "remove `?` and what follows it"),
    envelope_message("clientConfig.url", "url must be", "invalid URL {value}", "write `https://HOST/PATH`"),
    envelope_message("service.port", "port is not valid", "invalid port {value}", "write a number from 1 to 65535"),
    envelope_message("service.path", "", "invalid path {value}", "write steps of lower case letters, digits, `-` and `.`, such as `/convert`"),
    envelope_message("caBundle", "", "`caBundle` contains no certificate", "write a certificate in PEM form, encoded in base64"),
    envelope_message("jsonPath", "must be a simple", "path {value} does not begin with `.`", PATH),
    envelope_message("type", "must be one of", "unknown column type {value}", "write `string`, `integer`, `number`, `boolean` or `date`"),
    envelope_message("format", "must be one of", "unknown column format {value}", "write `int32`, `int64`, `float`, `double`, `byte`, `date`, `date-time` or `password`, or remove it"),
    envelope_message("ReplicasPath", "must be a simple", "path {value} does not begin with `.`", PATH),
    envelope_message("specReplicasPath", "should be", "path {value} is not below `.spec`", "write the path of the field with the wanted number, such as `.spec.replicas`"),
    envelope_message("statusReplicasPath", "should be", "path {value} is not below `.status`", "write the path of the field with the present number, such as `.status.replicas`"),
    envelope_message("labelSelectorPath", "", "path {value} is not below `.spec` or `.status`", "write the path of a string field with the selector, such as `.status.selector`"),
    envelope_message("jsonPath", "is an invalid path: does not refer", "unknown field {value} in `selectableFields`", "declare the field in the schema; lists and fields of `metadata` cannot be selected by"),
    envelope_message("jsonPath", "is an invalid path", "invalid path {value} in `selectableFields`", PATH),
    envelope_message("jsonPath", "must point to", "{value} is not a string, an integer or a boolean", "select by fields of these types only"),
    envelope_message("jsonPath", "must not point", "{value} is a field of `metadata`", "remove it: objects can be selected by name and namespace anyway"),
    envelope_message("jsonPath", "", "duplicate selectable field {value}", "remove one"),
    envelope_message("selectableFields", "must have at most", "more than 8 selectable fields", "remove some"),
    envelope_message("selectableFields", "selectableFields may only", "selectable fields of a version without a schema", "write `schema.openAPIV3Schema`"),
    envelope_message("openAPIV3Schema", "OpenAPIV3Schema '", "selectable fields of a schema that is not structural", "make the schema structural first"),
    envelope_message("api-approved.kubernetes.io]", "protected groups must have approval annotation \"api-approved.kubernetes.io\" with", "`api-approved.kubernetes.io` is neither a URL nor a reason", "write the address of the approval, or a reason that begins with `unapproved`"),
    envelope_message("api-approved.kubernetes.io]", "", "the group is reserved: missing annotation `api-approved.kubernetes.io`", APPROVAL),
];

/// Returns the message and the help for an error; `None` if the error is unknown.
pub(super) fn find_message(field: &str, detail: &str, value: &str) -> Option<(String, String)> {
    let list = field.split_once('[').map_or(field, |(list, _)| list);
    let ends = |known: &EnvelopeMessage| {
        field.ends_with(known.field) || list.ends_with(known.field) || field.contains(known.field)
    };
    let found = SENTENCES.iter().filter(|known| ends(known) && detail.starts_with(known.detail));
    // The entry with the longest field and detail is the most specific.
    let best = found.max_by_key(|known| {
        let rank = usize::from(field.ends_with(known.field)) * 2 + usize::from(list.ends_with(known.field));
        (rank, known.field.len(), known.detail.len())
    })?;
    Some((best.message.replace("{value}", &backtick_text(value)), best.help.to_owned()))
}
