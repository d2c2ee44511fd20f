//! VirtualMachines with an instance type or a preference.

use crate::place::{Place, Run};

fn check(text: &str) -> Run {
    Place::with(&[("vm.yaml", text)]).run(&["check", "--output-format", "concise", "vm.yaml"])
}

fn machine(spec: &str, domain: &str) -> String {
    format!(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: web, namespace: a}}\nspec:\n  runStrategy: Always\n{spec}  \
         template:\n    spec:\n      domain: {domain}\n"
    )
}

const TYPES: &str = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineInstancetype\nmetadata: {name: gpu, namespace: a}\n\
                     spec: {cpu: {guest: 2, model: host-model}, memory: {guest: 1Gi}, gpus: [{name: g, deviceName: d}]}\n---\n\
                     apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterPreference\nmetadata: {name: big}\n\
                     spec: {requirements: {cpu: {guest: 4}, memory: {guest: 2048Mi}}}\n---\n";

#[test]
fn fields_that_an_instance_type_sets_conflict_with_it() {
    let domain = "{cpu: {sockets: 2, cores: 0, model: a}, memory: {guest: 1Gi}, resources: {requests: {memory: 2Gi}, limits: {cpu: 1}}, devices: {}}";
    let run = check(&machine("  instancetype: {name: u1.medium}\n", domain));
    let conflicts = run.out.matches("conflicts with the instance type `u1.medium`").count();
    assert_eq!((run.code, conflicts, run.out.lines().count()), (Some(1), 4, 4), "{run:?}");
    let run = check(&machine("", domain));
    assert!(!run.out.contains("KV121"), "{run:?}");
    let right = "{devices: {}, cpu: {model: a, dedicatedCpuPlacement: true}, firmware: {uuid: a}}";
    assert!(!check(&machine("  instancetype: {name: u1.medium}\n", right)).out.contains("KV121"));
}

#[test]
fn an_instance_type_in_the_file_is_compared_with_all_that_it_sets() {
    let namespaced = "  instancetype: {name: gpu, kind: virtualmachineinstancetype}\n";
    let domain = "{cpu: {model: a}, devices: {gpus: [{name: h, deviceName: e}], hostDevices: [{name: h, deviceName: e}]}}";
    let run = check(&format!("{TYPES}{}", machine(namespaced, domain)));
    let paths = [".domain.cpu.model` conflicts", ".domain.devices.gpus` conflicts"];
    assert!(run.out.lines().count() == 2 && paths.iter().all(|path| run.out.contains(path)), "{run:?}");
    let other = namespaced.replace(", kind: virtualmachineinstancetype", "");
    assert_eq!(
        check(&format!("{TYPES}{}", machine(&other, domain))).out,
        "",
        "that of the cluster is not in the file"
    );
    let elsewhere = machine(namespaced, domain).replace("namespace: a", "namespace: b");
    assert_eq!(check(&format!("{TYPES}{elsewhere}")).out, "");
}

#[test]
fn requirements_of_a_preference_are_compared_with_the_instance_type_or_the_machine() {
    let both = "  instancetype: {name: gpu, kind: VirtualMachineInstancetype}\n  preference: {name: big}\n";
    let run = check(&format!("{TYPES}{}", machine(both, "{devices: {}}")));
    assert!(
        run.out.contains("preference `big` requires memory `2048Mi`, and the instance type provides `1Gi`"),
        "{run:?}"
    );
    assert!(
        run.out.contains("preference `big` requires CPUs `4`, and the instance type provides `2`"),
        "{run:?}"
    );
    let alone = |memory: &str| {
        let text = machine(
            "  preference: {name: big}\n",
            &format!("{{memory: {{guest: {memory}}}, devices: {{}}}}"),
        );
        check(&format!("{TYPES}{text}")).out
    };
    assert!(alone("1Gi").contains("and the VirtualMachine has `1Gi`"));
    assert_eq!(alone("2Gi"), "");
    let unknown = "  instancetype: {name: other}\n  preference: {name: big}\n";
    assert_eq!(
        check(&format!("{TYPES}{}", machine(unknown, "{devices: {}}"))).out,
        "",
        "unknown is not reported"
    );
}

#[test]
fn no_advice_is_to_set_a_field_that_conflicts() {
    let rules = r#"[{"name": "memory", "path": "jsonpath::.spec.domain.memory.guest", "rule": "integer", "message": "This VM requires more memory.", "min": 1610612736}]"#;
    let machine = |spec: &str| {
        machine(spec, "{devices: {}}").replace(
            "{name: web, namespace: a}",
            &format!("{{name: web, annotations: {{vm.kubevirt.io/validations: '{rules}'}}}}"),
        )
    };
    let place =
        Place::with(&[("a.yaml", &machine("  instancetype: {name: u1.medium}\n")), ("b.yaml", &machine(""))]);
    let run = place.run(&["check", "a.yaml"]);
    assert!(
        run.out.contains(
            "help: remove the rule: the instance type of the VirtualMachine sets `.spec.domain.memory.guest`"
        ),
        "{run:?}"
    );
    assert!(
        place.run(&["check", "b.yaml"]).out.contains("give `.spec.domain.memory.guest` a value that passes")
    );
}
