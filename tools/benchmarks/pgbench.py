"""The limit: PostgreSQL's own rate for the product's statements, prepared, without a server in between."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field

from deploy.local.postgresql import find_programs
from tools.benchmarks.settings import FOLDER, BenchmarkError
from tools.benchmarks.statements import Statement

_SESSION = {"max_parallel_workers_per_gather": "0", "jit": "off", "timezone": "UTC"}
_PARAMETER_OR_LITERAL = re.compile(r"\$(\d+)|'((?:[^']|'')*)'")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


@dataclass
class Script:
    """A pgbench script and its constants (`-D`), which may be any text."""

    lines: list[str] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)

    def add_statement(self, statement: Statement, names: Sequence[str]) -> None:
        """Append the statement with variables of these names for `$1`, `$2`…"""

        def variable(match: re.Match[str]) -> str:
            if match[1]:
                return f":{names[int(match[1]) - 1]}"
            # pgbench reads text after a colon as a variable, even within quotes
            literal = match[2].replace("''", "'")
            return f":{self.constant(literal)}" if ":" in literal else match[0]

        text = _PARAMETER_OR_LITERAL.sub(variable, statement.text)
        self.lines.append(" ".join(text.split()) + ";")

    def constant(self, value: str) -> str:
        """Return the name of a constant with this value."""
        name = next((name for name, known in self.constants.items() if known == value), None)
        if name is None:
            name = f"c{len(self.constants)}"
            self.constants[name] = value
        return name


def make_script(samples: Sequence[Sequence[Statement]]) -> Script:
    """Return a script whose transaction runs the statements of one of the samples, chosen at random.

    Each sample has the product's statements for one request: the same statements with other values. Raises
    BenchmarkError if the statements differ.
    """
    texts = [statement.text for statement in samples[0]]
    alike = [sample for sample in samples if [statement.text for statement in sample] == texts]
    if not texts or len(alike) < len(samples) * 0.7:
        raise BenchmarkError("requests of one kind make the product ask different statements")
    rows = [[_require_value(value) for statement in sample for value in statement.values] for sample in alike]
    varying = [position for position in range(len(rows[0])) if len({row[position] for row in rows}) > 1]
    script = Script()
    if varying:
        script.lines.append(f"\\set k random(0, {len(rows) - 1})")
    if all(_NUMBER.fullmatch(row[position]) for row in rows for position in varying):
        # pgbench computes with numbers: one statement, values by the sample
        for number, row in enumerate(rows if varying else ()):
            script.lines.append(f"\\{'elif' if number else 'if'} :k = {number}")
            script.lines += [f"\\set v{position} {row[position]}" for position in varying]
        names = [f"v{at}" if at in varying else script.constant(value) for at, value in enumerate(rows[0])]
        script.lines += ["\\endif"] if varying else []
        _add_sample(script, alike[0], names)
        return script
    for number, (sample, row) in enumerate(zip(alike, rows, strict=True)):
        script.lines.append(f"\\{'elif' if number else 'if'} :k = {number}")
        _add_sample(script, sample, [script.constant(value) for value in row])
    script.lines.append("\\endif")
    return script


def _require_value(value: str | None) -> str:
    if value is None:
        raise BenchmarkError("pgbench cannot send NULL")
    return value


def _add_sample(script: Script, sample: Sequence[Statement], names: Sequence[str]) -> None:
    first = 0
    for statement in sample:
        script.add_statement(statement, names[first : first + len(statement.values)])
        first += len(statement.values)


def run_pgbench(reader_url: str, script: Script, *, seconds: float, connections: int) -> float:
    """Return transactions per second with prepared statements. Raises BenchmarkError if pgbench fails."""
    program = find_programs() / "pgbench"
    if not program.exists():
        raise BenchmarkError("pgbench is not installed")
    file = FOLDER / "pgbench.sql"
    file.write_text("\n".join(script.lines) + "\n")
    command = [str(program), "-n", "-M", "prepared", "-c", str(connections), "-j", "1", "-f", str(file)]
    command += ["-T", str(max(1, round(seconds)))]
    for name, value in script.constants.items():
        command += ["-D", f"{name}={value}"]
    options = " ".join(f"-c {name}={value}" for name, value in _SESSION.items())
    answer = subprocess.run(
        [*command, reader_url], capture_output=True, text=True, check=False, env=os.environ | {"PGOPTIONS": options}
    )
    rate = re.search(r"^tps = ([\d.]+)", answer.stdout, re.MULTILINE)
    if answer.returncode != 0 or rate is None:
        raise BenchmarkError(f"pgbench failed:\n{answer.stdout[-1000:]}{answer.stderr[-2000:]}")
    return float(rate[1])
