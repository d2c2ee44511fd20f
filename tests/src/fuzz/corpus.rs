//! Texts to begin with: our examples, the pages of the lints, the published texts, and templates of the released bundles.

use crate::{old_forms, repository_root, template_bundles};

/// Number of templates of each bundle: they are much alike.
const OF_EACH_BUNDLE: usize = 3;

/// All texts to begin with, in an order that is always the same.
pub fn load_corpus() -> Vec<String> {
    let mut texts: Vec<String> = AWKWARD.iter().map(|text| (*text).to_owned()).collect();
    for folder in ["docs/examples", "docs/lints", "docs/guide"] {
        for (path, text) in read_files(&repository_root().join(folder)) {
            if path.ends_with(".md") {
                texts.extend(fenced_texts(&text));
                texts.push(format!("# Page\n\n{}", text.lines().skip(2).collect::<Vec<_>>().join("\n")));
            } else {
                texts.push(text);
            }
        }
    }
    for (_, text) in
        kvrules_testdata::find_path("specs").map(|folder| read_files(&folder)).unwrap_or_default()
    {
        texts.extend(fenced_texts(&text));
    }
    for (_, bundle) in template_bundles() {
        for template in bundle.split("\n---\n").skip(1).step_by(37).take(OF_EACH_BUNDLE) {
            texts.push(template.to_owned());
            texts.extend(old_forms::FORMS.iter().map(|form| old_forms::to_old_form(template, *form)));
        }
    }
    texts.retain(|text| text.len() < 20_000);
    texts
}

fn read_files(folder: &std::path::Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: std::path::PathBuf| {
        Some((path.to_string_lossy().into_owned(), std::fs::read_to_string(path).ok()?))
    };
    paths.into_iter().filter_map(read).collect()
}

/// Returns the texts between code fences.
fn fenced_texts(text: &str) -> Vec<String> {
    let parts = text.split("```").skip(1).step_by(2);
    let inside = parts.filter_map(|part| part.split_once('\n')).map(|(_, inside)| inside.to_owned());
    inside.filter(|inside| inside.contains("valid")).collect()
}

/// Rare notations.
const AWKWARD: [&str; 8] = [
    "\u{feff}kind: Template\r\nmetadata:\r\n  annotations:\r\n    validations: |-\r\n      [{\"name\":\"a\",\"rule\":\"integer\",\"message\":\"é\",\"path\":\"/spec.domain.cpu.cores\",\"max\":8}]\r\nobjects:\r\n- kind: VirtualMachine\r\n  spec: {}\r\n",
    "kind: Template\nmetadata: {name: a, annotations: {validations: '[{\"name\":\"a\",\"rule\":\"enum\",\"message\":\"it''s\",\"path\":\"$.spec.domain.devices.disks[*].disk.bus\",\"included\":[\"sata\"]}]'}}\nobjects: [{kind: VirtualMachine, metadata: {name: b}}]",
    "{\"kind\":\"Template\",\"metadata\":{\"annotations\":{\"validation\":\"[{\\\"name\\\":\\\"a\\\",\\\"rule\\\":\\\"string\\\",\\\"message\\\":\\\"m\\\",\\\"path\\\":\\\"spec.hostname\\\",\\\"minLength\\\":1}]\"}},\"objects\":[{\"kind\":\"VirtualMachine\"},{\"kind\":\"VirtualMachine\",\"metadata\":{}}]}",
    "x: &rules |2\n    [{\"name\": \"a\",\n  \"rule\": \"regex\", \"message\": \"m\", \"path\": \"jsonpath::.spec.hostname\", \"regex\": \"^\\\\d+$\"}]\n\nkind: VirtualMachine\nmetadata:\n  annotations:\n    vm.kubevirt.io/validations: *rules\n",
    "kind: VirtualMachine\nmetadata:\n  annotations: # here\n    # above\n    \"vm.kubevirt.io/validations\": >+ # head\n\n      [\n      {\"x\": ${{N}}, \"name\": \"${A}\", \"rule\": \"integer\", \"message\": \"m\",\n\n        \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"min\": 1.0e0}\n      ]\n\n\n  name: b # behind\n",
    "kind: List\nitems:\n  - kind: Template\n    metadata:\n      annotations:\n        # about the rules\n        validations: \"[{\\\"name\\\":\\\"a\\\",\\\"rule\\\":\\\"integer\\\",\\n  \\\"message\\\":\\\"\\\\u00e9\\\",\\\"path\\\":\\\"/spec.domain.cpu.sockets\\\",\\\n          \\\"max\\\":\\\"/spec.domain.cpu.cores\\\"}]\" # tail\n        a: b\n    objects:\n      - metadata:\n          annotations:\n            vm.kubevirt.io/validations: |\n              []\n        kind: VirtualMachine\n",
    "kind: Template\nmetadata:\n  annotations:\n    validations: |\n      [{\"name\": \"a\", \"rule\": \"integer\", \"message\": \"m\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": 8}]\n    ? complex\n    : b\nobjects:\n- kind: VirtualMachine\n  metadata:\n    annotations:\n      vm.kubevirt.io/validations: |\n        [{\"name\": \"a\", \"rule\": \"integer\", \"message\": \"m\", \"path\": \"jsonpath::.spec.domain.cpu.cores\", \"max\": 9}]\n...\n---\n# nothing\n",
    "# Page\n\n> ```yaml\n> validations: |\n>\n>   [{\"name\": \"a\", \"rule\": \"integer\", \"message\": \"m\",\n>     \"path\": \"/spec.domain.cpu.cores\", \"max\": 8}]\n> ```\n\n- one\n\n  ```json\n  [{\"rule\": \"enum\", \"name\": \"a\", \"values\": [1, \"b\"]}]\n  ```\n",
];
