//! Names as Kubernetes wants them; each function gives what is wrong with one, in the server's words.

fn too_long(length: usize) -> String {
    format!("must be no more than {length} characters")
}

/// The same in keys and values of labels, where the server's message counts bytes.
// validate/content/errors.go, MaxLenError
fn too_many_bytes(length: usize) -> String {
    format!("must be no more than {length} bytes")
}

fn is_label(text: &str, inner: fn(char) -> bool, first: fn(char) -> bool, last: fn(char) -> bool) -> bool {
    text.starts_with(first) && text.ends_with(last) && text.chars().all(inner)
}

fn lower(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// A DNS label after RFC 1123.
// apimachinery util/validation/validation.go, IsDNS1123Label
pub fn label_errors(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push(too_long(63));
    }
    if !is_label(text, |c| lower(c) || c == '-', lower, lower) {
        problems.push(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
             and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    problems
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(|part| is_label(part, |c| lower(c) || c == '-', lower, lower))
}

/// Labels joined by dots.
// util/validation/validation.go, IsDNS1123Subdomain. Parts of it may have more than 63 characters.
pub fn subdomain_errors(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 253 {
        problems.push(too_long(253));
    }
    if !is_subdomain(text) {
        problems.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
             must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    problems
}

/// A DNS label after RFC 1035, which starts with a letter.
// util/validation/validation.go, IsDNS1035Label
pub fn label_1035(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push(too_long(63));
    }
    if !is_label(text, |c| lower(c) || c == '-', |c| c.is_ascii_lowercase(), lower) {
        problems.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for \
             validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    problems
}

fn is_name(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    is_label(text, inner, |c| c.is_ascii_alphanumeric(), |c| c.is_ascii_alphanumeric())
}

/// A name with an optional domain and a slash before it.
// util/validation/validation.go, IsQualifiedName
pub fn qualified_name(text: &str) -> Vec<String> {
    let rule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let mut problems = Vec::new();
    let name = match text.split('/').collect::<Vec<_>>().as_slice() {
        [name] => *name,
        ["", name] => {
            problems.push("prefix part must be non-empty".to_owned());
            *name
        }
        [prefix, name] => {
            let problem = |problem: String| {
                format!("prefix part {}", problem.replace(&too_long(253), &too_many_bytes(253)))
            };
            problems.extend(subdomain_errors(prefix).into_iter().map(problem));
            *name
        }
        _ => {
            let whole = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start \
                         and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', \
                         regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional \
                         DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![whole.to_owned()];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push(format!("name part {}", too_many_bytes(63)));
    }
    if !is_name(name) {
        problems.push(format!("name part {rule}"));
    }
    problems
}

/// The value of a label.
// util/validation/validation.go, IsValidLabelValue
pub fn label_value(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push(too_many_bytes(63));
    }
    if !text.is_empty() && !is_name(text) {
        problems.push(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
             for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
                .to_owned(),
        );
    }
    problems
}
