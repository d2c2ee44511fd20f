//! Prints an HTML page with one picture of each kind, to look at them in a browser.

#![expect(clippy::print_stdout, reason = "an example prints")]

use kvrules_diagnostics::Exactness::{Exact, Incomparable, Narrower, Unsupported, Wider};
use kvrules_pages::pictures::{
    ChangeDirection, CostBar, CostCell, CostGrid, CostRow, CostShare, FidelityMatrix, FidelityRow,
    NumberLine, PICTURE_STYLE, Picture, StateDiagram, TimelineChange, TimelineStep, TreeField,
    draw_cost_bars, draw_cost_grid, draw_fidelity_matrix, draw_number_line, draw_pattern, draw_rule_tree,
    draw_state_diagram, draw_timeline,
};

fn main() {
    println!(
        "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
    );
    println!(
        "<title>Pictures</title><style>:root{{color-scheme:light dark}}body{{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:1rem auto;padding:0 1rem}}figure{{margin:0 0 1.5rem;overflow-x:auto}}{PICTURE_STYLE}</style>"
    );
    for picture in pictures() {
        println!("<figure>{}</figure>", picture.to_inline());
    }
}

fn pictures() -> Vec<Picture> {
    let patterns = [
        "^(virtio|scsi)$",
        "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        "q35|pc-",
    ];
    let lines = [
        NumberLine::from_integers(Some(1), Some(65535), None, ""),
        NumberLine::from_integers(Some(0), Some(63), Some(0), "characters"),
        NumberLine::from_integers(Some(2), None, None, ""),
    ];
    let mut pictures: Vec<Picture> = lines.iter().map(draw_number_line).collect();
    pictures.extend(patterns.into_iter().filter_map(draw_pattern));
    pictures.extend([matrix(), states(), bars(), grid(), tree(), timeline()]);
    pictures
}

fn matrix() -> Picture {
    let row = |name: &str, fidelity: [kvrules_diagnostics::Exactness; 5]| FidelityRow {
        name: name.to_owned(),
        fidelity: fidelity.map(Some).to_vec(),
    };
    draw_fidelity_matrix(&FidelityMatrix {
        targets: ["admission-policy", "annotation", "cel", "crd", "json-schema"].map(str::to_owned).to_vec(),
        rules: vec![
            row("minimal-required-memory", [Exact, Exact, Wider, Wider, Exact]),
            row("supported-bus", [Exact, Exact, Exact, Exact, Unsupported]),
            row("cores-below-sockets", [Wider, Exact, Narrower, Incomparable, Unsupported]),
        ],
    })
}

fn states() -> Picture {
    let changes = [
        ("Pending", "Running"),
        ("Running", "Succeeded"),
        ("Running", "Failed"),
        ("Failed", "Pending"),
        ("Pending", "Failed"),
    ];
    let changes = changes.map(|(from, to)| (from.to_owned(), to.to_owned())).to_vec();
    draw_state_diagram(&StateDiagram { changes, initial: vec!["Pending".to_owned()], may_stay: true })
}

fn bars() -> Picture {
    let bar = |label: &str, cost, budget| CostBar { label: label.to_owned(), cost, budget: Some(budget) };
    draw_cost_bars(&[
        bar("all rules together", Some(42_000_000), 100_000_000),
        bar("spec.listeners[]  self.all(l, l.port != 0)", Some(659_712_009_828), 10_000_000),
        bar("spec  self.replicas <= self.maximum", Some(7_000_000), 10_000_000),
        bar("spec.name  self.matches('^a')", Some(12_000), 10_000_000),
        bar("spec.broken  self.foo", None, 10_000_000),
    ])
}

fn grid() -> Picture {
    let cell = |text: &str, share| CostCell { text: text.to_owned(), share };
    draw_cost_grid(&CostGrid {
        versions: ["1.25–1.28", "1.29", "1.30–1.36"].map(str::to_owned).to_vec(),
        rows: vec![
            CostRow {
                label: "spec  self.items.all(i, i.size() < 3)".to_owned(),
                cells: vec![
                    cell("640 %", CostShare::Over),
                    cell("64 %", CostShare::High),
                    cell("6 %", CostShare::Low),
                ],
            },
            CostRow {
                label: "spec.ip  isIP(self)".to_owned(),
                cells: vec![
                    cell("-", CostShare::Unknown),
                    cell("-", CostShare::Unknown),
                    cell("< 1 %", CostShare::Low),
                ],
            },
        ],
    })
}

fn tree() -> Picture {
    let field = |depth, name: &str, rules: &[&str]| TreeField {
        depth,
        name: name.to_owned(),
        rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
    };
    draw_rule_tree(&[
        field(0, "spec", &["has a name or a generateName"]),
        field(1, "replicas", &["at most spec.maximum", "cannot shrink"]),
        field(1, "listeners[]", &[]),
        field(2, "port", &["unique with protocol"]),
        field(1, "class", &["cannot be changed once set"]),
        field(0, "status", &[]),
    ])
}

fn timeline() -> Picture {
    let change = |direction, text: &str| TimelineChange { direction, text: text.to_owned() };
    let step = |version: &str, changes| TimelineStep { version: version.to_owned(), changes };
    draw_timeline(&[
        step("v1alpha1", vec![]),
        step(
            "v1beta1",
            vec![
                change(ChangeDirection::Tightened, "spec.replicas: at most 10, was 100"),
                change(ChangeDirection::Loosened, "spec.class: no longer required"),
            ],
        ),
        step("v1", vec![]),
    ])
}
