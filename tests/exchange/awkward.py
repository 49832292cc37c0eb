"""Names and labels that formats trip over, for the tests of all of them."""

from hypothesis import strategies as st

AWKWARD = [
    "two words",
    " padded ",
    'say "no"',
    "it's",
    "{brace}",
    "}",
    "a,b",
    "a;b",
    "(0, 1]",
    "a\\b",
    "ends in \\",
    "\\N",
    "<b>bold</b>",
    "&amp;",
    "]]>",
    "<!-- x -->",
    "# hash",
    "// slashes",
    "/* comment */",
    "a -> b",
    "a -- b",
    "subgraph",
    "node",
    "été",
    "😀",
    "א",
    "0",
    "-1.5",
    "null",
    "NA",
    "first\nsecond",
    "tab\there",
    "cr\rhere",
    "%(x)s $HOME",
    "=1+1",
]

# Everything that can be encoded; XML has no control characters but white space.
TEXTS = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
XML_TEXTS = st.sampled_from(AWKWARD) | st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=6
)
