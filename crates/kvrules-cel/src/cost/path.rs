//! The way from `self` to a value, as the estimator keeps it.
//!
//! The server keeps paths in growing arrays that steps share: a step that is added while the array has room is
//! written into it, where another path with the same beginning sees it. Estimates of nested loops depend on this,
//! so it is part of the meaning: the size of `x.list` is looked up after the body of its loop was read, and by then
//! `x.other` in the body may have taken its place.

use std::cell::RefCell;
use std::rc::Rc;

/// A path; empty when the value is not reached from a variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValuePath {
    steps: Rc<RefCell<Vec<Rc<str>>>>,
    length: usize,
    capacity: usize,
}

impl ValuePath {
    /// The path of a variable.
    pub(crate) fn from_variable(variable: &str) -> Self {
        Self { steps: Rc::new(RefCell::new(vec![variable.into()])), length: 1, capacity: 1 }
    }

    /// The path one step further.
    // cel-go checker/cost.go, `append(c.getPath(e), step)` in costSelect and elsewhere. Go's `append` doubles the room of a
    // short slice when it is full, and writes into it when it is not.
    pub(crate) fn with_step(&self, step: &str) -> Self {
        if self.length == self.capacity {
            let mut steps = self.steps();
            steps.push(step.into());
            let capacity = (self.capacity * 2).max(1);
            return Self { steps: Rc::new(RefCell::new(steps)), length: self.length + 1, capacity };
        }
        let mut steps = self.steps.borrow_mut();
        match steps.get_mut(self.length) {
            Some(slot) => *slot = step.into(),
            None => steps.push(step.into()),
        }
        Self { steps: Rc::clone(&self.steps), length: self.length + 1, capacity: self.capacity }
    }

    /// The path one step further, in an array of its own.
    pub(crate) fn step_apart(&self, step: &str) -> Self {
        Self { steps: Rc::new(RefCell::new(self.steps())), length: self.length, capacity: self.length }
            .with_step(step)
    }

    /// The steps, the variable first.
    pub(crate) fn steps(&self) -> Vec<Rc<str>> {
        self.steps.borrow().iter().take(self.length).cloned().collect()
    }

    /// True if the value is not reached from a variable.
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }
}
