//! Sentences and examples of the proposal of validators for extra specs.

use kvrules::{Catalog, FileId, ReadContext, SourceFile, read_file};

fn findings(name: &str, text: &str) -> Vec<(&'static str, String, Option<String>)> {
    let source = SourceFile::new(FileId(0), name, text);
    let found = read_file(&source, &ReadContext::new(Catalog::kubevirt_vm())).diagnostics;
    found.into_iter().map(|found| (found.code, found.message, found.help)).collect()
}

#[test]
fn slips_in_keys_and_values_are_found() {
    let flavor = |pair: &str| findings("flavor.yaml", &format!("extra_specs: {{{pair}}}\n"));
    assert_eq!(flavor("'hw:cpu_policy': dedicated"), []);
    assert_eq!(flavor("'hw:cpu_policy': deddddicated")[0].0, "KX201");
    assert_eq!(flavor("'hw:cpu_pollllicy': dedicated")[0].0, "KX202");
}

/// The two definitions of the text; `types` are the words for an integer and a string, `parameter` is the one of the second.
fn definitions([integer, string]: [&str; 2], parameter: &str) -> String {
    format!(
        "kind: ExtraSpecDefinitions\nversion: 1\ndefinitions:\n- name: 'own:numa_nodes'\n  description: The number of virtual NUMA \
         nodes.\n  value: {{'type': {integer}, 'description': The number, 'min': 1}}\n- name: 'own:numa_cpu.{{id}}'\n  \
         description: The guest CPUs of a node.\n  parameters:\n  - {{'name': 'id', {parameter}, 'description': The ID.}}\n  \
         status: supported\n  virt-drivers: [libvirt]\n  requires: ['hw:numa_nodes']\n  \
         value: {{'type': {string}, 'description': The CPUs, 'pattern': '\\^?\\d+((-\\d+)?(,\\^?\\d+(-\\d+)?)?)*'}}\n"
    )
}

#[test]
fn definitions_have_the_parts_of_the_proposal() {
    let found = findings("own.yaml", &definitions(["integer", "string"], "'pattern': '[0-9]+'"));
    assert!(found.iter().all(|(code, ..)| !["KX101", "KX102", "KX103", "KX104"].contains(code)), "{found:?}");
}

#[test]
fn types_of_python_are_findings_with_advice() {
    let found = findings("own.yaml", &definitions(["int", "str"], "'pattern': '[0-9]+'"));
    let help: Vec<_> =
        found.iter().filter_map(|(code, _, help)| help.as_deref().filter(|_| *code == "KX102")).collect();
    assert_eq!(help, ["did you mean `integer`?", "did you mean `string`?"]);
    for (ty, pattern) in [("int", "[0-9]+"), ("bool", "(true|false)"), ("str", ".+")] {
        let found = findings("own.yaml", &definitions(["integer", "string"], &format!("'type': {ty}")));
        let advice = format!("write a pattern in place of the type, as `pattern: '{pattern}'`");
        assert!(found.iter().any(|(_, _, help)| help.as_ref() == Some(&advice)), "{found:?}");
    }
}
