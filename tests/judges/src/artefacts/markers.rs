//! Source code of types and lists of rules, as the tools that read them understand it: what becomes of the definition.

use serde_json::{Value as Json, json};

use crate::words::{Step, definition, read_path};

/// Returns the definition of the objects with what the attributes of kube in a file say.
pub(super) fn with_attributes(text: &str) -> Option<Json> {
    let read = |line: &str| {
        let line = line.strip_prefix("#[kube(").or_else(|| line.strip_prefix("#[x_kube("))?;
        let (rule, _) = read_literal(line.strip_prefix("validation = Rule::new(")?)?;
        Some(Keyword::Rule(rule))
    };
    with_blocks(text, &read)
}

/// Returns the definition of the objects with what the marker comments for controller-gen in a file say.
pub(super) fn with_markers(text: &str) -> Option<Json> {
    let read = |line: &str| {
        let marker = line.strip_prefix("// +kubebuilder:validation:")?;
        if let Some(rule) = marker.strip_prefix("XValidation:rule=") {
            return Some(Keyword::Rule(read_literal(rule)?.0));
        }
        let (name, argument) = marker.split_once('=')?;
        Some(match name {
            "Minimum" | "Maximum" | "MinLength" | "MaxLength" | "MinItems" | "MaxItems" | "MinProperties"
            | "MaxProperties" => Keyword::Other(lower_first(name), json!(argument.parse::<i64>().ok()?)),
            "Pattern" => Keyword::Other("pattern".to_owned(), read_literal(argument)?.0.into()),
            "Enum" => Keyword::Other("enum".to_owned(), read_values(argument)?),
            // controller-tools pkg/crd/markers/validation.go, fieldsToOneOfCelRuleStr
            "ExactlyOneOf" => Keyword::Rule(count_rule(argument, "== 1")),
            "AtMostOneOf" => Keyword::Rule(count_rule(argument, "<= 1")),
            "AtLeastOneOf" => Keyword::Rule(count_rule(argument, ">= 1")),
            _ => return None,
        })
    };
    with_blocks(text, &read)
}

/// Returns the definition of the objects with the rules of a list of places.
pub(super) fn with_listed_rules(places: &Json) -> Option<Json> {
    let mut definition = definition();
    for place in places.as_array()? {
        for rule in place["x-kubernetes-validations"].as_array()? {
            let keyword = Keyword::Rule(rule["rule"].as_str()?.to_owned());
            add_keyword(&mut definition, place["path"].as_str()?, keyword)?;
        }
    }
    Some(definition)
}

/// A keyword that a line adds to a schema.
enum Keyword {
    /// A rule in CEL.
    Rule(String),
    Other(String, Json),
}

/// Adds the lines of each block, which begins with `// Pond.spec.n: name`; `None` if a line cannot be read.
fn with_blocks(text: &str, read: &dyn Fn(&str) -> Option<Keyword>) -> Option<Json> {
    let mut definition = definition();
    for block in text.split("\n\n").skip(1) {
        let mut lines = block.lines();
        let (path, _) = lines.next()?.strip_prefix("// Pond")?.split_once(": ")?;
        for line in lines {
            add_keyword(&mut definition, path, read(line)?)?;
        }
    }
    Some(definition)
}

fn add_keyword(definition: &mut Json, path: &str, keyword: Keyword) -> Option<()> {
    let mut node = definition.pointer_mut("/spec/versions/0/schema/openAPIV3Schema")?;
    for step in read_path(path)? {
        node = match step {
            Step::Field(name) => node.get_mut("properties")?.get_mut(name)?,
            Step::Each if node.get("items").is_some() => node.get_mut("items")?,
            Step::Each => node.get_mut("additionalProperties")?,
        };
    }
    let node = node.as_object_mut()?;
    match keyword {
        Keyword::Rule(rule) => {
            let rules = node.entry("x-kubernetes-validations").or_insert_with(|| json!([]));
            rules.as_array_mut()?.push(json!({ "rule": rule }));
        }
        Keyword::Other(name, value) => {
            node.insert(name, value);
        }
    }
    Some(())
}

fn count_rule(names: &str, relation: &str) -> String {
    let present: Vec<String> = names.split(';').map(|name| format!("has(self.{name})")).collect();
    format!("[{}].filter(x, x == true).size() {relation}", present.join(","))
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

/// `{"a",2}`
fn read_values(text: &str) -> Option<Json> {
    let mut rest = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut values = Vec::new();
    while !rest.is_empty() {
        if rest.starts_with(['"', '`']) {
            let (value, behind) = read_literal(rest)?;
            values.push(Json::from(value));
            rest = behind;
        } else {
            let (number, behind) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
            values.push(number.parse::<i64>().ok()?.into());
            rest = behind;
        }
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(values.into())
}

/// A string literal of Rust or Go at the start of a text, and what is behind it.
fn read_literal(text: &str) -> Option<(String, &str)> {
    if let Some(raw) = text.strip_prefix('`') {
        let (value, rest) = raw.split_once('`')?;
        return Some((value.to_owned(), rest));
    }
    let mut value = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let mut letters = rest.chars();
        match letters.next()? {
            '"' => return Some((value, letters.as_str())),
            '\\' => {
                value.push(match letters.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    // The judge writes no character for which a code is needed.
                    'u' | 'x' | '0' => return None,
                    other => other,
                });
            }
            letter => value.push(letter),
        }
        rest = letters.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";

    #[test]
    fn markers_become_keywords_and_rules() {
        let text = "// Markers.\n\n// Pond.spec.n: a\n// +kubebuilder:validation:Minimum=1\n\
                    // +kubebuilder:validation:Enum={1,2}\n\n// Pond.spec.f[*]: b\n// +kubebuilder:validation:Pattern=`^\"`\n\n\
                    // Pond.spec.o: c\n// +kubebuilder:validation:AtMostOneOf=a;b\n";
        let definition = with_markers(text).unwrap_or_default();
        let fields = definition.pointer(SCHEMA).cloned().unwrap_or_default();
        assert_eq!((&fields["n"]["minimum"], &fields["n"]["enum"]), (&json!(1), &json!([1, 2])));
        assert_eq!(fields["f"]["items"]["pattern"], "^\"");
        let rule = "[has(self.a),has(self.b)].filter(x, x == true).size() <= 1";
        assert_eq!(fields["o"]["x-kubernetes-validations"], json!([{ "rule": rule }]));
        assert_eq!(with_markers("\n\n// Pond: a\n// +kubebuilder:validation:Unknown=1"), None);
    }

    #[test]
    fn attributes_become_rules() {
        let text = "// Attributes.\n\n// Pond.spec.s: a\n#[x_kube(validation = Rule::new(\"self != 'a\\\"b\\\\\\\\'\").message(\"m\"))]\n";
        let definition = with_attributes(text).unwrap_or_default();
        let rules = definition.pointer(SCHEMA).map(|fields| fields["s"]["x-kubernetes-validations"].clone());
        assert_eq!(rules, Some(json!([{ "rule": "self != 'a\"b\\\\'" }])));
    }
}
