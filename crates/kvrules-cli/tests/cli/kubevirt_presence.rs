//! Existence of fields of a VirtualMachine: by KubeVirt's Go types, with and without KubeVirt's definition in `--schema`.
//!
//! Expectations are read off `kubevirt.io/api/core/v1/schema.go` and `types.go`: a field that is no pointer has its zero value, or
//! what `SetObjectDefaults_VirtualMachineInstance` gives it, if the struct around it is there; a pointer exists if it is written.

#![allow(clippy::unwrap_used, clippy::too_many_lines, reason = "tables of a test")]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::place::Place;

/// A path below `spec.template.spec`, what is asked of it, the guard if it is another path, what stands in
/// `spec.template.spec`, and the outcome with the Go field that decides.
type Row = (&'static str, Value, &'static str, Value, &'static str, &'static str);

fn one_of(values: &[&str]) -> Value {
    json!({"rule": "enum", "values": values})
}

fn at_least(min: i64) -> Value {
    json!({"rule": "integer", "min": min})
}

fn pattern(regex: &str) -> Value {
    json!({"rule": "regex", "regex": regex})
}

/// Devices of one list with one element.
fn device(list: &str, element: &Value) -> Value {
    json!({"domain": {"devices": {list: [element]}}})
}

fn disk_rows() -> Vec<Row> {
    let disk = |target: Value| device("disks", &target);
    let bus = || one_of(&["sata", "virtio"]);
    vec![
        (
            "domain.devices.disks[*].disk.bus",
            bus(),
            "",
            disk(json!({"disk": {}})),
            "violated",
            "DiskTarget.Bus DiskBus",
        ),
        (
            "domain.devices.disks[*].disk.bus",
            bus(),
            "",
            disk(json!({"cdrom": {}})),
            "skipped",
            "Disk *DiskTarget",
        ),
        (
            "domain.devices.disks[*].disk.bus",
            bus(),
            "",
            disk(json!({"disk": {"bus": "sata"}})),
            "satisfied",
            "DiskTarget.Bus",
        ),
        (
            "domain.devices.disks[*].disk.bus",
            one_of(&["", "sata"]),
            "",
            disk(json!({"disk": {}})),
            "satisfied",
            "zero value",
        ),
        (
            "domain.devices.disks[*].cdrom.bus",
            bus(),
            "",
            disk(json!({"cdrom": {}})),
            "violated",
            "CDRomTarget.Bus DiskBus",
        ),
        (
            "domain.devices.disks[*].lun.bus",
            bus(),
            "",
            disk(json!({"lun": {}})),
            "violated",
            "LunTarget.Bus DiskBus",
        ),
        (
            "domain.devices.disks[*].cdrom.tray",
            one_of(&["open"]),
            "",
            disk(json!({"cdrom": {}})),
            "violated",
            "default closed",
        ),
        (
            "domain.devices.disks[*].cdrom.tray",
            one_of(&["closed"]),
            "",
            disk(json!({"cdrom": {}})),
            "satisfied",
            "default closed",
        ),
        (
            "domain.devices.disks[*].serial",
            pattern("^S"),
            "",
            disk(json!({"disk": {}})),
            "violated",
            "Disk.Serial string",
        ),
        (
            "domain.devices.disks[*].cache",
            one_of(&["none"]),
            "",
            disk(json!({"disk": {}})),
            "violated",
            "Disk.Cache DriverCache",
        ),
        (
            "domain.devices.disks[*].io",
            one_of(&["native"]),
            "",
            disk(json!({"disk": {}})),
            "violated",
            "Disk.IO DriverIO",
        ),
        (
            "domain.devices.disks[*].bootOrder",
            at_least(2),
            "",
            disk(json!({"disk": {}})),
            "skipped",
            "Disk.BootOrder *uint",
        ),
        (
            "domain.devices.disks[*].disk.pciAddress",
            pattern("^0000"),
            "",
            disk(json!({"disk": {}})),
            "violated",
            "PciAddress string",
        ),
        (
            "domain.devices.disks[*].disk.bus",
            bus(),
            "",
            json!({"domain": {"devices": {"disks": []}}}),
            "skipped",
            "no element",
        ),
    ]
}

fn other_device_rows() -> Vec<Row> {
    let nic = |nic: Value| device("interfaces", &nic);
    vec![
        (
            "domain.devices.interfaces[*].model",
            one_of(&["virtio"]),
            "",
            nic(json!({"name": "a"})),
            "violated",
            "Model string",
        ),
        (
            "domain.devices.interfaces[*].macAddress",
            pattern("^02"),
            "",
            nic(json!({"name": "a"})),
            "violated",
            "MacAddress string",
        ),
        (
            "domain.devices.interfaces[*].bootOrder",
            at_least(1),
            "",
            nic(json!({"name": "a"})),
            "skipped",
            "BootOrder *uint",
        ),
        (
            "domain.devices.interfaces[*].acpiIndex",
            at_least(1),
            "",
            nic(json!({"name": "a"})),
            "violated",
            "ACPIIndex int",
        ),
        (
            "domain.devices.interfaces[*].state",
            one_of(&["up"]),
            "",
            nic(json!({"name": "a"})),
            "violated",
            "State InterfaceState",
        ),
        (
            "domain.devices.inputs[*].bus",
            one_of(&["usb"]),
            "",
            device("inputs", &json!({"name": "a", "type": "tablet"})),
            "violated",
            "Bus InputBus",
        ),
        (
            "domain.devices.panicDevices[*].model",
            one_of(&["isa"]),
            "",
            device("panicDevices", &json!({})),
            "skipped",
            "Model *PanicDeviceModel",
        ),
        (
            "domain.devices.sound.model",
            one_of(&["ac97"]),
            "",
            json!({"domain": {"devices": {"sound": {"name": "a"}}}}),
            "violated",
            "Model string",
        ),
        (
            "domain.devices.sound.model",
            one_of(&["ac97"]),
            "",
            json!({"domain": {"devices": {}}}),
            "skipped",
            "Sound *SoundDevice",
        ),
        (
            "domain.devices.video.type",
            one_of(&["vga"]),
            "",
            json!({"domain": {"devices": {"video": {}}}}),
            "violated",
            "Type string",
        ),
    ]
}

fn domain_rows() -> Vec<Row> {
    let domain = |domain: Value| json!({"domain": domain});
    vec![
        (
            "domain.cpu.cores",
            at_least(2),
            "",
            domain(json!({"cpu": {}})),
            "violated",
            "Cores uint32, set to 1",
        ),
        (
            "domain.cpu.cores",
            at_least(1),
            "",
            domain(json!({"cpu": {}})),
            "satisfied",
            "Cores uint32, set to 1",
        ),
        ("domain.cpu.cores", at_least(2), "", domain(json!({})), "skipped", "CPU *CPU"),
        (
            "domain.cpu.sockets",
            at_least(2),
            "domain.cpu",
            domain(json!({"cpu": {"cores": 4}})),
            "violated",
            "Sockets uint32, set to 1",
        ),
        (
            "domain.cpu.maxSockets",
            at_least(1),
            "",
            domain(json!({"cpu": {}})),
            "violated",
            "MaxSockets uint32",
        ),
        (
            "domain.cpu.model",
            one_of(&["host-model"]),
            "",
            domain(json!({"cpu": {"cores": 1}})),
            "violated",
            "Model string",
        ),
        (
            "domain.cpu.realtime.mask",
            pattern("."),
            "",
            domain(json!({"cpu": {"realtime": {}}})),
            "violated",
            "Mask string",
        ),
        (
            "domain.cpu.realtime.mask",
            pattern("."),
            "",
            domain(json!({"cpu": {}})),
            "skipped",
            "Realtime *Realtime",
        ),
        (
            "domain.memory.guest",
            at_least(1),
            "",
            domain(json!({"memory": {}})),
            "skipped",
            "Guest *resource.Quantity",
        ),
        (
            "domain.memory.hugepages.pageSize",
            one_of(&["2Mi"]),
            "",
            domain(json!({"memory": {"hugepages": {}}})),
            "violated",
            "PageSize string",
        ),
        (
            "domain.memory.hugepages.pageSize",
            one_of(&["2Mi"]),
            "",
            domain(json!({"memory": {"guest": "1Gi"}})),
            "skipped",
            "Hugepages *Hugepages",
        ),
        (
            "domain.machine.type",
            one_of(&["q35"]),
            "",
            domain(json!({"machine": {}})),
            "violated",
            "Type string",
        ),
        ("domain.machine.type", one_of(&["q35"]), "", domain(json!({})), "skipped", "Machine *Machine"),
        (
            "domain.firmware.serial",
            pattern("^S"),
            "",
            domain(json!({"firmware": {}})),
            "violated",
            "Serial string",
        ),
        (
            "domain.clock.timezone",
            one_of(&["UTC"]),
            "",
            domain(json!({"clock": {}})),
            "skipped",
            "Timezone *ClockOffsetTimezone",
        ),
        (
            "domain.clock.timer.hpet.tickPolicy",
            one_of(&["delay"]),
            "",
            domain(json!({"clock": {"timer": {"hpet": {}}}})),
            "violated",
            "TickPolicy HPETTickPolicy",
        ),
        (
            "domain.ioThreadsPolicy",
            one_of(&["auto"]),
            "",
            domain(json!({})),
            "skipped",
            "IOThreadsPolicy *IOThreadsPolicy",
        ),
        (
            "domain.chassis.serial",
            pattern("^S"),
            "",
            domain(json!({"chassis": {}})),
            "violated",
            "Serial string",
        ),
        (
            "domain.resources.requests.memory",
            at_least(1),
            "",
            domain(json!({"resources": {}})),
            "skipped",
            "a key of a map",
        ),
        (
            "domain.features.hyperv.spinlocks.spinlocks",
            at_least(5000),
            "",
            domain(json!({"features": {"hyperv": {"spinlocks": {}}}})),
            "skipped",
            "Retries *uint32",
        ),
    ]
}

fn machine_rows() -> Vec<Row> {
    let with = |field: Value| {
        let mut spec = json!({"domain": {}});
        spec.as_object_mut().unwrap().extend(field.as_object().unwrap().clone());
        spec
    };
    let volume = |volume: Value| with(json!({"volumes": [volume]}));
    vec![
        ("hostname", pattern("^vm"), "", with(json!({})), "violated", "Hostname string"),
        ("subdomain", pattern("^vm"), "", with(json!({})), "violated", "Subdomain string"),
        ("schedulerName", one_of(&["own"]), "", with(json!({})), "violated", "SchedulerName string"),
        ("priorityClassName", one_of(&["high"]), "", with(json!({})), "violated", "PriorityClassName string"),
        ("architecture", one_of(&["amd64"]), "", with(json!({})), "violated", "Architecture string"),
        ("dnsPolicy", one_of(&["Default"]), "", with(json!({})), "violated", "DNSPolicy k8sv1.DNSPolicy"),
        (
            "evictionStrategy",
            one_of(&["LiveMigrate"]),
            "",
            with(json!({})),
            "skipped",
            "EvictionStrategy *EvictionStrategy",
        ),
        (
            "startStrategy",
            one_of(&["Paused"]),
            "",
            with(json!({})),
            "skipped",
            "StartStrategy *StartStrategy",
        ),
        (
            "terminationGracePeriodSeconds",
            at_least(60),
            "",
            with(json!({})),
            "skipped",
            "TerminationGracePeriodSeconds *int64",
        ),
        (
            "volumes[*].containerDisk.path",
            pattern("^/"),
            "",
            volume(json!({"containerDisk": {"image": "i"}})),
            "violated",
            "Path string",
        ),
        (
            "volumes[*].containerDisk.imagePullPolicy",
            one_of(&["Always"]),
            "",
            volume(json!({"containerDisk": {"image": "i"}})),
            "violated",
            "ImagePullPolicy k8sv1.PullPolicy",
        ),
        (
            "volumes[*].containerDisk.path",
            pattern("^/"),
            "",
            volume(json!({"emptyDisk": {"capacity": "1Gi"}})),
            "skipped",
            "ContainerDisk *ContainerDiskSource",
        ),
        (
            "volumes[*].cloudInitNoCloud.userData",
            pattern("^#"),
            "",
            volume(json!({"cloudInitNoCloud": {}})),
            "violated",
            "UserData string",
        ),
    ]
}

/// A machine that carries one rule, named as it is.
fn machine(index: usize, (path, requested_inputs, guard, spec, ..): &Row) -> Value {
    let guard = if guard.is_empty() { path } else { guard };
    let mut rule = requested_inputs.clone();
    let fields = json!({
        "name": format!("row-{index}"), "message": "m",
        "path": format!("jsonpath::.spec.{path}"), "valid": format!("jsonpath::.spec.{guard}"),
    });
    rule.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": {
            "name": format!("row-{index}"), "namespace": "n",
            "annotations": {"vm.kubevirt.io/validations": json!([rule]).to_string()},
        },
        "spec": {"running": false, "template": {"spec": spec}},
    })
}

#[test]
fn a_field_exists_as_in_kubevirts_go_types_whatever_the_schema() {
    let rows: Vec<Row> =
        [disk_rows(), other_device_rows(), domain_rows(), machine_rows()].into_iter().flatten().collect();
    assert!(rows.len() >= 50, "{}", rows.len());
    let machines: String =
        rows.iter().enumerate().map(|(index, row)| machine(index, row).to_string() + "\n").collect();
    let place = Place::with(&[("machines.ndjson", &machines)]);
    let definition = kvrules_testdata::find_path(kvrules_testdata::VIRTUAL_MACHINES);
    let choices = definition
        .iter()
        .flat_map(|path| ["v1", "v1alpha3"].map(|version| format!("{}#{version}", path.display())));
    let choices: Vec<Option<String>> = std::iter::once(None).chain(choices.map(Some)).collect();
    for choice in &choices {
        let mut args =
            vec!["eval", "--engine", "spec", "--output-format", "json", "--trace", "machines.ndjson"];
        args.extend(choice.iter().flat_map(|choice| ["--schema", choice.as_str()]));
        let run = place.run(&args);
        let answers: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), rows.len(), "{run:?}");
        let mut wrong = Vec::new();
        for ((path, _, _, spec, expected, why), answer) in rows.iter().zip(&answers) {
            let outcome = &answer["spec"]["rules"][0]["outcome"];
            if outcome != expected {
                wrong.push(format!("{path} of {spec}: {outcome}, not {expected} ({why}); {answer}"));
            }
        }
        assert!(wrong.is_empty(), "{choice:?}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn policies_ask_the_same_with_and_without_kubevirts_definition() {
    let Some(definition) = kvrules_testdata::find_path(kvrules_testdata::VIRTUAL_MACHINES) else { return };
    let definition = definition.to_str().unwrap();
    let rows: Vec<Row> =
        [disk_rows(), other_device_rows(), domain_rows(), machine_rows()].into_iter().flatten().collect();
    // One rule for each path: some rows ask for opposites.
    let mut paths = BTreeSet::new();
    let rules: Vec<Value> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| paths.insert(row.0))
        .map(|(index, row)| {
            let machine = machine(index, row);
            let text = machine["metadata"]["annotations"]["vm.kubevirt.io/validations"].as_str().unwrap();
            serde_json::from_str::<Vec<Value>>(text).unwrap().remove(0)
        })
        .collect();
    let text = json!({"vm.kubevirt.io/validations": Value::Array(rules).to_string()}).to_string();
    let place = Place::with(&[("rules.yaml", &text)]);
    let made = |more: &[&str]| {
        place.run(&[&["compile", "rules.yaml", "-o", "-", "-t", "admission-policy"], more].concat())
    };
    let plain = made(&[]);
    assert!(plain.out.len() > 1000, "{plain:?}");
    assert_eq!(plain.out, made(&["--schema", definition]).out);
}
