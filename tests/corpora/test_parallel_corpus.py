import pytest

from anadrome.corpora import (
    ParallelCorpus,
    read_lines,
    read_parallel,
    read_tsv,
    write_parallel,
)
from anadrome.text import CorpusError


@pytest.fixture
def write(tmp_path):
    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write_file


def test_two_files(write):
    source = write("a.en", b"\xef\xbb\xbfone\r\ntwo\xe2\x80\xa8more\r\n")
    target = write("a.fr", b"un\ndeux")
    corpus = read_parallel(source, target)
    assert list(corpus) == [("one", "un"), ("two\u2028more", "deux")]
    assert len(corpus) == 2


def test_written_files_are_read_back(tmp_path):
    corpus = ParallelCorpus(("a é", "b\u2028"), ("c", "d"))
    write_parallel(corpus, tmp_path / "s", tmp_path / "t")
    assert read_parallel(tmp_path / "s", tmp_path / "t") == corpus
    with pytest.raises(CorpusError, match="line end"):
        write_parallel(
            ParallelCorpus(("a\nb",), ("c",)), tmp_path / "s", tmp_path / "t"
        )


def test_unequal_counts_point_at_the_first_line_without_partner(write):
    source, target = write("a.en", b"1\n2\n3\n"), write("a.fr", b"1\n2\n")
    with pytest.raises(CorpusError, match=r"3 lines in a.en, but 2 lines in a.fr") as e:
        read_parallel(source, target)
    assert (e.value.path, e.value.line) == (str(source), 3)
    assert 'a.en", line 3' in str(e.value)
    assert "help:" in str(e.value)


def test_invalid_utf8(write):
    path = write("a.en", b"fine\nna\xefve\n")
    with pytest.raises(CorpusError, match=r"byte 3 of the line \(0xef\)") as e:
        read_lines(path)
    assert (e.value.path, e.value.line) == (str(path), 2)


def test_empty_lines(write):
    source, target = write("a.en", b"1\n2\n3\n"), write("a.fr", b"1\n \n3\n")
    with pytest.raises(CorpusError, match="the line is empty") as e:
        read_parallel(source, target)
    assert (e.value.path, e.value.line) == (str(target), 2)
    assert read_parallel(source, target, skip_empty=True).source == ("1", "3")


def test_nothing_to_read(write, tmp_path):
    with pytest.raises(CorpusError, match="the file is empty"):
        read_lines(write("a.en", b"\n \n"))
    with pytest.raises(CorpusError, match="no such file"):
        read_lines(tmp_path / "nowhere")
    with pytest.raises(CorpusError, match="a folder"):
        read_lines(tmp_path)
    source, target = write("b.en", b"1\n \n"), write("b.fr", b" \n2\n")
    with pytest.raises(CorpusError, match="no line holds"):
        read_parallel(source, target, skip_empty=True)


def test_tsv(write):
    path = write("a.tsv", b"7\tone\tun\n8\ttwo\tdeux\textra\n")
    assert list(read_tsv(path, columns=(2, 1))) == [("un", "one"), ("deux", "two")]


def test_tsv_with_too_few_columns(write):
    path = write("a.tsv", b"one\tun\ntwo deux\n")
    with pytest.raises(CorpusError, match=r"1 column\(s\), but 2") as e:
        read_tsv(path)
    assert (e.value.path, e.value.line) == (str(path), 2)
    path = write("b.tsv", b"one\tun\n\ntwo\tdeux\n")
    with pytest.raises(CorpusError, match="empty") as e:
        read_tsv(path)
    assert e.value.line == 2
    assert len(read_tsv(path, skip_empty=True)) == 2


def test_sides_have_equal_length():
    with pytest.raises(CorpusError, match="2 source sentences, but 1"):
        ParallelCorpus(("a", "b"), ("c",))
