import pytest
from settings_text import read_settings


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", {}),
        ("# only\n; comments\n\n   \n", {}),
        ("[empty]", {"empty": {}}),
        ("[ a b ]\nx = 1", {"a b": {"x": "1"}}),
        ("x =", {"": {"x": ""}}),
        ("x = 1\nx = 2", {"": {"x": "2"}}),
        ("x = a=b", {"": {"x": "a=b"}}),
        ("x = a#b", {"": {"x": "a#b"}}),
        ("x = a #b", {"": {"x": "a"}}),
        ("x = # nothing", {"": {"x": ""}}),
        ('x = "  blanks  "  # kept', {"": {"x": "  blanks  "}}),
        (r'x = "c:\\dir"', {"": {"x": "c:\\dir"}}),
        ('x = ""', {"": {"x": ""}}),
        ("[a]\nx = 1\n[b]\nx = 2\n[a]\ny = 3", {"a": {"x": "1", "y": "3"}, "b": {"x": "2"}}),
        ("x = one # 1\n\n  two # 2\n\tthree", {"": {"x": "one two three"}}),
        ("x =\n  late", {"": {"x": "late"}}),
        ("x = 1\n  # no value\ny = 2", {"": {"x": "1", "y": "2"}}),
    ],
)
def test_settings(text, settings):
    assert read_settings(text) == settings


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("nonsense", 1),
        ("a = 1\n= 2", 2),
        ("[a\nx = 1", 1),
        ("[]", 1),
        ("\n\n[ ]", 3),
        ("  x = 1", 1),
        ("[a]\n  x", 2),
        ('x = "a"\n  more', 2),
        ('x = "a', 1),
        ('x = "a" b', 1),
        (r'x = "a\n"', 1),
    ],
)
def test_what_is_wrong_names_its_line(text, line):
    with pytest.raises(ValueError, match=f"line {line}"):
        read_settings(text)
