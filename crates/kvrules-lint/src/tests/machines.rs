//! Tests of the fields of VirtualMachines and of KubeVirt's other objects.

use super::found;

/// The findings about the fields of objects and templates: the code, and the text that each is about.
fn field_findings(text: &str) -> Vec<String> {
    found(text).into_iter().filter(|it| it.starts_with("KV120") || it.starts_with("KV119")).collect()
}

#[test]
fn fields_of_data_volumes_and_of_instance_types_are_checked() {
    let machine = |rest: &str| {
        format!(
            "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: m}}\nspec:\n  runStrategy: Always\n{rest}"
        )
    };
    let wrong = "  dataVolumeTemplates:\n  - metadata: {name: disk, any: thing}\n    spec:\n      storge: {}\n      preallocation: 'yes'\n      \
                 source: {http: {url: 3}, htp: {}}\n      storage:\n        accessModes: ReadWriteOnce\n        resources: {requests: \
                 {storage: [10Gi]}}\n  instancetype: {nam: u1}\n  template: {spec: {domain: {devices: {}}}}\n";
    let mut findings = field_findings(&machine(wrong));
    findings.sort();
    assert_eq!(
        findings,
        ["KV120 '", "KV120 3", "KV120 R", "KV120 [", "KV120 htp", "KV120 nam", "KV120 storge"],
    );
    let right = "  dataVolumeTemplates:\n  - apiVersion: cdi.kubevirt.io/v1beta1\n    kind: DataVolume\n    metadata: {name: disk, any: thing}\n    \
                 spec:\n      preallocation: true\n      sourceRef: {kind: DataSource, name: fedora, namespace: images}\n      storage:\n        \
                 accessModes: [ReadWriteOnce]\n        resources: {requests: {storage: 10Gi}}\n      pvc: {volumeMode: Block}\n    status: \
                 {}\n  - null\n  instancetype: {name: u1.medium, kind: VirtualMachineClusterInstancetype}\n  template: {spec: {domain: \
                 {devices: {}}}}\nstatus: {ready: true}\n";
    assert_eq!(field_findings(&machine(right)), [""; 0]);
}

#[test]
fn fields_of_data_volumes_in_templates_are_checked() {
    let template = |machine: &str| {
        format!(
            "apiVersion: template.kubevirt.io/v1alpha1\nkind: VirtualMachineTemplate\nspec:\n  virtualMachine:\n    spec: {machine}\n"
        )
    };
    let wrong = "{dataVolumeTemplates: [{spec: {sourceRfe: {}, preallocation: 1}}], template: {spec: {domain: {devices: {}}}}}";
    assert_eq!(field_findings(&template(wrong)), ["KV119 sourceRfe", "KV119 1"]);
    let right = "{dataVolumeTemplates: [{spec: {storage: {storageClassName: '${CLASS}'}, preallocation: '${{NOW}}'}}]}";
    assert_eq!(field_findings(&template(right)), [""; 0]);
}

#[test]
fn a_long_path_is_shown_by_its_end() {
    use crate::message_text::path_code;
    assert_eq!(path_code(".spec.template"), "`.spec.template`");
    let path = ".spec.virtualMachineTemplate.spec.dataVolumeTemplates[0].spec.sourceReff";
    assert_eq!(path_code(path), "`….spec.dataVolumeTemplates[0].spec.sourceReff`");
    assert_eq!(path_code(&"é".repeat(90)), format!("`…{}`", "é".repeat(59)));
}

#[test]
fn machines_within_other_objects_are_checked() {
    let instance = "{domain: {cpu: {coress: 2, sockets: two}, devices: {}}}";
    for (api, kind, start, end) in [
        ("kubevirt.io/v1", "VirtualMachineInstance", "", ""),
        ("kubevirt.io/v1", "VirtualMachineInstanceReplicaSet", "{replicas: 2, template: {spec: ", "}}"),
        ("kubevirt.io/v1", "VirtualMachine", "{template: {spec: ", "}}"),
        (
            "pool.kubevirt.io/v1beta1",
            "VirtualMachinePool",
            "{virtualMachineTemplate: {spec: {template: {spec: ",
            "}}}}",
        ),
    ] {
        let text = format!("apiVersion: {api}\nkind: {kind}\nspec: {start}{instance}{end}\n");
        assert_eq!(field_findings(&text), ["KV120 coress", "KV120 t"], "{kind}");
        let listed = format!(
            "kind: List\nitems:\n- {{apiVersion: {api}, kind: {kind}, spec: {start}{instance}{end}}}\n"
        );
        assert_eq!(field_findings(&listed), ["KV120 coress", "KV120 t"], "{kind}");
    }
    let other = format!("apiVersion: example.com/v1\nkind: VirtualMachineInstance\nspec: {instance}\n");
    assert_eq!(field_findings(&other), [""; 0]);
}
