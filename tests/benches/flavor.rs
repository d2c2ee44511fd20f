//! Checking flavors: 10,000 of 20 extra specs on one core, as `kvrules flavor check` holds them to Nova's definitions, with
//! what the same run takes for work that nobody can do without: a look-up of each key and of each value in a table. The
//! aim is under 200 ms.

use std::collections::HashMap;
use std::hint::black_box;

use kvrules_extra_specs::{
    Checker, DefinitionRegistry, ValidationMode, nova::NovaValidator, shipped_document,
};
use kvrules_tests::bench::{compare_times, duration_ratio};

const FLAVORS: usize = 10_000;
const ROUNDS: usize = 5;

/// Extra specs of a large flavor; the last two contain an error.
const SPECS: [(&str, &str); 20] = [
    ("hw:cpu_policy", "dedicated"),
    ("hw:cpu_thread_policy", "prefer"),
    ("hw:numa_nodes", "2"),
    ("hw:numa_cpus.0", "0-3"),
    ("hw:numa_cpus.1", "4-7"),
    ("hw:numa_mem.0", "2048"),
    ("hw:numa_mem.1", "2048"),
    ("hw:mem_page_size", "1GB"),
    ("hw:watchdog_action", "reset"),
    ("hw:boot_menu", "true"),
    ("hw_rng:allowed", "True"),
    ("quota:disk_read_iops_sec", "1000"),
    ("quota:vif_inbound_average", "10240"),
    ("pci_passthrough:alias", "gpu:1,nic:2"),
    ("trait:HW_CPU_X86_AVX2", "required"),
    ("trait1:CUSTOM_GOLD", "forbidden"),
    ("resources:VCPU", "4"),
    ("resources_NET1:SRIOV_NET_VF", "1"),
    ("hw:cpu_pollicy", "shared"),
    ("hw:mem_encryption", "mabye"),
];

fn main() {
    let definitions = shipped_document().expand_definitions();
    let registry = DefinitionRegistry::new([definitions.clone()]);
    let checker = Checker::new(&registry, ValidationMode::Strict);
    let nova = NovaValidator::from_definitions(&definitions);
    let table: HashMap<&str, usize> = SPECS.iter().map(|(key, value)| (*key, value.len())).collect();
    let found = checker.check_specs(SPECS).len();
    assert_eq!(found, 2, "two slips are told");
    let bare = || {
        for _ in 0..FLAVORS {
            let known = |(key, value): &(&str, &str)| table.get(key) == Some(&value.len());
            black_box(SPECS.iter().filter(|spec| known(black_box(spec))).count());
        }
    };
    let check = || {
        for _ in 0..FLAVORS {
            black_box(checker.check_specs(black_box(SPECS)));
        }
    };
    let compat = || {
        for _ in 0..FLAVORS {
            black_box(SPECS.iter().filter(|(key, value)| nova.check_pair(key, value).is_accepted()).count());
        }
    };
    let (ours, lookup) = compare_times(ROUNDS, check, bare);
    println!(
        "flavor check: {FLAVORS} × {} specs in {ours:?}, {:.1} × a bare look-up",
        SPECS.len(),
        duration_ratio(ours, lookup)
    );
    let (nova, lookup) = compare_times(ROUNDS, compat, bare);
    println!("flavor check --nova-compat: {nova:?}, {:.1} × a bare look-up", duration_ratio(nova, lookup));
}
