from standings import Team, play, table


def test_no_results():
    assert table([]) == []


def test_a_win_gives_three_points():
    assert table([("Ash", 2, 0, "Elm")]) == ["Ash 3 +2", "Elm 0 -2"]


def test_a_draw_gives_a_point_to_each():
    assert table([("Elm", 1, 1, "Ash")]) == ["Ash 1 +0", "Elm 1 +0"]


def test_goals_add_up():
    team = Team("Oak")
    play(team, 3, 1)
    play(team, 0, 2)
    assert (team.points, team.scored, team.conceded) == (3, 3, 3)


def test_goal_difference_decides_among_equals():
    results = [("Ash", 1, 0, "Elm"), ("Fir", 4, 0, "Oak")]
    assert table(results) == ["Fir 3 +4", "Ash 3 +1", "Elm 0 -1", "Oak 0 -4"]


def test_points_count_before_goals():
    results = [("Ash", 1, 0, "Elm"), ("Ash", 1, 0, "Fir"), ("Oak", 9, 0, "Elm")]
    assert table(results)[:2] == ["Ash 6 +2", "Oak 3 +9"]
