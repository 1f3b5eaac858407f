/** The module that a Python script imports: one function for each tool that it may call. Works from Python 3.8 on. */
import { callableTools } from '../script-tools.ts';

export function pythonModule(names: ReadonlySet<string>): string {
  const functions = callableTools(names).map(({ name, parameters, names: given }) => {
    const passed = given.map((parameter) => `"${parameter}": ${parameter}`);
    return `def ${name}(${parameters}):\n    return _call("${name}", {${passed.join(', ')}})\n`;
  });
  return [beginning, ...functions, helpers].join('\n\n');
}

const beginning = `"""The tools of this conversation as functions. Each returns what the tool answers, as a dictionary."""
import json
import os
import shlex
import socket
import threading
import time

_lock = threading.Lock()
_connection = None
_owner = None
_count = 0


def _connect():
    # A forked process must not speak on the connection of its parent.
    global _connection, _owner
    if _connection is None or _owner != os.getpid():
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(os.environ["HERMES_RPC_SOCKET"])
        _connection, _owner = (connection, connection.makefile("rb")), os.getpid()
    return _connection


def _by_socket(text, tool):
    global _connection
    connection, replies = _connect()
    connection.sendall(text)
    line = replies.readline()
    if not line:
        _connection = None
        raise RuntimeError("the connection to the agent was closed during a call of " + tool)
    return line


def _by_file(text):
    global _count
    _count += 1
    folder, name = os.environ["HERMES_RPC_DIR"], "%d-%d" % (os.getpid(), _count)
    request, reply = os.path.join(folder, "req-" + name), os.path.join(folder, "res-" + name)
    part = os.path.join(folder, "part-" + name)
    with open(part, "wb") as file:
        file.write(text)
    os.rename(part, request)
    wait = 0.01
    while not os.path.exists(reply):
        time.sleep(wait)
        wait = min(wait * 1.5, 0.2)
    with open(reply, "rb") as file:
        line = file.read()
    os.remove(reply)
    return line


def _call(tool, args):
    given = {name: value for name, value in args.items() if value is not None}
    request = {"tool": tool, "args": given, "token": os.environ.get("HERMES_RPC_TOKEN", "")}
    text = json.dumps(request).encode("utf-8") + b"\\n"
    with _lock:
        line = _by_file(text) if "HERMES_RPC_DIR" in os.environ else _by_socket(text, tool)
    result = json.loads(line.decode("utf-8"))
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except ValueError:
            pass
    return result if isinstance(result, (dict, list)) else {"output": result}
`;

const helpers = `def json_parse(text):
    """Like json.loads, also where strings hold line breaks and other control characters."""
    return json.loads(text, strict=False)


def shell_quote(text):
    """The text as one word of a shell command."""
    return shlex.quote(str(text))


def retry(fn, max_attempts=3, delay=2):
    """Calls fn until it does not raise; waits between attempts, each time twice as long."""
    for attempt in range(1, max_attempts + 1):
        try:
            return fn()
        except Exception:
            if attempt == max_attempts:
                raise
            time.sleep(delay * 2 ** (attempt - 1))
`;
