//! The subcommands and the options that hostile runs call them with.

/// A subcommand. In `{a|b}` a file of the kind `a` or `b` stands, in `{any}` one of any kind, in `{dir}` a directory of some.
pub(super) struct Command {
    pub(super) words: &'static str,
    /// Each is one option with its value; some of them are given.
    pub(super) options: &'static [&'static str],
}

const FORMATS: [&str; 8] = [
    "--output-format human",
    "--output-format concise",
    "--output-format json",
    "--output-format jsonl",
    "--output-format sarif",
    "--output-format github",
    "--output-format gitlab",
    "--output-format junit",
];

pub(super) static COMMANDS: [Command; 48] = [
    Command { words: "check {any}", options: CHECK },
    Command { words: "check {dir}", options: CHECK },
    Command { words: "check {template|annotation|virtual-machine-template|templated}", options: CHECK },
    Command { words: "check {definition|policy}", options: CHECK },
    Command { words: "check --fix {template|annotation|page|definition|policy}", options: CHECK_FIX },
    Command {
        words: "compile {template|annotation|virtual-machine-template|templated} --out-dir out",
        options: COMPILE,
    },
    Command { words: "compile {dir} --out-dir out", options: COMPILE },
    Command {
        words: "compile {annotation} --target openapi -o -",
        options: &["--loss allow", "--schema {definition|schema|openapi}"],
    },
    Command { words: "compile {specs} --out-dir out", options: COMPILE },
    Command {
        words: "docs {template|annotation|virtual-machine-template|page} --out-dir out",
        options: DOCS,
    },
    Command { words: "docs {any} --format json", options: DOCS },
    Command { words: "docs --extra-specs --own-only {specs} --out-dir out", options: DOCS },
    Command { words: "eval {object|template|virtual-machine-template|objects}", options: EVAL },
    Command { words: "eval {dir}", options: EVAL },
    Command { words: "eval --engine crd --schema {definition} {object|objects}", options: EVAL },
    Command { words: "verify {template|annotation}", options: VERIFY },
    Command { words: "verify {any} --target cel", options: VERIFY },
    Command { words: "diff {template|annotation} {template|annotation}", options: DIFF },
    Command { words: "diff {definition} {definition}", options: DIFF },
    Command { words: "diff {schema|openapi} {schema|openapi}", options: DIFF },
    Command { words: "diff {any} {any}", options: DIFF },
    Command { words: "migrate {template|annotation|page|templated}", options: MIGRATE },
    Command { words: "migrate --write {dir}", options: MIGRATE },
    Command { words: "fmt {any}", options: &["--check", "--diff"] },
    Command { words: "cost {definition|any}", options: &["--format json", "--over", "--fix", "--diff"] },
    Command { words: "flavor check {flavors}", options: FLAVOR },
    Command {
        words: "flavor compile --target json-schema --out-dir out --definitions {specs}",
        options: &["--own-only", "--permissive", "--check"],
    },
    Command {
        words: "flavor compare {specs|metadefs} {specs|metadefs}",
        options: &["--output-format json", "--ignore missing"],
    },
    Command { words: "flavor definitions --definitions {specs}", options: &["--output-format json"] },
    Command { words: "import schema {schema|openapi|definition}", options: IMPORT },
    Command { words: "import metadefs {metadefs}", options: &[] },
    Command { words: "check {rule-set|rule-set-of-definition|rule-set-of-schema}", options: CHECK },
    Command { words: "check --fix {rule-set|rule-set-of-definition|rule-set-of-schema}", options: CHECK_FIX },
    Command { words: "check {rule-set-including} {rule-set|rule-set-including}", options: CHECK },
    Command { words: "test {rule-set|rule-set-of-definition|rule-set-of-schema}", options: TEST },
    Command { words: "test {rule-set|rule-set-of-definition|definition|policy} {suite}", options: TEST },
    Command {
        words: "test {definition|policy|rule-set-of-definition} {kubernetes-object|object} \
                {suite|suite-of-openshift|suite-of-kyverno|suite-of-gatekeeper}",
        options: TEST,
    },
    Command {
        words: "test --mutate {rule-set|rule-set-of-definition|definition|policy} {suite}",
        options: TEST,
    },
    Command { words: "test {dir}", options: TEST },
    Command {
        words: "compile {rule-set|rule-set-of-definition|rule-set-including} --out-dir out",
        options: COMPILE,
    },
    Command { words: "compile {rule-set-of-schema} {schema} --out-dir out", options: COMPILE },
    Command {
        words: "compile {rule-set|rule-set-of-definition|definition} --target kubebuilder,kube-rs --out-dir out",
        options: &["--loss allow", "--check", "--diff"],
    },
    Command {
        words: "docs {rule-set|rule-set-of-definition|policy|definition} --out-dir out",
        options: DOCS,
    },
    Command {
        words: "eval --rules {rule-set|rule-set-of-definition} {kubernetes-object|object|objects}",
        options: &[FORMATS[2], FORMATS[7], "--engine spec", "--engine policy", "--trace", "--set most=3"],
    },
    Command { words: "verify {rule-set|rule-set-of-definition}", options: VERIFY },
    Command {
        words: "diff {rule-set|rule-set-of-definition} {rule-set|rule-set-of-definition}",
        options: DIFF,
    },
    Command { words: "import ruleset {definition|rule-set-of-definition|policy}", options: &[] },
    Command { words: "minors {definition|policy|rule-set}", options: &["--output-format json"] },
];

const CHECK: &[&str] = &[
    FORMATS[0],
    FORMATS[1],
    FORMATS[2],
    FORMATS[3],
    FORMATS[4],
    FORMATS[5],
    FORMATS[6],
    FORMATS[7],
    "--level info",
    "--statistics",
    "--diff",
    "--exit-zero",
    "--fail-on info",
    "--target all",
    "--select ALL",
    "--ignore KV3",
    "--severity KV303=error",
    "--schema {definition|schema|openapi}",
    "--baseline {baseline}",
    "--config {config}",
    "--color always",
    "--quiet",
];

const CHECK_FIX: &[&str] =
    &["--unsafe-fixes", "--diff", "--select ALL", FORMATS[2], FORMATS[4], "--level info", "--fail-on info"];

const COMPILE: &[&str] = &[
    "--target openapi",
    "--target cel,admission-policy",
    "--target annotation",
    "--target crd",
    "--target json-schema",
    "--loss allow",
    "--loss error",
    "--loss-report -",
    "--check",
    "--diff",
    "--prune",
    "--force",
    "--schema {definition|schema|openapi}",
    "--config {config}",
];

const DOCS: &[&str] = &[
    "--format markdown",
    "--format restructuredtext",
    "--format html",
    "--format json",
    "--group-by file",
    "--check",
    "--force",
    "--prune",
];

const EVAL: &[&str] = &[
    FORMATS[2],
    FORMATS[7],
    "--engine ssp",
    "--engine both",
    "--rules {template|annotation}",
    "--trace",
    "--ndjson",
    "--param NAME=frog",
    "--old {object}",
    "--schema {definition}",
];

const VERIFY: &[&str] = &[
    FORMATS[2],
    "--target openapi",
    "--target annotation",
    "--against ssp",
    "--schema {definition|schema|openapi}",
];

const DIFF: &[&str] = &[
    FORMATS[2],
    "--output-format markdown",
    "--fail-on tightened",
    "--fail-on any",
    "--corpus {object|objects}",
    "--schema {definition}",
];

const TEST: &[&str] = &[
    FORMATS[2],
    "--output-format junit",
    "--output-format tap",
    "--output-format github",
    "--coverage",
    "--mutate",
    "--update",
    "--filter o",
    "--suggest out.test.yaml",
    "--lcov out.lcov",
    "--kubernetes 1.28..1.30",
    "--fail-under 50",
];

const MIGRATE: &[&str] = &["--diff", "--check", "--report -", "--format", "--paths", "--allow-changes"];

const FLAVOR: &[&str] = &[
    FORMATS[1],
    FORMATS[2],
    FORMATS[4],
    FORMATS[7],
    "--definitions {specs}",
    "--validation permissive",
    "--nova-compat",
    "--level info",
    "--fail-on info",
];

const IMPORT: &[&str] = &[
    "--schema Pond",
    "--under spec",
    "--bare",
    "--loss error",
    FORMATS[2],
    "--kind Pond",
    "--scope Cluster",
];
