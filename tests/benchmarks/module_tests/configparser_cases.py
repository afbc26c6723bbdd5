"""What the documentation says of `configparser`."""

import configparser
import io

import pytest

SAMPLE = """\
[DEFAULT]
alive = yes
level = 1

[server]
host = example.org
Port = 8080
ratio: 0.5
level = 9

[empty]
"""


def read(text, **options):
    parser = configparser.ConfigParser(**options)
    parser.read_string(text)
    return parser


def raw(text, **options):
    parser = configparser.RawConfigParser(**options)
    parser.read_string(text)
    return parser


def written(parser, **options):
    file = io.StringIO()
    parser.write(file, **options)
    return file.getvalue()


def test_sections():
    assert read(SAMPLE).sections() == ["server", "empty"]


def test_get():
    assert read(SAMPLE).get("server", "host") == "example.org"


def test_names_ignore_case():
    assert read(SAMPLE)["server"]["PORT"] == "8080"


def test_default_of_another_section():
    assert read(SAMPLE)["empty"]["alive"] == "yes"


def test_a_section_goes_before_the_defaults():
    assert read(SAMPLE)["server"]["level"] == "9"


def test_defaults():
    assert dict(read(SAMPLE).defaults()) == {"alive": "yes", "level": "1"}


def test_options():
    assert read(SAMPLE).options("server") == ["host", "port", "ratio", "level", "alive"]


def test_options_of_no_section():
    with pytest.raises(configparser.NoSectionError, match="No section: 'nowhere'"):
        read(SAMPLE).options("nowhere")


def test_get_of_no_section():
    with pytest.raises(configparser.NoSectionError):
        read(SAMPLE).get("nowhere", "host")


def test_get_of_no_option():
    with pytest.raises(configparser.NoOptionError, match="No option 'x' in section: 'server'"):
        read(SAMPLE).get("server", "x")


def test_fallback():
    assert read(SAMPLE).get("server", "x", fallback="none") == "none"
    assert read(SAMPLE).get("nowhere", "x", fallback=None) is None


def test_getint():
    assert read(SAMPLE).getint("server", "port") == 8080


def test_getfloat():
    assert read(SAMPLE).getfloat("server", "ratio") == 0.5


def test_getboolean():
    text = "[a]\n" + "".join(
        f"k{n} = {v}\n" for n, v in enumerate(["yes", "No", "ON", "off", "1", "0", "True", "false"])
    )
    parser = read(text)
    assert [parser.getboolean("a", f"k{n}") for n in range(8)] == [True, False] * 4


def test_getboolean_of_another_word():
    with pytest.raises(ValueError, match="Not a boolean: maybe"):
        read("[a]\nx = maybe").getboolean("a", "x")


def test_getint_with_fallback():
    assert read(SAMPLE).getint("server", "x", fallback=3) == 3


def test_proxy_get():
    server = read(SAMPLE)["server"]
    assert server.get("host") == "example.org"
    assert server.get("x") is None
    assert server.get("x", "else") == "else"


def test_proxy_conversions():
    server = read(SAMPLE)["server"]
    assert (server.getint("port"), server.getfloat("ratio"), server.getboolean("alive")) == (8080, 0.5, True)


def test_proxy_is_a_mapping():
    server = read(SAMPLE)["server"]
    assert "host" in server and "x" not in server
    assert list(server) == ["host", "port", "ratio", "level", "alive"]
    assert (len(server), server.name) == (5, "server")


def test_proxy_sets_and_deletes():
    parser = read(SAMPLE)
    parser["server"]["host"] = "other.org"
    del parser["server"]["port"]
    assert parser.get("server", "host") == "other.org"
    assert not parser.has_option("server", "port")


def test_proxy_delete_of_nothing():
    with pytest.raises(KeyError):
        del read(SAMPLE)["server"]["x"]


def test_parser_is_a_mapping():
    parser = read(SAMPLE)
    assert list(parser) == ["DEFAULT", "server", "empty"]
    assert len(parser) == 3
    assert "server" in parser and "DEFAULT" in parser and "x" not in parser


def test_section_that_is_not_there():
    with pytest.raises(KeyError, match="nowhere"):
        read(SAMPLE)["nowhere"]


def test_section_is_set():
    parser = read(SAMPLE)
    parser["server"] = {"host": "new", "size": 3}
    assert dict(parser["server"]) == {"host": "new", "size": "3", "alive": "yes", "level": "1"}


def test_section_is_deleted():
    parser = read(SAMPLE)
    del parser["server"]
    assert parser.sections() == ["empty"]


def test_default_section_cannot_be_deleted():
    with pytest.raises(ValueError, match="default section"):
        del read(SAMPLE)["DEFAULT"]


def test_has_section():
    parser = read(SAMPLE)
    assert parser.has_section("empty")
    assert not parser.has_section("DEFAULT")


def test_has_option():
    parser = read(SAMPLE)
    assert parser.has_option("server", "HOST")
    assert parser.has_option("server", "alive")
    assert not parser.has_option("nowhere", "host")
    assert parser.has_option("", "alive")


def test_add_section():
    parser = read(SAMPLE)
    parser.add_section("more")
    assert parser.sections() == ["server", "empty", "more"]


def test_add_section_twice():
    with pytest.raises(configparser.DuplicateSectionError, match="'server' already exists"):
        read(SAMPLE).add_section("server")


def test_add_default_section():
    with pytest.raises(ValueError, match="Invalid section name: 'DEFAULT'"):
        read(SAMPLE).add_section("DEFAULT")


def test_set():
    parser = read(SAMPLE)
    parser.set("server", "Host", "x")
    parser.set("DEFAULT", "alive", "no")
    assert (parser["server"]["host"], parser["empty"]["alive"]) == ("x", "no")


def test_set_of_a_number():
    with pytest.raises(TypeError, match="option values must be strings"):
        read(SAMPLE).set("server", "host", 1)


def test_set_in_no_section():
    with pytest.raises(configparser.NoSectionError):
        read(SAMPLE).set("nowhere", "a", "b")


def test_remove_option():
    parser = read(SAMPLE)
    assert parser.remove_option("server", "host") is True
    assert parser.remove_option("server", "host") is False
    assert not parser.has_option("server", "host")


def test_remove_section():
    parser = read(SAMPLE)
    assert parser.remove_section("server") is True
    assert parser.remove_section("server") is False
    assert parser.sections() == ["empty"]


def test_items_of_a_section():
    assert dict(read(SAMPLE).items("empty")) == {"alive": "yes", "level": "1"}


def test_items_with_variables():
    assert dict(read(SAMPLE).items("empty", vars={"Level": "5"})) == {"alive": "yes", "level": "5"}


def test_items_of_all():
    assert [name for name, _ in read(SAMPLE).items()] == ["DEFAULT", "server", "empty"]


def test_popitem():
    parser = read(SAMPLE)
    name, section = parser.popitem()
    assert (name, section.name, parser.sections()) == ("server", "server", ["empty"])


def test_values_of_several_lines():
    assert read("[a]\nx = one\n  two\n  three\ny = 1\n")["a"]["x"] == "one\ntwo\nthree"


def test_empty_line_in_a_value():
    assert read("[a]\nx = one\n\n  two\n")["a"]["x"] == "one\n\ntwo"


def test_empty_line_ends_a_value():
    text = "[a]\nx = one\n\ny = two\n"
    assert dict(read(text, empty_lines_in_values=False)["a"]) == {"x": "one", "y": "two"}


def test_comments():
    assert dict(read("# one\n[a]\n; two\nx = 1 # kept\n")["a"]) == {"x": "1 # kept"}


def test_inline_comments():
    text = "[a]\nx = 1 # one\ny = 2 ; two\nz = a#b\n"
    assert dict(read(text, inline_comment_prefixes=("#", ";"))["a"]) == {"x": "1", "y": "2", "z": "a#b"}


def test_other_delimiters():
    assert read("[a]\nx -> 1=2\n", delimiters=("->",))["a"]["x"] == "1=2"


def test_value_with_a_delimiter():
    assert read("[a]\nurl = http://x:80\n")["a"]["url"] == "http://x:80"


def test_no_value():
    parser = read("[a]\nflag\nempty =\n", allow_no_value=True)
    assert parser["a"]["flag"] is None
    assert parser["a"]["empty"] == ""


def test_no_value_where_one_must_be():
    with pytest.raises(configparser.ParsingError, match="line  2"):
        read("[a]\nflag\n")


def test_option_without_section():
    with pytest.raises(configparser.MissingSectionHeaderError) as caught:
        read("x = 1\n")
    assert caught.value.lineno == 1


def test_duplicate_option():
    with pytest.raises(configparser.DuplicateOptionError) as caught:
        read("[a]\nx = 1\nX = 2\n")
    assert (caught.value.option, caught.value.lineno) == ("x", 3)


def test_duplicate_section():
    with pytest.raises(configparser.DuplicateSectionError) as caught:
        read("[a]\nx = 1\n[a]\n")
    assert caught.value.lineno == 3


def test_duplicates_are_merged():
    parser = read("[a]\nx = 1\n[a]\nx = 2\ny = 3\n", strict=False)
    assert dict(parser["a"]) == {"x": "2", "y": "3"}


def test_interpolation():
    parser = read("[a]\nhome = /h\npath = %(home)s/%(name)s\nname = n\n")
    assert parser["a"]["path"] == "/h/n"
    assert parser.get("a", "path", raw=True) == "%(home)s/%(name)s"


def test_interpolation_with_variables():
    assert read("[a]\npath = %(home)s/x\n").get("a", "path", vars={"home": "/v"}) == "/v/x"


def test_interpolation_of_a_per_cent_sign():
    assert read("[a]\nx = 80%%\n")["a"]["x"] == "80%"


def test_interpolation_of_what_is_missing():
    with pytest.raises(configparser.InterpolationMissingOptionError) as caught:
        read("[a]\nx = %(y)s\n").get("a", "x")
    assert caught.value.reference == "y"


def test_interpolation_of_bad_syntax():
    with pytest.raises(configparser.InterpolationSyntaxError, match="must be followed by"):
        read("[a]\nx = 5%d\n").get("a", "x")


def test_interpolation_without_end():
    with pytest.raises(configparser.InterpolationDepthError):
        read("[a]\nx = %(y)s\ny = %(x)s\n").get("a", "x")


def test_interpolation_is_checked_when_set():
    with pytest.raises(ValueError, match="invalid interpolation syntax"):
        read(SAMPLE).set("server", "host", "5%")


def test_extended_interpolation():
    text = "[a]\nhome = /h\nx = ${home}/${b:name}\ny = $${z}\n[b]\nname = n\n"
    parser = read(text, interpolation=configparser.ExtendedInterpolation())
    assert (parser["a"]["x"], parser["a"]["y"]) == ("/h/n", "${z}")


def test_extended_interpolation_of_what_is_missing():
    parser = read("[a]\nx = ${b:y}\n", interpolation=configparser.ExtendedInterpolation())
    with pytest.raises(configparser.InterpolationMissingOptionError):
        parser.get("a", "x")


def test_no_interpolation():
    assert read("[a]\nx = %(y)s\n", interpolation=None)["a"]["x"] == "%(y)s"
    assert raw("[a]\nx = %(y)s\n")["a"]["x"] == "%(y)s"


def test_write():
    assert written(read("[DEFAULT]\na=1\n[s]\nb:2\n")) == "[DEFAULT]\na = 1\n\n[s]\nb = 2\n\n"


def test_write_without_blanks():
    assert written(read("[s]\nb:2\n"), space_around_delimiters=False) == "[s]\nb=2\n\n"


def test_write_several_lines():
    assert written(read("[s]\nb = 1\n  2\n")) == "[s]\nb = 1\n\t2\n\n"


def test_write_no_value():
    assert written(read("[s]\nb\n", allow_no_value=True)) == "[s]\nb\n\n"


def test_read_dict():
    parser = configparser.ConfigParser()
    parser.read_dict({"a": {"X": 1, "y": "two"}, "b": {}})
    assert dict(parser["a"]) == {"x": "1", "y": "two"}
    assert parser.sections() == ["a", "b"]


def test_read_dict_with_doubles():
    with pytest.raises(configparser.DuplicateOptionError):
        configparser.ConfigParser().read_dict({"a": {"x": 1, "X": 2}})


def test_read_files(tmp_path):
    (tmp_path / "one.ini").write_text("[a]\nx = 1\n")
    parser = configparser.ConfigParser()
    assert parser.read([str(tmp_path / "one.ini"), str(tmp_path / "none.ini")]) == [str(tmp_path / "one.ini")]


def test_read_file():
    parser = configparser.ConfigParser()
    parser.read_file(["[a]\n", "x = 1\n"])
    assert parser["a"]["x"] == "1"


def test_given_defaults():
    assert configparser.ConfigParser({"x": "1"}).defaults() == {"x": "1"}


def test_other_default_section():
    parser = read("[common]\nx = 1\n[a]\n", default_section="common")
    assert parser["a"]["x"] == "1"
    assert parser.sections() == ["a"]


def test_other_optionxform():
    parser = configparser.ConfigParser()
    parser.optionxform = str
    parser.read_string("[a]\nXy = 1\n")
    assert list(parser["a"]) == ["Xy"]


def test_converters():
    parser = read("[a]\nx = 1,2\n", converters={"list": lambda text: text.split(",")})
    assert parser.getlist("a", "x") == ["1", "2"]
    assert parser["a"].getlist("x") == ["1", "2"]
    assert parser["a"].getlist("y", ["no"]) == ["no"]


def test_section_headers_keep_their_blanks():
    assert read("[ a b ]\nx = 1\n").sections() == [" a b "]
