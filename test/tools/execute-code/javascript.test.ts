/** Scripts in JavaScript, as a conversation sees them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { lastEntries } from '../../../src/audit/read-entries.ts';
import { noNode, startScripts } from './support.ts';

suite('execute_code in JavaScript', { skip: noNode }, () => {
  test('every file tool works from a script, also when calls are made at once', async (t) => {
    const { chat, printed, server } = await startScripts(t);
    const output = await printed(
      `import { write_file, patch, search_files, read_file, terminal, shell_quote, json_parse, retry } from 'hermes_tools';
const written = await Promise.all(['b', 'c'].map((name) => write_file({ path: name + '.txt', content: 'tea\\n' })));
console.log(written.some(({ error }) => error));
await patch({ path: 'b.txt', old_string: 'tea', new_string: "it's coffee" });
console.log((await search_files({ pattern: 'coffee' })).total_count);
console.log((await terminal({ command: 'cat ' + shell_quote('b.txt') })).output);
console.log(JSON.stringify(json_parse('{"a": "x\\n\\\\"y"}').a));
let tries = 0;
console.log(await retry(() => { if (++tries < 3) throw new Error('not yet'); return tries; }, 3, 0));
console.log((await read_file({ path: 'missing.txt' })).error);`,
      'javascript',
    );
    assert.match(output, /^false\n1\nit's coffee\n"x\\n\\"y"\n3\n.*missing\.txt$/);
    assert.equal(readFileSync(join(chat.place.work, 'b.txt'), 'utf8'), "it's coffee\n");
    assert.equal(server.requests.length, 2, 'calls of a script are no steps');
  });

  test('a script finds the packages of the working directory, and has no secret', async (t) => {
    const { chat, printed } = await startScripts(t, '', { env: { OPENAI_API_KEY: 'sk-0123456789abcdefghijklmn' } });
    chat.place.put('node_modules/greeting/index.js', "module.exports = 'hello';\n");
    const code =
      "console.log(require('greeting'), process.cwd());\nconsole.log(Object.keys(process.env).filter((name) => /KEY/.test(name)));";
    assert.equal(await printed(code, 'javascript'), `hello ${chat.place.work}\n[]`);
  });

  test('a script that throws is an error with its trace, and one that never ends is ended', async (t) => {
    const { run } = await startScripts(t);
    const thrown = await run("console.log('before');\nthrow new TypeError('x');", 'javascript');
    assert.equal(thrown.status, 'error');
    assert.match(thrown.output, /^before\n--- stderr ---\n[\s\S]*script\.mjs:2[\s\S]*TypeError: x/);
    const impatient = await startScripts(t, 'code_execution:\n  timeout: 2\n');
    const endless = await impatient.run('for (;;);', 'javascript');
    assert.equal(endless.error, 'Script timed out after 2s and was killed.');
  });

  test('what a script was given counts for its next call, under the name of the program', async (t) => {
    const { chat, run } = await startScripts(t);
    await run("import { terminal } from 'hermes_tools';\nawait terminal({ command: 'ls' });", 'javascript');
    const entries = await lastEntries(chat.place.homePath, 100, ({ kind }) => kind === 'decision');
    assert.deepEqual(
      entries.map(({ tool }) => tool),
      ['execute_code', 'terminal'],
    );
    assert.match(JSON.stringify(entries[1]?.sources), /"from":"program","name":"node"/);
  });

  test('the description says how to call a tool in either language', async (t) => {
    const { server, chat } = await startScripts(t, '', { toolsets: ['code_execution', 'file'] });
    server.enqueue({ text: 'Hello.' });
    await chat.say('hello');
    const described = JSON.stringify(server.requests[0]?.body.tools);
    assert.match(described, /await read_file\(\{ path, offset\?, limit\? \}\)/);
    assert.match(described, /from hermes_tools import read_file/);
  });
});
