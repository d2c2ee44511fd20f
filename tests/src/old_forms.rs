//! Templates of today written in the old forms, for what is said about migration.

/// An old form: how paths begin, what the annotation is called, and whether lists are `included`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldForm {
    /// Replacement for `jsonpath::.spec.`.
    pub root: &'static str,
    /// The annotation on the template.
    pub key: &'static str,
    /// Name of `values`.
    pub list: &'static str,
}

/// The forms that are met: the four spellings of 201901 and the transitional one.
pub const FORMS: [OldForm; 6] = [
    OldForm { root: "/spec.", key: "validations", list: "included" },
    OldForm { root: "spec.", key: "validation", list: "included" },
    OldForm { root: "$.spec.", key: "validations", list: "values" },
    OldForm { root: ".spec.template.spec.", key: "validation", list: "values" },
    OldForm { root: "/spec.template.spec.", key: "validations", list: "included" },
    OldForm { root: "jsonpath::.spec.", key: "validations", list: "values" },
];

impl OldForm {
    /// A line, or a whole text, of JSON in this form.
    pub fn rewrite_rules(&self, json: &str) -> String {
        json.replace("\"jsonpath::.spec.", &format!("\"{}", self.root))
            .replace("\"values\":", &format!("\"{}\":", self.list))
    }
}

/// Moves the annotation of every machine of a bundle to its template. The bundle is one as they are released: a block
/// scalar on the machine, and annotations on the template.
pub fn to_old_form(bundle: &str, form: OldForm) -> String {
    let documents =
        bundle.split_inclusive("\n---\n").map(|document| aged(document, form).unwrap_or(document.to_owned()));
    documents.collect()
}

fn aged(document: &str, form: OldForm) -> Option<String> {
    let mut lines: Vec<String> = document.split_inclusive('\n').map(str::to_owned).collect();
    let key = "vm.kubevirt.io/validations:";
    let at = lines.iter().position(|line| line.trim_start().starts_with(key))?;
    let outer = indentation(&lines[at]);
    let inside = lines
        .iter()
        .skip(at + 1)
        .take_while(|line| indentation(line) > outer || line.trim().is_empty())
        .count();
    let moved: Vec<_> = lines.drain(at..=at + inside).collect();
    let alone = lines[at - 1].trim_end().ends_with("annotations:")
        && lines.get(at).is_none_or(|next| indentation(next) < outer || next.starts_with("---"));
    if alone {
        lines.remove(at - 1);
    }
    if !lines.iter().any(|line| line.starts_with("  annotations:")) {
        let metadata = lines.iter().position(|line| line.starts_with("metadata:"))?;
        lines.insert(metadata + 1, "  annotations:\n    iconClass: icon-linux\n".to_owned());
        lines = lines.concat().split_inclusive('\n').map(str::to_owned).collect();
    }
    let place = lines.iter().position(|line| line.starts_with("  annotations:"))? + 1;
    let head = lines.get(place)?.clone();
    let inner = indentation(&head);
    for (number, line) in moved.into_iter().enumerate() {
        let body = line.get(outer.min(line.len())..).unwrap_or_default();
        let body =
            if line.trim().is_empty() { line.trim_start_matches(' ').to_owned() } else { body.to_owned() };
        let new = if number == 0 {
            body.replace(key, &format!("{}:", form.key))
        } else {
            form.rewrite_rules(&body)
        };
        lines.insert(
            place + number,
            if new.trim().is_empty() { new } else { format!("{}{new}", " ".repeat(inner)) },
        );
    }
    Some(lines.concat())
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
