"""Small files that stand for much: each ends in an error that names it, in little memory."""

import gzip

import pytest

from bnsieve.exchange import FormatError, blocks, files, read, xml_tree
from bnsieve.exchange.bif import _SKIPPED
from work import lines_run, peak_bytes

XML = '<?xml version="1.0"?><BIF VERSION="0.3"><NETWORK><NAME>n</NAME>{}</NETWORK></BIF>'


def test_a_compressed_file_unpacks_to_a_limit(tmp_path):
    path = tmp_path / "zeros.bif.gz"
    path.write_bytes(gzip.compress(bytes(files.MAX_BYTES + 1), 9))
    assert path.stat().st_size < 100_000
    with pytest.raises(FormatError, match=r"zeros.bif.gz.*more than 67,108,864 bytes"):
        read(path)


def test_rows_of_a_bif_file_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MAX_STATEMENTS", 1000)
    path = tmp_path / "rows.bif"
    block = "network n {}\nvariable a { type discrete [ 1 ] { x }; }\nprobability ( a ) { "
    path.write_text(block + "(x) 1;\n" * 1001, encoding="utf-8")
    with pytest.raises(FormatError, match=r"rows.bif, line 1002.*more than 1,000 statements"):
        read(path)


def test_elements_of_an_xml_file_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(xml_tree, "MAX_ELEMENTS", 1000)
    path = tmp_path / "many.xmlbif"
    path.write_text(XML.format("<a/>" * 1000), encoding="utf-8")
    with pytest.raises(FormatError, match=r"many.xmlbif, line 1.*more than 1,000 elements"):
        read(path)


def test_text_between_elements_is_taken_in_linear_work(tmp_path):
    """Ten times as much text: 10 times as many lines run and bytes held, or 100 times."""
    path = tmp_path / "mixed.xmlbif"
    found = []
    for n in (500, 5_000):
        path.write_text(XML.format(("x" * 200 + "<a/>") * n), encoding="utf-8")
        found.append((lines_run(lambda: read(path)), peak_bytes(lambda: read(path))))
    for few, many in zip(*found, strict=True):
        assert many < 15 * few


def test_lists_in_json_have_a_limit(tmp_path):
    path = tmp_path / "lists.json"
    path.write_text("[" + "[]," * 9_000_000 + "[]]", encoding="utf-8")
    assert path.stat().st_size < 1 << 27
    with pytest.raises(FormatError, match=r"lists.json: its values would take more than"):
        read(path)


def test_comments_are_blanked_and_strings_masked():
    text = 'a // b "c\n"// no" /* x\ny */ z /* * / **/ e'
    source = blocks.BlockText.mask(text, None, _SKIPPED)
    blank = "a" + " " * 8 + '\n"// no"' + " " * 5 + "\n" + " " * 4 + " z " + " " * 10 + " e"
    assert source.text == blank
    assert source.masked == blank.replace('"// no"', "_" * 7)
    with pytest.raises(FormatError, match=r"line 1, column 3: .* never closed"):
        blocks.BlockText.mask("a /* b *", None, _SKIPPED)
