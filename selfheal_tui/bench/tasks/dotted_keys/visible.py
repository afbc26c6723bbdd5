from dotted_keys import build, flatten


def test_levels_are_joined_with_dots():
    assert flatten({"db": {"host": "a", "ports": [1, 2]}}) == {"db.host": "a", "db.ports.0": 1, "db.ports.1": 2}


def test_an_empty_level_is_kept():
    assert flatten({"db": {}, "log": {"to": []}}) == {"db": {}, "log.to": []}


def test_the_way_back():
    assert build({"db.host": "a", "db.ports.0": 1, "db.ports.1": 2}) == {"db": {"host": "a", "ports": [1, 2]}}


def test_list_places_in_another_order():
    assert build({"x.1": "b", "x.0": "a"}) == {"x": ["a", "b"]}
