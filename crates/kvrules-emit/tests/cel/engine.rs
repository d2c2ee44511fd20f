//! Running CEL: the interpreter of the `cel` crate, with quantities as the server has them.

use std::collections::HashMap;
use std::sync::Arc;

use cel::extractors::This;
use cel::objects::Opaque;
use cel::{Context, Program, Value as Cel};
use kvrules_kubernetes::quantity::Quantity;
use num_bigint::BigInt;
use serde_json::Value;

#[derive(Debug, PartialEq, Eq)]
struct Amount(Quantity);

impl Opaque for Amount {
    fn runtime_type_name(&self) -> &'static str {
        "kubernetes.Quantity"
    }
}

fn amount(value: &Arc<dyn Opaque>) -> &Quantity {
    &value.downcast_ref::<Amount>().unwrap().0
}

/// An expression, ready to evaluate.
pub(crate) struct Rule {
    program: Program,
    root: &'static str,
    context: Context<'static, 'static>,
}

impl Rule {
    pub(crate) fn new(text: &str, root: &'static str) -> Self {
        let program = Program::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut context = Context::default();
        context.add_function("quantity", quantity).unwrap();
        context.add_function("isQuantity", |text: Arc<String>| Quantity::parse(&text).is_ok()).unwrap();
        context.add_function("compareTo", compare_to).unwrap();
        context.add_function("add", add).unwrap();
        Self { program, root, context }
    }

    /// True if the server would accept the object: an error refuses.
    pub(crate) fn accepts(&self, object: &Value) -> bool {
        let mut context = self.context.new_inner_scope();
        context.add_variable_from_value(self.root, value(object));
        match self.program.execute(&context) {
            Ok(Cel::Bool(answer)) => answer,
            Ok(other) => panic!("not a boolean: {other:?}"),
            Err(_) => false,
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "CEL hands arguments over by value")]
fn quantity(text: Arc<String>) -> Result<Arc<dyn Opaque>, cel::ExecutionError> {
    match Quantity::parse(&text) {
        Ok(quantity) => Ok(Arc::new(Amount(quantity))),
        Err(error) => Err(cel::ExecutionError::function_error("quantity", format!("{error:?}"))),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "CEL hands arguments over by value")]
fn compare_to(This(left): This<Arc<dyn Opaque>>, right: Arc<dyn Opaque>) -> i64 {
    amount(&left).cmp(amount(&right)) as i64
}

fn add(This(left): This<Arc<dyn Opaque>>, right: i64) -> Arc<dyn Opaque> {
    let sum: BigInt = amount(&left).to_integer().unwrap() + right;
    Arc::new(Amount(Quantity::from(sum)))
}

/// JSON as the server hands it to CEL. Escaped names stand beside plain ones, which only tests could notice.
fn value(json: &Value) -> Cel {
    match json {
        Value::Null => Cel::Null,
        Value::Bool(truth) => Cel::Bool(*truth),
        Value::Number(number) => Cel::Int(number.as_i64().unwrap()),
        Value::String(text) => Cel::from(text.as_str()),
        Value::Array(items) => Cel::from(items.iter().map(value).collect::<Vec<_>>()),
        Value::Object(fields) => {
            let escaped = fields.iter().map(|(name, field)| (escape(name), value(field)));
            let plain = fields.iter().map(|(name, field)| (name.clone(), value(field)));
            Cel::from(escaped.chain(plain).collect::<HashMap<_, _>>())
        }
    }
}

fn escape(name: &str) -> String {
    if matches!(name, "namespace" | "for") {
        return format!("__{name}__");
    }
    name.replace("__", "__underscores__")
        .replace('-', "__dash__")
        .replace('.', "__dot__")
        .replace('/', "__slash__")
}
