"""Restart the running programs, one process after another, so that no request is lost."""

from __future__ import annotations

import signal
from functools import partial

from deploy.local.programs import Program, service_of
from deploy.local.readiness import answers_ok, gateway_since, wait_for, wait_until_replaced, wait_until_used
from deploy.local.settings import StackError, StackSettings
from deploy.local.stack import make_plan
from deploy.local.state import StateFolder
from deploy.local.supervision import Supervisor


def restart(settings: StackSettings) -> None:
    """Replace the running code by the current one; PostgreSQL and Redis continue.

    A process finishes its requests while other processes of its service take new ones; a single process gets a spare
    one for that time. Raises StackError if nothing runs, or settings have changed.
    """
    folder = StateFolder(settings.state_dir)
    with folder.lock():
        state = folder.load()
        supervisor = Supervisor(folder, state.ports.get("supervisor", 0))
        if not supervisor.answers():
            raise StackError(f"no stack runs in {settings.state_dir}; `make up` starts one")
        plan = make_plan(settings, folder, state)
        if plan.settings_version != state.settings:
            raise StackError("settings have changed: `make up` starts the stack anew with them")
        internal = state.ports["gateway_internal"]
        spares = {service_of(spare.name): spare for spare in plan.spares}
        for program in plan.services:
            spare = spares.get(service_of(program.name))
            if spare is not None:
                _start(spare, supervisor, internal)
            supervisor.stop_program(program.name)
            _start(program, supervisor, internal)
            if spare is not None:
                supervisor.stop_program(spare.name)
            print(f"{program.name:<12} restarted", flush=True)
        for worker in plan.workers:
            supervisor.stop_program(worker.name)
            supervisor.start_program(worker.name)
            print(f"{worker.name:<12} restarted", flush=True)
        since = gateway_since(internal)
        supervisor.signal_program(plan.gateway.name, signal.SIGHUP)
        wait_until_replaced(internal, since)
        print(f"{plan.gateway.name:<12} restarted", flush=True)
        state.configuration = plan.version
        folder.save(state)


def _start(program: Program, supervisor: Supervisor, internal_port: int) -> None:
    supervisor.start_program(program.name)
    wait_for(program, supervisor, partial(answers_ok, program))
    address = f"unix:{program.socket}" if program.socket else f"127.0.0.1:{program.port}"
    wait_until_used(internal_port, service_of(program.name), address)
