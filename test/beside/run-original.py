"""Runs the original's command line many times from one interpreter that has loaded it: its start costs two seconds.

Reads one JSON object a line: args, env, cwd, stdout, stderr (paths of files). Answers each with its exit code.
Every run is a child of its own, so nothing of one run is left for the next.
"""

import contextlib
import importlib
import json
import os
import pathlib
import sys

# What a one-shot loads on its way.
LOADED = [
    "run_agent", "model_tools", "hermes_state", "openai", "aiohttp", "pydantic", "httpx", "hermes_cli.oneshot",
    "hermes_cli.profiles", "hermes_cli.models", "hermes_cli.runtime_provider", "hermes_cli.tools_config",
    "hermes_cli.kanban", "hermes_cli.curator", "hermes_cli.bundles", "agent.agent_init", "agent.anthropic_adapter",
    "agent.title_generator", "tools.mcp_tool", "httpcore", "h11", "h11._connection", "edge_tts",
]


def move_home(loaded, home):
    """Modules keep paths of the home that they were loaded with, such as the store's."""
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()):
            if isinstance(value, (str, pathlib.PurePath)) and str(value).startswith(loaded):
                setattr(module, name, type(value)(home + str(value)[len(loaded):]))


def run(main, job):
    os.setsid()
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    loaded_home = os.environ["HERMES_HOME"]
    os.environ.clear()
    os.environ.update(job["env"])
    move_home(loaded_home, job["env"]["HERMES_HOME"])
    os.chdir(job["cwd"])
    sys.argv = ["hermes", *job["args"]]
    try:
        main.main()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def serve():
    main = importlib.import_module("hermes_cli.main")
    for name in LOADED:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(main, json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


serve()
