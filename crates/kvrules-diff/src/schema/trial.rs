//! A write that is evaluated on both sides.

use serde_json::Value;

use super::schema_evaluator::{AdmissionVerdict, SchemaEvaluator};
use super::version::STATUS;
use crate::report::{Witness, WriteKind};

/// A write of an object.
#[derive(Clone, Debug)]
pub(super) struct TrialWrite {
    pub(super) object: Value,
    /// The object that is stored; what a write to the status finds is this object without it, if there is none.
    previous: Option<Value>,
    write: WriteKind,
}

impl TrialWrite {
    /// The write that a witness shows.
    pub(super) fn of(witness: &Witness) -> Self {
        Self { object: witness.object.clone(), previous: witness.previous.clone(), write: witness.write }
    }

    pub(super) fn create(object: Value) -> Self {
        Self { object, previous: None, write: WriteKind::Create }
    }

    pub(super) fn update(object: Value, previous: Value) -> Self {
        Self { object, previous: Some(previous), write: WriteKind::Update }
    }

    /// A write to the status, which only uses the status of `object`. `None` if the object has none.
    pub(super) fn status(object: Value, previous: Option<Value>) -> Option<Self> {
        let status = object.get(STATUS)?.clone();
        let mut object = previous.clone().unwrap_or(object);
        object.as_object_mut()?.insert(STATUS.to_owned(), status);
        Some(Self { object, previous, write: WriteKind::Status })
    }

    /// Returns the answer to the write.
    pub(super) fn evaluate_with(&self, evaluator: &SchemaEvaluator) -> AdmissionVerdict {
        match (&self.write, self.stored()) {
            (WriteKind::Status, Some(stored)) => evaluator.write_status(&self.object, &stored),
            (_, Some(stored)) => evaluator.evaluate_update(&self.object, &stored),
            (_, None) => evaluator.evaluate_create(&self.object),
        }
    }

    /// True if the object that is stored before is valid.
    pub(super) fn is_possible(&self, evaluator: &SchemaEvaluator) -> bool {
        self.stored().is_none_or(|stored| evaluator.evaluate_existing(&stored).is_accepted())
    }

    /// The same of another object, where what is stored before is made of the object.
    pub(super) fn with(&self, object: Value) -> Option<Self> {
        match (&self.write, &self.previous) {
            (WriteKind::Create, _) => Some(Self::create(object)),
            (WriteKind::Status, None) => Self::status(object, None),
            _ => None,
        }
    }

    pub(super) fn witness(self, because: String) -> Witness {
        let previous = self.stored();
        Witness { object: self.object, previous, write: self.write, because, request: None }
    }

    fn stored(&self) -> Option<Value> {
        match self.write {
            WriteKind::Status if self.previous.is_none() => Some(without_status(&self.object)),
            _ => self.previous.clone(),
        }
    }
}

/// An object without its status.
fn without_status(object: &Value) -> Value {
    let mut object = object.clone();
    object.as_object_mut().and_then(|fields| fields.shift_remove(STATUS));
    object
}
