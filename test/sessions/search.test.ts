/** Search finds what was said, in any script, and never throws for what was typed. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { textOf } from '../../src/llm/message.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { call, execute, temporaryDirectory, temporaryStore, user } from './support.ts';

test('a word is found wherever it was said, with marks around it and its neighbours', async (t) => {
  const store = await storeWith(t, ['before '.repeat(50), 'please deploy the service', 'after']);
  const [hit, ...others] = await store.search.messages({ query: 'DEPLOY' });
  assert.deepEqual(others, []);
  assert.equal(hit?.snippet, 'please >>>deploy<<< the service');
  assert.deepEqual([hit?.session_id, hit?.role, hit?.source, hit?.tool_name], ['s', 'user', 'cli', null]);
  assert.deepEqual(
    hit?.context.map(({ role, content }) => [role, content.length]),
    [
      ['user', 200],
      ['user', 5],
    ],
  );
});

test('neighbours are of the same conversation, however much another one said meanwhile, and none was taken back', async (t) => {
  const store = await storeWith(t, ['first', 'walrus']);
  await store.sessions.create({ id: 'other', source: 'cli' });
  await store.messages.rewrite(
    'other',
    Array.from({ length: 700 }, (_, index) => user(`noise ${index}`)),
  );
  const id = await store.messages.append('s', user('undone'));
  await store.messages.undoFrom('s', id);
  await store.messages.append('s', user('far after'));
  const neighbours = async () =>
    (await store.search.messages({ query: 'walrus' }))[0]?.context.map(({ content }) => content);
  assert.deepEqual(await neighbours(), ['first', 'far after']);
  await store.messages.compact('s', { messages: [user('summary')], systemPrompt: 'p' });
  assert.deepEqual(await neighbours(), ['first', 'far after'], 'put away together');
});

test('words of a tool call and names of tools are found', async (t) => {
  const store = await storeWith(t, []);
  await store.messages.append('s', call('write_file', { path: 'src/quokka.ts', content: '部署脚本' }));
  await store.messages.append('s', { role: 'tool', tool_call_id: 'c', tool_name: 'read_file', content: 'ok' });
  assert.match((await snippets(store, 'quokka')).join('|'), /^[^|]*src\/>>>quokka<<<\.ts[^|]*$/);
  assert.equal((await store.search.messages({ query: 'read_file' })).length, 1);
  assert.equal((await store.search.messages({ query: '部署脚本' })).length, 1);
});

test('Chinese is found inside a sentence, also by two characters and by one', async (t) => {
  const store = await storeWith(t, ['我们今天部署服务到生产环境', '今天部署', 'unrelated', '然后重启']);
  assert.deepEqual(await found(store, '部署服务'), ['我们今天部署服务到生产环境']);
  assert.deepEqual(await found(store, '部署'), ['今天部署', '我们今天部署服务到生产环境']);
  assert.deepEqual(await found(store, '启'), ['然后重启']);
  assert.deepEqual(await found(store, '今天 生产'), ['我们今天部署服务到生产环境']);
  assert.deepEqual(await found(store, '启 OR 服务'), ['我们今天部署服务到生产环境', '然后重启']);
  assert.deepEqual(await found(store, '部署 NOT 生产'), ['今天部署']);
  assert.deepEqual(await found(store, '没有'), []);
  assert.match((await store.search.messages({ query: '部署服务' }))[0]?.snippet ?? '', />>>部署服务<<</);
});

test('Japanese, Korean and Thai are found inside a sentence', async (t) => {
  const store = await storeWith(t, ['サーバーを再起動してください', '서버를 다시 시작하세요', 'รีสตาร์ทเซิร์ฟเวอร์']);
  assert.deepEqual(await found(store, '再起動'), ['サーバーを再起動してください']);
  assert.deepEqual(await found(store, '시작'), ['서버를 다시 시작하세요']);
  assert.deepEqual(await found(store, 'เซิร์ฟ'), ['รีสตาร์ทเซิร์ฟเวอร์']);
});

test('words next to another script are found, parts of words are not taken for them', async (t) => {
  const store = await storeWith(t, ['使用Docker镜像', '用AI写', 'start samurai dockerize', '用C写的', 'plain docker']);
  assert.deepEqual(await found(store, 'docker'), ['plain docker', '使用Docker镜像']);
  assert.deepEqual(await found(store, 'AI'), ['用AI写']);
  assert.deepEqual(await found(store, 'C'), ['用C写的']);
  assert.deepEqual(await found(store, 'Docker镜像'), ['使用Docker镜像']);
});

test('one- and two-letter words, identifiers, paths and symbols are found', async (t) => {
  const texts = [
    'x = 5',
    'go on',
    'call getUserName(id)',
    'max_tokens',
    'src/lib/io.ts',
    'std::vector',
    'a => b',
    'v1.2.3',
    '🚀 off',
  ];
  const store = await storeWith(t, texts);
  for (const [query, text] of [
    ['x', 'x = 5'],
    ['go', 'go on'],
    ['getUserName', 'call getUserName(id)'],
    ['UserName', 'call getUserName(id)'],
    ['getUserName(id)', 'call getUserName(id)'],
    ['max_tokens', 'max_tokens'],
    ['tokens', 'max_tokens'],
    ['lib/io.ts', 'src/lib/io.ts'],
    ['std::vector', 'std::vector'],
    ['=>', 'a => b'],
    ['1.2.3', 'v1.2.3'],
    ['🚀', '🚀 off'],
  ] as const) {
    assert.deepEqual(await found(store, query), [text], query);
  }
});

test('a hyphenated word means the adjacent words', async (t) => {
  const store = await storeWith(t, ['chat then send', 'use chat-send here', 'send chat']);
  assert.deepEqual(await found(store, 'chat-send'), ['use chat-send here']);
  assert.deepEqual(await found(store, '"chat then"'), ['chat then send']);
});

test('operators, phrases and prefixes', async (t) => {
  const store = await storeWith(t, ['red apple', 'green apple', 'green pear']);
  assert.deepEqual(await found(store, 'apple NOT red'), ['green apple']);
  assert.deepEqual(await found(store, 'red OR pear'), ['green pear', 'red apple']);
  assert.deepEqual(await found(store, 'gre* pe*'), ['green pear']);
  assert.deepEqual(await found(store, 'AND apple AND NOT green OR'), ['red apple']);
  assert.deepEqual(await found(store, 'red "green'), []);
  assert.match((await store.search.messages({ query: 'gre*' }))[0]?.snippet ?? '', />>>gre<<</);
});

test('accents and case do not matter for words', async (t) => {
  const store = await storeWith(t, ['Dépôt Café']);
  assert.deepEqual(await snippets(store, 'cafe'), ['Dépôt >>>Café<<<']);
});

test('a query counts up to its 2,048th character', async (t) => {
  const store = await storeWith(t, ['needle']);
  assert.deepEqual(await found(store, `${' '.repeat(2042)}needle`), ['needle']);
  assert.deepEqual(await found(store, `${' '.repeat(2048)}needle`), []);
});

test('queries of nothing but syntax find nothing', async (t) => {
  const store = await storeWith(t, ['hello world']);
  for (const query of ['', '   ', '(((', '"', '""', '***', 'AND', 'NOT OR', '^', '+{}']) {
    assert.deepEqual(await store.search.messages({ query }), [], JSON.stringify(query));
  }
  assert.equal((await store.search.messages({ query: 'hello AND' })).length, 1);
  assert.deepEqual(await store.search.messages({ query: 'content:hello' }), [], 'not a column filter');
});

test('no query whatever makes search throw, with or without the search indexes', async (t) => {
  const texts = ['hello world', '部署服务 to production', 'a AND b', '"quoted"'];
  const indexed = await storeWith(t, texts);
  const bare = await withoutIndexes(t, texts);
  const tokens = fc.constantFrom(
    'AND',
    'OR',
    'NOT',
    'NEAR',
    '"',
    '*',
    '(',
    ')',
    '^',
    '-',
    ':',
    '部',
    'a',
    'hello',
    '\0',
    '\ud800',
    '%',
    '_',
    '\\',
    "'",
    '{',
    '+',
    ' ',
  );
  const query = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(tokens, { maxLength: 12 }).map((list) => list.join(' ')),
    fc.array(tokens).map((list) => list.join('')),
  );
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      await indexed.search.messages({ query: text });
      await bare.search.messages({ query: text });
    }),
    { numRuns: 400 },
  );
});

test('any word of a message finds that message', async (t) => {
  const store = await storeWith(t, []);
  const word = fc.stringMatching(/^[a-z0-9_äöß部署服务デ]{1,12}$/).filter((text) => /[^_]/.test(text));
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(), async (words, choice) => {
      await store.messages.rewrite('s', [user(words.join(' '))]);
      const query = words[choice % words.length] ?? '';
      assert.equal((await store.search.messages({ query })).length, 1, query);
    }),
    { numRuns: 200 },
  );
});

test('tool sessions are hidden unless asked for; sources and roles filter', async (t) => {
  const store = await storeWith(t, ['needle']);
  await store.sessions.create({ id: 't', source: 'tool' });
  await store.messages.append('t', user('needle in a tool session'));
  await store.sessions.create({ id: 'g', source: 'telegram' });
  await store.messages.append('g', { role: 'assistant', content: 'needle answered' });
  const ids = async (options: object): Promise<string[]> =>
    (await store.search.messages({ query: 'needle', ...options })).map((hit) => hit.session_id).sort();
  assert.deepEqual(await ids({}), ['g', 's']);
  assert.deepEqual(await ids({ sources: ['tool'] }), ['t']);
  assert.deepEqual(await ids({ excludeSources: ['cli'] }), ['g', 't']);
  assert.deepEqual(await ids({ roles: ['assistant'] }), ['g']);
  assert.deepEqual(await ids({ sources: [] }), []);
});

test('pages of hits follow each other without overlap', async (t) => {
  const store = await storeWith(
    t,
    Array.from({ length: 50 }, (_, index) => `needle ${index}`),
  );
  const pages = await Promise.all([0, 20, 40].map((offset) => store.search.messages({ query: 'needle', offset })));
  assert.deepEqual(
    pages.map((page) => page.length),
    [20, 20, 10],
  );
  assert.equal(new Set(pages.flat().map((hit) => hit.id)).size, 50);
});

test('a better match comes before a newer one', async (t) => {
  const store = await storeWith(t, ['needle needle needle', `needle ${'and other words '.repeat(50)}`]);
  assert.match((await store.search.messages({ query: 'needle' }))[0]?.snippet ?? '', /^>>>needle/);
});

test('a hit in a message with images shows its words, not the data', async (t) => {
  const store = await storeWith(t, []);
  const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${'A'.repeat(5000)}` } };
  await store.messages.append('s', { role: 'user', content: [image, { type: 'text', text: 'look at this quokka' }] });
  assert.deepEqual(await snippets(store, 'quokka'), ['look at this >>>quokka<<<']);
});

test('a rewritten message is no longer found by its old words', async (t) => {
  const store = await storeWith(t, ['obsolete 部署']);
  await store.messages.rewrite('s', [user('fresh')]);
  assert.deepEqual(await store.search.messages({ query: 'obsolete' }), []);
  assert.deepEqual(await store.search.messages({ query: '部署' }), []);
});

test('without the search indexes everything is still found', async (t) => {
  const store = await withoutIndexes(t, ['please deploy', '部署服务', 'deploy later', '100% sure']);
  assert.deepEqual(await found(store, 'deploy'), ['deploy later', 'please deploy']);
  assert.deepEqual(await found(store, '部署'), ['部署服务']);
  assert.deepEqual(await found(store, 'deploy NOT later'), ['please deploy']);
  assert.deepEqual(await found(store, '0%'), ['100% sure']);
  assert.deepEqual(await snippets(store, 'please'), ['>>>please<<< deploy']);
});

async function storeWith(t: TestContext, texts: readonly string[]): Promise<SessionStore> {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  for (const text of texts) await store.messages.append('s', user(text));
  return store;
}

/** A database of a later version that has no full-text tables: ours are not added to it. */
async function withoutIndexes(t: TestContext, texts: readonly string[]): Promise<SessionStore> {
  const path = `${temporaryDirectory(t)}/state.db`;
  const first = await temporaryStore(t, { path });
  await first.close();
  execute(path, 'DROP TABLE messages_fts; DROP TABLE messages_fts_trigram; UPDATE schema_version SET version = 99');
  for (const name of ['messages_fts', 'messages_fts_trigram']) {
    for (const event of ['insert', 'update', 'delete']) execute(path, `DROP TRIGGER ${name}_${event}`);
  }
  const store = await temporaryStore(t, { path });
  await store.sessions.create({ id: 's', source: 'cli' });
  for (const text of texts) await store.messages.append('s', user(text));
  return store;
}

/** The texts of the hits, sorted. */
async function found(store: SessionStore, query: string): Promise<string[]> {
  const hits = await store.search.messages({ query });
  const stored = new Map((await store.messages.list('s')).map(({ id, message }) => [id, textOf(message.content)]));
  return hits.map((hit) => stored.get(hit.id) ?? '').sort();
}

async function snippets(store: SessionStore, query: string): Promise<string[]> {
  return (await store.search.messages({ query })).map((hit) => hit.snippet);
}
