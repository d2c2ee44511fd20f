//! The server's refusals of a schema in words for its author: what is wrong where, and what to do.

use kvrules_cel::field_error::{ErrorType, FieldError};

use crate::finding::{Finding, FindingKind as Kind};
use crate::place::Place;
use crate::reviewed::ROOT;
use crate::text::{backticked, code, did_you_mean};

/// Location that a finding points to.
#[derive(Clone, Copy)]
enum At {
    /// At the keyword.
    Key,
    /// At its value.
    Value,
    /// At the schema that lacks something.
    Head,
}

/// A kind of finding, where it points, and the texts of the server that are told so.
type Group = (Kind, At, &'static [Words]);

/// Texts of the server by how they begin, what we say, and what to do. `{name}` is the schema, `{key}` the keyword and
/// `{value}` what stands there.
struct Words(&'static [&'static str], &'static str, &'static str);

#[rustfmt::skip]
const GROUPS: &[Group] = &[
    (Kind::NotStructural, At::Head, &[
        Words(&["must not be empty at the root"], "the schema has no `type`", "write `type: object`"),
        Words(&["must not be empty for specified array items"], "the items {name} have no `type`",
            "write their type; where anything may stand, write `x-kubernetes-preserve-unknown-fields: true`"),
        Words(&["must not be empty for specified object fields"], "{name} has no `type`",
            "write its type; where anything may stand, write `x-kubernetes-preserve-unknown-fields: true`"),
        Words(&["must not be empty if x-kubernetes-embedded-resource"], "{name} is an embedded resource without fields",
            "declare some with `properties`, or write `x-kubernetes-preserve-unknown-fields: true`"),
        Words(&["must not specify anything other than name and generateName"], "`metadata` at the root says more than the server lets it",
            "write `type: object`, and nothing besides but the properties `name` and `generateName`"),
        Words(&["must be specified"], "the list {name} has no `items`", "write the schema of its items under `items`"),
    ]),
    (Kind::NotStructural, At::Key, &[
        Words(&["must be empty to be structural", "must be false to be structural", "must be undefined to be structural"], "`{key}` stands in a branch of `{branch}`",
            "say it beside `{branch}`; a branch may only narrow the values, by bounds, `enum`, `pattern`, `required`, `properties` or `items`"),
        Words(&["must not be specified in a nested context"], "a branch speaks of `metadata`",
            "take it out of the branch: nothing can be said of `metadata` there"),
        Words(&["must be false if x-kubernetes-int-or-string is true"], "`{key}` stands beside `x-kubernetes-int-or-string`", "keep one of the two"),
    ]),
    (Kind::NotStructural, At::Value, &[
        Words(&["must be object at the root", "only \"object\" is allowed as the type"], "the root of the schema has the type {value}",
            "write `type: object`"),
        Words(&["must be object if x-kubernetes-embedded-resource is true"], "{name} is an embedded resource and no object", "write `type: object`"),
        Words(&["must be string"], "{name} is no text", "write `type: string`, or take it out: it is declared without being written"),
        Words(&["must be object"], "{name} is no object", "write `type: object`"),
    ]),
    (Kind::ForbiddenKeyword, At::Head, &[
        Words(&["only [Description"], "the root of the schema has keywords that it may not have where the status is a subresource",
            "allowed are `type`, `properties`, `required`, `description` and `x-kubernetes-validations`; put the others on `spec`, or say them with a rule"),
    ]),
    (Kind::ForbiddenKeyword, At::Key, &[
        Words(&["must not be used at the root"], "`{key}` stands at the root of the schema",
            "take it out: fields that are not declared are pruned anyway"),
        Words(&["must not be used if x-kubernetes-embedded-resource is set"], "`{key}` stands beside `x-kubernetes-embedded-resource`",
            "declare the fields with `properties`"),
        Words(&["additionalProperties and properties are mutual exclusive"], "`additionalProperties` stands beside `properties`",
            "take it out: fields that are not declared are pruned anyway"),
        Words(&["nullable cannot be true at the root"], "the root of the schema is nullable", "take it out"),
        Words(&["uniqueItems cannot be set to true"], "`uniqueItems` is not to be had: it takes too long on long lists",
            "write `x-kubernetes-list-type: set`; for objects, `map` with `x-kubernetes-list-map-keys`"),
        Words(&["must not be set in top-level"], "{name} has a default, and the server sets it itself", "take it out"),
        Words(&["must not be set inside additionalProperties applying"], "a default stands within the metadata of an object", "take it out"),
        Words(&["must not be used inside of resource meta"], "`{key}` stands within the metadata of an object", "take it out"),
    ]),
    (Kind::ForbiddenKeyword, At::Value, &[
        Words(&["must be true or undefined"], "`{key}` is `false`", "take it out: pruning is what happens without it"),
        Words(&["items must be a schema object and not an array"], "`items` is a list of schemas", "write one schema, which is for all items"),
        Words(&["type cannot be set to null"], "there is no type `null`", "write the other type, and `nullable: true`"),
    ]),
    (Kind::ListType, At::Head, &[
        Words(&["this property is in x-kubernetes-list-map-keys, so it must have"], "{name} tells items apart and may be missing",
            "require it with `required` of the items, or give it a `default`"),
    ]),
    (Kind::ListType, At::Key, &[
        Words(&["cannot be nullable when x-kubernetes-list-type"], "the items of {name} are nullable",
            "take `nullable` out: sets and lists with keys hold no `null`"),
        Words(&["this property is in x-kubernetes-list-map-keys, so it cannot"], "{name} tells items apart and is nullable", "take `nullable` out"),
    ]),
    (Kind::ListType, At::Value, &[
        Words(&["must be array if x-kubernetes-list-type"], "{name} has a list type and is no list", "write `type: array`"),
        Words(&["must be object if x-kubernetes-map-type"], "{name} has a map type and is no object", "write `type: object`"),
        Words(&["must be object if parent array's"], "the items {name} of a list with keys are no objects",
            "write `type: object`, or another list type"),
        Words(&["must be map if x-kubernetes-list-map-keys"], "{name} has keys and is no list of the type `map`", "write `x-kubernetes-list-type: map`"),
        Words(&["must not be empty if x-kubernetes-list-type is map"], "{name} has no keys to tell its items by",
            "name them under `x-kubernetes-list-map-keys`"),
        Words(&["must have a schema if x-kubernetes-list-type is map"], "the list {name} has no `items`", "write the schema of its items under `items`"),
        Words(&["must only have a single schema"], "`items` of a list with keys is no single schema", "write one schema, which is for all items"),
        Words(&["must be atomic as item of a list"], "the items {name} of a set are not compared whole",
            "write `x-kubernetes-map-type: atomic` on objects, and `x-kubernetes-list-type: atomic` on lists"),
        Words(&["entries must all be names of item properties"], "a key of {name} is no property of its items", "declare it under `items.properties`"),
        Words(&["must not contain duplicate entries"], "a key of {name} is named twice", "name it once"),
        Words(&["must be a scalar type if parent"], "{name} tells items apart and is no text, number or truth value", "choose another key"),
    ]),
    (Kind::RuleField, At::Key, &[
        Words(&["may not be set if oldSelf is not used"], "`optionalOldSelf` stands at a rule that does not use `oldSelf`", "take it out"),
    ]),
    (Kind::RuleField, At::Value, &[
        Words(&["rule is not specified"], "a rule says nothing", "write an expression under `rule`"),
        Words(&["must not contain line breaks"], "`{key}` has a line break in it", "write it on one line: `>-` folds lines"),
        Words(&["message must be specified if rule contains line breaks"], "a rule of several lines has no `message`",
            "write a `message`; `messageExpression` does not do"),
        Words(&["must be non-empty if specified"], "`{key}` is blank", "write something, or take it out"),
        Words(&["must be a valid path"], "`fieldPath` {value} names no field below {name}",
            "write it as `.name` or `['name']`, step by step from the node of the rule, through declared fields and maps, and not into a list"),
    ]),
    (Kind::Type, At::Key, &[
        Words(&["internal error: failed to construct type information"], "rules cannot stand on {name}, whose type is not known",
            "give it a `type`, or put the rules on a node above"),
    ]),
    (Kind::Type, At::Value, &[
        Words(&["oldSelf cannot be used on the uncorrelatable"], "`oldSelf` is not known here: the items of a list around the rule cannot be followed from one version of an object to the next",
            "write `x-kubernetes-list-type: map` and `x-kubernetes-list-map-keys` on that list, or put the rule on the list"),
        Words(&["cel expression must evaluate to a bool"], "the rule is no condition", "it must be true or false: compare something"),
        Words(&["messageExpression must evaluate to a string"], "the expression gives no text", "write `string(…)`, or `'…%s'.format([…])`"),
    ]),
    (Kind::Default, At::Value, &[
        Words(&["must not have unknown fields"], "the default of {name} has fields that the schema does not declare",
            "declare them, or take them out of the default"),
    ]),
];

/// Keywords that no structural schema has, and what to do instead.
#[rustfmt::skip]
const UNSUPPORTED: &[(&str, &str)] = &[
    ("$ref", "write what it leads to in its place"),
    ("definitions", "write what they hold where it is used"),
    ("patternProperties", "use `additionalProperties`, and say what keys look like with a rule: `self.all(key, key.matches('…'))`"),
    ("dependencies", "say it with a rule: `!has(self.a) || has(self.b)`"),
    ("additionalItems", "use `items`, which is for all items"),
    ("id", "take it out"),
    ("$schema", "take it out"),
];

/// Returns the finding for one of the server's errors.
pub(super) fn told(error: &FieldError, place: &Place<'_>) -> Finding {
    let special =
        of_default(error, place).or_else(|| of_value(error, place)).or_else(|| of_keyword(error, place));
    if let Some(told) = special {
        return told;
    }
    let Some((kind, at, Words(_, message, help))) = known(&error.detail) else {
        let words = backticked(&error.detail);
        let message = format!("the server rejects `{}` of {}: {words}", place.keyword, place.called());
        return Finding::new(Kind::NotStructural, place.value_span(), message);
    };
    let span = match at {
        At::Key => place.key_span(),
        At::Value => place.value_span(),
        At::Head => place.head(),
    };
    let (message, help) = (filled(message, place), filled(help, place));
    Finding::new(kind, span, message).help(help).server(line(&error.detail))
}

/// Returns the words for a text of the server: those with the longest matching beginning.
fn known(detail: &str) -> Option<(Kind, At, &'static Words)> {
    let begins =
        |words: &Words| words.0.iter().filter(|begin| detail.starts_with(**begin)).map(|it| it.len()).max();
    let all = GROUPS.iter().flat_map(|(kind, at, group)| group.iter().map(|words| (*kind, *at, words)));
    let found = all.filter_map(|known| Some((begins(known.2)?, known)));
    found.max_by_key(|(len, _)| *len).map(|(_, known)| known)
}

/// A keyword that there is not.
fn of_keyword(error: &FieldError, place: &Place<'_>) -> Option<Finding> {
    let named = error.detail.strip_suffix(" is not supported")?;
    let named = if named == "OpenAPIV3Schema 'schema'" { "$schema" } else { named };
    let (keyword, help) = UNSUPPORTED.iter().find(|(keyword, _)| *keyword == named)?;
    let message = format!("structural schemas have no `{keyword}`");
    let finding = Finding::new(Kind::ForbiddenKeyword, place.key_span(), message).help(*help);
    Some(finding.server(line(&error.detail)))
}

/// Refusals that name what would be allowed.
fn of_value(error: &FieldError, place: &Place<'_>) -> Option<Finding> {
    let value = place.inner.or(place.entry).map(|entry| entry.value.text()).unwrap_or_default();
    if let Some(why) = error.detail.strip_prefix("must be a valid regular expression, but isn't: ") {
        let why = why.strip_prefix("error parsing regexp: ").unwrap_or(why);
        let message = format!("the pattern cannot be read: {}", backticked(why));
        let help = "patterns are in the syntax RE2, which has no look-around and no back-references";
        return Some(Finding::new(Kind::Pattern, place.value_span(), message).help(help));
    }
    if error.error_type == ErrorType::NotSupported {
        let kind = match place.keyword.as_str() {
            "x-kubernetes-list-type" | "x-kubernetes-map-type" => Kind::ListType,
            "x-kubernetes-validations" => Kind::RuleField,
            _ => Kind::NotStructural,
        };
        let words = error.detail.strip_prefix("supported values: ")?;
        let supported: Vec<&str> = words.split('"').skip(1).step_by(2).collect();
        let key = place.inner.or(place.entry).map_or("type", |entry| entry.key.text());
        let listed = supported.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
        let message = format!("invalid value {} for `{key}`", code(value));
        let help = match did_you_mean(value, supported) {
            Some(meant) => meant,
            None => format!("write one of {listed}"),
        };
        return Some(Finding::new(kind, place.value_span(), message).help(help));
    }
    None
}

/// Returns the finding for an invalid default.
fn of_default(error: &FieldError, place: &Place<'_>) -> Option<Finding> {
    let is_value = place.keyword == "default"
        && !["must ", "this property"].into_iter().any(|begin| error.detail.starts_with(begin));
    let words = backticked(error.detail.trim_start_matches(" in body "));
    let words = words.split(" in body ").last().unwrap_or_default().to_owned();
    let message = match (is_value, error.error_type) {
        (false, _) => return None,
        (_, ErrorType::Required) => {
            let name = error.field.rsplit(['.', '[']).next().unwrap_or_default().trim_end_matches(']');
            format!("the default of {} lacks `{name}`, which is required", place.called())
        }
        (_, ErrorType::NotSupported) => {
            let listed = words.strip_prefix("supported values: ").unwrap_or(&words);
            format!("the default of {} is none of the values that `enum` lists: {listed}", place.called())
        }
        _ => format!("the default of {} is not one that its schema allows: {words}", place.called()),
    };
    let help = "change the default or the schema: an object without the field would be rejected";
    Some(Finding::new(Kind::Default, place.value_span(), message).help(help))
}

fn filled(text: &str, place: &Place<'_>) -> String {
    let entry = place.inner.or(place.entry);
    let value = entry.map(|entry| code(entry.value.text())).unwrap_or_default();
    let key = match place.inner {
        Some(inner) => inner.key.text(),
        None => &place.keyword,
    };
    text.replace("{name}", &place.called())
        .replace("{key}", key)
        .replace("{value}", &value)
        .replace("{branch}", place.branch.unwrap_or("allOf"))
}

/// Number of characters of the server's text that are shown.
const MOST: usize = 200;

/// The words of the server on one line.
pub(crate) fn line(words: &str) -> String {
    let mut line = without_root(&words.split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some((end, _)) = line.char_indices().nth(MOST) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Shows the root of a schema by its own name. What the server itself calls `version.schema.openAPIV3Schema` stays.
fn without_root(words: &str) -> String {
    let mut parts = words.split(ROOT);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_quoted = shown.ends_with('.');
        shown.push_str(if is_quoted { ROOT } else { "openAPIV3Schema" });
        shown.push_str(part);
    }
    shown
}
