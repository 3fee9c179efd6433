"""The functions of `heapq`, written in the language itself.

Heaps are laid out as the original's are, item by item.
"""

# mypy: ignore-errors

from __future__ import annotations

import heapq


def heappush(heap, item):
    """`heapq.heappush`: the items on the way up from the end make room."""
    heap.append(item)
    rise(heap, 0, len(heap) - 1, item)


def heappop(heap):
    """`heapq.heappop`."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    least = heap[0]
    sink(heap, 0, last)
    return least


def heapreplace(heap, item):
    """`heapq.heapreplace`."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    least = heap[0]
    sink(heap, 0, item)
    return least


def heappushpop(heap, item):
    """`heapq.heappushpop`."""
    least = item
    if len(heap) > 0:
        if heap[0] < item:
            least = heap[0]
            sink(heap, 0, item)
    return least


def heapify(heap):
    """`heapq.heapify`."""
    for k in range(len(heap) // 2):
        place = len(heap) // 2 - 1 - k
        sink(heap, place, heap[place])


def rise(heap, top, place, item):
    """Put an item where it belongs between a place and the top above it."""
    while place > top and item < heap[(place - 1) >> 1]:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = item


def sink(heap, top, item):
    """Put an item into the heap below a place whose item is gone.

    The lesser of two children moves up, all the way down; the item rises from there.
    (Knuth, 5.2.3, exercise 18, and as the original does it.)
    """
    place = top
    size = len(heap)
    while 2 * place + 2 < size:
        child = 2 * place + 1
        if not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
    if 2 * place + 1 < size:
        heap[place] = heap[2 * place + 1]
        place = 2 * place + 1
    rise(heap, top, place, item)


REPLACED = {
    heapq.heappush: heappush,
    heapq.heappop: heappop,
    heapq.heapreplace: heapreplace,
    heapq.heappushpop: heappushpop,
    heapq.heapify: heapify,
}
"""The functions that are followed in the place of others."""
