//! The released bundles, converted to `VirtualMachineTemplate`s line by line: the same findings at the places that the lines
//! went to, the same rules, the same compiled files, and the same verdicts on the machines.

use std::collections::BTreeMap;

use kvrules::eval::{Engine, Evaluation, Evaluator, Options};
use kvrules::{ElaboratedSet, FileId, Position, Request, SourceFile};
use kvrules_tests::template_bundles;

/// A bundle in KubeVirt's own kind, and where each of its lines went: the line, and how many columns to the right.
struct Converted {
    text: String,
    moved: Vec<(u32, u32)>,
}

/// The objects become `spec.virtualMachine`, and the parameters move below `spec`. As `virttemplatectl convert` does, of the
/// metadata everything stays.
fn converted(bundle: &str) -> Converted {
    let (mut text, mut moved, mut line) = (String::new(), Vec::new(), 0);
    let mut shift = 0;
    for written in bundle.lines() {
        let is_top = written.starts_with(|first: char| first.is_ascii_alphabetic());
        let new = match written {
            _ if written.starts_with("apiVersion: template.openshift.io") => {
                "apiVersion: template.kubevirt.io/v1beta1".to_owned()
            }
            "kind: Template" => "kind: VirtualMachineTemplate".to_owned(),
            "objects:" => {
                text.push_str("spec:\n");
                line += 1;
                "  virtualMachine:".to_owned()
            }
            "parameters:" => "  parameters:".to_owned(),
            "" => String::new(),
            _ if shift > 0 && !is_top && written != "---" && !written.starts_with('#') => {
                // The only object of each template is no longer an item.
                let item = written.strip_prefix("- apiVersion: kubevirt.io/");
                let rest = item.map(|version| format!("  apiVersion: kubevirt.io/{version}"));
                format!("  {}", rest.as_deref().unwrap_or(written))
            }
            other => other.to_owned(),
        };
        shift = match written {
            "objects:" | "parameters:" => 2,
            _ if is_top || written == "---" => 0,
            _ => shift,
        };
        line += 1;
        moved.push((line, shift));
        text.push_str(&new);
        text.push('\n');
    }
    Converted { text, moved }
}

/// Line, column, level, code and message of each finding.
type Findings = Vec<(u32, u32, &'static str, &'static str, String)>;

fn findings(source: &SourceFile, map: impl Fn(Position) -> (u32, u32)) -> Findings {
    let read = kvrules::read_rules(source).diagnostics;
    let mut found: Findings = read
        .into_iter()
        .map(|found| {
            let (line, column) = map(source.position_at(found.primary.span.start));
            (line, column, found.level.as_str(), found.code, found.message)
        })
        .collect();
    found.sort();
    found
}

/// The compiled files of all targets, by name.
fn compiled(sets: &[ElaboratedSet]) -> BTreeMap<String, String> {
    let outputs =
        kvrules::compile_targets(kvrules::all_targets(), &Request::for_virtual_machines(sets)).unwrap();
    let files = outputs.into_iter().flat_map(|output| {
        output
            .emission
            .files
            .into_iter()
            .map(move |file| (format!("{}/{}", output.target, file.path), file.text))
    });
    files.collect()
}

fn verdicts(source: &SourceFile) -> Vec<String> {
    let parameters = [("NAME".to_owned(), "v".to_owned())].into();
    let mut evaluator = Evaluator::new(Options { engine: Engine::Both, parameters, ..Options::default() });
    let of = |evaluated: &Evaluation| {
        let fault = evaluated.fault.as_ref().map(|fault| fault.message.clone());
        let spec = evaluated.spec.as_ref().map(|spec| spec.verdict);
        format!("{:?} {spec:?} {:?} {fault:?}", evaluated.name, evaluated.ssp)
    };
    evaluator.evaluate_objects(source).iter().map(of).collect()
}

#[test]
fn the_released_bundles_say_the_same_in_kubevirts_own_kind() {
    let (mut templates, mut rules, mut found, mut files) = (0, 0, 0, 0);
    for (name, text) in template_bundles() {
        let other = converted(&text);
        let old = SourceFile::new(FileId(0), name.as_str(), text);
        let new = SourceFile::new(FileId(0), name.as_str(), other.text);
        let expected = findings(&old, |at| {
            let (line, shift) = other.moved[at.line as usize - 1];
            (line, at.column + shift)
        });
        assert_eq!(findings(&new, |at| (at.line, at.column)), expected, "{name}");
        let (old_reading, new_reading) = (kvrules::read_rules(&old), kvrules::read_rules(&new));
        assert_eq!(new_reading.sets, old_reading.sets, "{name}");
        assert_eq!(new_reading.count_rules(), old_reading.count_rules(), "{name}");
        templates += new_reading.sets.len();
        rules += new_reading.count_rules();
        found += expected.len();
        let (old_sets, new_sets) =
            (kvrules::merge_rule_sets(old_reading.sets), kvrules::merge_rule_sets(new_reading.sets));
        let (old_files, new_files) = (compiled(&old_sets), compiled(&new_sets));
        assert_eq!(new_files, old_files, "{name}");
        files += new_files.len();
        assert_eq!(verdicts(&new), verdicts(&old), "{name}");
    }
    println!(
        "converted: {templates} templates, {rules} rules, {found} findings, {files} compiled files, all alike"
    );
}
