//! Keywords of JSON Schema as expressions in CEL about a value of a known type.
//!
//! The expression is what a candidate in words is compared with, so each keyword has the one form that says the same on values of the type:
//! a keyword about another type is true. Null counts as absent; where JSON Schema would see a difference, there is no expression.

use kvrules_cel::literal::to_string_literal;
use kvrules_cel::types::escape_property;
use kvrules_rule_set::{ResolvedSchema, SchemaDocument, may_be_null};
use serde_json::{Map, Number, Value as Json};

/// Depth of nested schemas.
const MOST_LEVELS: usize = 12;

/// Keywords that restrict nothing.
pub(super) const ANNOTATIONS: &[&str] = &[
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
    "contentEncoding",
    "format",
    "nullable",
    "externalDocs",
    "xml",
    "discriminator",
    "$vocabulary",
];

/// An expression, or the reason why there is none.
type Expressed = Result<String, String>;

/// A value that keywords are about.
#[derive(Clone, Copy)]
pub(super) struct Subject<'s> {
    /// Its expression.
    pub(super) text: &'s str,
    /// Its type, as rules see it.
    pub(super) types: &'s Json,
    level: usize,
}

impl<'s> Subject<'s> {
    pub(super) fn own(types: &'s Json) -> Self {
        Self { text: "self", types, level: 0 }
    }

    fn type_name(self) -> Option<&'s str> {
        self.types.get("type").and_then(Json::as_str)
    }

    fn is_map(self) -> bool {
        self.types.get("additionalProperties").is_some_and(Json::is_object)
    }

    /// The expression of a field, with its type.
    fn field(self, name: &str) -> Result<(String, &'s Json), String> {
        let unknown = || format!("no expression can name the field `{name}`");
        if self.is_map() {
            return Err("keys of maps have no words".to_owned());
        }
        let types = self.types.get("properties").and_then(|fields| fields.get(name)).ok_or_else(unknown)?;
        let escaped = escape_property(name).ok_or_else(unknown)?;
        Ok((format!("{}.{escaped}", self.text), types))
    }
}

/// Expresses a schema, or a part of its keywords.
pub(super) fn express_schema(schema: &Json, subject: Subject<'_>, source: &SchemaDocument<'_>) -> Expressed {
    if subject.level > MOST_LEVELS {
        return Err("it is nested too deep".to_owned());
    }
    let keywords = match schema {
        Json::Bool(accepts) => return Ok(accepts.to_string()),
        Json::Object(keywords) => keywords,
        _ => return Err("it is not a schema".to_owned()),
    };
    let mut parts = Vec::new();
    for (keyword, value) in keywords {
        parts.push(express_keyword(keyword, value, keywords, subject, source)?);
    }
    parts.retain(|part| part != "true");
    Ok(join(&parts, " && ", "true"))
}

fn express_keyword(
    keyword: &str,
    value: &Json,
    around: &Map<String, Json>,
    subject: Subject<'_>,
    source: &SchemaDocument<'_>,
) -> Expressed {
    let below = Subject { level: subject.level + 1, ..subject };
    let of = |schema: &Json| express_schema(schema, below, source);
    let branches = || -> Result<Vec<String>, String> {
        value.as_array().into_iter().flatten().map(|branch| Ok(format!("({})", of(branch)?))).collect()
    };
    match keyword {
        "type" => express_type(value, subject),
        "enum" | "const" => express_choice(keyword, value, subject),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            express_bound(keyword, value, around, subject)
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            express_size(keyword, value, subject)
        }
        "pattern" => express_pattern(value, subject),
        "uniqueItems" => express_unique(value, subject),
        "required" => express_required(value, subject),
        "properties" => express_fields(value, subject, source),
        "items" => express_items(value, subject, source),
        "dependentRequired" | "dependencies" | "dependentSchemas" => {
            express_dependencies(value, subject, source)
        }
        "$ref" => match source.resolve_reference(value.as_str().unwrap_or_default()) {
            ResolvedSchema::Schema(target) => of(target),
            ResolvedSchema::Unread(reason) => Err(reason),
        },
        "allOf" => Ok(join(&branches()?, " && ", "true")),
        "anyOf" => Ok(format!("({})", join(&branches()?, " || ", "false"))),
        "oneOf" => Ok(exactly_one(&branches()?)),
        "not" => Ok(format!("!({})", of(value)?)),
        "if" => {
            let part = |name: &str| around.get(name).map_or_else(|| Ok("true".to_owned()), of);
            Ok(format!("(({}) ? ({}) : ({}))", of(value)?, part("then")?, part("else")?))
        }
        // They are expressed with `if`, or have no effect.
        "then" | "else" => Ok("true".to_owned()),
        "additionalProperties" if *value == Json::Bool(true) => Ok("true".to_owned()),
        name if ANNOTATIONS.contains(&name) || name.starts_with("x-") => Ok("true".to_owned()),
        name => Err(format!("no words express `{name}`")),
    }
}

fn join(parts: &[String], operator: &str, empty: &str) -> String {
    if parts.is_empty() { empty.to_owned() } else { parts.join(operator) }
}

fn exactly_one(branches: &[String]) -> String {
    match branches {
        [] => "false".to_owned(),
        [only] => only.clone(),
        [one, other] => format!("({one} != {other})"),
        several => format!("[{}].exists_one(present, present)", several.join(", ")),
    }
}

fn express_type(value: &Json, subject: Subject<'_>) -> Expressed {
    let own = subject.type_name().ok_or("the value has several types")?;
    let names: Vec<&str> = match value {
        Json::Array(names) => names.iter().filter_map(Json::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    if own == "number" && names.contains(&"integer") && !names.contains(&"number") {
        return Err("no words express that a number is an integer".to_owned());
    }
    let fits = names.contains(&own) || (own == "integer" && names.contains(&"number"));
    Ok(fits.to_string())
}

fn express_choice(keyword: &str, value: &Json, subject: Subject<'_>) -> Expressed {
    let own = subject.type_name().ok_or("the value has several types")?;
    let listed: Vec<&Json> = match value {
        Json::Array(values) if keyword == "enum" => values.iter().collect(),
        one => vec![one],
    };
    if may_be_null(subject.types) && !listed.contains(&&Json::Null) {
        return Err("words cannot reject null, which counts as absent".to_owned());
    }
    let literal = |value: &Json| -> Result<Option<String>, String> {
        match (own, value) {
            ("string", Json::String(text)) => Ok(Some(to_string_literal(text))),
            ("boolean", Json::Bool(value)) => Ok(Some(value.to_string())),
            ("integer", Json::Number(number)) => Ok(as_integer(number).map(|number| number.to_string())),
            ("number", Json::Number(number)) => Ok(Some(float(number))),
            ("array" | "object", Json::Array(_) | Json::Object(_)) => {
                Err("no words express a choice of lists or objects".to_owned())
            }
            _ => Ok(None),
        }
    };
    let literals: Vec<String> =
        listed.into_iter().filter_map(|value| literal(value).transpose()).collect::<Result<_, _>>()?;
    Ok(match literals.as_slice() {
        [] => "false".to_owned(),
        [one] => format!("{} == {one}", subject.text),
        several => format!("{} in [{}]", subject.text, several.join(", ")),
    })
}

fn as_integer(number: &Number) -> Option<i64> {
    let whole = |float: &f64| float.fract() == 0.0 && float.abs() < 9e15;
    #[expect(clippy::cast_possible_truncation, reason = "the float is an integer of 53 bits")]
    number.as_i64().or_else(|| number.as_f64().filter(whole).map(|float| float as i64))
}

/// A literal of a float.
fn float(number: &Number) -> String {
    let text = number.to_string();
    if text.contains(['.', 'e', 'E']) { text } else { text + ".0" }
}

/// A bound of an integer or a number. Draft 4 has flags for bounds that are excluded.
fn express_bound(keyword: &str, value: &Json, around: &Map<String, Json>, subject: Subject<'_>) -> Expressed {
    let is_least = keyword.ends_with("inimum");
    let flag = if is_least { "exclusiveMinimum" } else { "exclusiveMaximum" };
    let bound = match value {
        Json::Number(bound) => bound,
        Json::Bool(_) => return Ok("true".to_owned()),
        _ => return Err(format!("`{keyword}` is not a number")),
    };
    let is_excluded = keyword == flag || around.get(flag) == Some(&Json::Bool(true));
    match subject.type_name() {
        Some("integer") => {
            let float = bound.as_f64().unwrap_or_default();
            let exact = as_integer(bound);
            let step = i64::from(is_excluded && exact.is_some());
            #[expect(clippy::cast_possible_truncation, reason = "larger bounds have no expression")]
            let rounded = if is_least { float.ceil() } else { float.floor() } as i64;
            let limit = exact.or_else(|| (float.abs() < 9e15).then_some(rounded));
            let limit = limit
                .and_then(|limit| if is_least { limit.checked_add(step) } else { limit.checked_sub(step) });
            let limit = limit.ok_or("the bound is too large")?;
            Ok(format!("{} {} {limit}", subject.text, if is_least { ">=" } else { "<=" }))
        }
        Some("number") => {
            let sign = match (is_least, is_excluded) {
                (true, false) => ">=",
                (true, true) => ">",
                (false, false) => "<=",
                (false, true) => "<",
            };
            Ok(format!("{} {sign} {}", subject.text, float(bound)))
        }
        Some(_) => Ok("true".to_owned()),
        None => Err("the value has several types".to_owned()),
    }
}

fn express_size(keyword: &str, value: &Json, subject: Subject<'_>) -> Expressed {
    let count = value.as_number().and_then(as_integer).filter(|count| *count >= 0);
    let count = count.ok_or_else(|| format!("`{keyword}` is not a number of items"))?;
    let wanted = match keyword.trim_start_matches("min").trim_start_matches("max") {
        "Length" => "string",
        "Items" => "array",
        _ => "object",
    };
    let sign = if keyword.starts_with("min") { ">=" } else { "<=" };
    match subject.type_name() {
        None => Err("the value has several types".to_owned()),
        Some(own) if own != wanted => Ok("true".to_owned()),
        Some("object") if !subject.is_map() => Err("no words express a number of fields".to_owned()),
        Some(_) => Ok(format!("size({}) {sign} {count}", subject.text)),
    }
}

fn express_pattern(value: &Json, subject: Subject<'_>) -> Expressed {
    let pattern = value.as_str().unwrap_or_default();
    match subject.type_name() {
        Some("string") => {}
        Some(_) => return Ok("true".to_owned()),
        None => return Err("the value has several types".to_owned()),
    }
    let regex = kvrules_regex::parse(pattern)
        .map_err(|error| format!("RE2 does not have the regular expression: {error}"))?;
    if kvrules_regex::parse(&regex.to_ecma()).map(|again| again.to_ecma()) != Ok(regex.to_ecma())
        || pattern.contains('\\') && has_other_class(pattern)
    {
        return Err("RE2 reads the regular expression otherwise".to_owned());
    }
    Ok(format!("{}.matches({})", subject.text, to_string_literal(pattern)))
}

/// True for classes and assertions that JSON Schema reads with other characters than RE2: white space, words of Unicode.
fn has_other_class(pattern: &str) -> bool {
    ["\\s", "\\S", "\\b", "\\B", "\\p", "\\P", "\\z", "\\A", "\\C", "\\Q"]
        .iter()
        .any(|class| pattern.contains(class))
}

fn express_unique(value: &Json, subject: Subject<'_>) -> Expressed {
    if *value != Json::Bool(true) || subject.type_name().is_some_and(|own| own != "array") {
        return Ok("true".to_owned());
    }
    let items = subject.types.get("items").and_then(|items| items.get("type")).and_then(Json::as_str);
    if !matches!(items, Some("string" | "integer" | "number" | "boolean")) {
        return Err("no words express that lists or objects differ".to_owned());
    }
    let list = subject.text;
    Ok(format!("{list}.all(one, {list}.exists_one(other, one == other))"))
}

/// The presence of a field, which null is not.
fn presence(name: &str, subject: Subject<'_>) -> Expressed {
    let (text, types) = subject.field(name)?;
    if may_be_null(types) {
        return Err(format!("`{name}` may be null, which words count as absent"));
    }
    Ok(format!("has({text})"))
}

fn express_required(value: &Json, subject: Subject<'_>) -> Expressed {
    if subject.type_name().is_some_and(|own| own != "object") {
        return Ok("true".to_owned());
    }
    let names = value.as_array().into_iter().flatten().filter_map(Json::as_str);
    let parts: Vec<String> = names.map(|name| presence(name, subject)).collect::<Result<_, _>>()?;
    Ok(join(&parts, " && ", "true"))
}

fn express_fields(value: &Json, subject: Subject<'_>, source: &SchemaDocument<'_>) -> Expressed {
    let mut parts = Vec::new();
    for (name, schema) in value.as_object().into_iter().flatten() {
        let (text, types) = match subject.field(name) {
            Ok(found) => found,
            Err(_) if *schema == Json::Bool(true) || schema.as_object().is_some_and(Map::is_empty) => {
                continue;
            }
            Err(reason) => return Err(reason),
        };
        let below = Subject { text: &text, types, level: subject.level + 1 };
        match express_schema(schema, below, source)?.as_str() {
            "true" => {}
            "false" => parts.push(format!("!has({text})")),
            holds => parts.push(format!("(!has({text}) || {holds})")),
        }
    }
    Ok(join(&parts, " && ", "true"))
}

fn express_items(value: &Json, subject: Subject<'_>, source: &SchemaDocument<'_>) -> Expressed {
    if subject.type_name().is_some_and(|own| own != "array") {
        return Ok("true".to_owned());
    }
    let types = subject.types.get("items").ok_or("the items have several types")?;
    let item = format!("item{}", subject.level);
    let below = Subject { text: &item, types, level: subject.level + 1 };
    Ok(match express_schema(value, below, source)?.as_str() {
        "true" => "true".to_owned(),
        holds => format!("{}.all({item}, {holds})", subject.text),
    })
}

fn express_dependencies(value: &Json, subject: Subject<'_>, source: &SchemaDocument<'_>) -> Expressed {
    let below = Subject { level: subject.level + 1, ..subject };
    let mut parts = Vec::new();
    for (name, needed) in value.as_object().into_iter().flatten() {
        let holds = match needed {
            Json::Array(_) => express_required(needed, subject)?,
            schema => express_schema(schema, below, source)?,
        };
        parts.push(format!("(!{} || ({holds}))", presence(name, subject)?));
    }
    Ok(join(&parts, " && ", "true"))
}
