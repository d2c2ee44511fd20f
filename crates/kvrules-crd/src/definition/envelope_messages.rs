//! The server's refusals of what stands around the schemas, in words for the author.

use crate::text::code;

/// Message and help for errors with this end of the field and this beginning of the detail. `{value}` is the value in
/// the file.
struct Sentence {
    field: &'static str,
    detail: &'static str,
    message: &'static str,
    help: &'static str,
}

const fn say(
    field: &'static str,
    detail: &'static str,
    message: &'static str,
    help: &'static str,
) -> Sentence {
    Sentence { field, detail, message, help }
}

const LABEL: &str = "write lower case letters, digits and `-`, at most 63 characters, that start with a letter and end with a letter or \
                     digit";
const KIND: &str = "write letters, digits and `-`, at most 63 characters, that start with a letter, such as `VirtualMachine`";
const PATH: &str = "write the path of a field, step by step from the object: `.spec.name`";
const APPROVAL: &str = "choose another group; the groups `k8s.io` and `kubernetes.io` belong to the Kubernetes project, whose \
                        definitions have the annotation with the address of the approval";

#[rustfmt::skip]
const SENTENCES: &[Sentence] = &[
    say("spec.group", "should be a domain", "group {value} has no dot", "write a domain that is yours, such as `example.com`"),
    say("spec.group", "a lowercase RFC 1123", "invalid group {value}", "write a domain in lower case letters, such as `example.com`"),
    say("spec.group", "must be no more", "group {value} is too long", "write at most 253 characters"),
    say("spec.scope", "supported values", "unknown scope {value}", "write `Cluster` or `Namespaced`"),
    say("names.plural", "a DNS-1035", "invalid plural name {value}", LABEL),
    say("names.singular", "a DNS-1035", "invalid singular name {value}", LABEL),
    say("names.kind", "may have mixed case", "invalid kind {value}", KIND),
    say("names.listKind", "may have mixed case", "invalid list kind {value}", KIND),
    say("names.listKind", "kind and listKind", "`listKind` is the same as `kind`", "write another name, such as the kind followed by `List`, or remove it"),
    say("shortNames", "a DNS-1035", "invalid short name {value}", LABEL),
    say("categories", "a DNS-1035", "invalid category {value}", LABEL),
    say("names.", "must be no more than", "name {value} is too long", "write at most 63 characters"),
    say("name", "a DNS-1035", "invalid version name {value}", "write it as `v1`, `v1beta1` or `v2alpha1`"),
    say("name", "must be no more than", "version name {value} is too long", "write at most 63 characters"),
    say("spec.versions", "must contain unique", "duplicate version name", "rename one of them"),
    say("openAPIV3Schema", "", "missing schema of a version", "write `schema.openAPIV3Schema`; one that accepts everything is `type: object` with `x-kubernetes-preserve-unknown-fields: true`"),
    say("preserveUnknownFields", "cannot set to true", "`preserveUnknownFields: true` is not allowed in `v1`",
        "remove it, and write `x-kubernetes-preserve-unknown-fields: true` in the schema where it is needed"),
    say("deprecationWarning", "can only be set", "`deprecationWarning` of a version that is not deprecated", "write `deprecated: true`, or remove the warning"),
    say("deprecationWarning", "must be <= 256", "`deprecationWarning` exceeds 256 bytes", "shorten it"),
    say("deprecationWarning", "must not be an empty", "`deprecationWarning` is empty", "write a warning, or remove it: the server then writes one"),
    say("deprecationWarning", "must only contain", "unprintable character in `deprecationWarning`", "write it on one line, without control characters"),
    say("strategy", "supported values", "unknown conversion strategy {value}", "write `None` or `Webhook`"),
    say("strategy", "must be None", "conversion by a webhook next to `preserveUnknownFields: true`", "remove `preserveUnknownFields`"),
    say("webhookClientConfig", "required when", "missing `webhook.clientConfig` of the strategy `Webhook`", "write `clientConfig` with `service` or `url`"),
    say("webhookClientConfig", "exactly one of", "`clientConfig` needs exactly one of `url` and `service`", "keep one of the two"),
    say("webhookClientConfig", "should not be set", "`clientConfig` without the strategy `Webhook`", "write `strategy: Webhook`, or remove `webhook`"),
    say("conversionReviewVersions", "should not be set", "`conversionReviewVersions` without the strategy `Webhook`", "write `strategy: Webhook`, or remove `webhook`"),
    say("conversionReviewVersions", "must include", "no supported review version", "add `v1`"),
    say("conversionReviewVersions[", "duplicate version", "duplicate review version {value}", "remove one"),
    say("conversionReviewVersions[", "a DNS-1035", "invalid review version {value}", "write `v1`"),
    say("clientConfig.url", "'https' is", "URL {value} does not begin with `https`", "write `https://HOST/PATH`"),
    say("clientConfig.url", "host must be", "URL {value} has no host", "write `https://HOST/PATH`"),
    say("clientConfig.url", "user information", "URL {value} contains user information", "write `https://HOST/PATH`"),
    say("clientConfig.url", "fragments", "URL {value} has a fragment", "remove `#` and what follows it"),
    say("clientConfig.url", "query parameters", "URL {value} has a query", "remove `?` and what follows it"),
    say("clientConfig.url", "url must be", "invalid URL {value}", "write `https://HOST/PATH`"),
    say("service.port", "port is not valid", "invalid port {value}", "write a number from 1 to 65535"),
    say("service.path", "", "invalid path {value}", "write steps of lower case letters, digits, `-` and `.`, such as `/convert`"),
    say("caBundle", "", "`caBundle` contains no certificate", "write a certificate in PEM form, encoded in base64"),
    say("jsonPath", "must be a simple", "path {value} does not begin with `.`", PATH),
    say("type", "must be one of", "unknown column type {value}", "write `string`, `integer`, `number`, `boolean` or `date`"),
    say("format", "must be one of", "unknown column format {value}", "write `int32`, `int64`, `float`, `double`, `byte`, `date`, `date-time` or `password`, or remove it"),
    say("ReplicasPath", "must be a simple", "path {value} does not begin with `.`", PATH),
    say("specReplicasPath", "should be", "path {value} is not below `.spec`", "write the path of the field with the wanted number, such as `.spec.replicas`"),
    say("statusReplicasPath", "should be", "path {value} is not below `.status`", "write the path of the field with the present number, such as `.status.replicas`"),
    say("labelSelectorPath", "", "path {value} is not below `.spec` or `.status`", "write the path of a string field with the selector, such as `.status.selector`"),
    say("jsonPath", "is an invalid path: does not refer", "unknown field {value} in `selectableFields`", "declare the field in the schema; lists and fields of `metadata` cannot be selected by"),
    say("jsonPath", "is an invalid path", "invalid path {value} in `selectableFields`", PATH),
    say("jsonPath", "must point to", "{value} is not a string, an integer or a boolean", "select by fields of these types only"),
    say("jsonPath", "must not point", "{value} is a field of `metadata`", "remove it: objects can be selected by name and namespace anyway"),
    say("jsonPath", "", "duplicate selectable field {value}", "remove one"),
    say("selectableFields", "must have at most", "more than 8 selectable fields", "remove some"),
    say("selectableFields", "selectableFields may only", "selectable fields of a version without a schema", "write `schema.openAPIV3Schema`"),
    say("openAPIV3Schema", "OpenAPIV3Schema '", "selectable fields of a schema that is not structural", "make the schema structural first"),
    say("api-approved.kubernetes.io]", "protected groups must have approval annotation \"api-approved.kubernetes.io\" with", "`api-approved.kubernetes.io` is neither a URL nor a reason", "write the address of the approval, or a reason that begins with `unapproved`"),
    say("api-approved.kubernetes.io]", "", "the group is reserved: missing annotation `api-approved.kubernetes.io`", APPROVAL),
];

/// Returns the message and the help for an error; `None` if the error is unknown.
pub(super) fn sentence(field: &str, detail: &str, value: &str) -> Option<(String, String)> {
    let list = field.split_once('[').map_or(field, |(list, _)| list);
    let ends = |known: &Sentence| {
        field.ends_with(known.field) || list.ends_with(known.field) || field.contains(known.field)
    };
    let found = SENTENCES.iter().filter(|known| ends(known) && detail.starts_with(known.detail));
    // The longest field and the longest detail say most.
    let best = found.max_by_key(|known| {
        let rank = usize::from(field.ends_with(known.field)) * 2 + usize::from(list.ends_with(known.field));
        (rank, known.field.len(), known.detail.len())
    })?;
    Some((best.message.replace("{value}", &code(value)), best.help.to_owned()))
}
