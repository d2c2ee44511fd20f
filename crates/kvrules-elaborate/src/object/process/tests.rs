//! A machine of a template for each engine, with what each makes of it, read off their sources.

use std::collections::BTreeMap;

use kvrules_diagnostics::FileId;
use kvrules_syntax::parse_yaml;
use serde_json::Value;

use super::process_object;
use crate::object::ParameterValues;
use crate::template::find_templates;

/// Parameters (a YAML list), those given (`A=1 B=`), a VirtualMachine; then a pointer into what OpenShift makes of it
/// and the JSON there, or `!` and a part of the reason; the same for KubeVirt. A missing field is `-`.
type Case = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("[{name: A, value: x}]", "", "{spec: {v: 'a-${A}-${A}'}}", "/spec/v", "\"a-x-x\"", "\"a-x-x\""),
    ("[{name: A, value: x}]", "A=y", "{spec: {v: '${A}'}}", "/spec/v", "\"y\"", "\"y\""),
    ("[{name: A, value: x}]", "", "{spec: {v: '${B}'}}", "/spec/v", "\"${B}\"", "!no parameter `B`"),
    ("[{name: A, value: x}]", "", "{spec: {v: '${{B}}'}}", "/spec/v", "\"${{B}}\"", "!no parameter `B`"),
    ("[{name: A, value: '4'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "4", "4"),
    ("[{name: A, value: '4'}]", "", "{spec: {v: '${A}'}}", "/spec/v", "\"4\"", "\"4\""),
    ("[{name: A, value: '4'}]", "", "{spec: {v: 'x${{A}}'}}", "/spec/v", "\"x${{A}}\"", "\"x${{A}}\""),
    ("[{name: A, value: '4'}]", "", "{spec: {v: '${{A}} '}}", "/spec/v", "\"${{A}} \"", "\"${{A}} \""),
    ("[{name: A, value: 'true'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "true", "true"),
    ("[{name: A, value: 'yes'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "\"yes\"", "\"yes\""),
    ("[{name: A, value: '{\"b\": [1, null]}'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "{\"b\":[1,null]}", "{\"b\":[1,null]}"),
    ("[{name: A, value: 'a: 1'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "\"a: 1\"", "\"a: 1\""),
    ("[{name: A, value: '0x10'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "\"0x10\"", "\"0x10\""),
    ("[{name: A, value: '9007199254740993'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "9007199254740992", "9007199254740992"),
    ("[{name: A, value: '2.0'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "2", "2"),
    ("[{name: A}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "\"\"", "\"\""),
    ("[{name: A, value: 'null'}]", "", "{spec: {v: '${{A}}'}}", "/spec/v", "-", "!`null`"),
    ("[{name: A, value: 'null'}]", "", "{spec: {v: ['${{A}}']}}", "/spec/v", "!item of a list", "!`null`"),
    ("[{name: A, value: 'null'}]", "", "{spec: {v: '${A}'}}", "/spec/v", "\"null\"", "\"null\""),
    ("[{name: A, value: b}]", "", "{spec: {'${A}': 1}}", "/spec/b", "1", "1"),
    ("[{name: A, value: b}]", "", "{spec: {'${{A}}': 1}}", "/spec/b", "1", "1"),
    ("[{name: A, value: '4'}]", "", "{spec: {'${{A}}': 1}}", "/spec", "!not a string", "!not a string"),
    ("[{name: A, value: '${B}'}, {name: B, value: x}]", "", "{spec: {v: '${A}-${B}'}}", "/spec/v", "\"x-${B}\"", "\"x-${B}\""),
    ("[{name: A, value: x}]", "", "{spec: {v: '${${A}}'}}", "/spec/v", "\"${x}\"", "\"${x}\""),
    ("[{name: A, value: x}]", "", "{spec: {v: '$${A}'}}", "/spec/v", "\"$x\"", "\"$x\""),
    ("[{name: A-B, value: x}]", "", "{spec: {v: '${A-B}'}}", "/spec/v", "\"${A-B}\"", "\"${A-B}\""),
    ("[{name: A, required: true}]", "", "{spec: {v: 1}}", "/spec/v", "!is required", "!is required"),
    ("[{name: A, required: true}]", "A=", "{spec: {v: 1}}", "/spec/v", "!is required", "!is required"),
    ("[{name: A, required: true}]", "A=1", "{spec: {v: '${{A}}'}}", "/spec/v", "1", "1"),
    ("[{name: A, generate: expression, from: 'x[0-9]{2}'}]", "", "{spec: {v: '${A}'}}", "/spec/v", "\"x00\"", "\"x00\""),
    ("[{name: A, generate: expression, from: 'x[0-9]{2}'}]", "A=", "{spec: {v: '${A}'}}", "/spec/v", "\"\"", "\"x00\""),
    ("[{name: A, generate: expression, from: 'x[0-9]{2}', value: v}]", "", "{spec: {v: '${A}'}}", "/spec/v", "\"v\"", "\"v\""),
    ("[{name: A, generate: expression}]", "", "{spec: {v: '${A}'}}", "/spec/v", "\"\"", "!`from` is empty"),
    ("[{name: A, generate: expression, from: '[abc]{2}'}]", "", "{spec: {v: '${A}'}}", "/spec/v", "!cannot be generated", "\"aa\""),
    ("[{name: A, generate: dice}]", "", "{spec: {v: 1}}", "/spec/v", "!unknown generator", "!unknown generator"),
    ("[{name: A, generate: dice, value: x}]", "", "{spec: {v: '${A}'}}", "/spec/v", "\"x\"", "\"x\""),
    ("[{name: A, value: x}, {name: A, value: y}]", "", "{spec: {v: '${A}'}}", "/spec/v", "\"y\"", "!two parameters"),
    ("[{name: A, value: x}, {name: A, value: y}]", "A=z", "{spec: {v: '${A}'}}", "/spec/v", "\"y\"", "!two parameters"),
    ("[{value: x}]", "", "{spec: {v: 1}}", "/spec/v", "!has no name", "!has no name"),
    ("[]", "", "{metadata: {namespace: n}}", "/metadata/namespace", "-", "-"),
    ("[{name: A, value: n}]", "", "{metadata: {namespace: 'x${A}'}}", "/metadata/namespace", "\"xn\"", "\"xn\""),
    ("[{name: A, value: n}]", "", "{metadata: {namespace: '${{A}}'}}", "/metadata/namespace", "-", "-"),
    ("[]", "", "{spec: {}}", "/kind", "\"VirtualMachine\"", "\"VirtualMachine\""),
    ("[]", "", "{apiVersion: a/v1, spec: {}}", "/apiVersion", "\"a/v1\"", "\"kubevirt.io/v1\""),
    ("[]", "", "{metadata: {labels: {a: own, b: own}}}", "/metadata/labels/a", "\"added\"", "\"own\""),
    ("[]", "", "{metadata: {labels: {a: own, b: own}}}", "/metadata/labels/b", "\"own\"", "\"own\""),
    ("[]", "", "{spec: {}}", "/metadata/labels/a", "\"added\"", "-"),
];

fn made(template: &str, given: &str, pointer: &str) -> Result<Option<Value>, String> {
    let pairs = given.split_whitespace().filter_map(|pair| pair.split_once('='));
    let given: BTreeMap<_, _> = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let document = parse_yaml(FileId(0), template, 0).remove(0);
    let template = find_templates(&document).remove(0);
    let machine = template.virtual_machines().next().unwrap();
    let object = process_object(template, machine, &ParameterValues::from_template(template, &given))
        .map_err(|unlike| unlike.message)?;
    Ok(object.pointer(pointer).cloned())
}

#[test]
fn each_engine_processes_as_its_source_says() {
    for (parameters, given, machine, pointer, openshift, kubevirt) in CASES {
        let rest = machine.strip_prefix('{').unwrap();
        let of_openshift = format!(
            "{{kind: Template, labels: {{a: added}}, parameters: {parameters}, objects: [{{kind: VirtualMachine, {rest}]}}"
        );
        let of_kubevirt = format!(
            "{{kind: VirtualMachineTemplate, spec: {{parameters: {parameters}, virtualMachine: {machine}}}}}"
        );
        for (template, expected) in [(of_openshift, openshift), (of_kubevirt, kubevirt)] {
            let made = made(&template, given, pointer);
            let fits = match (&made, expected.strip_prefix('!')) {
                (Err(why), Some(part)) => why.contains(part),
                (Ok(None), _) => *expected == "-",
                (Ok(Some(value)), None) => {
                    serde_json::from_str::<Value>(expected).is_ok_and(|json| json == *value)
                }
                _ => false,
            };
            assert!(fits, "{template} with `{given}`: {made:?}, expected {expected}");
        }
    }
    println!("{} machines for two engines", CASES.len());
}
