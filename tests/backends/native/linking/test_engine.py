import ctypes
import gc
import weakref

import numpy as np
import pytest

from anadrome.backends.native.disk.object_cache import ObjectCache
from anadrome.backends.native.linking import engine
from anadrome.backends.native.linking.engine import (
    Passes,
    compile_assembly,
    compile_object,
    load_cached,
    load_object,
)

TRIPLE = """
define void @triple(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p
  %w = fmul float %v, 3.0
  store float %w, ptr %q
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""

CALLBACK = """
declare i64 @answer(i64)
declare i64 @strlen(ptr)
define i64 @ask(ptr %text) {
  %n = call i64 @strlen(ptr %text)
  %r = call i64 @answer(i64 %n)
  ret i64 %r
}
"""


@pytest.mark.parametrize("passes", list(Passes))
def test_compiled_code_runs(target, passes):
    library = load_object(compile_object(TRIPLE, target, passes), ["triple"], target)
    x = np.arange(101, dtype=np.float32)
    y = np.zeros_like(x)
    pointer = ctypes.c_void_p
    triple = library.function("triple", None, pointer, pointer, ctypes.c_int64)
    triple(x.ctypes.data, y.ctypes.data, x.size)
    np.testing.assert_array_equal(y, 3 * x)


def test_the_vectoriser_uses_the_full_width(target):
    if not target.triple.startswith("x86_64"):
        pytest.skip("looks for x86 registers")
    register = {512: "%zmm", 256: "%ymm", 128: "%xmm"}[target.vector_bits]
    wider = {512: "none", 256: "%zmm", 128: "%ymm"}[target.vector_bits]
    assembly = compile_assembly(TRIPLE, target, Passes.VECTORIZE)
    assert register in assembly
    assert wider not in assembly
    assert "mulss" in compile_assembly(TRIPLE, target, Passes.NONE)
    assert "mulps" not in compile_assembly(TRIPLE, target, Passes.NONE)


def test_symbols_come_from_imports_and_from_the_process(target):
    answer = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda n: n + 37)
    address = ctypes.cast(answer, ctypes.c_void_p).value
    code = compile_object(CALLBACK, target, Passes.LIGHT)
    library = load_object(code, ["ask"], target, imports={"answer": address})
    ask = library.function("ask", ctypes.c_int64, ctypes.c_char_p)
    assert ask(b"hello") == 42


def test_a_missing_symbol_is_an_error(target):
    code = compile_object(CALLBACK, target, Passes.LIGHT)
    with pytest.raises(RuntimeError, match="ask"):
        load_object(code, ["ask"], target)


def test_a_malformed_module_is_an_error(target):
    with pytest.raises(RuntimeError, match="parsing error"):
        compile_object("define nonsense", target)


def test_a_function_keeps_its_library_alive(target):
    library = load_object(compile_object(TRIPLE, target), ["triple"], target)
    alive = weakref.ref(library)
    function = library.function("triple", None)
    del library
    gc.collect()
    assert alive() is not None
    del function
    gc.collect()
    assert alive() is None


def test_the_second_load_does_not_compile(target, tmp_path, monkeypatch):
    compiled = []

    def counted(*arguments):
        compiled.append(1)
        return compile_object(*arguments)

    monkeypatch.setattr(engine, "compile_object", counted)
    for expected in (1, 1):
        library = load_cached(
            ObjectCache(tmp_path), target, ["triple"], lambda: TRIPLE, ["triple"]
        )
        assert library.address("triple") != 0
        assert len(compiled) == expected
    load_cached(ObjectCache(tmp_path), target, ["x"], lambda: TRIPLE, ["triple"])
    assert len(compiled) == 2
