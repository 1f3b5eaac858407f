/** `read_file` and `write_file`. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { runLength } from '../../../src/agent/tool-schedule.ts';
import type { Tool } from '../../../src/agent/tool.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { patchTool } from '../../../src/tools/file/patch.ts';
import { readFileTool } from '../../../src/tools/file/read-file.ts';
import { cutWindow } from '../../../src/tools/file/text-window.ts';
import { writeFileTool } from '../../../src/tools/file/write-file.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { type Answer, openWorkplace, said } from './support.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('');

test('lines come numbered, and the rest is named with its offset', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', lines(10));
  const first = await place.read({ path: 'a.txt', limit: '3' });
  assert.equal(first['content'], '1|line 1\n2|line 2\n3|line 3');
  assert.deepEqual([first['total_lines'], first['truncated'], first['hint']], [10, true, 'Go on with offset 4.']);
  const rest = await place.read({ path: 'a.txt', offset: 9 });
  assert.equal(rest['content'], '9|line 9\n10|line 10');
  assert.equal(rest['truncated'], false);
});

test('500 lines are shown unless more are asked for, and 2000 at most; of similar names five', async (t) => {
  const place = openWorkplace(t);
  place.put('long.txt', lines(3000));
  const shown = async (more: JsonObject) => {
    const read = await place.read({ path: 'long.txt', ...more });
    return [said(read, 'content').split('\n').length, read['hint']];
  };
  assert.deepEqual(await shown({}), [500, 'Go on with offset 501.']);
  assert.deepEqual(await shown({ limit: 9999 }), [2000, 'Go on with offset 2001.']);
  for (let n = 1; n <= 7; n += 1) place.put(`report${n}.md`, 'x');
  const missing = await place.read({ path: 'report.md' });
  assert.equal((missing['similar_files'] as string[]).length, 5);
});

test('windows of any size put together give the file', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 5 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      (parts, size) => {
        const text = parts.map((part) => part.replaceAll('\n', '')).join('\n');
        const collected: string[] = [];
        const { totalLines } = cutWindow(text, 1, 1);
        for (let offset = 1; offset <= totalLines; offset += size)
          collected.push(...cutWindow(text, offset, size).lines);
        assert.equal(collected.join('\n'), text.endsWith('\n') ? text.slice(0, -1) : text);
      },
    ),
  );
});

test('long lines are cut, and so is a range that is too long', async (t) => {
  const place = openWorkplace(t, {
    services: { settings: { tool_output: { max_line_length: 10 }, file_read_max_chars: 500 } },
  });
  place.put('a.txt', `${'x'.repeat(50)}\n${lines(100)}`);
  assert.equal((await place.read({ path: 'a.txt', limit: 1 }))['content'], `1|${'x'.repeat(10)}... [truncated]`);
  assert.equal((await place.read({ path: 'a.txt' }))['truncated_by'], 'bytes');
});

test('the same part read again is a stub, the third time refused, until something else is done', async (t) => {
  const place = openWorkplace(t);
  place.put('a.txt', 'hello\n');
  const answers = [];
  for (let n = 0; n < 4; n += 1) answers.push(await place.read({ path: 'a.txt' }));
  assert.equal(answers[0]?.['content'], '1|hello');
  assert.match(said(answers[1], 'message'), /Unchanged since you read it/);
  assert.deepEqual([answers[1]?.['dedup'], answers[1]?.['content_returned']], [true, false]);
  assert.match(said(answers[2], 'error'), /^BLOCKED:/);
  assert.equal(answers[2]?.['already_read'], 3);
  place.services.state.readLedger.noteCall('search_files');
  place.services.state.readLedger.noteCall('terminal');
  assert.equal((await place.read({ path: 'a.txt' }))['error'], undefined);
});

test('a part that has changed each time is shown three times in a row, with a warning the third, and then refused', async (t) => {
  const place = openWorkplace(t);
  const answers: Answer[] = [];
  for (const content of ['one\n', 'two\n', 'three\n', 'four\n']) {
    place.put('log.txt', content);
    answers.push(await place.read({ path: 'log.txt' }));
  }
  assert.deepEqual(
    answers.map((answer) => answer['content']),
    ['1|one', '1|two', '1|three', undefined],
  );
  assert.deepEqual(
    answers.map((answer) => '_warning' in answer),
    [false, false, true, false],
  );
  assert.match(said(answers[3], 'error'), /^BLOCKED:/);
  assert.equal(answers[3]?.['already_read'], 4);
  place.services.state.readLedger.noteCall('terminal');
  assert.equal((await place.read({ path: 'log.txt' }))['content'], '1|four', 'it was not shown before');
});

test('after a change from outside the content is shown again, and asking twice more is met as before', async (t) => {
  const place = openWorkplace(t);
  const read = async (): Promise<string> => (await place.read({ path: 'a.txt' })).text;
  place.put('a.txt', 'one\n');
  await read();
  await read();
  assert.match(await read(), /BLOCKED/);
  place.put('a.txt', 'two\n');
  assert.match(await read(), /1\|two/);
  assert.match(await read(), /"dedup":true/);
  assert.match(await read(), /BLOCKED/);
});

test('a large file that was asked for in one go is better read in parts', async (t) => {
  const place = openWorkplace(t);
  place.put('big.txt', 'x'.repeat(99).concat('\n').repeat(6000));
  assert.match(said(await place.read({ path: 'big.txt' }), '_hint'), /only that part/);
  assert.equal((await place.read({ path: 'big.txt', limit: 200 }))['_hint'], undefined);
  place.put('small.txt', 'x\n'.repeat(600));
  assert.equal((await place.read({ path: 'small.txt' }))['_hint'], undefined);
});

test('images, binaries, directories, devices and missing files are told apart', async (t) => {
  const place = openWorkplace(t);
  place.put('photo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  place.put('blob.dat', Buffer.from(Array.from({ length: 200 }, (_, n) => n % 8)));
  place.put('readme.md', 'x');
  const image = await place.read({ path: 'photo.png' });
  assert.equal(image['is_image'], true);
  assert.match(said(image, 'error'), /vision_analyze if you have it/);
  assert.match(said(await place.read({ path: 'blob.dat' }), 'error'), /binary/);
  assert.match(said(await place.read({ path: '.' }), 'error'), /directory/);
  assert.match(said(await place.read({ path: '/dev/zero' }), 'error'), /device/);
  const missing = await place.read({ path: 'readm.md' });
  assert.match(said(missing, 'error'), /File not found/);
  assert.deepEqual(missing['similar_files'], ['readme.md']);
});

test('a byte order mark is not shown', async (t) => {
  const place = openWorkplace(t);
  place.put('bom.txt', '\uFEFFfirst\nsecond\n');
  assert.equal((await place.read({ path: 'bom.txt' }))['content'], '1|first\n2|second');
});

test('secrets are masked, and a credential file is not opened, also through a link', async (t) => {
  const place = openWorkplace(t);
  place.put(
    'settings.txt',
    'API_KEY=sk-abcdefghijklmnopqrstuvwx\n-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n',
  );
  const content = said(await place.read({ path: 'settings.txt' }), 'content');
  assert.doesNotMatch(content, /abcdefghijklmnop|\|abc$/m);
  assert.match(content, /REDACTED PRIVATE KEY/);
  const secret = place.put(join(place.userHome, '.hermes', '.env'), 'KEY=value\n');
  symlinkSync(secret, join(place.directory, 'innocent'));
  for (const path of [secret, 'innocent']) assert.match(said(await place.read({ path }), 'error'), /^Access denied:/);
});

test('writing makes directories, keeps the mode, follows a link, and checks the syntax', async (t) => {
  const place = openWorkplace(t);
  const fresh = await place.write({ path: 'new/deep/a.js', content: 'let = = 1' });
  assert.deepEqual([fresh['bytes_written'], fresh['dirs_created']], [9, true]);
  assert.equal((fresh['lint'] as { status: string }).status, 'error');
  const script = place.put('run.sh', 'old');
  chmodSync(script, 0o755);
  symlinkSync(script, join(place.directory, 'link.sh'));
  await place.write({ path: 'link.sh', content: 'echo new\n' });
  assert.equal(readFileSync(script, 'utf8'), 'echo new\n');
  assert.equal(statSync(script).mode & 0o777, 0o755);
});

test('credentials, start-up files and our own settings are not written, also through a link', async (t) => {
  const place = openWorkplace(t);
  mkdirSync(join(place.userHome, '.ssh'));
  symlinkSync(join(place.userHome, '.ssh'), join(place.directory, 'keys'));
  const config = join(place.userHome, '.hermes', 'config.yaml');
  for (const path of [join(place.userHome, '.ssh/config'), 'keys/config', join(place.userHome, '.bashrc'), config]) {
    assert.match(
      said(await place.write({ path, content: 'x' }), 'error'),
      /^(?:Write denied|Refusing to write to Hermes config file):/,
      path,
    );
  }
});

test('a file that changed since it was read is not overwritten', async (t) => {
  const place = openWorkplace(t);
  const path = place.put('a.txt', 'one\n');
  await place.read({ path: 'a.txt' });
  writeFileSync(path, 'changed by someone\n');
  assert.match(said(await place.write({ path: 'a.txt', content: 'mine' }), 'error'), /changed by someone else/);
  assert.equal(place.get('a.txt'), 'changed by someone\n');
  await place.read({ path: 'a.txt' });
  assert.equal((await place.write({ path: 'a.txt', content: 'mine' }))['bytes_written'], 4);
});

test('a mask is never written over the secret it stands for', async (t) => {
  const place = openWorkplace(t);
  place.put('env.txt', 'NAME=x\nAPI_KEY=sk-abcdefghijklmnopqrstuvwx\n');
  const seen = said(await place.read({ path: 'env.txt' }), 'content').replace(/^ *\d+\|/gm, '');
  const answer = await place.write({ path: 'env.txt', content: `${seen}\nMORE=1\n` });
  assert.match(said(answer, 'error'), /masked secrets/);
  assert.match(place.get('env.txt'), /sk-abcdefghijklmnopqrstuvwx/);
});

test('calls on one file run in order however its path is written', (t) => {
  const { services, directory, userHome } = openWorkplace(t);
  const on = (tool: Tool<ToolServices>, args: JsonObject) => {
    const prepared = tool.prepare(args);
    return 'problem' in prepared ? undefined : prepared.parallel(services);
  };
  const writing = (path: string) => on(writeFileTool, { path, content: 'x' });
  const together = (left: string, right: string) => runLength([writing(left), writing(right)]) === 2;
  assert.equal(together('~/a', join(userHome, 'a')), false);
  assert.equal(together('a', join(directory, 'a')), false);
  assert.equal(together('a', directory), false);
  assert.equal(together('a', join(directory, 'b')), true);
  assert.equal(together('~/a', 'a'), true);
  const same = join(directory, 'a');
  assert.equal(runLength([writing('a'), on(readFileTool, { path: same })]), 1);
  assert.equal(runLength([writing('a'), on(patchTool, { path: same, old_string: 'x', new_string: 'y' })]), 1);
});

test('data files that do not parse are not written', async (t) => {
  const place = openWorkplace(t);
  for (const [path, content] of [
    ['b.json', '{"a":'],
    ['b.yaml', 'a: [1'],
    ['b.toml', 'a = = 1'],
  ] as const) {
    const answer = await place.write({ path, content });
    assert.match(
      said(answer, 'error'),
      new RegExp(`^Refusing to write '${path}': candidate content fails \\.\\w+ syntax`),
    );
    assert.ok(!existsSync(join(place.directory, path)));
  }
  const good = await place.write({ path: 'two.yaml', content: 'a: !tag 1\n---\nb: 2\n' });
  assert.deepEqual(good['lint'], { status: 'ok', output: '' });
  place.put('c.json', '{"a": 1}');
  const broken = await place.patch({ path: 'c.json', old_string: '1}', new_string: '1' });
  assert.match(said(broken, 'error'), /^Refusing to write/);
  assert.equal(place.get('c.json'), '{"a": 1}');
});

test('the syntax of programs is checked by their own tools, where they are installed', async (t) => {
  const place = openWorkplace(t);
  const broken = {
    py: 'def x(:\n',
    ts: 'const x: number = ;\n',
    js: 'let = = 1',
    go: 'package x\nfunc {\n',
    rs: 'fn x( {\n',
  };
  const sound = {
    py: 'x = 1\n',
    ts: 'enum A { B }\nexport const x = 1 as number;\n',
    go: 'package x\n',
    rs: 'fn   x() {}\n',
  };
  for (const [extension, content] of Object.entries(broken)) {
    const { lint } = await place.write({ path: `bad.${extension}`, content });
    const { status } = lint as { status: string };
    assert.ok(status === 'error' || (status === 'skipped' && extension !== 'ts' && extension !== 'js'), extension);
  }
  for (const [extension, content] of Object.entries(sound)) {
    const { lint } = await place.write({ path: `good.${extension}`, content });
    assert.notEqual((lint as { status: string }).status, 'error', extension);
  }
});

test('what another profile learned is written only when that is meant', async (t) => {
  const place = openWorkplace(t);
  const path = join(place.userHome, '.hermes', 'profiles', 'work', 'skills', 'x', 'SKILL.md');
  const refused = await place.write({ path, content: 'x' });
  assert.match(said(refused, 'error'), /^Cross-profile write blocked by soft guard: /);
  assert.ok(!existsSync(path));
  const meant = await place.write({ path, content: 'x', cross_profile: true });
  assert.equal(meant['bytes_written'], 1, meant.text);
  assert.ok(existsSync(path));
});

test('the copy of a home in a sandbox is written only when that is meant', async (t) => {
  const place = openWorkplace(t);
  const sandbox = join(place.userHome, '.hermes', 'sandboxes', 'docker', 'task', 'home');
  const copy = join(sandbox, '.hermes', 'memories', 'MEMORY.md');
  const refused = await place.write({ path: copy, content: 'x' });
  assert.match(said(refused, 'error'), /^Cross-profile write blocked by soft guard: .*only that sandbox reads it/);
  assert.equal((await place.write({ path: copy, content: 'x', cross_profile: true }))['bytes_written'], 1);
  assert.equal((await place.write({ path: join(sandbox, 'notes.md'), content: 'x' }))['bytes_written'], 1);
});
