from circles import distance, groups


def test_friends_of_friends_are_one_group():
    assert groups(["ann", "bob", "cy", "dan"], [("bob", "ann"), ("cy", "bob")]) == [["ann", "bob", "cy"], ["dan"]]


def test_a_friend_of_a_friend_is_two_away():
    assert distance([("ann", "bob"), ("bob", "cy")], "ann", "cy") == 2
