"""Keys numbered in the order in which they are first met: a hash table in arrays."""

from __future__ import annotations

import numpy as np

import anadrome as ad
from anadrome.smt.sentences import Array

FREE = -1
"""What an empty slot holds; keys are not negative."""


def slot_of(key: int, mask: int) -> int:
    """The first slot to look at, from all bits of a key."""
    # Products of 32 and 30 bits stay within 63, for Python's integers know no others.
    mixed = (key & 0xFFFFFFFF) * 0x2545F491 + (key >> 32) * 0x1F3D5B79
    return (mixed ^ (mixed >> 31)) & mask


def find_key(key: int, slots: Array, numbers: Array, mask: int) -> int:
    """The number of a key, or -1."""
    slot = slot_of(key, mask)
    while slots[slot] != FREE:
        if slots[slot] == key:
            return int(numbers[slot])
        slot = (slot + 1) & mask
    return -1


def _number(
    keys: Array, first: int, slots: Array, numbers: Array, found: Array, used: int
) -> tuple[int, int]:
    """Number keys until half of the slots are used; where it stopped, and how many."""
    mask = slots.shape[0] - 1
    limit = slots.shape[0] // 2
    for i in range(first, keys.shape[0]):
        key = keys[i]
        slot = slot_of(key, mask)
        while slots[slot] != FREE and slots[slot] != key:
            slot = (slot + 1) & mask
        if slots[slot] == FREE:
            if used >= limit:
                return i, used
            slots[slot] = key
            numbers[slot] = used
            used += 1
        found[i] = numbers[slot]
    return keys.shape[0], used


def _move(slots: Array, numbers: Array, new_slots: Array, new_numbers: Array) -> None:
    mask = new_slots.shape[0] - 1
    for i in range(slots.shape[0]):
        if slots[i] != FREE:
            slot = slot_of(slots[i], mask)
            while new_slots[slot] != FREE:
                slot = (slot + 1) & mask
            new_slots[slot] = slots[i]
            new_numbers[slot] = numbers[i]


def _find(keys: Array, slots: Array, numbers: Array, found: Array) -> None:
    mask = slots.shape[0] - 1
    for i in range(keys.shape[0]):
        found[i] = find_key(keys[i], slots, numbers, mask)


_number_compiled = ad.jit(_number)
_move_compiled = ad.jit(_move)
_find_compiled = ad.jit(_find)


class KeyNumbers:
    """Numbers of keys, which are integers from 0 up."""

    def __init__(self, capacity: int = 1 << 10) -> None:
        size = 1 << max(4, int(capacity).bit_length())
        self.slots = np.full(size, FREE, dtype=np.int64)
        self.numbers = np.zeros(size, dtype=np.int64)
        self.count = 0

    def add(self, keys: Array) -> Array:
        """The number of each key; new keys get the next numbers."""
        found = np.empty(len(keys), dtype=np.int64)
        done = 0
        while True:
            done, self.count = _number_compiled(
                keys, done, self.slots, self.numbers, found, self.count
            )
            if done == len(keys):
                return found
            self._grow()

    def find(self, keys: Array) -> Array:
        """The number of each key, or -1."""
        found = np.empty(len(keys), dtype=np.int64)
        _find_compiled(keys, self.slots, self.numbers, found)
        return found

    def keys(self) -> Array:
        """The keys in the order of their numbers."""
        result = np.empty(self.count, dtype=np.int64)
        used = self.slots != FREE
        result[self.numbers[used]] = self.slots[used]
        return result

    def packed(self) -> tuple[Array, Array]:
        """Slots and numbers without more room than is good for looking up."""
        return self._moved(1 << max(4, (self.count * 5 // 4).bit_length()))

    def _grow(self) -> None:
        self.slots, self.numbers = self._moved(4 * len(self.slots))

    def _moved(self, size: int) -> tuple[Array, Array]:
        slots = np.full(size, FREE, dtype=np.int64)
        numbers = np.zeros(size, dtype=np.int64)
        _move_compiled(self.slots, self.numbers, slots, numbers)
        return slots, numbers
