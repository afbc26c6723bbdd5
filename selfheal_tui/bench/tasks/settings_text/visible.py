import pytest
from settings_text import read_settings


def test_sections_and_values():
    text = "debug = yes\n\n# where\n[server]\nhost = example.org  # ours\nport=80\n"
    assert read_settings(text) == {"": {"debug": "yes"}, "server": {"host": "example.org", "port": "80"}}


def test_a_quoted_value():
    assert read_settings(r'title = "a \"b\" # c"') == {"": {"title": 'a "b" # c'}}


def test_a_value_that_goes_on():
    assert read_settings("words = one\n  two\n") == {"": {"words": "one two"}}


def test_a_line_that_is_nothing():
    with pytest.raises(ValueError, match="line 2"):
        read_settings("a = 1\nnonsense\n")
