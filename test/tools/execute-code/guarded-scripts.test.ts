/** What a script cannot do, whatever it says. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { lastEntries } from '../../../src/audit/read-entries.ts';
import { findSandboxPrograms } from '../../../src/environments/local/sandbox/why-not.ts';
import { collect } from '../../runtime/support.ts';
import { call, noPython, startScripts } from './support.ts';

const sandboxProblem = findSandboxPrograms();
const noSandbox = 'problem' in sandboxProblem ? sandboxProblem.problem : false;
const rm = 'rm -rf --no-preserve-root /';

/** Speaks on the socket itself. */
const raw = `
import json, os, socket
def ask(line):
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["HERMES_RPC_SOCKET"])
    s.sendall(line.encode() + b"\\n")
    return s.makefile().readline().strip()
token = os.environ["HERMES_RPC_TOKEN"]
`;

suite('scripts and the rules', { skip: noPython }, () => {
  test('another tool is refused with a list of those there are, and so is whoever has no token', async (t) => {
    const { run } = await startScripts(t);
    const result = await run(`${raw}
print(ask(json.dumps({"tool": "memory", "args": {"action": "add", "content": "x"}, "token": token})))
print(ask(json.dumps({"tool": "execute_code", "args": {"code": "1"}, "token": token})))
print(ask(json.dumps({"tool": "terminal", "args": {"command": "echo hi"}})))
print(ask(json.dumps({"tool": "terminal", "args": {"command": "echo hi"}, "token": "0" * 64})))
print(ask("nonsense"))
print(ask("[" * 100000))
print(json.loads(ask(json.dumps({"tool": "terminal", "args": {"command": "echo hi"}, "token": token})))["output"])`);
    const lines = result.output.split('\n');
    assert.match(
      lines[0] ?? '',
      /Tool 'memory' is not available in scripts\. Available: web_search, web_extract, read_file, write_file, search_files, patch, terminal/,
    );
    assert.match(lines[1] ?? '', /Tool 'execute_code' is not available/);
    assert.match(lines[2] ?? '', /one line of JSON with tool, args and token/);
    assert.match(lines[3] ?? '', /token of the request is wrong/);
    assert.match(lines[4] ?? '', /one line of JSON/);
    assert.match(lines[5] ?? '', /one line of JSON/);
    assert.equal(lines[6], 'hi');
    assert.equal(result['tool_calls_made'], 1);
  });

  test('a command of a script is judged like any other: refused, or asked about', async (t) => {
    const { chat, printed } = await startScripts(t, 'approvals:\n  deny: ["touch forbidden*"]\n');
    chat.place.put('kept.txt', 'x');
    const output = await printed(`
from hermes_tools import terminal, write_file
print(terminal("${rm}")["status"])
print(terminal("touch forbidden.txt")["error"])
print(terminal("git push -f origin main")["exit_code"])
print("error" in write_file("${join(chat.place.homePath, 'config.yaml')}", "approvals: {mode: off}"))`);
    const lines = output.split('\n');
    assert.equal(lines[0], 'blocked');
    assert.match(lines[1] ?? '', /forbidden/);
    assert.equal(lines.at(-1), 'True');
    assert.ok(!existsSync(join(chat.place.work, 'forbidden.txt')));
    assert.ok(chat.asked.some(({ tool, command }) => tool === 'terminal' && command.startsWith('git push')));
    assert.doesNotMatch(chat.place.read('config.yaml'), /mode: off/);
  });

  test('with nobody to ask a call of a script is refused, and the script goes on', async (t) => {
    const { printed } = await startScripts(t, 'approvals:\n  headless: deny\n', { present: false });
    const output = await printed(`
from hermes_tools import terminal
print(terminal("git push -f origin main").get("status"))
print("after")`);
    assert.match(output, /blocked\nafter$/);
  });

  test('what a script was given counts for its next call and for the conversation, and every call is recorded', async (t) => {
    const { chat, server, run } = await startScripts(t);
    chat.place.put('notes.txt', 'Remember this.\n');
    await run(`
from hermes_tools import read_file, terminal
read_file("notes.txt")
terminal("ls")`);
    const entries = await lastEntries(chat.place.homePath, 100, ({ kind }) => kind === 'decision');
    assert.deepEqual(
      entries.map(({ tool }) => tool),
      ['execute_code', 'read_file', 'terminal'],
    );
    const notes = `file ${join(chat.place.work, 'notes.txt')}`;
    const python = /"from":"program","name":"python3"/;
    const [script = '', read = '', listed = ''] = entries.map(({ sources }) => JSON.stringify(sources));
    assert.doesNotMatch(script, python);
    assert.match(read, python);
    assert.doesNotMatch(read, /notes\.txt/);
    assert.match(listed, python);
    assert.match(listed, /notes\.txt/);

    const before = chat.asked.length;
    server.enqueue(
      { toolCalls: [{ name: 'memory', arguments: { action: 'add', content: 'Likes tea.' } }] },
      { text: 'Done.' },
    );
    await chat.say('remember that');
    const [question] = chat.asked.slice(before);
    assert.deepEqual(question?.sources, ['the program python3', `the ${notes}`]);
  });

  test('no variable with a secret or a setting of ours is there, but the home is', async (t) => {
    const { chat, printed } = await startScripts(t, '', {
      env: {
        OPENAI_API_KEY: 'sk-0123456789abcdefghijklmn',
        PATH_TOKEN: 'tok-123456',
        XDG_AUTH: 'abc',
        HERMES_BASE_URL: 'http://x.test',
        HERMES_YOLO_MODE: '0',
        MY_SETTING: 'mine',
        LANG: 'C.UTF-8',
      },
    });
    const names = (await printed('import os\nprint("\\n".join(sorted(os.environ)))')).split('\n');
    for (const name of ['HERMES_HOME', 'HERMES_RPC_SOCKET', 'HERMES_RPC_TOKEN', 'LANG', 'PATH', 'HOME']) {
      assert.ok(names.includes(name), name);
    }
    const secret = names.filter((name) => /KEY|TOKEN|SECRET|AUTH/.test(name) && name !== 'HERMES_RPC_TOKEN');
    assert.deepEqual(secret, []);
    for (const name of ['HERMES_BASE_URL', 'HERMES_YOLO_MODE', 'MY_SETTING']) assert.ok(!names.includes(name), name);
    assert.equal(await printed('import os\nprint(os.environ["HERMES_HOME"])'), chat.place.homePath);
  });

  test('secrets that a script prints are masked', async (t) => {
    const { printed } = await startScripts(t, '', { env: { OPENAI_API_KEY: 'very-own-value-4711' } });
    const output = await printed('print("\\x1b[31mvery-own" + "-value-4711\\x1b[0m", "ghp_" + "a" * 36)');
    assert.doesNotMatch(output, /very-own-value-4711|a{20}|\u001b/);
  });

  test('in the sandbox neither keys nor our own home can be read, and nobody is asked', {
    skip: noSandbox,
  }, async (t) => {
    const { chat, printed } = await startScripts(t);
    const userHome = dirname(chat.place.homePath);
    mkdirSync(join(userHome, '.ssh'));
    writeFileSync(join(userHome, '.ssh', 'id_ed25519'), 'a private key');
    const output = await printed(`
import os
for path in ["~/.ssh/id_ed25519", "${join(chat.place.homePath, 'config.yaml')}"]:
    try:
        print(open(os.path.expanduser(path)).read())
    except OSError as error:
        print(type(error).__name__)
try:
    open(os.path.expanduser("~/.bashrc"), "a").write("x")
except OSError as error:
    print(type(error).__name__)`);
    assert.equal(output, 'FileNotFoundError\nFileNotFoundError\nOSError');
    assert.deepEqual(chat.asked, []);
  });

  test('without a sandbox a person is shown the whole script, and where nobody is there it does not run', async (t) => {
    const off = 'terminal:\n  sandbox: off\n';
    const code = 'print("ran")';
    const alone = await startScripts(t, off, { present: false });
    assert.match((await alone.run(code)).error, /^BLOCKED: .*without a sandbox/);
    const { chat, run } = await startScripts(t, off);
    assert.equal((await run(code)).output, 'ran');
    assert.equal(chat.asked[0]?.command, code);
    assert.equal(chat.asked[0]?.mayRemember, false);
    chat.choice = 'deny';
    assert.match((await run('print("again")')).error, /./);
  });

  test('a question about a call of a script belongs to the call of the script', async (t) => {
    const { chat, server } = await startScripts(t);
    server.enqueue(call('from hermes_tools import terminal\nterminal("git push -f origin main")'), { text: 'Done.' });
    const events: string[] = [];
    for (const event of (await collect(chat.session.agent.run('run it'))).events) {
      if ('callId' in event) events.push(`${event.type} ${event.callId}`);
    }
    const ids = new Set(events.map((event) => event.split(' ')[1]));
    assert.equal(ids.size, 1);
    assert.ok(events.some((event) => event.startsWith('approval_requested ')));
    assert.equal(events.filter((event) => event.startsWith('tool_started ')).length, 1);
  });
});
