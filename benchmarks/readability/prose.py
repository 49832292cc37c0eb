"""Sentences in, figures out: how long sentences are and how long their words.

The text of a page is what a reader reads as sentences: without code, tables, headings and
directives. Code within a sentence counts as a word of one syllable. The same rules hold for
Markdown, reStructuredText and docstrings, so figures of different projects can be compared.
"""

import ast
import re
import statistics
from collections.abc import Iterator
from typing import NamedTuple

LONG = 30  # words

_FENCE = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HIDDEN = re.compile(r"<!--.*?-->|\{%.*?%\}|\{\{.*?\}\}|<[^>\n]+>", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])(?:\{[^}]*\})?")
_ROLE = re.compile(r":[\w:-]+:`([^`<]*)(?:<[^`]*>)?`_*")
_REST_LINK = re.compile(r"`([^`<]+)<[^`>]*>`_+")
_CODE = re.compile(r"``[^`]+``|`[^`]+`|\$[^$\n]+\$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.|#\.)\s+")
_ASIDE = re.compile(r"^\s*(?:#|\||\+[-=]|--8<--|!!!|\?\?\?|:::|>>>|\.\. |:\w+:|=+$|-+$|~+$|\^+$)")
_END = re.compile(r"(?<=[.!?])[\"')\]*_]*\s+(?=[\"'(\[*_]*[A-Z0-9])")
_WORD = re.compile(r"[A-Za-z][A-Za-z'\u2019-]*|\d[\d.,]*")
_VOWELS = re.compile(r"[aeiouy]+")
_SECTION = re.compile(r"^(?P<indent> *)[A-Z][\w ]+\n(?P=indent)-{3,}$", re.MULTILINE)
_REST = re.compile(r"^ *(?:Examples?|References|See Also)\n *-{3,}$", re.MULTILINE)
_PARAMETER = re.compile(r"^\s*\*{0,2}\w[\w, .*()]* : ")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|resp|approx|al)\.")


class Figures(NamedTuple):
    """What a collection of sentences is like."""

    n_words: int
    words_per_sentence: float
    grade: float
    long_sentences: float


def blocks_of(text: str) -> Iterator[str]:
    """Yield the paragraphs and list items of Markdown, each on one line."""
    text = _FENCE.sub("\n\n", _FRONT.sub("", text))
    for raw in re.split(r"\n\s*\n", text):
        block: list[str] = []
        for line in raw.split("\n"):
            if _ASIDE.match(line) or "|" in line:
                continue
            if _ITEM.match(line) and block:
                yield " ".join(block)
                block = []
            block.append(_ITEM.sub("", line).strip())
        yield " ".join(block)


def without_directives(text: str) -> str:
    """Return reStructuredText without directives, literal blocks, sessions and titles."""
    kept: list[str] = []
    skipped_indent = -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if skipped_indent >= 0 and (not line.strip() or indent > skipped_indent):
            continue
        skipped_indent = -1
        if line.lstrip().startswith((".. ", ">>>")):
            skipped_indent = indent if line.lstrip().startswith(".. ") else -1
            kept.append("")
            continue
        if kept and re.fullmatch(r"\s*([=\-~^*\"#.])\1{2,}\s*", line):
            kept[-1] = ""
            continue
        if line.rstrip().endswith("::"):
            skipped_indent = indent
            line = line.rstrip()[:-1]
        kept.append(line)
    return "\n".join(kept)


def prose_of_docstring(text: str) -> str:
    """Return the summary and the descriptions of a numpydoc docstring; without examples."""
    text = _SECTION.sub("", without_directives(_REST.split(text, maxsplit=1)[0]))
    return "\n".join("" if _PARAMETER.match(line) else line for line in text.split("\n"))


def sentences_of(text: str) -> list[str]:
    """Return the sentences of prose; a fragment of fewer than four words is none."""
    found = []
    for block in blocks_of(text):
        block = _HIDDEN.sub(" ", _IMAGE.sub(" ", block))
        block = _REST_LINK.sub(r"\1", _ROLE.sub("Code", block))
        block = _CODE.sub("Code", _LINK.sub(r"\1", block))
        block = _ABBREVIATION.sub(r"\1", block)
        found += [one for one in _END.split(block) if len(_WORD.findall(one)) > 3]
    return found


def n_syllables(word: str) -> int:
    """Return about how many syllables a word has: its groups of vowels, without a silent e."""
    word = word.lower()
    groups = len(_VOWELS.findall(word))
    silent = (word.endswith("e") and not word.endswith("le")) or re.search(r"[^td]ed$", word)
    return max(1, groups - bool(silent and groups > 1))


def docstrings_of(source: str) -> list[str]:
    """Return the docstrings of a module and of its public classes and functions."""
    nodes = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module)
        or (isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"))
    ]
    return [prose_of_docstring(ast.get_docstring(node) or "") for node in nodes]


def figures_of(sentences: list[str]) -> Figures:
    """Return the mean sentence length, the Flesch-Kincaid grade and the share of long sentences."""
    words = [_WORD.findall(sentence) for sentence in sentences]
    n_words = sum(map(len, words))
    per_sentence = statistics.fmean(map(len, words))
    per_word = sum(n_syllables(word) for sentence in words for word in sentence) / n_words
    grade = 0.39 * per_sentence + 11.8 * per_word - 15.59
    return Figures(
        n_words, per_sentence, grade, statistics.fmean(len(sentence) > LONG for sentence in words)
    )
