import pytest
from headlines import headline, initials


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", ""),
        ("word", "Word"),
        ("the", "The"),
        ("of mice and men", "Of Mice and Men"),
        ("come   on\tin", "Come on In"),
        ("THE end", "THE End"),
        ("a well-known fact", "A Well-Known Fact"),
        ("the editor-in-chief", "The Editor-in-Chief"),
        ("what eBay is to McKay", "What eBay Is to McKay"),
        ("stand-by to in-depth", "Stand-By to In-Depth"),
        ("it's by THE sea", "It's by the Sea"),
    ],
)
def test_headlines(text, result):
    assert headline(text) == result


@pytest.mark.parametrize(
    ("name", "result"),
    [("", ""), ("Ada", "A."), ("ada  lovelace king", "A. L. K."), ("jean-paul belmondo", "J.-P. B."), ("émile", "É.")],
)
def test_initials(name, result):
    assert initials(name) == result
