/** Scripts that call tools, as a conversation sees them. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryHome } from '../../config/temporary-home.ts';
import { call, noPython, startScripts } from './support.ts';

suite('execute_code', { skip: noPython }, () => {
  test('a script reads a file through a tool, and only what it prints comes back', async (t) => {
    const { chat, run, server } = await startScripts(t);
    chat.place.put('a.txt', 'one\ntwo\nthree\n');
    const result = await run('from hermes_tools import read_file\nprint(read_file("a.txt")["total_lines"])');
    const expected = {
      status: 'success',
      output: '3',
      exit_code: 0,
      tool_calls_made: 1,
      stdout_truncated: false,
      stdout_bytes_captured: 2,
      stdout_bytes_total: 2,
      stdout_bytes_omitted: 0,
    };
    const { duration_seconds, ...told } = result;
    assert.equal(typeof duration_seconds, 'number');
    assert.deepEqual(told, { ...told, ...expected });
    assert.equal(server.requests.length, 2, 'calls of a script are no steps');
    assert.deepEqual(server.violations, []);
  });

  test('every file tool works from a script, with dictionaries as results', async (t) => {
    const { chat, printed } = await startScripts(t);
    const output = await printed(`
from hermes_tools import write_file, patch, search_files, read_file, terminal, shell_quote, json_parse, retry
assert "error" not in write_file("b.txt", "tea\\n")
assert "error" not in patch(path="b.txt", old_string="tea", new_string="it's coffee")
assert search_files("coffee")["total_count"] == 1
print(terminal("cat " + shell_quote("b.txt"))["output"])
print(json_parse('{"a": "x\\ny"}')["a"])
tries = []
def third():
    tries.append(1)
    if len(tries) < 3: raise ValueError("not yet")
    return len(tries)
print(retry(third, delay=0))
print(read_file("missing.txt")["error"])`);
    assert.match(output, /^it's coffee\nx\ny\n3\n.*missing\.txt/);
    assert.equal(readFileSync(join(chat.place.work, 'b.txt'), 'utf8'), "it's coffee\n");
  });

  test('the call after the last allowed one is told the limit', async (t) => {
    const { run } = await startScripts(t);
    const result = await run(`
from hermes_tools import terminal
results = [terminal("echo hi") for _ in range(51)]
print(results[49]["output"], results[50]["error"])`);
    assert.match(result.output, /^hi Tool call limit reached \(50\)\. /);
    assert.equal(result['tool_calls_made'], 50);
  });

  test('a script that raises is an error with its traceback', async (t) => {
    const { run } = await startScripts(t);
    const result = await run('print("before")\nraise ValueError("x")');
    assert.equal(result.status, 'error');
    assert.equal(result['exit_code'], 1);
    assert.match(result.output, /^before\n--- stderr ---\nTraceback [\s\S]*ValueError: x$/);
    assert.match(result.error, /ValueError: x$/);
  });

  test('of a long output head and tail are kept, with a notice between them', async (t) => {
    const { run } = await startScripts(t);
    const result = await run('for n in range(20000):\n    print("%09d" % n)');
    const output = result.output;
    assert.match(output, /^000000000\n/);
    assert.match(output, /\.\.\. \[OUTPUT TRUNCATED - 150000 bytes omitted out of 200000 total\] \.\.\./);
    assert.match(output, /000019999$/);
    assert.equal(result['stdout_truncated'], true);
    assert.equal(result['stdout_bytes_captured'], 50_000);
    assert.equal(result['stdout_bytes_omitted'], 150_000);
  });

  test('in project mode a script runs in the folder of the session, in strict mode in one that is gone afterwards', async (t) => {
    const where = 'import os, tempfile\nprint(os.getcwd())';
    const project = await startScripts(t);
    assert.equal(await project.printed(where), project.chat.place.work);
    const strict = await startScripts(t, 'code_execution:\n  mode: strict\n');
    const folder = await strict.printed(`${where}\nopen("left.txt", "w").write("x")`);
    assert.match(folder, /\/hermes_sandbox_\w+$/);
    assert.ok(!existsSync(folder));
  });

  test('a virtual environment runs the scripts of a project, unless it is too old or the mode is strict', async (t) => {
    const place = temporaryHome(t);
    const environment = join(place.home.path, '..', 'venv');
    const which = 'import os\nprint(os.environ.get("WHICH"))';
    const install = (version: string): void => {
      rmSync(environment, { recursive: true, force: true });
      mkdirSync(join(environment, 'bin'), { recursive: true });
      mkdirSync(join(environment, 'lib', version), { recursive: true });
      const python = '#!/bin/sh\nWHICH=venv exec /usr/bin/python3 "$@"\n';
      writeFileSync(join(environment, 'bin', 'python'), python, { mode: 0o755 });
    };
    const started = async (config = '') => (await startScripts(t, config, options)).printed(which);
    const options = { home: place, env: { VIRTUAL_ENV: environment } };
    install('python3.12');
    assert.equal(await started(), 'venv');
    assert.equal(await started('code_execution:\n  mode: strict\n'), 'None');
    install('python3.7');
    assert.equal(await started(), 'None');
  });

  test('a script that never ends is ended, with all that it has started', async (t) => {
    const { run } = await startScripts(t, 'code_execution:\n  timeout: 2\n');
    const seconds = `98765.${process.pid}`;
    const result = await run(`
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(5):
    subprocess.Popen(["sleep", "${seconds}"], start_new_session=True, env={})
os.execv(sys.executable, ["python3", "-c", "while True: pass", "${seconds}"])`);
    assert.equal(result.status, 'timeout');
    assert.equal(result.error, 'Script timed out after 2s and was killed.');
    assert.deepEqual(runningWith(seconds), []);
  });

  test('output without end is kept within bounds', async (t) => {
    const { run } = await startScripts(t, 'code_execution:\n  timeout: 2\n');
    const result = await run('while True: print("x" * 100000)');
    assert.equal(result.status, 'timeout');
    assert.ok(Number(result['stdout_bytes_captured']) <= 50_000);
  });

  test('what a script leaves running ends with it', async (t) => {
    const { run } = await startScripts(t);
    const seconds = `98764.${process.pid}`;
    const result = await run(`
import subprocess
subprocess.Popen(["sleep", "${seconds}"], start_new_session=True)
print("gone")`);
    assert.equal(result.output, 'gone');
    assert.deepEqual(runningWith(seconds), []);
  });

  test('an interrupt ends the script and the call that it waits for', async (t) => {
    const { chat, server } = await startScripts(t);
    const seconds = `98763.${process.pid}`;
    server.enqueue(call(`from hermes_tools import terminal\nterminal("touch begun; sleep ${seconds}")`));
    const turn = chat.session.agent.runConversation('run it');
    while (!existsSync(join(chat.place.work, 'begun'))) await sleep(20);
    chat.session.agent.interrupt('stop');
    await turn;
    const stored = await chat.store.messages.list(chat.session.id);
    const result = stored.findLast(({ message }) => message.role === 'tool')?.message;
    // A machine that is busy may not have ended it within the moment that a turn waits.
    assert.match(
      JSON.stringify(result?.content),
      /execution interrupted — user sent a new message|was interrupted; its outcome/,
    );
    while (runningWith(seconds).length > 0) await sleep(20);
  });

  test('the description names the tools of the session that a script can call, and no others', async (t) => {
    const { server, chat } = await startScripts(t, '', { toolsets: ['code_execution', 'file'] });
    server.enqueue({ text: 'Hello.' });
    await chat.say('hello');
    const tools = server.requests[0]?.body.tools ?? [];
    const described = JSON.stringify(tools.filter((tool) => JSON.stringify(tool).includes('"execute_code"')));
    assert.match(described, /from hermes_tools import read_file, write_file, search_files, patch\./);
    assert.doesNotMatch(described, /web_search|terminal/);
  });

  test('without a Python there is no such tool', async (t) => {
    const { server, chat } = await startScripts(t, '', { env: { PATH: '/nowhere' } });
    server.enqueue({ text: 'Hello.' });
    await chat.say('hello');
    assert.doesNotMatch(JSON.stringify(server.requests[0]?.body.tools), /execute_code/);
  });
});

/** Ids of processes with this word in their command line. */
function runningWith(word: string): readonly string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      return false;
    }
  });
}
