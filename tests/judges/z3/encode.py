"""Encodes expressions of CEL for z3. Each has a condition under which it ends in an error, and a value that counts otherwise."""

import z3

from values import LEAST, MOST, Bool, Int, List, Map, Mixed, Obj, Opaque, Outside, Str, Type, merge

NO, YES = z3.BoolVal(False), z3.BoolVal(True)
ANY = z3.Diff(z3.AllChar(z3.ReSort(z3.StringSort())), z3.Re("\n"))
A_OR_B = z3.Union(z3.Re("a"), z3.Re("b"))
#: Patterns that the judge of decisions writes, whole strings that match them.
ALL = z3.Full(z3.ReSort(z3.StringSort()))
PATTERNS = {
    "^a": z3.Concat(z3.Re("a"), ALL),
    "b$": z3.Concat(ALL, z3.Re("b")),
    "^[ab]*$": z3.Star(A_OR_B),
    "^[ab]+$": z3.Plus(A_OR_B),
    "^a?b?$": z3.Concat(z3.Option(z3.Re("a")), z3.Option(z3.Re("b"))),
    "^.{2}$": z3.Concat(ANY, ANY),
    "ab": z3.Concat(ALL, z3.Re("ab"), ALL),
}


def any_of(conditions):
    return z3.Or(list(conditions))


def all_of(conditions):
    return z3.And(list(conditions))


def in_range(number):
    return z3.And(number >= LEAST, number <= MOST)


def size_of(value):
    return z3.Sum([z3.IntVal(0)] + [z3.If(slot[0], 1, 0) for slot in value.slots])


def as_int(value):
    """The condition under which the value is no integer, and the integer."""
    match value:
        case Int():
            return NO, value.it
        case Mixed():
            return value.is_str, value.int
    raise Outside(reason_of(value, "an operation on another type"))


def as_str(value):
    match value:
        case Str():
            return NO, value.it
        case Mixed():
            return z3.Not(value.is_str), value.str
    raise Outside(reason_of(value, "an operation on another type"))


def as_bool(value):
    if not isinstance(value, Bool):
        raise Outside("a condition that is no boolean")
    return value.it


def reason_of(value, otherwise):
    return value.reason if isinstance(value, Opaque) else otherwise


def equal(one, other):
    """CEL's `==`."""
    match one, other:
        case (Bool(), Bool()) | (Int(), Int()) | (Str(), Str()):
            return one.it == other.it
        case Mixed(), Mixed():
            return z3.If(
                one.is_str,
                z3.And(other.is_str, one.str == other.str),
                z3.And(z3.Not(other.is_str), one.int == other.int),
            )
        case (Mixed(), Int()) | (Int(), Mixed()):
            mixed, plain = (one, other) if isinstance(one, Mixed) else (other, one)
            return z3.And(z3.Not(mixed.is_str), mixed.int == plain.it)
        case (Mixed(), Str()) | (Str(), Mixed()):
            mixed, plain = (one, other) if isinstance(one, Mixed) else (other, one)
            return z3.And(mixed.is_str, mixed.str == plain.it)
        case Type(), Type():
            return one.is_str == other.is_str
        case List(), List() if one.is_prefix and other.is_prefix:
            pairs = zip(one.slots, other.slots)
            same = [z3.Implies(z3.And(a[0], b[0]), equal(a[1], b[1])) for a, b in pairs]
            return z3.And(size_of(one) == size_of(other), *same)
    raise Outside(reason_of(one, reason_of(other, "equality of such values")))


def compare(op, one, other):
    """An order of two values."""
    if isinstance(one, (Str, Mixed)) and isinstance(other, Str) or isinstance(one, Str):
        (first, left), (second, right) = as_str(one), as_str(other)
        less, least = left < right, left <= right
        value = {"<": less, "<=": least, ">": z3.Not(least), ">=": z3.Not(less)}[op]
    elif isinstance(one, Mixed) and isinstance(other, Mixed):
        raise Outside("an order of integers or strings")
    else:
        (first, left), (second, right) = as_int(one), as_int(other)
        value = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[op]
    return z3.Or(first, second), Bool(value)


def arithmetic(op, one, other):
    if op == "+" and isinstance(one, Str) and isinstance(other, Str):
        return NO, Str(z3.Concat(one.it, other.it))
    if op == "+" and isinstance(one, List) and isinstance(other, List):
        return NO, List(one.slots + other.slots, is_prefix=False)
    (first, left), (second, right) = as_int(one), as_int(other)
    error = z3.Or(first, second)
    size = z3.If(right < 0, -right, right)
    if op in "/%":
        # CEL divides towards zero, and SMT-LIB towards the side that leaves a positive rest.
        rest = z3.If(left >= 0, left % size, -(-left % size))
        quotient = z3.If(left >= 0, left / size, -(-left / size))
        quotient = z3.If(right < 0, -quotient, quotient)
        error = z3.Or(error, right == 0, z3.Not(in_range(quotient)))
        return error, Int(quotient if op == "/" else rest)
    value = {"+": left + right, "-": left - right, "*": left * right}[op]
    return z3.Or(error, z3.Not(in_range(value))), Int(value)


class Encoder:
    """Encodes expressions about some variables."""

    def __init__(self, variables):
        self.variables = dict(variables)

    def encode(self, expr):
        """The condition of an error, and the value."""
        return getattr(self, "encode_" + expr[0])(*expr[1:])

    def encode_int(self, value):
        return NO, Int(z3.IntVal(value))

    def encode_str(self, value):
        return NO, Str(z3.StringVal(value))

    def encode_bool(self, value):
        return NO, Bool(z3.BoolVal(value))

    def encode_double(self):
        return NO, Opaque("a number")

    def encode_list(self, *items):
        encoded = [self.encode(item) for item in items]
        return any_of(error for error, _ in encoded), List([(YES, value) for _, value in encoded])

    def encode_var(self, name):
        if name in ("int", "string"):
            return NO, Type(z3.BoolVal(name == "string"))
        return NO, self.variables[name]

    def field_of(self, target, name):
        error, value = self.encode(target)
        if not isinstance(value, Obj):
            raise Outside("a field of a map")
        return error, *value.fields.get(name, (NO, Opaque("an unknown field")))

    def encode_field(self, target, name):
        error, present, value = self.field_of(target, name)
        return z3.Or(error, z3.Not(present)), value

    def encode_has(self, target, name):
        error, present, _ = self.field_of(target, name)
        return error, Bool(present)

    def encode_or_value(self, target, name, default):
        error, present, value = self.field_of(target, name)
        of_default, other = self.encode(default)
        return z3.Or(error, z3.And(z3.Not(present), of_default)), merge(present, value, other)

    def encode_index(self, target, index):
        first, value = self.encode(target)
        second, at = self.encode(index)
        if isinstance(value, List) and value.is_prefix:
            third, number = as_int(at)
            found = [(z3.And(guard, number == place), it) for place, (guard, it) in enumerate(value.slots)]
        elif isinstance(value, Map):
            third, text = as_str(at)
            found = [(z3.And(guard, key == text), it) for guard, key, it in value.slots]
        else:
            raise Outside("an index of such a value")
        if not found:
            raise Outside("an index of an empty list")
        result = found[-1][1]
        for test, it in found[-2::-1]:
            result = merge(test, it, result)
        return z3.Or(first, second, third, z3.Not(any_of(test for test, _ in found))), result

    def encode_not(self, inner):
        error, value = self.encode(inner)
        return error, Bool(z3.Not(as_bool(value)))

    def encode_neg(self, inner):
        error, value = self.encode(inner)
        other, negated = arithmetic("-", Int(z3.IntVal(0)), value)
        return z3.Or(error, other), negated

    def encode_bin(self, op, left, right):
        first, one = self.encode(left)
        second, other = self.encode(right)
        if op in ("||", "&&"):
            return absorb([(YES, first, as_bool(one)), (YES, second, as_bool(other))], op == "||")
        if op in ("==", "!="):
            same = equal(one, other)
            error, value = NO, Bool(same if op == "==" else z3.Not(same))
        elif op == "in":
            error, value = NO, Bool(self.member(one, other))
        elif op in ("+", "-", "*", "/", "%"):
            error, value = arithmetic(op, one, other)
        else:
            error, value = compare(op, one, other)
        return z3.Or(first, second, error), value

    def member(self, one, other):
        match other:
            case List():
                return any_of(z3.And(guard, equal(one, it)) for guard, it in other.slots)
            case Map():
                return any_of(z3.And(guard, equal(one, Str(key))) for guard, key, _ in other.slots)
        raise Outside("membership of such a value")

    def encode_cond(self, test, one, other):
        error, condition = self.encode(test)
        (first, then), (second, otherwise) = self.encode(one), self.encode(other)
        truth = as_bool(condition)
        return z3.Or(error, z3.If(truth, first, second)), merge(truth, then, otherwise)

    def encode_macro(self, kind, target, variable, body):
        error, value = self.encode(target)
        match value:
            case List():
                entries = value.slots
            case Map():
                entries = [(guard, Str(key)) for guard, key, _ in value.slots]
            case _:
                raise Outside("a loop over such a value")
        encoded = []
        for guard, entry in entries:
            inner = Encoder(self.variables | {variable: entry})
            encoded.append((guard, entry, *inner.encode(body)))
        failed = any_of(z3.And(guard, it) for guard, _, it, _ in encoded)
        if kind == "map":
            slots = [(guard, it) for guard, _, _, it in encoded]
            return z3.Or(error, failed), List(slots, getattr(value, "is_prefix", True))
        truths = [(guard, it, as_bool(truth)) for guard, _, it, truth in encoded]
        if kind in ("all", "exists"):
            other, result = absorb(truths, kind == "exists")
            return z3.Or(error, other), result
        kept = [z3.And(guard, truth) for guard, _, truth in truths]
        if kind == "exists_one":
            number = z3.Sum([z3.IntVal(0)] + [z3.If(it, 1, 0) for it in kept])
            return z3.Or(error, failed), Bool(number == 1)
        slots = [(guard, entry) for guard, (_, entry) in zip(kept, entries)]
        return z3.Or(error, failed), List(slots, is_prefix=False)

    def encode_call(self, name, *arguments):
        encoded = [self.encode(argument) for argument in arguments]
        error, value = call(name, [it for _, it in encoded])
        return any_of([*(it for it, _ in encoded), error]), value


def absorb(truths, decisive):
    """`||`, or `&&`, of values with the condition for the presence of each: a value that decides hides errors."""
    decides = lambda truth: truth if decisive else z3.Not(truth)
    decided = any_of(z3.And(guard, z3.Not(error), decides(truth)) for guard, error, truth in truths)
    failed = any_of(z3.And(guard, error) for guard, error, _ in truths)
    return z3.And(z3.Not(decided), failed), Bool(decided if decisive else z3.Not(decided))


def call(name, arguments):
    """A function of values without an error."""
    first = arguments[0]
    if isinstance(first, (List, Map)):
        return call_of_list(name, first)
    if name == "type" and isinstance(first, Mixed):
        return NO, Type(first.is_str)
    if name == "string":
        return NO, Str(written(first))
    if name == "size":
        error, text = as_str(first)
        return error, Int(z3.Length(text))
    if name not in ("startsWith", "endsWith", "contains", "indexOf", "matches"):
        raise Outside(f"the function {name}")
    (one, text), (other, part) = as_str(first), as_str(arguments[1])
    value = {
        "startsWith": lambda: Bool(z3.PrefixOf(part, text)),
        "endsWith": lambda: Bool(z3.SuffixOf(part, text)),
        "contains": lambda: Bool(z3.Contains(text, part)),
        "indexOf": lambda: Int(z3.IndexOf(text, part, 0)),
        "matches": lambda: Bool(z3.InRe(text, pattern_of(part))),
    }[name]()
    return z3.Or(one, other), value


def pattern_of(text):
    pattern = text.as_string() if z3.is_string_value(text) else ""
    letters = pattern.removeprefix("^").removesuffix("$")
    if pattern in PATTERNS:
        return PATTERNS[pattern]
    if letters.isascii() and letters.isalnum():
        before = [] if pattern.startswith("^") else [ALL]
        behind = [] if pattern.endswith("$") else [ALL]
        parts = [*before, z3.Re(letters), *behind]
        return z3.Concat(*parts) if len(parts) > 1 else parts[0]
    raise Outside("a pattern")


def written(value):
    number = lambda it: z3.If(it >= 0, z3.IntToStr(it), z3.Concat(z3.StringVal("-"), z3.IntToStr(-it)))
    match value:
        case Str():
            return value.it
        case Int():
            return number(value.it)
        case Bool():
            return z3.If(value.it, z3.StringVal("true"), z3.StringVal("false"))
        case Mixed():
            return z3.If(value.is_str, value.str, number(value.int))
    raise Outside(reason_of(value, "a string of such a value"))


def call_of_list(name, value):
    if name == "size":
        return NO, Int(size_of(value))
    if not isinstance(value, List):
        raise Outside(f"the function {name} of a map")
    if name == "isSorted" and value.is_prefix:
        pairs = zip(value.slots, value.slots[1:])
        above = [z3.And(one[0], other[0], compare(">", one[1], other[1])[1].it) for one, other in pairs]
        return NO, Bool(z3.Not(any_of(above)))
    if name == "sum":
        error, total = NO, z3.IntVal(0)
        for guard, item in value.slots:
            total = z3.If(guard, total + as_int(item)[1], total)
            error = z3.Or(error, z3.Not(in_range(total)))
        return error, Int(total)
    if name in ("min", "max") and value.slots:
        best, is_known = z3.IntVal(0), NO
        for guard, item in value.slots:
            number = as_int(item)[1]
            is_better = number < best if name == "min" else number > best
            best = z3.If(z3.And(guard, z3.Or(z3.Not(is_known), is_better)), number, best)
            is_known = z3.Or(is_known, guard)
        return z3.Not(is_known), Int(best)
    raise Outside(f"the function {name}")
