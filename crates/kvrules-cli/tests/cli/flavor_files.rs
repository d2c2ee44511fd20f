//! Flavors and images in the files of Ansible, Heat, Terraform and controllers of Kubernetes, and as the APIs print them.

use crate::place::{Place, Run};

/// Runs `check` and `flavor check`, which report the same, and returns the first.
fn check(name: &str, text: &str) -> Run {
    let place = Place::with(&[(name, text)]);
    let run = place.run(&["check", "--output-format", "concise", "--level", "info", name]);
    let of_flavor = place.run(&["flavor", "check", "--output-format", "concise", "--level", "info", name]);
    let without_notes = |run: &Run| {
        run.out.lines().filter(|line| !line.contains(": info[")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(without_notes(&run), without_notes(&of_flavor), "{run:?}\n{of_flavor:?}");
    run
}

/// The findings of a run: level, code and the word in backticks.
fn findings(run: &Run) -> Vec<String> {
    let word = |line: &str| {
        let (_, found) = line.split_once(": ")?;
        let (code, message) = found.split_once(' ')?;
        Some(format!("{code} {}", message.split('`').nth(1).unwrap_or_default()))
    };
    run.out.lines().filter_map(word).collect()
}

const PLAYBOOK: &str = r#"
- hosts: all
  vars:
    defaults: &defaults
      hw:cpu_policy: dedicted
    flavors:
    - {name: a, ram: 1, vcpus: 1, extra_specs: *defaults}
    - {name: b, extra_specs: {<<: *defaults, "hw:boot_menu": yes}}
  tasks:
  - block:
    - name: in a loop
      openstack.cloud.compute_flavor:
        name: "{{ item.name }}"
        extra_specs: "{{ item.extra_specs }}"
      loop:
      - {name: c, extra_specs: {"hw:numa_node": 1}}
    rescue:
    - local_action: {module: os_nova_flavor, name: z, extra_specs: {"hw:mem_page_size": larg}}
    - openstack.cloud.volume_type: {name: v, extra_specs: {volume_backend_name: x, "capabilities:y": z}}
    - openstack.cloud.compute_flavor: {name: q, extra_spec: {"hw:mem_page_size": large}}
    - openstack.cloud.image: {name: i, properties: {hw_cpu_policy: shard, hw_boot_menu: true, "hw:cpu_policy": shared}}
"#;

#[test]
fn extra_specs_are_found_in_plays_blocks_loops_and_variables() {
    let run = check("play.yml", PLAYBOOK);
    let wanted = [
        "error[KX201] hw:cpu_policy",
        "error[KX207] hw:boot_menu",
        "info[KV017] ",
        "error[KX202] hw:numa_node",
        "error[KX201] hw:mem_page_size",
        "error[KX207] extra_spec",
        "error[KX201] hw_cpu_policy",
        "warning[KX209] hw:cpu_policy",
    ];
    assert_eq!(findings(&run), wanted, "{run:?}");
    let run = check(
        "main.yml",
        "- os_nova_flavor:\n    name: a\n    extra_specs: {'quota:cpu_share': 5, 'hw:pmu': false}\n",
    );
    assert_eq!(findings(&run), ["error[KX202] quota:cpu_share", "error[KX207] hw:pmu"], "{run:?}");
}

#[test]
fn numbers_are_those_that_ansible_reads() {
    // YAML 1.1, as PyYAML has it: 010 is 8.
    let run = check(
        "vars.yml",
        "my_flavors:\n  a: {ram: 1, vcpus: 2, extra_specs: {'hw:redirected_usb_ports': 020}}\n",
    );
    assert!(run.out.contains("'16' is greater than the max value of '15'"), "{run:?}");
}

#[test]
fn extra_specs_are_found_in_templates_of_heat() {
    let heat = r#"
heat_template_version: 2018-08-31
parameters: {policy: {type: string}}
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: OS::Nova::Flavor
        properties: {ram: 1, vcpus: 1, extra_specs: {"hw:cpu_policy": {get_param: policy}, "hw:numa_nodes": 0}}
  volumes:
    type: OS::Cinder::VolumeType
    properties: {name: a, metadata: {"hw:nonsense": x}}
  image:
    type: OS::Glance::WebImage
    properties: {extra_properties: {hw_cpu_policy: dedicted}}
"#;
    let run = check("heat.yaml", heat);
    let wanted = ["info[KX207] hw:cpu_policy", "error[KX201] hw:numa_nodes", "error[KX201] hw_cpu_policy"];
    assert_eq!(findings(&run), wanted, "{run:?}");
}

#[test]
fn extra_specs_are_found_in_configurations_plans_and_states_of_terraform() {
    let configured = r#"{"resource": {"openstack_compute_flavor_v2": {"a": {"name": "a", "ram": 1, "vcpus": 1, "extra_specs":
        {"hw:boot_menu": true, "hw:cpu_policy": "${var.x}", "hw:cpu_polcy": "shared"}}},
        "openstack_blockstorage_volume_type_v3": {"v": {"extra_specs": {"capabilities:x": "y"}}},
        "openstack_images_image_v2": {"i": [{"name": "i", "properties": {"hw_disk_bus": "virtio", "hw_cpu_polcy": "shared"}}]}}}"#;
    let run = check("main.tf.json", configured);
    let wanted = ["info[KX207] hw:cpu_policy", "error[KX202] hw:cpu_polcy", "warning[KX209] hw_cpu_polcy"];
    assert_eq!(findings(&run), wanted, "{run:?}");
    let flavor = r#"{"extra_specs": {"hw:cpu_policy": "dedicted"}}"#;
    let plan = format!(
        r#"{{"format_version": "1.2",
        "planned_values": {{"root_module": {{"child_modules": [{{"resources": [{{"type": "openstack_compute_flavor_v2", "values": {flavor}}}]}}]}}}},
        "resource_changes": [{{"type": "openstack_compute_flavor_v2", "change": {{"before": null, "after": {flavor}}}}}]}}"#
    );
    let state = format!(
        r#"{{"version": 4, "resources": [{{"type": "openstack_compute_flavor_v2", "instances": [{{"attributes": {flavor}}}]}}]}}"#
    );
    for (name, text) in [("plan.json", plan), ("state.json", state)] {
        let run = check(name, &text);
        assert_eq!(findings(&run), ["error[KX201] hw:cpu_policy"], "{name} {run:?}");
        assert!(run.err.contains("1 flavor with 1 extra spec"), "{name} {run:?}");
    }
}

#[test]
fn extra_specs_are_found_in_objects_of_controllers() {
    let orc = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Flavor\nmetadata: {name: hpc}\nspec:\n  resource:\n    ram: 1\n    \
               extraSpecs:\n    - {name: 'hw:cpu_policy', value: dedicted}\n    - {name: 'hw:numa_node', value: '1'}\n";
    assert_eq!(
        findings(&check("orc.yaml", orc)),
        ["error[KX201] hw:cpu_policy", "error[KX202] hw:numa_node"]
    );
    let crossplane = "apiVersion: compute.openstack.crossplane.io/v1alpha1\nkind: FlavorV2\nmetadata: {name: a}\n\
                      spec: {forProvider: {ram: 1, vcpus: 1, extraSpecs: {'hw:cpu_policy': shared, 'hw:numa_nodes': 1}}}\n";
    assert_eq!(findings(&check("crossplane.yaml", crossplane)), ["error[KX207] hw:numa_nodes"]);
    let other = "apiVersion: example.com/v1\nkind: Flavor\nmetadata: {name: vanilla}\nspec: {taste: sweet}\n";
    assert!(Place::with(&[("a.yaml", other)]).run(&["check", "a.yaml"]).err.contains("nothing recognized"));
}

#[test]
fn flavors_without_extra_specs_are_no_error() {
    for (name, text) in [
        (
            "list.json",
            r#"{"flavors": [{"id": "1", "name": "small", "description": "no details", "links": [{"href": "x", "rel": "self"}]}]}"#,
        ),
        ("one.json", r#"{"flavor": {"id": "1", "name": "small", "links": []}}"#),
        (
            "columns.json",
            r#"[{"ID": "1", "Name": "a", "RAM": 512, "Disk": 1, "Ephemeral": 0, "VCPUs": 1, "Is Public": true}]"#,
        ),
    ] {
        let run = check(name, text);
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{name} {run:?}");
        assert!(run.err.contains("1 flavor with 0 extra specs: no findings"), "{name} {run:?}");
    }
    let place = Place::with(&[("few.json", r#"[{"ID": "1", "Name": "a"}]"#)]);
    let run = place.run(&["flavor", "check", "few.json"]);
    assert_eq!(run.err, "checked 0 extra specs in 1 flavor: no findings\n");
}

#[test]
fn files_without_flavors_are_not_taken_for_some() {
    let play = "- name: nothing\n  hosts: all\n  tasks: [{debug: {msg: hi}}]\n";
    let place = Place::with(&[("play.yml", play)]);
    assert!(place.run(&["check", "play.yml"]).err.contains("nothing recognized"));
    let run = place.run(&["flavor", "check", "play.yml"]);
    assert!(run.code == Some(1) && run.out.contains("no flavors or extra specs found"), "{run:?}");
    let schema = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"flavors": {"type": "array",
        "items": {"properties": {"name": {"type": "string"}, "ram": {"type": "integer"}, "extra_specs": {"type": "object"}}}}}}"#;
    let run = Place::with(&[("a.json", schema)]).run(&["check", "a.json"]);
    assert!(run.code == Some(0) && run.err.contains("1 JSON Schema"), "{run:?}");
}

#[test]
fn properties_of_images_are_checked_by_the_extra_specs_of_the_same_meaning() {
    let image = |properties: &str| format!(r#"{{"name": "ubuntu", "properties": {properties}}}"#);
    let run = check(
        "a.json",
        &image(r#"{"hw_cpu_policy": "deddicated", "hw_firmware_type": "uefi", "os_hidden": false}"#),
    );
    assert_eq!(findings(&run), ["error[KX201] hw_cpu_policy"], "{run:?}");
    let run = check(
        "a.json",
        &image(
            r#"{"hw_numa_cpus.0": "0-x", "hw_numa_mem.1": "512", "hw_pmu": "yes", "hw_cpu_sockets": "0"}"#,
        ),
    );
    assert_eq!(findings(&run), ["error[KX201] hw_numa_cpus.0", "error[KX201] hw_cpu_sockets"], "{run:?}");
    let run = check(
        "a.json",
        &image(
            r#"{"hw_disk_bus": "virtio", "hw:numa_cpus.0": "0", "resources:VCPU": "1", "trait:HW_CPU_X86_AVX2": "required"}"#,
        ),
    );
    assert_eq!(findings(&run), ["warning[KX209] hw:numa_cpus.0", "warning[KX209] resources:VCPU"], "{run:?}");
    let flat = r#"{"images": [{"id": "1", "name": "u", "disk_format": "qcow2", "hw_cpu_policy": "x", "os_hidden": false, "tags": []}]}"#;
    let run = check("glance.json", flat);
    assert_eq!(findings(&run), ["error[KX201] hw_cpu_policy"], "{run:?}");
    assert!(run.err.contains("checked 1 file, 1 image: 1 error"), "{run:?}");
}

#[test]
fn properties_of_images_in_a_flavor_are_named_with_their_extra_specs() {
    let run = Place::with(&[]).run(&[
        "flavor",
        "check",
        "hw_cpu_policy=shared",
        "hw_firmware_type=uefi",
        "hw_cpu_polcy=shared",
    ]);
    assert!(
        run.out.contains("`hw_cpu_policy` is not an extra spec: it is the image property of `hw:cpu_policy`"),
        "{run:?}"
    );
    assert!(run.out.contains("`hw_firmware_type` is an image property, not an extra spec"), "{run:?}");
    assert_eq!(run.out.matches("did you mean `hw:cpu_policy`?").count(), 2, "{run:?}");
}
