import ctypes
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from anadrome.backends.native.linking.engine import Passes, compile_object, load_object
from anadrome.backends.native.runtime.threads import default_thread_count, thread_pool
from anadrome.backends.native.target import select_target

# count(counters, i) adds 1 to counters[i]; nest(counters, i) does so for 4 of them
# through the pool; run(which, counters, chunks) hands one of them to the pool.
MODULE = """
declare void @anadrome.parallel_for(ptr, ptr, i64)
define void @count(ptr %counters, i64 %i) {
  %p = getelementptr i64, ptr %counters, i64 %i
  %old = atomicrmw add ptr %p, i64 1 seq_cst
  ret void
}
define void @nest(ptr %counters, i64 %i) {
  %first = mul i64 %i, 4
  %p = getelementptr i64, ptr %counters, i64 %first
  call void @anadrome.parallel_for(ptr @count, ptr %p, i64 4)
  ret void
}
define void @run(i64 %which, ptr %counters, i64 %chunks) {
  %nested = icmp ne i64 %which, 0
  %body = select i1 %nested, ptr @nest, ptr @count
  call void @anadrome.parallel_for(ptr %body, ptr %counters, i64 %chunks)
  ret void
}
"""


@pytest.fixture
def pool():
    pool = thread_pool()
    before = pool.thread_count
    pool.resize(3)
    yield pool
    pool.resize(before)


@pytest.fixture
def run(pool):
    target = select_target()
    code = compile_object(MODULE, target, Passes.LIGHT)
    library = load_object(code, ["run"], target, pool.symbols)
    call = library.function(
        "run", None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64
    )

    def run(which, counters, chunks):
        call(which, counters.ctypes.data, chunks)

    return run


@pytest.mark.parametrize("chunks", [0, 1, 2, 3, 100, 5000])
def test_every_chunk_runs_once(run, chunks):
    counters = np.zeros(chunks + 1, np.int64)
    for _ in range(200):
        run(0, counters, chunks)
    assert (counters[:chunks] == 200).all()
    assert counters[chunks] == 0


def test_jobs_within_jobs(run):
    counters = np.zeros(400, np.int64)
    for _ in range(50):
        run(1, counters, 100)
    assert (counters == 50).all()


def test_several_python_threads_use_the_pool(run):
    arrays = [np.zeros(64, np.int64) for _ in range(4)]

    def work(counters):
        for _ in range(500):
            run(0, counters, 64)

    threads = [threading.Thread(target=work, args=(a,)) for a in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((a == 500).all() for a in arrays)


def test_workers_wake_from_sleep(run):
    counters = np.zeros(8, np.int64)
    for _ in range(5):
        threading.Event().wait(0.01)
        run(0, counters, 8)
    assert (counters == 5).all()


def test_the_pool_grows_and_shrinks(pool, run):
    counters = np.zeros(100, np.int64)
    for count in (1, 4, 2, 1, 3):
        pool.resize(count)
        assert pool.thread_count == count
        names = [t.name for t in threading.enumerate()]
        assert sum(n.startswith("anadrome-") for n in names) == count - 1
        run(0, counters, 100)
    assert (counters == 5).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)
def test_a_forked_child_has_a_pool_of_its_own(pool, run):
    counters = np.zeros(100, np.int64)
    child = os.fork()
    if child == 0:
        alone = pool.thread_count == 1
        run(0, counters, 100)
        pool.resize(2)
        run(0, counters, 100)
        pool.stop()
        os._exit(0 if alone and (counters == 2).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert pool.thread_count == 3
    run(0, counters, 100)
    assert (counters == 1).all()


@pytest.mark.parametrize(
    "ending", ["pass", "raise SystemExit(0)", "import os; os._exit(0)"]
)
def test_the_interpreter_exits_with_workers_waiting(ending):
    program = (
        "from anadrome.backends.native.runtime.threads import thread_pool\n"
        f"thread_pool().resize(4)\n{ending}\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_threads_that_ask_at_once_get_one_pool():
    # In a process of its own, since this one has its pool.
    code = (
        "import threading\n"
        "from anadrome.backends.native.runtime import threads\n"
        "made = []\n"
        "whole = threads.ThreadPool.__init__\n"
        "def slow(pool):\n"
        "    made.append(pool)\n"
        "    threading.Event().wait(0.05)\n"
        "    whole(pool)\n"
        "threads.ThreadPool.__init__ = slow\n"
        "asking = [threading.Thread(target=threads.thread_pool) for _ in range(4)]\n"
        "for thread in asking: thread.start()\n"
        "for thread in asking: thread.join()\n"
        "print(len(made))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "1", done.stderr


def test_the_environment_sets_the_number_of_threads(monkeypatch):
    monkeypatch.setenv("ANADROME_NUM_THREADS", "7")
    assert default_thread_count() == 7
    monkeypatch.delenv("ANADROME_NUM_THREADS")
    assert default_thread_count() >= 1
