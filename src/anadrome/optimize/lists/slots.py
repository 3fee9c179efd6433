"""Lists of arrays of which all uses are in sight, for native code.

Such a list is made in the function, has one name, and is only read, stored into and
measured: whatever is in its slots is known as long as nothing is stored.
"""

from __future__ import annotations

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, called_graphs, walk
from anadrome.ir.types import List, deref
from anadrome.optimize.analysis.iterations import array_type, is_counted, is_primitive
from anadrome.optimize.rewriting import (
    holds_stored,
    regions_within,
    replace,
    same_type,
)


def read_slots_once(graph: Graph) -> Graph:
    """The graph without reads of slots whose content is known, and with fewer stores.

    hs[k] = np.tanh(x)               h = np.tanh(x)
    y = hs[k] * 2             →      y = h * 2
    hs[k] = y                        hs[k] = y

    Zeros for the items of a list are made when somebody reads them:

    dhs = [zeros_like(h) for h in hs]        for t in range(n):
    for t in range(n):                           hs[t % 2] = y
        dhs[t % 2] = zeros_like(y)      →    dhs = [zeros_like(h) for h in hs]
        hs[t % 2] = y                        use(dhs)
    use(dhs)
    """
    for g in called_graphs(graph):
        lists = _Lists(g)
        if lists.found:
            lists.run()
    return graph


class _Lists:
    """The lists of a function of which all uses are in sight."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.found: dict[int, Node] = {}
        self.uses: dict[int, list[Apply]] = {}
        self.replaced: dict[int, Node] = {}
        # What a handler sees must be there when a statement fails.
        self.handled = any(n.op is ops.TRY for n in walk(graph))
        for node in walk(graph):
            for made in _lists_of(node):
                if _holds_arrays(made):
                    self.found[id(made)] = made
        for region in regions_within(graph):
            for r in region.results:
                self.found.pop(id(r), None)
            for node in region.body:
                self._note(node)

    def _note(self, node: Apply) -> None:
        for k, n in enumerate(node.inputs):
            if id(n) not in self.found:
                continue
            if _is_plain_use(node, k):
                self.uses.setdefault(id(n), []).append(node)
            else:
                del self.found[id(n)]

    def run(self) -> None:
        """Rewrite the function."""
        self._forward(self.graph)
        replace(self.graph, self.replaced)
        if not self.handled:
            self._drop(self.graph)
            for region in list(regions_within(self.graph)):
                for node in list(region.body):
                    self._make_deferred(region, node)

    # Reading ------------------------------------------------------------------------

    def _forward(self, region: Graph) -> None:
        """Replace reads of slots whose content a statement before has shown."""
        known: dict[tuple[int, object], Node] = {}
        for node in region.body:
            if self._accesses(node, ops.GETITEM):
                key = _key(node)
                content = known.setdefault(key, node)
                if content is not node and same_type(content.type, node.type):
                    self.replaced[id(node)] = content
            elif self._accesses(node, ops.SETITEM):
                _forget(known, node.args[0])
                if not isinstance(node.args[2], Constant):
                    known[_key(node)] = node.args[2]
            for inner in node.regions:
                self._forward(inner)
            if node.regions:
                for n in _statements(node):
                    if self._accesses(n, ops.SETITEM):
                        _forget(known, n.args[0])

    def _accesses(self, node: Apply, op: ops.Op) -> bool:
        return node.op is op and id(node.args[0]) in self.found

    # Storing ------------------------------------------------------------------------

    def _drop(self, region: Graph) -> None:
        """Remove stores into slots that nobody reads before the next store."""
        later: dict[tuple[int, object], Node] = {}
        body: list[Apply] = []
        for node in reversed(region.body):
            if self._accesses(node, ops.SETITEM):
                if _key(node) in later:
                    self.uses[id(node.args[0])].remove(node)
                    continue
                later[_key(node)] = node
            else:
                for n in _statements(node):
                    if id(n) not in self.replaced:
                        self._forget_read(later, n)
            body.insert(0, node)
            for inner in node.regions:
                self._drop(inner)
        region.body = body

    def _forget_read(self, later: dict[tuple[int, object], Node], node: Apply) -> None:
        if node.op is ops.GETITEM:
            _forget(later, node.args[0])
        elif node.op is ops.FOR:
            for stack in node.args[3 : 3 + node.shape.stacks]:
                _forget(later, stack)

    # Zeros --------------------------------------------------------------------------

    def _make_deferred(self, region: Graph, maker: Apply) -> None:
        """Make zeros for the items of a list where somebody reads them."""
        source = _source_of_zeros(maker)
        if source is None or id(source) not in self.found:
            return
        (zeros,) = maker.outputs
        if id(zeros) not in self.found:
            return
        pairs = self._paired(source, zeros)
        if not pairs:
            return
        gone = {id(z) for z, _ in pairs}
        at = region.body.index(maker)
        reads = [
            u
            for u in self.uses.get(id(zeros), ())
            if id(u) not in gone and id(u) not in self.replaced
        ]
        stores = {id(s) for pair in pairs for s in pair}
        for k in range(at + 1, len(region.body)):
            inside = {id(n) for n in _statements(region.body[k])}
            if any(id(u) in inside for u in reads):
                break
            stores -= inside
        else:
            return
        if stores:
            return
        before = region.body[k]
        _remove(self.graph, gone)
        region.body.remove(maker)
        at = region.body.index(before)
        count = Apply(ops.LENGTH, (source,), maker.args[1].type, span=maker.span)
        count.graph = region
        maker.args = (maker.args[0], count, *maker.args[2:])
        region.body[at:at] = [count, maker]

    def _paired(self, source: Node, zeros: Node) -> list[tuple[Apply, Apply]] | None:
        """All stores into a list, each with one of zeros before it; None if not so."""
        pairs: list[tuple[Apply, Apply]] = []
        for region in regions_within(self.graph):
            last: Apply | None = None
            for node in region.body:
                stores = node.op is ops.SETITEM
                if stores and node.args[0] is zeros and _is_zeros(node.args[2]):
                    last = node
                elif stores and node.args[0] is source:
                    if last is None or not _mirrors(last, node):
                        return None
                    pairs.append((last, node))
                    last = None
                elif node.regions:
                    last = None
        return pairs


def _lists_of(node: Apply) -> list[Node]:
    """What a statement makes that is new and may be a list."""
    if node.op is ops.LIST:
        return [node]
    if node.op is not ops.FOR or node.shape.breaks:
        return []
    first = node.shape.carried
    return list(node.outputs[first : first + node.shape.kept])


def _holds_arrays(node: Node) -> bool:
    t = deref(node.type)
    if not isinstance(t, List) or holds_stored(t.item):
        return False
    item = array_type(Constant(None, t.item))
    return item is not None and bool(item.ndim) and not item.boxed


def _is_plain_use(node: Apply, place: int) -> bool:
    """Whether a statement reads items, changes one, or measures the list."""
    if node.op is ops.FOR and 3 <= place < 3 + node.shape.stacks:
        return True
    if place != 0:
        return False
    if node.op is ops.SETITEM and holds_stored(node.args[2].type):
        return False
    if node.op in (ops.GETITEM, ops.SETITEM):
        t = array_type(node.args[1])
        return t is not None and t.ndim == 0 and t.dtype is not None and t.python
    return node.op is ops.LENGTH


def _key(node: Apply) -> tuple[int, object]:
    """The list and the slot that a statement reads or changes."""
    index = node.args[1]
    slot: object = id(index)
    if isinstance(index, Constant):
        slot = ("constant", index.value)
    return id(node.args[0]), slot


def _forget(known: dict[tuple[int, object], Node], changed: Node) -> None:
    """Drop what is about the slots of a list."""
    for key in [k for k in known if k[0] == id(changed)]:
        del known[key]


def _statements(node: Apply) -> list[Apply]:
    """A statement and all that are in it."""
    return [node, *(n for r in node.regions for n in walk(r))]


def _source_of_zeros(maker: Apply) -> Node | None:
    """The list for whose items a loop makes zeros and nothing else."""
    if maker.op is not ops.FOR or not is_counted(maker):
        return None
    shape, body = maker.shape, maker.regions[0]
    if shape.carried or shape.stacks or shape.kept != 1 or len(maker.outputs) != 1:
        return None
    if len(body.body) != 2 or shape.reverse or body.results != [body.body[1]]:
        return None
    item, zeros = body.body
    if item.op is not ops.GETITEM or item.args[1] is not body.params[0]:
        return None
    if not _is_zeros(zeros) or zeros.args[0] is not item:
        return None
    source, stop = item.args[0], maker.args[1]
    if not isinstance(stop, Apply) or stop.op is not ops.LENGTH:
        return None
    return source if stop.args[0] is source else None


def _is_zeros(node: Node) -> bool:
    if not is_primitive(node, "zeros_like"):
        return False
    assert isinstance(node, Apply)
    return len(node.inputs) == 1


def _mirrors(zero: Apply, store: Apply) -> bool:
    """Whether zeros are stored for what another statement stores."""
    made = zero.args[2]
    assert isinstance(made, Apply)
    return made.args[0] is store.args[2] and _key(zero)[1] == _key(store)[1]


def _remove(graph: Graph, gone: set[int]) -> None:
    for region in regions_within(graph):
        region.body = [n for n in region.body if id(n) not in gone]
