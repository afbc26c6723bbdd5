"""What a candidate changes is sent as the text between two ends that stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from selfheal_tui.sandbox.inside.sift.changes import common_ends, packed, unpacked

TEXT = st.text("ab\n", max_size=40)


@given(TEXT, TEXT, st.integers(1, 200))
def test_what_was_packed_is_unpacked(old: str, new: str, times: int) -> None:
    files = {"a.py": old * times}
    for variant in ({"a.py": new}, {"a.py": new * times}, {"a.py": old * times + new}, {"b.py": new}):
        assert unpacked(files, packed(files, variant)) == variant


@given(TEXT, TEXT, TEXT)
def test_the_ends_are_alike_and_as_long_as_can_be(old: str, new: str, between: str) -> None:
    old, new = old + between * 9 + old, old + between * 7 + new
    same, alike = common_ends(old, new)
    most = min(len(old), len(new))
    assert same + alike <= most
    assert old[:same] == new[:same] and old[len(old) - alike :] == new[len(new) - alike :]
    assert same == most or old[same] != new[same]
    assert same + alike == most or old[-alike - 1] != new[-alike - 1]


def test_of_a_long_file_only_the_edit_is_sent() -> None:
    files = {"a.py": "".join(f"value_{n} = {n}\n" for n in range(5000))}
    assert packed(files, {"a.py": files["a.py"].replace("= 2500", "= -1")})["a.py"][2] == "-1"
