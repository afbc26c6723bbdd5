import pytest
from join_rows import join_rows

ORDERS = [
    {"no": 1, "who": "ann", "sum": 5},
    {"no": 2, "who": "bob", "sum": 7},
    {"no": 3, "who": None, "sum": 9},
    {"no": 4, "who": "ann", "sum": 1},
]
PEOPLE = [{"who": "ann", "city": "Bonn"}, {"who": "cy", "city": "Kiel"}, {"who": None, "city": "Ulm"}]


def test_inner():
    assert join_rows(ORDERS, PEOPLE, "who") == [
        {"no": 1, "who": "ann", "sum": 5, "city": "Bonn"},
        {"no": 4, "who": "ann", "sum": 1, "city": "Bonn"},
    ]


def test_left():
    joined = join_rows(ORDERS, PEOPLE, "who", "left")
    assert [(row["no"], row["city"]) for row in joined] == [(1, "Bonn"), (2, None), (3, None), (4, "Bonn")]


def test_an_empty_side():
    assert join_rows([], PEOPLE, "who") == []
    assert join_rows(ORDERS, [], "who") == []
    assert join_rows(ORDERS, [], "who", "left") == ORDERS


def test_many_to_many():
    left = [{"k": 1, "a": 1}, {"k": 1, "a": 2}]
    right = [{"k": 1, "b": 3}, {"k": 1, "b": 4}]
    assert [(row["a"], row["b"]) for row in join_rows(left, right, "k")] == [(1, 3), (1, 4), (2, 3), (2, 4)]


def test_a_shared_column_is_renamed_in_every_row():
    joined = join_rows([{"k": 1, "x": 1}, {"k": 2}], [{"k": 1, "x": 5}, {"k": 2, "x": 6}], "k")
    assert joined == [{"k": 1, "x": 1, "right_x": 5}, {"k": 2, "right_x": 6}]


def test_a_column_that_a_partner_lacks_is_none():
    joined = join_rows([{"k": 1}], [{"k": 1}, {"k": 2, "x": 6}], "k")
    assert joined == [{"k": 1, "x": None}]


def test_a_row_without_the_key_has_no_partner():
    assert join_rows([{"a": 1}], [{"b": 2}], "k") == []
    assert join_rows([{"a": 1}], [{"b": 2}], "k", "left") == [{"a": 1, "b": None}]


def test_a_key_that_is_zero_counts():
    assert join_rows([{"k": 0, "a": 1}], [{"k": 0, "b": 2}], "k") == [{"k": 0, "a": 1, "b": 2}]


def test_the_tables_stay_as_they_are():
    left, right = [{"k": 1, "a": 1}], [{"k": 1, "a": 2}]
    join_rows(left, right, "k")[0]["a"] = 9
    assert (left, right) == ([{"k": 1, "a": 1}], [{"k": 1, "a": 2}])


def test_an_unknown_kind():
    with pytest.raises(ValueError):
        join_rows([], [], "k", "outer")
