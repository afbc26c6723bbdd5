#!/usr/bin/env bash
# Heal a red suite without the app; what comes of it are files of one new folder.
#
#   heal.sh FOLDER     the folder must not exist yet
#
#   heal.patch         for `git apply`; only when healed
#   report.md          what was tried, changed and verified
#   session.selfheal   the session, for `selfheal resume session.selfheal`
#   summary.md         how it ended, and the report when it is short
#
# When there is nothing to heal, no folder is left. Exit status: that of `selfheal fix`. From the environment:
#
#   SELFHEAL         the command (selfheal)
#   HEAL_PATH        project folder or program file (.)
#   HEAL_JUNIT       JUnit file of the red run; without it the suite itself says what fails
#   HEAL_MODEL       model of all roles (search, which needs no key and sends nothing)
#   HEAL_MAX_TIME_S  seconds that the session may take (600)
#   HEAL_PYTHON      interpreter with the project's packages (selfheal's own)
#
# Nothing is committed, pushed or written into the project. What programs, tests and models wrote is data: it goes into
# these files, and never into a command or into the value of an output.
set -euo pipefail

most_bytes=60000 # a comment of GitHub holds 65,536 characters

refuse() {
  echo "heal.sh: $1" >&2
  exit 2
}

heal() {
  "$selfheal" fix "${HEAL_PATH:-.}" --headless --autonomy full_auto --model "${HEAL_MODEL:-search}" \
    --max-time-s "${HEAL_MAX_TIME_S:-600}" ${HEAL_JUNIT:+--from-junit "$HEAL_JUNIT"} \
    ${HEAL_PYTHON:+--python "$HEAL_PYTHON"} >"$work/result" </dev/null
}

save() {
  "$selfheal" sessions export --format "$1" -o "$folder/$2"
}

summarise() {
  case $outcome in
    healed) echo 'selfheal healed the failing cases: `git apply heal.patch` takes the change.' ;;
    unhealed) echo 'selfheal took no repair that heals all. Candidates that it left to you are in the session.' ;;
    *) echo 'selfheal could not finish; the log says why.' ;;
  esac
  echo
  what='The report'
  if [ -f "$folder/heal.patch" ]; then what='The patch, the report'; fi
  if [ -f "$folder/session.selfheal" ]; then
    echo "$what and the session (\`selfheal resume session.selfheal\`) are files of this run."
    echo
  fi
  if [ -f "$folder/report.md" ] && [ "$(wc -c <"$folder/report.md")" -le "$most_bytes" ]; then
    cat "$folder/report.md"
  fi
}

[ $# -eq 1 ] || refuse "usage: heal.sh FOLDER"
case $1 in /*) folder=$1 ;; *) folder=$PWD/$1 ;; esac
case $folder in *$'\n'*) refuse "the folder's name has a line break" ;; esac
selfheal=${SELFHEAL:-selfheal}
mkdir -p "$(dirname "$folder")"
# One that is there may be a link that the project brings.
mkdir "$folder" || refuse "the folder must be new"
work=$(mktemp -d)
resume=
trap 'rm -rf "$work"; [ -z "$resume" ] || echo "$resume"' EXIT
if [ "${GITHUB_ACTIONS:-}" = true ]; then
  # The runner obeys lines that begin with `::`, until it reads the word that nobody can guess. All goes one way, in order.
  exec 2>&1
  resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$resume"
  resume="::$resume::"
fi
export SELFHEAL_SESSIONS="$work/sessions"

status=0
heal || status=$?
if [ "$status" -eq 0 ] && [ -n "$(ls -A "$SELFHEAL_SESSIONS" 2>/dev/null)" ]; then
  save patch heal.patch
fi
case $status in
  0) if [ -s "$folder/heal.patch" ]; then outcome=healed; else outcome=nothing_to_heal; fi ;;
  1) outcome=unhealed ;;
  *) outcome=failed ;;
esac
if [ "$outcome" = nothing_to_heal ]; then
  rm -f "$folder/heal.patch"
  rmdir "$folder"
else
  if [ -n "$(ls -A "$SELFHEAL_SESSIONS" 2>/dev/null)" ]; then
    save md report.md
    save session session.selfheal || true # the other files say enough
  fi
  summarise >"$folder/summary.md"
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'outcome=%s\nfolder=%s\n' "$outcome" "$folder" >>"$GITHUB_OUTPUT"
fi
echo "selfheal: $outcome" >&2
exit "$status"
