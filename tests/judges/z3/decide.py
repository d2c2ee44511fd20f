"""Answers questions about rules with z3, one of JSON on each line: whether some state of a schema satisfies a condition on the outcomes
of rules. It shares no code with kvrules, and none with the evaluator of the judge of decisions."""

import json
import sys

import z3

from encode import NO, YES, Encoder, as_bool
from values import Maker, Outside, to_json

#: Effort for one question. Unlike a time, it is the same on every machine.
EFFORT = 3_000_000


class Domain:
    """A schema with rules, for all questions about it."""

    def __init__(self, question):
        maker = Maker()
        self.rules = question["rules"]
        self.value = maker.make(question["shape"])
        self.has_old, self.old = NO, None
        if any(rule["old"] for rule in self.rules):
            self.has_old, self.old = z3.Bool("has_old"), maker.make(question["shape"])
        self.outcomes = {}
        self.facts = maker.facts
        if self.old is not None:
            # What is stored has passed the rules about all writes.
            stored = [self.encode(rule, {"self": self.old}) for rule in self.rules if not rule["old"]]
            passes = [z3.And(z3.Not(error), truth) for error, truth in stored]
            self.facts.append(z3.Implies(self.has_old, z3.And(passes)))

    def encode(self, rule, variables):
        error, value = Encoder(variables).encode(rule["expr"])
        return error, as_bool(value)

    def outcome(self, index, name):
        """The condition that a rule has an outcome."""
        if index not in self.outcomes:
            self.outcomes[index] = self.encode_outcomes(self.rules[index])
        return self.outcomes[index][name]

    def encode_outcomes(self, rule):
        variables = {"self": self.value}
        runs = YES
        if rule["old"]:
            variables["oldSelf"] = self.old
            runs = self.has_old
        error, truth = self.encode(rule, variables)
        return {
            "true": z3.And(runs, z3.Not(error), truth),
            "false": z3.And(runs, z3.Not(error), z3.Not(truth)),
            "error": z3.And(runs, error),
            "skipped": z3.Not(runs),
        }

    def condition(self, tree):
        kind, *parts = tree
        match kind:
            case "outcome":
                return self.outcome(*parts)
            case "all":
                return z3.And([self.condition(part) for part in parts])
            case "any":
                return z3.Or([self.condition(part) for part in parts])
            case _:
                return z3.Not(self.condition(parts[0]))

    def answer(self, condition):
        solver = z3.Solver()
        solver.set("rlimit", EFFORT)
        solver.set("random_seed", 1)
        solver.add(self.facts)
        solver.add(self.condition(condition))
        result = solver.check()
        if result == z3.unsat:
            return {"answer": "none"}
        if result == z3.unknown:
            return {"answer": "unknown", "reason": "z3 gives up"}
        model = solver.model()
        state = {"answer": "state", "value": to_json(self.value, model), "old": None}
        if self.old is not None and z3.is_true(model.eval(self.has_old, model_completion=True)):
            state["old"] = to_json(self.old, model)
        return state


def main():
    known, domain = None, None
    for line in sys.stdin:
        question = json.loads(line)
        about = [question["shape"], question["rules"]]
        try:
            if about != known:
                known, domain = None, Domain(question)
                known = about
            answer = domain.answer(question["condition"])
        except Outside as outside:
            answer = {"answer": "unknown", "reason": f"outside of the fragment: {outside}"}
        print(json.dumps(answer), flush=True)


main()
