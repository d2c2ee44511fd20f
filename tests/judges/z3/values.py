"""Symbolic values of CEL, and how values of a schema are made and read back from a model."""

import itertools
import re
from dataclasses import dataclass

import z3

LEAST, MOST = -(2**63), 2**63 - 1
_names = itertools.count()


class Outside(Exception):
    """A question is outside of the fragment that is encoded."""


@dataclass
class Bool:
    it: z3.BoolRef


@dataclass
class Int:
    it: z3.ArithRef


@dataclass
class Str:
    it: z3.SeqRef


@dataclass
class Mixed:
    """An integer or a string."""

    is_str: z3.BoolRef
    int: z3.ArithRef
    str: z3.SeqRef


@dataclass
class Type:
    """The type of a value that is an integer or a string."""

    is_str: z3.BoolRef


@dataclass
class List:
    """Slots with a condition for the presence of each. `is_prefix` if no present slot is behind an absent one."""

    slots: list
    is_prefix: bool = True


@dataclass
class Map:
    """Slots of a condition, a key and a value. Present ones come first, and keys differ."""

    slots: list


@dataclass
class Obj:
    """Fields with a condition for the presence of each."""

    fields: dict


@dataclass
class Opaque:
    """A value about which nothing can be asked."""

    reason: str


def fresh(make, name):
    return make(f"{name}_{next(_names)}")


def merge(test, one, other):
    """The first value if the test holds, else the second."""
    if type(one) is not type(other):
        raise Outside("values of several types")
    match one:
        case Bool() | Int() | Str():
            return type(one)(z3.If(test, one.it, other.it))
        case Mixed():
            parts = zip((one.is_str, one.int, one.str), (other.is_str, other.int, other.str))
            return Mixed(*(z3.If(test, a, b) for a, b in parts))
        case Obj():
            names = one.fields.keys() & other.fields.keys()
            if names != one.fields.keys() | other.fields.keys():
                raise Outside("objects of several schemas")
            return Obj({name: merge_slot(test, one.fields[name], other.fields[name]) for name in names})
        case List() if one.is_prefix and other.is_prefix:
            pairs = itertools.zip_longest(one.slots, other.slots)
            return List([merge_slot(test, a, b) for a, b in pairs])
        case Opaque():
            return one
    raise Outside("a choice of lists or maps")


def merge_slot(test, one, other):
    """A slot of a list, or a field; `None` is an absent one."""
    if one is None:
        return z3.And(z3.Not(test), other[0]), other[1]
    if other is None:
        return z3.And(test, one[0]), one[1]
    return z3.If(test, one[0], other[0]), merge(test, one[1], other[1])


class Maker:
    """Makes values of schemas, and collects what every value of them satisfies."""

    def __init__(self):
        self.facts = []

    def make(self, shape):
        return getattr(self, "make_" + shape["kind"])(shape)

    def make_int(self, shape):
        value = fresh(z3.Int, "int")
        least, most = shape.get("least"), shape.get("most")
        self.facts.append(value >= (LEAST if least is None else least))
        self.facts.append(value <= (MOST if most is None else most))
        return Int(value)

    def make_number(self, shape):
        return Opaque("a number")

    def make_bool(self, shape):
        return Bool(fresh(z3.Bool, "bool"))

    def make_text(self, shape):
        value = fresh(z3.String, "text")
        if shape.get("among") is not None:
            self.facts.append(z3.Or([value == z3.StringVal(text) for text in shape["among"]]))
        else:
            self.facts.append(z3.Length(value) <= shape["longest"])
        return Str(value)

    def make_int_or_text(self, shape):
        return Mixed(fresh(z3.Bool, "is_text"), self.make_int({}).it, fresh(z3.String, "text"))

    def guards(self, fewest, most):
        """Conditions for the presence of slots, of which at least some are present."""
        guards = [fresh(z3.Bool, "slot") for _ in range(most)]
        self.facts.extend(guards[:fewest])
        self.facts.extend(z3.Implies(behind, before) for before, behind in itertools.pairwise(guards))
        return guards

    def make_list(self, shape):
        guards = self.guards(shape["fewest"], shape["most"])
        return List([(guard, self.make(shape["items"])) for guard in guards])

    def make_map(self, shape):
        guards = self.guards(0, shape["most"])
        keys = [fresh(z3.String, "key") for _ in guards]
        if len(keys) > 1:
            self.facts.append(z3.Distinct(keys))
        return Map([(guard, key, self.make(shape["values"])) for guard, key in zip(guards, keys)])

    def make_object(self, shape):
        return Obj({field["name"]: self.make_field(field) for field in shape["fields"]})

    def make_field(self, field):
        present = z3.BoolVal(True) if field["present"] else fresh(z3.Bool, "has_" + field["name"])
        return present, self.make(field["shape"])


def to_json(value, model):
    """The value in a model."""
    holds = lambda condition: z3.is_true(model.eval(condition, model_completion=True))
    number = lambda it: model.eval(it, model_completion=True).as_long()
    match value:
        case Bool():
            return holds(value.it)
        case Int():
            return number(value.it)
        case Str():
            return read_text(model, value.it)
        case Mixed():
            return read_text(model, value.str) if holds(value.is_str) else number(value.int)
        case List():
            return [to_json(item, model) for guard, item in value.slots if holds(guard)]
        case Map():
            present = [(key, item) for guard, key, item in value.slots if holds(guard)]
            return {read_text(model, key): to_json(item, model) for key, item in present}
        case Obj():
            present = {name: item for name, (guard, item) in value.fields.items() if holds(guard)}
            return {name: to_json(item, model) for name, item in present.items()}
    return 1.5


def read_text(model, text):
    """A string in a model, without the escapes of SMT-LIB."""
    escaped = model.eval(text, model_completion=True).as_string()
    read = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda found: chr(int(found[1], 16)), escaped)
    if any("\ud800" <= character <= "\udfff" for character in read):
        raise Outside("a string with half of a pair of surrogates")
    return read
