from join_rows import join_rows

PEOPLE = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]
PETS = [{"id": 1, "name": "Rex"}, {"id": 1, "name": "Tom"}]


def test_each_partner_gives_a_row():
    assert join_rows(PEOPLE, PETS, "id") == [
        {"id": 1, "name": "Ann", "right_name": "Rex"},
        {"id": 1, "name": "Ann", "right_name": "Tom"},
    ]


def test_a_left_join_keeps_who_has_no_partner():
    assert join_rows(PEOPLE, PETS, "id", "left")[2] == {"id": 2, "name": "Bob", "right_name": None}
