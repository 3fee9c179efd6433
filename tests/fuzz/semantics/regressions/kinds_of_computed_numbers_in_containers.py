@dataclass
class Node:
    value: object
    rest: object = None

    def doubled(self):
        self.value = self.value * 2
        return self


def program(x, n, y):
    rows = [[i * j * (x if i == j else y) for j in range(3)] for i in range(n)]
    flat = [-v for row in rows for v in row]
    table = {i: {j: rows[i][j] for j in range(2)} for i in range(2)}
    columns = [list(c) for c in zip(*rows)]

    chain, nodes = None, []
    for i in range(n):
        v = i * (x if i == 2 else y)
        chain = Node(v, chain)
        nodes.append(Node(v).doubled())
    walked = []
    while chain:
        walked.append(chain.value)
        chain = chain.rest
    seen = [o.value for o in nodes], nodes[1].value, max(o.value for o in nodes)

    largest = place = None
    for i in range(n):
        v = i * (x if i == 1 else y)
        if largest is None or v > largest:
            largest, place = v, i
    found = table[1].get(0), table[1].get(5), {k: v for k, v in table[0].items()}
    first = largest + 1, [largest], f"{largest}", np.full(2, largest)

    halves = (x if n > 5 else y) * 2
    kind = isinstance(halves, int), float(halves), halves * 1.0, 1 * halves
    return flat, table, columns, walked, seen, place, found, first, kind


def arguments():
    return number("float", 0.75), 3, 1
