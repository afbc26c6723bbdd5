"""The table of a league from its match results."""

from __future__ import annotations

from dataclasses import dataclass

WIN, DRAW = 3, 1


@dataclass
class Team:
    """What a team has collected so far."""

    name: str
    points: int = 0
    scored: int = 0
    conceded: int = 0

    @property
    def difference(self) -> int:
        """Goals scored minus goals conceded."""
        return self.scored - self.conceded


def play(team: Team, scored: int, conceded: int) -> None:
    """Enter one result for a team."""
    team.scored += scored
    team.conceded += conceded
    if scored > conceded:
        team.points += WIN
    elif scored == conceded:
        team.points += DRAW


def table(results: list[tuple[str, int, int, str]]) -> list[str]:
    """Return `name points difference` of each team, best first; equal teams by name."""
    teams: dict[str, Team] = {}
    for home, home_goals, away_goals, away in results:
        play(teams.setdefault(home, Team(home)), home_goals, away_goals)
        play(teams.setdefault(away, Team(away)), away_goals, home_goals)
    ranked = sorted(teams.values(), key=lambda team: (-team.points, team.difference, team.name))
    return [f"{team.name} {team.points} {team.difference:+d}" for team in ranked]
