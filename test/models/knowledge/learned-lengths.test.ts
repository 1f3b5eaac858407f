import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { LearnedLengths } from '../../../src/models/knowledge/learned-lengths.ts';

const url = 'http://localhost:8000/v1';

async function cacheFile(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'learned-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  return join(home, 'context_length_cache.yaml');
}

test('a learned window is found again by another process, with or without the slash at the end', async (t) => {
  const path = await cacheFile(t);
  await new LearnedLengths(path).set('qwen:7b', `${url}/`, 32_768);
  assert.equal(await new LearnedLengths(path).get('qwen:7b', url), 32_768);
  assert.equal(await new LearnedLengths(path).get('qwen:7b', 'http://other/v1'), undefined);
  assert.deepEqual(parse(await readFile(path, 'utf8')), { context_lengths: { [`qwen:7b@${url}`]: 32_768 } });
});

test('a file of the original is read, and what else it holds is kept', async (t) => {
  const path = await cacheFile(t);
  await writeFile(path, `context_lengths:\n  m@${url}/: 131072\n  broken@x: many\nother: [1]\n`);
  const learned = new LearnedLengths(path);
  assert.equal(await learned.get('m', url), 131_072);
  await learned.set('n', url, 64_000);
  assert.deepEqual(parse(await readFile(path, 'utf8')), {
    context_lengths: { [`m@${url}/`]: 131_072, [`n@${url}`]: 64_000 },
    other: [1],
  });
});

test('what another process learned meanwhile is seen', async (t) => {
  const path = await cacheFile(t);
  const [mine, theirs] = [new LearnedLengths(path), new LearnedLengths(path)];
  await mine.set('m', url, 32_768);
  assert.equal(await theirs.get('m', url), 32_768);
  await mine.set('m', url, 16_384);
  assert.equal(await theirs.get('m', url), 16_384);
});

test('a damaged file counts as empty and is replaced', async (t) => {
  const path = await cacheFile(t);
  for (const text of ['{{{', '- a\n- b\n', 'context_lengths: 7\n', '\u0000\u0001']) {
    await writeFile(path, text);
    const learned = new LearnedLengths(path);
    assert.equal(await learned.get('m', url), undefined);
    await learned.set('m', url, 32_768);
    assert.equal(await new LearnedLengths(path).get('m', url), 32_768);
  }
});

test('names that look like YAML or like parts of objects are only names', async (t) => {
  const path = await cacheFile(t);
  const learned = new LearnedLengths(path);
  const names = ['a: b', '- x', '"q"', '__proto__', 'line\nbreak', '!tag', '中文'];
  for (const name of names) await learned.set(name, url, 32_768);
  for (const name of names) assert.equal(await new LearnedLengths(path).get(name, url), 32_768, name);
});

test('numbers that are no windows are not kept', async (t) => {
  const path = await cacheFile(t);
  for (const tokens of [0, -5, 512, 1.5, Number.NaN, 1e12]) await new LearnedLengths(path).set('m', url, tokens);
  assert.equal(await new LearnedLengths(path).get('m', url), undefined);
  await assert.rejects(readFile(path), { code: 'ENOENT' });
});

test('the file does not grow for ever: the oldest are forgotten first', async (t) => {
  const path = await cacheFile(t);
  const lines = Array.from({ length: 1000 }, (_, index) => `  m${index}@${url}: 32768\n`);
  await writeFile(path, `context_lengths:\n${lines.join('')}`);
  const learned = new LearnedLengths(path);
  await learned.set('new', url, 32_768);
  assert.equal(await learned.get('m0', url), undefined);
  assert.equal(await learned.get('m1', url), 32_768);
  assert.equal(await learned.get('new', url), 32_768);
});

test('two processes that learn at the same time lose nothing', async (t) => {
  const path = await cacheFile(t);
  const module = fileURLToPath(new URL('../../../src/models/knowledge/learned-lengths.ts', import.meta.url));
  const script = `
    const { LearnedLengths } = await import(${JSON.stringify(module)});
    const learned = new LearnedLengths(${JSON.stringify(path)});
    for (let index = 0; index < 8; index += 1) await learned.set(process.argv[1] + index, ${JSON.stringify(url)}, 32768 + index);`;
  const exits = ['a', 'b'].map(async (name) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script, name], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return code;
  });
  assert.deepEqual(await Promise.all(exits), [0, 0]);
  const { context_lengths: lengths } = parse(await readFile(path, 'utf8'));
  assert.equal(Object.keys(lengths).length, 16);
});
