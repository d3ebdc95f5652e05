"""`python -m tools.fresh.tutorial ADDRESS`: do what docs/tutorial.md says, on the running stack of this checkout."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

_REPOSITORY = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ADDRESS = "http://127.0.0.1:8080/api"
_SECONDS = 30
"""Maximum time until a new collection answers."""


def main() -> None:
    """Run all blocks of SQL and of curl in their order; exit with 1 at the first that fails."""
    address = sys.argv[1]
    text = (_REPOSITORY / "docs/tutorial.md").read_text(encoding="utf-8")
    for language, block in _BLOCK.findall(text):
        if language == "sql":
            _run_sql(block)
        elif block.startswith("curl"):
            _print(_ask(block.replace(_ADDRESS, address)))
    # the last step
    _run_sql("DROP TABLE hazard.shelters;")


def _run_sql(statements: str) -> None:
    _print(statements.splitlines()[0])
    command = ["make", "-s", "psql", "ARGS=-v ON_ERROR_STOP=1"]
    done = subprocess.run(command, cwd=_REPOSITORY, input=statements, check=False, text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{statements}\n{done.stderr}")


def _ask(command: str) -> str:
    """Return the response as soon as there is one. The command is that of the page, so it is for a shell."""
    script = command.replace("curl", "curl -sS --fail", 1)
    deadline = time.monotonic() + _SECONDS
    while True:
        done = subprocess.run(["bash", "-c", script], cwd=_REPOSITORY, check=False, text=True, capture_output=True)
        if done.returncode == 0:
            return done.stdout
        if time.monotonic() > deadline:
            sys.exit(f"{command}\n{done.stderr}{done.stdout}")
        time.sleep(1)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
