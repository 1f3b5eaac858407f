/** The original and this program by turns on one home. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { pythonPackages } from '../real/python-packages.ts';
import { openOriginals, ours, type Program } from './programs.ts';
import { call } from './scenario.ts';
import { type Said, SharedHome } from './shared-home.ts';

const packages = await pythonPackages('hermes-agent-0.19.0', ['hermes-agent==0.19.0']);
const skip = typeof packages === 'string' ? packages : false;

describe('the original and this program by turns', { skip }, () => {
  const originals = typeof packages === 'string' ? undefined : openOriginals(packages, 1);
  after(() => originals?.[Symbol.asyncDispose]());
  const theirs: Program = {
    run: async (run) => {
      assert.ok(originals);
      return await originals.use((original) => original.run(run));
    },
    async [Symbol.asyncDispose]() {},
  };
  const orders = [
    { name: 'begun by the original', first: theirs, second: ours, own: [2] },
    { name: 'begun here', first: ours, second: theirs, own: [0, 1, 3] },
  ];

  for (const { name, first, second, own } of orders) {
    test(`a session ${name} goes on in the other with every message as it was`, async () => {
      await using shared = await SharedHome.open();
      const steps = [
        { text: 'Ich schaue 👀.', reasoning: 'Grüße bedenken', ...call('terminal', { command: "echo 'Zürich 🏔'" }) },
        { text: 'Zürich — 🏔\n\n```\nß\n```', reasoning: 'fertig' },
      ];
      const begun = await shared.turn(first, 'Grüße 😀, wo bin ich?', { steps });
      const resume = shared.newestSession();
      for (const program of [second, first]) {
        assert.match(
          await shared.said(program, 'sessions', 'list'),
          new RegExp(resume),
          'neither takes it for a delegate',
        );
      }
      const continued = await shared.turn(second, 'Und jetzt?', { resume, steps: [{ text: 'Weiter ✓' }] });
      const back = await shared.turn(first, 'Zurück', { resume, steps: [{ text: 'Gut' }] });
      assert.deepEqual(withoutPrompt(continued).slice(0, begun.length - 1), withoutPrompt(begun));
      assert.deepEqual(withoutPrompt(back).slice(0, continued.length - 1), withoutPrompt(continued));
      assert.deepEqual(
        back.map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user'],
      );
      assert.equal(back.at(-2)?.content, 'Weiter ✓');
      assert.equal(back.at(-4)?.content, 'Zürich — 🏔\n\n```\nß\n```');
      // The original sends a few things that strict providers refuse.
      const isOwn = (line: string): boolean => own.some((index) => line.startsWith(`request ${index}:`));
      assert.deepEqual(shared.server.violations.filter(isOwn), []);
      assertSound(shared);
    });

    test(`what was undone or archived in a session ${name} is neither sent nor found by the other`, async () => {
      await using shared = await SharedHome.open();
      await shared.turn(first, 'the word is ptarmigan', { steps: [{ text: 'noted' }] });
      const resume = shared.newestSession();
      await shared.turn(first, 'the word is capercaillie', { resume, steps: [{ text: 'noted again' }] });
      await shared.turn(first, 'the word is woodcock', { resume, steps: [{ text: 'noted once more' }] });
      const ids = shared
        .rows('SELECT id FROM messages WHERE session_id = ? ORDER BY id', resume)
        .map(({ id }) => Number(id));
      assert.equal(ids.length, 6);
      // As a compaction in place leaves the first turn, and /undo the last.
      shared.rows(`UPDATE messages SET active = 0, compacted = 1 WHERE id <= ${ids[1]}`);
      shared.rows(`UPDATE messages SET active = 0, compacted = 0 WHERE id >= ${ids[4]}`);
      const sent = JSON.stringify(await shared.turn(second, 'go on', { resume }));
      assert.match(sent, /capercaillie/);
      assert.doesNotMatch(sent, /ptarmigan|woodcock/);
      assert.match(await searched(shared, second, 'capercaillie'), new RegExp(resume));
      assert.doesNotMatch(await searched(shared, second, 'woodcock'), new RegExp(resume));
      assertSound(shared);
    });

    test(`titles, lists, exports and deletions of sessions ${name} hold in the other`, async () => {
      await using shared = await SharedHome.open();
      await shared.turn(first, 'one', { steps: [{ text: 'first answer' }] });
      const one = shared.newestSession();
      await shared.turn(first, 'two', { steps: [{ text: 'second answer' }] });
      const two = shared.newestSession();
      await shared.said(first, 'sessions', 'rename', one, 'Tea', 'ceremony');
      assert.match(await shared.said(second, 'sessions', 'list'), /Tea ceremony/);
      await shared.said(second, 'sessions', 'rename', one, 'Coffee', 'break');
      assert.match(await shared.said(first, 'sessions', 'list'), /Coffee break/);
      assert.match(await shared.said(second, 'sessions', 'export', '-', '--session-id', one), /first answer/);
      await shared.said(second, 'sessions', 'delete', two, '--yes');
      assert.doesNotMatch(await shared.said(first, 'sessions', 'list'), new RegExp(two));
      shared.rows('UPDATE sessions SET archived = 1 WHERE id = ?', one);
      for (const program of [first, second]) {
        assert.doesNotMatch(await shared.said(program, 'sessions', 'list'), /Coffee break/);
      }
      assertSound(shared);
    });

    test(`skills and memory made by the one (${name}) are known to the other`, async () => {
      await using shared = await SharedHome.open();
      const content = '---\nname: juice\ndescription: How to press juice\n---\n\n# Juice\n\nPress.\n';
      await shared.turn(first, 'learn', {
        steps: [
          call('skill_manage', { action: 'create', name: 'juice', content }),
          call('memory', { action: 'add', target: 'memory', content: 'The press is in the cellar.' }),
          call('memory', { action: 'add', target: 'user', content: 'Likes quince.' }),
        ],
      });
      const sent = await shared.turn(second, 'what do you know?', {
        // In this order: once a skill was read, ours keeps a note until somebody has looked at it.
        steps: [
          call('memory', {
            action: 'replace',
            target: 'memory',
            old_text: 'cellar',
            content: 'The press is upstairs.',
          }),
          call('skill_view', { name: 'juice' }),
        ],
      });
      const prompt = sent[0]?.content ?? '';
      for (const known of ['juice', 'The press is in the cellar.', 'Likes quince.']) assert.ok(prompt.includes(known));
      assert.ok(sent.some(({ role, content }) => role === 'tool' && /Press\./.test(content ?? '')));
      const back = await shared.turn(first, 'and now?');
      assert.ok((back[0]?.content ?? '').includes('The press is upstairs.'));
      assertSound(shared);
    });
  }

  test('keys of one pool are added, listed and removed by both', async () => {
    await using shared = await SharedHome.open();
    const add = ['auth', 'add', 'openrouter', '--type', 'api-key', '--api-key'];
    await shared.said(theirs, ...add, 'sk-or-0123456789abcdef', '--label', 'theirs');
    await shared.said(ours, ...add, 'sk-or-fedcba9876543210', '--label', 'mine');
    for (const program of [theirs, ours]) {
      const list = await shared.said(program, 'auth', 'list');
      assert.ok(list.includes('theirs') && list.includes('mine'), list);
    }
    await shared.said(ours, 'auth', 'remove', 'openrouter', 'theirs');
    const left = await shared.said(theirs, 'auth', 'list');
    assert.ok(left.includes('mine') && !left.includes('theirs'), left);
    await shared.said(theirs, 'auth', 'remove', 'openrouter', '1');
    assert.doesNotMatch(await shared.said(ours, 'auth', 'list'), /mine/);
  });

  test('settings that the one writes are read by the other', async () => {
    await using shared = await SharedHome.open();
    await shared.said(theirs, 'config', 'set', 'agent.max_turns', '7');
    assert.match(await shared.said(ours, 'config', 'get', 'agent.max_turns'), /^7\b/);
    await shared.said(ours, 'config', 'migrate');
    await shared.said(ours, 'config', 'set', 'agent.max_turns', '9');
    assert.match(await shared.said(theirs, 'config', 'show'), /Max turns:\s+9\b/);
    const config = shared.read('config.yaml');
    assert.match(config, /^_config_version: 33$/m);
    for (const program of [theirs, ours]) assert.equal((await shared.said(program, '-z', 'hi')).trim(), 'done');
    assert.equal(shared.read('config.yaml'), config, 'nobody rewrites it by itself');
  });

  test('jobs and boards of the original are left as they are', async () => {
    await using shared = await SharedHome.open();
    await shared.said(theirs, 'cron', 'create', '0 9 1 1 *', 'say hi', '--name', 'new year');
    await shared.said(theirs, 'kanban', 'create', 'Wash the cups');
    const files = ['cron/jobs.json', 'kanban.db'];
    const before = files.map((name) => digest(shared.read(name)));
    await shared.turn(ours, 'hello', { steps: [call('todo', {})] });
    await shared.said(ours, 'sessions', 'list');
    assert.deepEqual(
      files.map((name) => digest(shared.read(name))),
      before,
    );
    assert.match(await shared.said(theirs, 'cron', 'list'), /new year/);
    assert.match(await shared.said(theirs, 'kanban', 'list'), /Wash the cups/);
  });
});

function withoutPrompt(messages: readonly Said[]): readonly Said[] {
  return messages.slice(1);
}

/** What `session_search` answers in a new session. */
async function searched(shared: SharedHome, program: Program, query: string): Promise<string> {
  const sent = await shared.turn(program, 'search', { steps: [call('session_search', { query })] });
  return sent.at(-1)?.content ?? '';
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function assertSound(shared: SharedHome): void {
  assert.deepEqual(shared.rows('PRAGMA integrity_check').map(Object.values), [['ok']]);
  assert.deepEqual(shared.rows('PRAGMA foreign_key_check'), []);
}
