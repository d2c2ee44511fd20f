//! Objects on pages of admission policies: held to the whole policy by the evaluator of the judge of decisions.

use serde_json::{Value as Json, json};

use crate::decisions::generate::generate_object;
use crate::decisions::policies::{Policy, generate_policy};
use crate::decisions::schema::{Field, Shape};
use crate::pages::{PageRule, rules_of_policies};
use crate::{Random, Tally};

/// Policies of one case.
const POLICIES: usize = 4;

/// The resource that a policy matches.
fn resource(group: &str, name: &str) -> Json {
    json!({"apiGroups": [group], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": [name]})
}

/// The definition of a resource.
fn definition(shape: &Shape) -> Json {
    let names = json!({"plural": "ponds", "singular": "pond", "kind": "Pond", "listKind": "PondList"});
    let schema = json!({"openAPIV3Schema": shape.to_schema()});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ponds.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
    })
}

/// Some fields of a Deployment. A page shows what a validation reads, without everything that a server requires; what has a type that
/// is no pointer is there in any case.
fn deployment_spec() -> Shape {
    let optional = |name, shape| Field { name, shape, is_required: false, default: None, is_nullable: false };
    let present = |name, shape, value| Field {
        name,
        shape,
        is_required: false,
        default: Some(value),
        is_nullable: false,
    };
    let text = || Shape::Text { among: None, longest: 20 };
    let container =
        Shape::Object { fields: vec![present("name", text(), json!("")), optional("image", text())] };
    let containers = Shape::List { items: Box::new(container), fewest: 0, most: 4 };
    let pod = vec![optional("hostNetwork", Shape::Bool), optional("containers", containers)];
    let template = vec![present("spec", Shape::Object { fields: pod }, json!({}))];
    let replicas = Shape::Int { least: Some(0), most: None };
    Shape::Object {
        fields: vec![
            present("replicas", replicas, json!(1)),
            optional("paused", Shape::Bool),
            present("template", Shape::Object { fields: template }, json!({})),
        ],
    }
}

/// Kinds of claim, with the fact that makes it.
const KINDS: [(&str, &str); 2] =
    [("passes", "object of a policy that passes"), ("fails", "object of a policy that fails")];

/// Judges the objects on the pages of some generated policies.
pub(super) fn judge_pages(seed: u64, case: u64, tally: &mut Tally) {
    let mut random = Random::of_case(seed, case);
    for _ in 0..POLICIES {
        judge_policy(&mut random, &format!("seed {seed}, case {case}"), tally);
    }
}

/// A generated policy with the rules on its page.
pub(crate) struct DocumentedPolicy {
    pub(crate) policy: Policy,
    /// The objects.
    pub(crate) shape: Shape,
    pub(crate) document: Json,
    rules: Vec<PageRule>,
}

impl DocumentedPolicy {
    /// `None` if it has no page.
    pub(crate) fn generate(random: &mut Random) -> Option<Self> {
        let is_built_in = random.chance(1, 3);
        let (spec, resource) = if is_built_in {
            (deployment_spec(), resource("apps", "deployments"))
        } else {
            (generate_object(random), resource("example.com", "ponds"))
        };
        let spec = Field { name: "spec", shape: spec, is_required: true, default: None, is_nullable: false };
        let shape = Shape::Object { fields: vec![spec] };
        let policy = generate_policy(random, &shape, resource);
        let document = policy.to_document();
        let text = if is_built_in { String::new() } else { format!("{}\n---\n", definition(&shape)) };
        let rules = rules_of_policies(&format!("{text}{document}\n"))?;
        Some(Self { policy, shape, document, rules })
    }

    /// The validations whose rule on the page is certain: two with the same text cannot be told apart.
    pub(crate) fn validations(&self) -> impl Iterator<Item = (usize, String, &PageRule)> {
        self.policy.validations.iter().enumerate().filter_map(|(index, validation)| {
            let text = validation.to_string();
            let mut written = self.rules.iter().filter(|it| it.expression() == Some(&*text));
            match (written.next(), written.next()) {
                (Some(page), None) => Some((index, text, page)),
                _ => None,
            }
        })
    }
}

fn judge_policy(random: &mut Random, origin: &str, tally: &mut Tally) {
    let Some(documented) = DocumentedPolicy::generate(random) else {
        tally.unjudged("a policy has no page");
        return;
    };
    let DocumentedPolicy { policy, shape, document, .. } = &documented;
    for (index, text, page) in documented.validations() {
        for (fact, kind) in KINDS {
            let Some(sample) = page.sample(fact) else {
                tally.missed(kind);
                continue;
            };
            let object = serde_yaml::from_str::<Json>(&sample.0).ok();
            let Some(object) = object.and_then(|object| Policy::read_object(&object, shape)) else {
                tally.unjudged(&format!("{kind}: values outside of the judge's types"));
                continue;
            };
            let is_so =
                if fact == "passes" { policy.admits(&object) } else { policy.is_violated(index, &object) };
            let details = format!("{document}\nvalidation {text}\n{fact} {}", sample.0);
            tally.judge(kind, origin, (!is_so).then_some(details));
        }
    }
}
