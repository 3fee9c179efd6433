import heapq


class Job:
    def __init__(self, cost):
        self.cost = cost

    def __lt__(self, other):
        return self.cost < other.cost


def program(x, y):
    jobs, named = [], [(x, "a"), (2.0, "b")]
    for v in (3.0, x, y, x * x):
        heapq.heappush(jobs, Job(v))
    heapq.heapify(named)
    heapq.heappush(named, (x * y, "c"))
    total = heapq.heappushpop(named, (0.5, "z"))[0]
    while jobs:
        total = total * 2.0 + heapq.heappop(jobs).cost
    return total + heapq.heappop(named)[0]


def arguments():
    return number("float", 1.5), number("float", 0.75)
