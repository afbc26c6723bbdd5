"""Settings: which source wins, what each value remembers, and what is refused with which sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from selfheal_tui.brought import read_brought
from selfheal_tui.engine.moment.state import AUTONOMIES
from selfheal_tui.engine.session.options import time_limits
from selfheal_tui.errors import SettingsError
from selfheal_tui.llm.time_limits import TimeLimits
from selfheal_tui.setting_layers import load_settings
from selfheal_tui.setting_values import EFFORT_BY_ROLE, setting_text
from selfheal_tui.settings import Settings, default_settings, setting_help, setting_names


class Place:
    """A folder to stand in, a config home and an environment."""

    def __init__(self, folder: Path) -> None:
        self.cwd = folder / "project"
        self.own = folder / "config" / "selfheal" / "selfheal.yaml"
        self.cwd.mkdir()
        self.own.parent.mkdir(parents=True)
        self.environ = {"XDG_CONFIG_HOME": str(folder / "config")}

    def project_file(self, text: str) -> Path:
        path = self.cwd / "selfheal.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def load(self, **flags: Any) -> Settings:
        """With what the project brings accepted."""
        accepted = read_brought(self.cwd, self.environ).digest
        return load_settings(flags, self.environ, self.cwd, accepted=accepted)

    def refused(self, **flags: Any) -> str:
        with pytest.raises(SettingsError) as caught:
            self.load(**flags)
        return str(caught.value)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_defaults_say_that_they_are_defaults(place: Place) -> None:
    settings = place.load()
    assert (settings.model, settings.autonomy, settings.max_iterations) == ("search", "review_repairs", 6)
    assert settings.max_tokens is None and settings.sandbox == "local" and not settings.allow_unsandboxed
    assert settings.origins["model"] == "default"
    assert settings.sessions == Path(__file__).parents[2] / "sessions"
    assert "checkout" in settings.origins["sessions"]


def test_a_flag_beats_the_environment_beats_the_project_beats_the_users_file(place: Place) -> None:
    place.own.write_text("max_iterations: 1\nmax_tokens: 10\nmax_time_s: 20\ntheme: nord\n", encoding="utf-8")
    project = place.project_file("# limits\nmax_iterations: 2\nmax_tokens: 11\nmax_time_s: 21.5\n")
    place.environ |= {"SELFHEAL_MAX_ITERATIONS": "3", "SELFHEAL_MAX_TOKENS": "12"}
    settings = place.load(max_iterations="4")
    assert (settings.max_iterations, settings.max_tokens, settings.max_time_s) == (4, 12, 21.5)
    assert settings.theme == "nord"
    assert settings.origins["max_iterations"] == "flag (--max-iterations)"
    assert settings.origins["max_tokens"] == "environment (SELFHEAL_MAX_TOKENS)"
    assert settings.origins["max_time_s"] == f"{project}, line 4"
    assert settings.origins["theme"] == f"{place.own}, line 4"


def test_a_flag_that_is_not_given_hides_nothing(place: Place) -> None:
    place.environ["SELFHEAL_ALLOW_UNSANDBOXED"] = "yes"
    assert place.load(allow_unsandboxed=None).allow_unsandboxed


def test_relative_paths_are_taken_from_where_they_are_written(place: Place) -> None:
    place.project_file("sessions: runs\n")
    assert place.load().sessions == place.cwd / "runs"
    assert place.load(sessions="/elsewhere/../x").sessions == Path("/x")


def test_models_for_all_and_for_roles(place: Place) -> None:
    place.project_file("model: ollama:qwen2.5:7b\nrole_models:\n  repairer: anthropic:big\n")
    assert place.load().models() == {"*": "ollama:qwen2.5:7b", "repairer": "anthropic:big"}
    assert place.load(model=["critic=search"]).models() == {
        "*": "ollama:qwen2.5:7b",
        "repairer": "anthropic:big",
        "critic": "search",
    }


def test_a_stronger_model_for_all_drops_weaker_role_models(place: Place) -> None:
    place.project_file("role_models: {repairer: anthropic:big}\n")
    assert place.load(model=["search"]).models() == {"*": "search"}


def test_an_equals_sign_in_a_models_name_is_no_role(place: Place) -> None:
    assert place.load(model=["openai:tuned=2"]).models() == {"*": "openai:tuned=2"}


def test_role_models_in_the_environment(place: Place) -> None:
    place.environ["SELFHEAL_ROLE_MODELS"] = "debugger=ollama:a:b, repairer=search"
    assert place.load().models() == {"*": "search", "debugger": "ollama:a:b", "repairer": "search"}


def test_prices_of_ones_own(place: Place) -> None:
    place.own.write_text("prices: {'qwen:qwen3-coder-plus': 1/5, 'openai:a=b': 2/10/0.2/2.5}\n")
    prices = {"qwen:qwen3-coder-plus": "1/5", "openai:a=b": "2/10/0.2/2.5"}
    assert place.load().prices == prices
    text = setting_text("prices", prices)
    assert place.load(prices=text).prices == prices
    place.environ["SELFHEAL_PRICES"] = "ollama:q:8b=0/0"
    assert place.load().prices == {"ollama:q:8b": "0/0"}


def test_the_effort_of_all_roles_and_of_one(place: Place) -> None:
    assert place.load().effort == EFFORT_BY_ROLE
    place.environ["SELFHEAL_EFFORT"] = "low, debugger=max"
    assert place.load().effort == {"*": "low", "debugger": "max"}
    effort = place.load(effort=["high", "critic=auto"]).effort
    assert effort == {"*": "high", "critic": "auto"}
    assert place.load(effort=setting_text("effort", effort)).effort == effort
    assert place.load(effort="repairer=none").effort == {"debugger": "high", "repairer": "none", "summarizer": "low"}


def test_time_limits_are_the_providers_own_until_they_are_set(place: Place) -> None:
    assert time_limits(place.load()) is None
    limits = time_limits(place.load(silence_s="900", context_tokens="32768"))
    assert limits == TimeLimits(first_s=900.0, piece_s=900.0, total_s=3600.0, context_tokens=32768)
    limits = time_limits(place.load(silence_s="20", call_time_s="7200"))
    assert limits == TimeLimits(first_s=300.0, piece_s=20.0, total_s=7200.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("prices: cheap\n", "prices must be a mapping of PROVIDER:NAME to prices"),
        ("prices: {gpt-5: 1/2}\n", "prices must be a mapping of PROVIDER:NAME to prices"),
        ("prices: {'openai:x': free}\n", "prices.openai:x must be INPUT/OUTPUT, INPUT/OUTPUT/CACHED or"),
        ("prices: {'openai:x': 1/-2}\n", "in dollars a million tokens, not '1/-2'"),
        ("prices: {'openai:x': 1/nan}\n", "not '1/nan'"),
        ("prices: {'openai:x': 3}\n", "not 3"),
        ("effort: hihg\n", "Did you mean high?"),
        ("effort: {debuger: high}\n", "Did you mean debugger?"),
        ("effort: 3\n", "effort must be a level, or a mapping of roles to levels, not 3"),
        ("call_time_s: 0\n", "a number above 0"),
        (
            "max_iteratons: 3\n",
            "no setting 'max_iteratons'",
        ),
        ("\nmax_iterations: many\n", "line 2"),
        ("max_iterations: true\n", "whole number above 0, not True"),
        ("max_iterations: 0\n", "above 0, not 0"),
        ("max_iterations: 2.5\n", "whole number"),
        ("max_iterations: 99999999999999999999\n", "whole number"),
        ("max_cost_usd: .nan\n", "a number above 0"),
        ("max_cost_usd: -1\n", "a number above 0"),
        ("autonomy: full-auto\n", "Did you mean full_auto?"),
        ("model: [search]\n", "model must be text, not list"),
        ("role_models: {repairr: search}\n", "Did you mean repairer?"),
        ("role_models: search\n", "no role 'search'"),
        ("- model\n", "must hold `name: value` lines"),
        ("model: 'search\n", "not valid YAML, line"),
        ("model: !!python/object:os.system x\n", "not valid YAML, line 1"),
        ("model: search\nmodel: auto\n", "set twice"),
        ("a: &a [x]\nb: [*a\n", "not valid YAML"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence(place: Place, text: str, says: str) -> None:
    path = place.project_file(text)
    message = place.refused()
    assert says in message
    assert str(path) in message


@pytest.mark.parametrize("line", ["allow_unsandboxed: yes", "verify: no", "tracing: yes", "keys: {review.approve: x}"])
def test_a_folder_never_loosens_what_guards_the_user_even_when_it_is_trusted(place: Place, line: str) -> None:
    place.project_file(f"{line}\nmax_iterations: 2\n")
    settings, name = place.load(), line.partition(":")[0]
    assert getattr(settings, name) == getattr(default_settings(), name) and settings.max_iterations == 2
    assert [(one.name, one.where) for one in settings.left_out] == [(name, "selfheal.yaml, line 1")]
    assert "never sets it" in settings.left_out[0].why


def test_an_unknown_key_names_the_nearest(place: Place) -> None:
    place.project_file("model: search\nmax_iteratons: 3\n")
    message = place.refused()
    assert "Did you mean max_iterations?" in message and "line 2" in message


def test_a_file_that_is_not_utf8_is_refused(place: Place) -> None:
    (place.cwd / "selfheal.yaml").write_bytes(b"model: \xff\n")
    assert "cannot be read" in place.refused()


def test_an_empty_file_sets_nothing(place: Place) -> None:
    place.project_file("# nothing yet\n")
    assert place.load().origins["model"] == "default"


def test_a_bad_variable_and_a_bad_flag_are_named(place: Place) -> None:
    assert "--max-tokens" in place.refused(max_tokens="lots")
    assert "Did you mean debugger?" in place.refused(model=["debuger=search"])
    place.environ["SELFHEAL_MAX_TOKENS"] = "lots"
    assert "SELFHEAL_MAX_TOKENS" in place.refused()


def test_a_misspelt_variable_names_the_nearest_and_a_foreign_one_is_left_alone(place: Place) -> None:
    place.environ["SELFHEAL_CI_JOB_URL"] = "x"
    assert place.load().model == "search"
    place.environ["SELFHEAL_MODLE"] = "search"
    assert "SELFHEAL_MODEL?" in place.refused()


def test_every_setting_has_a_sentence() -> None:
    assert set(setting_help()) == {*setting_names(), "origins", "left_out", "accepted"}


def test_words_shared_with_other_layers_agree() -> None:
    assert get_args(get_type_hints(Settings)["autonomy"]) == AUTONOMIES
