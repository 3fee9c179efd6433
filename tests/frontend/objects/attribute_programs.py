"""Small programs about attributes: private names, slots, class attributes."""

from dataclasses import dataclass

from differential import Table

case = Table()

# Private names


class Base:
    __k = 2.0

    def __init__(self, v):
        self.__v = v

    def base(self):
        return self.__v * self.__k

    def __hidden(self):
        return self.__v + 1.0

    def call_hidden(self):
        return self.__hidden()


class Derived(Base):
    __k = 3.0

    def __init__(self, v):
        super().__init__(v)
        self.__v = 10.0 * v

    def derived(self):
        return self.__v * self.__k

    def __hidden(self):
        return 0.0


class _Under:
    def __init__(self, v):
        self.__v = v

    def get(self):
        return self.__v


class Counted:
    def __init__(self, x):
        self.x = x

    def run(self):
        __local = self.x * 2
        return [__local * k for k in (1, 2)][1]

    def keyword(self, *, __a=3.0):
        return self.x * __a

    def call_keyword(self):
        return self.keyword(__a=4.0)


@case()
def private_of_base_and_derived(x):
    d = Derived(x)
    return d.base() + 100 * d.derived()


@case()
def private_method(x):
    return Derived(x).call_hidden()


@case()
def private_by_its_long_name(x):
    d = Derived(x)
    return d._Base__v + 100 * d._Derived__v + d._Base__k


@case()
def private_from_outside(x):
    d = Derived(x)
    return d.__v


@case()
def private_of_a_class_with_underscore(x):
    return _Under(x).get() + _Under(x)._Under__v


@case(lambda: Derived(3.0))
def private_of_a_given_object(x, d):
    return x * (d.base() + 100 * d.derived())


@case()
def private_local(x):
    return Counted(x).run()


@case()
def private_keyword(x):
    return Counted(x).call_keyword() + Counted(x).keyword()


@case()
def private_of_a_local_class(x):
    class A:
        def __init__(self):
            self.__v = x

        def get(self):
            return self.__v

    class B(A):
        def __init__(self):
            super().__init__()
            self.__v = 5 * x

    return B().get()


@case()
def private_assigned_in_place(x):
    class A:
        def __init__(self):
            self.__n = 0.0

        def add(self, v):
            self.__n += v
            return self

        def get(self):
            return self.__n

    return A().add(x).add(2 * x).get()


# Slots


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


class SlottedMore(Slotted):
    __slots__ = ("c",)

    def __init__(self, a, c):
        super().__init__(a)
        self.c = c


class SlottedPrivate:
    __slots__ = ("__v", "w")

    def __init__(self, v):
        self.__v = v
        self.w = 2.0

    def get(self):
        return self.__v * self.w


class SlottedOpen(Slotted):
    pass


@dataclass(slots=True)
class SlottedData:
    a: float
    b: float = 3.0


@case()
def slots(x):
    s = SlottedMore(x, 2 * x)
    s.b = 3 * x
    return s.a * s.b + s.c


@case()
def slot_that_is_not_set(x):
    return Slotted(x).b


@case()
def slot_that_is_not_there(x):
    s = Slotted(x)
    s.z = 1.0
    return s.z * x


@case(lambda: Slotted(1.0))
def slot_that_is_not_there_of_given(x, s):
    s.z = x
    return s.z


@case(lambda: Slotted(1.0))
def slot_of_given_set_later(x, s):
    s.b = x * x
    return s.a * s.b


@case()
def slots_opened_by_a_subclass(x):
    s = SlottedOpen(x)
    s.z = 2 * x
    return s.z + s.a


@case(lambda: SlottedPrivate(3.0))
def private_slots_of_given(x, s):
    return s.get() * x


@case()
def private_slots(x):
    return SlottedPrivate(x).get()


@case()
def slotted_dataclass(x):
    s = SlottedData(x)
    return s.a * s.b


@case()
def slotted_dataclass_has_no_others(x):
    s = SlottedData(x)
    s.c = 1.0
    return s.c * x


# Class attributes


class Config:
    rate = 2.0
    names = ("a", "b")
    table = {"a": 3.0}  # noqa: RUF012
    values = [1.0, 2.0]  # noqa: RUF012

    def scaled(self, x):
        return self.rate * x


class SubConfig(Config):
    rate = 5.0


@case()
def class_attribute(x):
    return Config().scaled(x) + SubConfig().scaled(x) + Config.rate * x


@case()
def instance_hides_class(x):
    c, d = Config(), Config()
    c.rate = 10.0 * x
    return c.scaled(x) + d.scaled(x) + Config.rate


@case()
def augmented_class_attribute(x):
    c = Config()
    c.rate += x
    return c.rate + Config.rate * x


@case()
def class_attribute_by_type(x):
    return type(SubConfig()).rate * x + SubConfig.__mro__[1].rate


@case()
def class_containers(x):
    c = Config()
    return c.table["a"] * x + c.values[1] * x * x + len(c.names)


@case(Config)
def class_attribute_of_given(x, c):
    c.rate = x
    return c.scaled(x)


@case()
def has_attribute(x):
    c = Config()
    return (
        x * hasattr(c, "rate") + 10 * x * hasattr(c, "none") + getattr(c, "none", 3.0)
    )


@case()
def missing_attribute(x):
    return Config().none * x


@case()
def missing_attribute_is_caught(x):
    try:
        return Config().none * x
    except AttributeError:
        return 7 * x


@case()
def attribute_set_on_one_path(x):
    c = Config()
    if x > 100:
        c.extra = 1.0
    return c.extra * x


@case()
def attribute_by_setattr(x):
    c = Config()
    c.rate = 3 * x
    return c.rate * x


@case()
def deleted_attribute(x):
    c = Config()
    c.rate = x
    del c.rate
    return c.rate * x


@case()
def attribute_of_a_number(x):
    x.y = 3.0
    return x
