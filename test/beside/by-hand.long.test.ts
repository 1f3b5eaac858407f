/** What a person does in the terminal of one program holds in the other: shortening, taking back, archiving. */
import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { mainFile } from '../cli/hermes-process.ts';
import { noTmux, openPane } from '../cli/interactive/tmux.ts';
import type { Step } from '../fakes/model-server.ts';
import { pythonPackages } from '../real/python-packages.ts';
import { environment, openOriginals, ours, type Program } from './programs.ts';
import { call } from './scenario.ts';
import { type Said, SharedHome } from './shared-home.ts';

const packages = await pythonPackages('hermes-agent-0.19.0', ['hermes-agent==0.19.0']);
const skip = typeof packages === 'string' ? packages : noTmux;

/** A program and how its terminal is started. */
interface Used {
  readonly program: Program;
  readonly terminal: readonly string[];
}

describe('what a person does in the terminal', { skip }, () => {
  if (typeof packages === 'string') return;
  const originals = openOriginals(packages, 1);
  after(() => originals[Symbol.asyncDispose]());
  const theirs: Program = {
    run: (run) => originals.use((original) => original.run(run)),
    async [Symbol.asyncDispose]() {},
  };
  const original: Used = { program: theirs, terminal: [packages.python, '-m', 'hermes_cli.main', '--cli'] };
  const own: Used = { program: ours, terminal: [process.execPath, mainFile] };

  for (const { name, first, second } of [
    { name: 'the original', first: original, second: own },
    { name: 'this program', first: own, second: original },
  ]) {
    test(`of what ${name} shortened in place and took back, the other sends the live rows and finds the rest`, async (t) => {
      await using shared = await openHome();
      const resume = await converse(shared, first.program, ['ptarmigan', 'capercaillie', 'woodcock', 'partridge']);
      await atTerminal(t, shared, first, resume, [
        { line: 'what about the curlew', answer: 'nothing about it' },
        { line: '/compress here 1', shows: /Compressed|Earlier turns were replaced/ },
        { line: 'what about the dotterel', answer: 'that was a mistake' },
        { line: '/undo', shows: /Undid 1 turn|Removed 2 messages/ },
      ]);
      assert.deepEqual(
        shared.rows('SELECT id, parent_session_id, end_reason, rewind_count FROM sessions').map(Object.values),
        [[resume, null, 'cli_close', 1]],
        'in place, in one session',
      );
      assert.deepEqual(marksOf(shared, 'dotterel'), ['taken back']);
      assert.ok(marksOf(shared, 'capercaillie').includes('put away'));

      const live = liveRows(shared, resume);
      const exported = await shared.said(second.program, 'sessions', 'export', '-', '--session-id', resume);
      assert.doesNotMatch(exported, /dotterel/);
      assert.equal(JSON.parse(exported).messages.length, live.length);
      const sent = await shared.turn(second.program, 'go on', { resume });
      assert.equal(sent[0]?.role, 'system');
      assert.deepEqual(merged(sent.slice(1).map(spoken)), merged([...live, { role: 'user', content: 'go on' }]));
      assert.match(await searched(shared, second, 'capercaillie'), new RegExp(resume));
      assert.doesNotMatch(await searched(shared, second, 'dotterel'), new RegExp(resume));
      // And back: what the other added is all that is new.
      const back = await shared.turn(first.program, 'once more', { resume });
      const added = ['go on', 'done', 'once more'];
      assert.deepEqual(
        back.slice(-added.length).map(({ content }) => content),
        added,
      );
      assertSound(shared);
    });

    test(`what ${name} shortened and shortens again is shortened once more by the other, and nothing is lost`, async (t) => {
      await using shared = await openHome();
      const resume = await converse(shared, first.program, ['ptarmigan', 'capercaillie', 'woodcock', 'partridge']);
      for (const used of [first, second]) {
        await atTerminal(t, shared, used, resume, [
          ...['curlew', 'dotterel', 'plover'].map((bird) => ({
            line: `what about the ${bird}`,
            answer: `${used.terminal.length}: no ${bird}. ${long}`,
          })),
          { line: '/compress here 1', shows: /Compressed|Earlier turns were replaced/ },
        ]);
      }
      const away = shared.rows('SELECT content FROM messages WHERE active = 0 AND compacted = 1');
      for (const word of ['ptarmigan', 'capercaillie', 'woodcock', 'partridge', 'curlew']) {
        assert.ok(
          away.some(({ content }) => String(content).includes(word)),
          word,
        );
      }
      const live = liveRows(shared, resume);
      const sent = await shared.turn(first.program, 'go on', { resume });
      assert.deepEqual(merged(sent.slice(1).map(spoken)), merged([...live, { role: 'user', content: 'go on' }]));
      assertSound(shared);
    });

    test(`sessions that ${name} archived are hidden in the other, and still go on there`, async () => {
      await using shared = await openHome();
      const resume = await converse(shared, first.program, ['ptarmigan']);
      shared.rows('UPDATE sessions SET ended_at = coalesce(ended_at, started_at), started_at = started_at - 86400');
      await shared.said(first.program, 'sessions', 'archive', '--older-than', '1h', '--yes');
      assert.deepEqual(shared.rows('SELECT archived FROM sessions').map(Object.values), [[1]]);
      for (const { program } of [second, first]) {
        assert.doesNotMatch(await shared.said(program, 'sessions', 'list'), new RegExp(resume));
      }
      const sent = await shared.turn(second.program, 'go on', { resume });
      assert.equal(sent.at(-1)?.content, 'go on');
      assert.match(JSON.stringify(sent), /noted: ptarmigan/);
      assertSound(shared);
    });
  }
});

const long = 'Lorem ipsum dolor sit amet. '.repeat(150).trim();

async function openHome(): Promise<SharedHome> {
  const shared = await SharedHome.open();
  shared.write('config.yaml', `${shared.read('config.yaml')}approvals:\n  destructive_slash_confirm: false\n`);
  return shared;
}

/** Turns with a call and a long answer each; returns the session. */
async function converse(shared: SharedHome, program: Program, words: readonly string[]): Promise<string> {
  let resume: string | undefined;
  for (const word of words) {
    const steps: Step[] = [call('terminal', { command: `echo ${word}` }), { text: `noted: ${word}. ${long}` }];
    await shared.turn(program, `the word is ${word}`, { steps, ...(resume === undefined ? {} : { resume }) });
    resume ??= shared.newestSession();
  }
  return resume ?? '';
}

/** One line that is typed, and what is waited for then: an answer of the model, or something on the screen. */
type Entry = { readonly line: string; readonly answer: string } | { readonly line: string; readonly shows: RegExp };

/** An empty line to type in. */
const idle = /─\n *❯ *\n─/;

async function atTerminal(
  t: TestContext,
  shared: SharedHome,
  { terminal }: Used,
  resume: string,
  entries: readonly Entry[],
): Promise<void> {
  const place = { work: shared.cwd, env: environment(shared.home) };
  const pane = openPane(t, place, ['--resume', resume], { program: terminal, columns: 120 });
  await pane.sees(idle);
  for (const entry of entries) {
    if ('answer' in entry) shared.server.enqueue({ text: entry.answer });
    pane.enter(entry.line);
    await pane.sees('answer' in entry ? new RegExp(`^\\W*${entry.answer.slice(0, 15)}`, 'm') : entry.shows);
    await pane.sees(entry.line === '/undo' ? /❯ .+\n─/ : idle);
  }
  // What was taken back stands in the input line again.
  pane.keys('C-u');
  pane.enter('/quit');
  assert.equal(await pane.ended(), 0);
}

/** The conversation as the store has it. */
function liveRows(shared: SharedHome, session: string): Spoken[] {
  const sql = 'SELECT role, content, tool_calls FROM messages WHERE session_id = ? AND active = 1 ORDER BY id';
  return shared.rows(sql, session).map(({ role, content, tool_calls: calls }) => {
    const names = [...textOf(calls).matchAll(/"name": ?"(\w+)"/g)].map(([, name = '']) => name);
    return { role: textOf(role), content: [textOf(content), ...names].join('') };
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Words, and names of tools that are called. */
interface Spoken {
  readonly role: string;
  readonly content: string;
}

function spoken({ role, content, calls }: Said): Spoken {
  return { role, content: [content, ...calls.map(([, name]) => name)].join('') };
}

/** What a person says twice in a row is sent as one message by the original. */
function merged(messages: readonly Spoken[]): Spoken[] {
  const list: Spoken[] = [];
  for (const { role, content } of messages) {
    const last = list.at(-1);
    if (role !== 'user' || last?.role !== 'user') list.push({ role, content });
    else list.splice(-1, 1, { role, content: `${last.content}\n\n${content}` });
  }
  return list;
}

/** What became of the messages that hold a word. */
function marksOf(shared: SharedHome, word: string): string[] {
  const rows = shared.rows(`SELECT active, compacted FROM messages WHERE content LIKE '%${word}%' ORDER BY id`);
  return rows.map(({ active, compacted }) => {
    if (active === 1) return 'live';
    return compacted === 1 ? 'put away' : 'taken back';
  });
}

/** What `session_search` answers in a new session. */
async function searched(shared: SharedHome, { program }: Used, query: string): Promise<string> {
  const sent = await shared.turn(program, 'search', { steps: [call('session_search', { query })] });
  return sent.at(-1)?.content ?? '';
}

function assertSound(shared: SharedHome): void {
  assert.deepEqual(shared.rows('PRAGMA integrity_check').map(Object.values), [['ok']]);
  assert.deepEqual(shared.rows('PRAGMA foreign_key_check'), []);
}
