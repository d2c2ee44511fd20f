//! The server's refusals of a schema in words for its author: what is wrong where, and what to do.

use kvrules_apiserver::field_error::{ErrorType, FieldError};
use kvrules_diagnostics::{Diagnostic, Lint};
use kvrules_kubernetes::keywords::{LIST_TYPE, MAP_TYPE, VALIDATIONS};

use crate::lints;
use crate::schema_location::SchemaLocation;
use crate::text::{backtick_quotes, backtick_text, did_you_mean, server_words, to_one_line};

/// Location that a finding points to.
#[derive(Clone, Copy)]
enum FindingPosition {
    /// At the keyword.
    Key,
    /// At its value.
    Value,
    /// At the schema that lacks something.
    Head,
}

/// A lint, where its finding points, and the texts of the server that are reported so.
type WordingGroup = (&'static Lint, FindingPosition, &'static [ErrorWording]);

/// Texts of the server by how they begin, what we say, and what to do. `{name}` is the schema, `{key}` the keyword and
/// `{value}` what stands there.
struct ErrorWording(&'static [&'static str], &'static str, &'static str);

#[rustfmt::skip]
const GROUPS: &[WordingGroup] = &[
    (&lints::NOT_STRUCTURAL, FindingPosition::Head, &[
        ErrorWording(&["must not be empty at the root"], "the schema has no `type`", "write `type: object`"),
        ErrorWording(&["must not be empty for specified array items"], "the items {name} have no `type`",
            "write their type; to accept any value, write `x-kubernetes-preserve-unknown-fields: true`"),
        ErrorWording(&["must not be empty for specified object fields"], "{name} has no `type`",
            "write its type; to accept any value, write `x-kubernetes-preserve-unknown-fields: true`"),
        ErrorWording(&["must not be empty if x-kubernetes-embedded-resource"], "{name} is an embedded resource without fields",
            "declare some with `properties`, or write `x-kubernetes-preserve-unknown-fields: true`"),
        ErrorWording(&["must not specify anything other than name and generateName"], "`metadata` at the root may only restrict `name` and `generateName`",
            "write `type: object`, and no more than these two properties"),
        ErrorWording(&["must be specified"], "the list {name} has no `items`", "write the schema of its items under `items`"),
    ]),
    (&lints::NOT_STRUCTURAL, FindingPosition::Key, &[
        ErrorWording(&["must be empty to be structural", "must be false to be structural", "must be undefined to be structural"], "`{key}` is not allowed in a branch of `{branch}`",
            "move it next to `{branch}`; a branch may only restrict values by bounds, `enum`, `pattern`, `required`, `properties` or `items`"),
        ErrorWording(&["must not be specified in a nested context"], "`metadata` is not allowed in a branch",
            "remove it from the branch"),
        ErrorWording(&["must be false if x-kubernetes-int-or-string is true"], "`{key}` is not allowed next to `x-kubernetes-int-or-string`", "keep one of the two"),
    ]),
    (&lints::NOT_STRUCTURAL, FindingPosition::Value, &[
        ErrorWording(&["must be object at the root", "only \"object\" is allowed as the type"], "the root of the schema has the type {value}",
            "write `type: object`"),
        ErrorWording(&["must be object if x-kubernetes-embedded-resource is true"], "embedded resource {name} is not an object", "write `type: object`"),
        ErrorWording(&["must be string"], "{name} is not a string", "write `type: string`, or remove it: it is declared implicitly"),
        ErrorWording(&["must be object"], "{name} is not an object", "write `type: object`"),
    ]),
    (&lints::FORBIDDEN_KEYWORD, FindingPosition::Head, &[
        ErrorWording(&["only [Description"], "forbidden keywords at the root of a schema with a status subresource",
            "allowed are `type`, `properties`, `required`, `description` and `x-kubernetes-validations`; move the others to `spec`, or express them with a rule"),
    ]),
    (&lints::FORBIDDEN_KEYWORD, FindingPosition::Key, &[
        ErrorWording(&["must not be used at the root"], "`{key}` is not allowed at the root of the schema",
            "remove it: undeclared fields are pruned anyway"),
        ErrorWording(&["must not be used if x-kubernetes-embedded-resource is set"], "`{key}` is not allowed next to `x-kubernetes-embedded-resource`",
            "declare the fields with `properties`"),
        ErrorWording(&["additionalProperties and properties are mutual exclusive"], "`additionalProperties` is not allowed next to `properties`",
            "remove it: undeclared fields are pruned anyway"),
        ErrorWording(&["nullable cannot be true at the root"], "the root of the schema is nullable", "remove it"),
        ErrorWording(&["uniqueItems cannot be set to true"], "`uniqueItems` is not supported: it is slow on long lists",
            "write `x-kubernetes-list-type: set`; for objects, `map` with `x-kubernetes-list-map-keys`"),
        ErrorWording(&["must not be set in top-level"], "{name} has a default although the server sets it", "remove it"),
        ErrorWording(&["must not be set inside additionalProperties applying"], "default not allowed in the metadata of an object", "remove it"),
        ErrorWording(&["must not be used inside of resource meta"], "`{key}` is not allowed in the metadata of an object", "remove it"),
    ]),
    (&lints::FORBIDDEN_KEYWORD, FindingPosition::Value, &[
        ErrorWording(&["must be true or undefined"], "`{key}` is `false`", "remove it: fields are pruned by default"),
        ErrorWording(&["items must be a schema object and not an array"], "`items` is a list of schemas", "write one schema for all items"),
        ErrorWording(&["type cannot be set to null"], "invalid type `null`", "write the other type, and `nullable: true`"),
    ]),
    (&lints::LIST_TYPE, FindingPosition::Head, &[
        ErrorWording(&["this property is in x-kubernetes-list-map-keys, so it must have"], "list-map key {name} must be required or have a default",
            "add it to `required` of the items, or give it a `default`"),
    ]),
    (&lints::LIST_TYPE, FindingPosition::Key, &[
        ErrorWording(&["cannot be nullable when x-kubernetes-list-type"], "the items of {name} are nullable",
            "remove `nullable`: sets and lists with keys cannot contain `null`"),
        ErrorWording(&["this property is in x-kubernetes-list-map-keys, so it cannot"], "list-map key {name} is nullable", "remove `nullable`"),
    ]),
    (&lints::LIST_TYPE, FindingPosition::Value, &[
        ErrorWording(&["must be array if x-kubernetes-list-type"], "{name} has a list type but is not a list", "write `type: array`"),
        ErrorWording(&["must be object if x-kubernetes-map-type"], "{name} has a map type but is not an object", "write `type: object`"),
        ErrorWording(&["must be object if parent array's"], "the items {name} of a list with keys must be objects",
            "write `type: object`, or another list type"),
        ErrorWording(&["must be map if x-kubernetes-list-map-keys"], "{name} has list-map keys but not the list type `map`", "write `x-kubernetes-list-type: map`"),
        ErrorWording(&["must not be empty if x-kubernetes-list-type is map"], "{name} has no list-map keys",
            "list them under `x-kubernetes-list-map-keys`"),
        ErrorWording(&["must have a schema if x-kubernetes-list-type is map"], "the list {name} has no `items`", "write the schema of its items under `items`"),
        ErrorWording(&["must only have a single schema"], "`items` of a list with keys must be a single schema", "write one schema for all items"),
        ErrorWording(&["must be atomic as item of a list"], "the items {name} of a set must be atomic",
            "write `x-kubernetes-map-type: atomic` on objects, and `x-kubernetes-list-type: atomic` on lists"),
        ErrorWording(&["entries must all be names of item properties"], "list-map key of {name} is not a property of its items", "declare it under `items.properties`"),
        ErrorWording(&["must not contain duplicate entries"], "duplicate list-map key of {name}", "list it once"),
        ErrorWording(&["must be a scalar type if parent"], "list-map key {name} must be a string, a number or a boolean", "choose another key"),
    ]),
    (&lints::RULE_FIELD, FindingPosition::Key, &[
        ErrorWording(&["may not be set if oldSelf is not used"], "unused `optionalOldSelf`: the rule does not use `oldSelf`", "remove it"),
    ]),
    (&lints::RULE_FIELD, FindingPosition::Value, &[
        ErrorWording(&["rule is not specified"], "rule without an expression", "write an expression under `rule`"),
        ErrorWording(&["must not contain line breaks"], "line break in `{key}`", "write it on one line: `>-` folds lines"),
        ErrorWording(&["message must be specified if rule contains line breaks"], "missing `message` of a rule with line breaks",
            "write a `message`; `messageExpression` is not enough"),
        ErrorWording(&["must be non-empty if specified"], "`{key}` is blank", "write a value, or remove it"),
        ErrorWording(&["must be a valid path"], "invalid `fieldPath` {value} below {name}",
            "write it as `.name` or `['name']`, step by step from the node of the rule, through declared fields and maps, and not into a list"),
    ]),
    (&lints::EXPRESSION_TYPE, FindingPosition::Key, &[
        ErrorWording(&["internal error: failed to construct type information"], "rules are not allowed on {name}, whose type is unknown",
            "give it a `type`, or put the rules on a node above"),
    ]),
    (&lints::EXPRESSION_TYPE, FindingPosition::Value, &[
        ErrorWording(&["oldSelf cannot be used on the uncorrelatable"], "`oldSelf` is not available here: items of the enclosing list cannot be correlated with their old values",
            "write `x-kubernetes-list-type: map` and `x-kubernetes-list-map-keys` on that list, or put the rule on the list"),
        ErrorWording(&["cel expression must evaluate to a bool"], "the rule must evaluate to a boolean", "write a condition, such as a comparison"),
        ErrorWording(&["messageExpression must evaluate to a string"], "`messageExpression` must evaluate to a string", "write `string(…)`, or `'…%s'.format([…])`"),
    ]),
    (&lints::INVALID_DEFAULT, FindingPosition::Value, &[
        ErrorWording(&["must not have unknown fields"], "the default of {name} has undeclared fields",
            "declare them, or remove them from the default"),
    ]),
];

/// Keywords that no structural schema has, and what to do instead.
#[rustfmt::skip]
const UNSUPPORTED: &[(&str, &str)] = &[
    ("$ref", "replace it with the schema that it refers to"),
    ("definitions", "write the schemas where they are used"),
    ("patternProperties", "use `additionalProperties`, and restrict the keys with a rule: `self.all(key, key.matches('…'))`"),
    ("dependencies", "write a rule: `!has(self.a) || has(self.b)`"),
    ("additionalItems", "use `items`, which applies to all items"),
    ("id", "remove it"),
    ("$schema", "remove it"),
];

/// Returns the finding for one of the server's errors.
pub(super) fn to_finding(error: &FieldError, place: &SchemaLocation<'_>) -> Diagnostic {
    let special =
        of_default(error, place).or_else(|| of_value(error, place)).or_else(|| of_keyword(error, place));
    if let Some(finding) = special {
        return finding;
    }
    let Some((lint, at, ErrorWording(_, message, help))) = find_wording(&error.detail) else {
        let words = backtick_quotes(&error.detail);
        let message = format!("the server rejects `{}` of {}: {words}", place.keyword, place.display_name());
        return lints::NOT_STRUCTURAL.diagnostic_at(place.value_span(), message);
    };
    let span = match at {
        FindingPosition::Key => place.key_span(),
        FindingPosition::Value => place.value_span(),
        FindingPosition::Head => place.head_span(),
    };
    let (message, help) = (fill_wording(message, place), fill_wording(help, place));
    lint.diagnostic_at(span, message).with_help(help).with_label(server_words(&to_one_line(&error.detail)))
}

/// Returns the words for a text of the server: those with the longest matching beginning.
fn find_wording(detail: &str) -> Option<(&'static Lint, FindingPosition, &'static ErrorWording)> {
    let begins = |words: &ErrorWording| {
        words.0.iter().filter(|begin| detail.starts_with(**begin)).map(|it| it.len()).max()
    };
    let all = GROUPS.iter().flat_map(|(lint, at, group)| group.iter().map(|words| (*lint, *at, words)));
    let found = all.filter_map(|known| Some((begins(known.2)?, known)));
    found.max_by_key(|(len, _)| *len).map(|(_, known)| known)
}

/// An unknown keyword.
fn of_keyword(error: &FieldError, place: &SchemaLocation<'_>) -> Option<Diagnostic> {
    let named = error.detail.strip_suffix(" is not supported")?;
    let named = if named == "OpenAPIV3Schema 'schema'" { "$schema" } else { named };
    let (keyword, help) = UNSUPPORTED.iter().find(|(keyword, _)| *keyword == named)?;
    let message = format!("`{keyword}` is not allowed in structural schemas");
    let finding = lints::FORBIDDEN_KEYWORD.diagnostic_at(place.key_span(), message).with_help(*help);
    Some(finding.with_label(server_words(&to_one_line(&error.detail))))
}

/// Refusals that name what would be allowed.
fn of_value(error: &FieldError, place: &SchemaLocation<'_>) -> Option<Diagnostic> {
    let value = place.inner.or(place.entry).map(|entry| entry.value.text()).unwrap_or_default();
    if let Some(why) = error.detail.strip_prefix("must be a valid regular expression, but isn't: ") {
        let why = why.strip_prefix("error parsing regexp: ").unwrap_or(why);
        let message = format!("invalid pattern: {}", backtick_quotes(why));
        let help = "use RE2 syntax, without look-around or back-references";
        return Some(lints::SCHEMA_PATTERN.diagnostic_at(place.value_span(), message).with_help(help));
    }
    if error.error_type == ErrorType::NotSupported {
        let lint = match place.keyword.as_str() {
            LIST_TYPE | MAP_TYPE => &lints::LIST_TYPE,
            VALIDATIONS => &lints::RULE_FIELD,
            _ => &lints::NOT_STRUCTURAL,
        };
        let words = error.detail.strip_prefix("supported values: ")?;
        let supported: Vec<&str> = words.split('"').skip(1).step_by(2).collect();
        let key = place.inner.or(place.entry).map_or("type", |entry| entry.key.text());
        let listed = supported.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
        let message = format!("invalid value {} for `{key}`", backtick_text(value));
        let help = match did_you_mean(value, supported) {
            Some(near) => near,
            None => format!("write one of {listed}"),
        };
        return Some(lint.diagnostic_at(place.value_span(), message).with_help(help));
    }
    None
}

/// Returns the finding for an invalid default.
fn of_default(error: &FieldError, place: &SchemaLocation<'_>) -> Option<Diagnostic> {
    let is_value = place.keyword == "default"
        && !["must ", "this property"].into_iter().any(|begin| error.detail.starts_with(begin));
    let words = backtick_quotes(error.detail.trim_start_matches(" in body "));
    let words = words.split(" in body ").last().unwrap_or_default().to_owned();
    let message = match (is_value, error.error_type) {
        (false, _) => return None,
        (_, ErrorType::Required) => {
            let name = error.field.rsplit(['.', '[']).next().unwrap_or_default().trim_end_matches(']');
            format!("the default of {} lacks the required field `{name}`", place.display_name())
        }
        (_, ErrorType::NotSupported) => {
            let listed = words.strip_prefix("supported values: ").unwrap_or(&words);
            format!("the default of {} is not in `enum`: {listed}", place.display_name())
        }
        _ => format!("invalid default of {}: {words}", place.display_name()),
    };
    let help = "change the default or the schema: an object without the field would be rejected";
    Some(lints::INVALID_DEFAULT.diagnostic_at(place.value_span(), message).with_help(help))
}

fn fill_wording(text: &str, place: &SchemaLocation<'_>) -> String {
    let entry = place.inner.or(place.entry);
    let value = entry.map(|entry| backtick_text(entry.value.text())).unwrap_or_default();
    let key = match place.inner {
        Some(inner) => inner.key.text(),
        None => &place.keyword,
    };
    text.replace("{name}", &place.display_name())
        .replace("{key}", key)
        .replace("{value}", &value)
        .replace("{branch}", place.branch.unwrap_or("allOf"))
}
