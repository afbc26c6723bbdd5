"""`selfheal completion`: a script that lets a shell complete commands, flags, values and session ids.

The script asks `selfheal` itself at each press of the tab key, through the package argcomplete. So it never gets old.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from .parser import whole_parser

SHELLS = ("bash", "zsh", "fish")
_INSTALL = """\
bash: add this line to ~/.bashrc
      eval "$(selfheal completion bash)"
zsh:  add this line to ~/.zshrc, after compinit
      eval "$(selfheal completion zsh)"
fish: run this once
      selfheal completion fish > ~/.config/fish/completions/selfheal.fish"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="which shell: bash, zsh or fish")
    parser.epilog = _INSTALL


def run(args: Namespace) -> int:
    """Print the script."""
    from argcomplete.shell_integration import shellcode

    script = shellcode(["selfheal"], shell=args.shell)
    # The first line tells zsh which command the script is for; in bash it is a comment about another shell.
    print(script.removeprefix("#compdef selfheal\n") if args.shell == "bash" else script, end="")
    return 0


def answer_shell() -> None:
    """Tell the shell how the line can go on, and end the process; only where the script of `run` asks."""
    import argcomplete

    line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0") or 0)]
    argcomplete.autocomplete(whole_parser(line.split()[1:]), always_complete_options=False)
