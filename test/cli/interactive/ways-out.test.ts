/** The terminal around the chat: sizes, colours, suspending, and every way out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainFile, makePlace } from '../hermes-process.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { sseChunk } from '../../fakes/model-steps.ts';
import { noTmux, openPane } from './tmux.ts';

const skip = noTmux;

test('it fits a narrow terminal', { skip }, async (t) => {
  await using server = await startModelServer({
    title: 'A title',
    respond: () => ({ text: 'a long answer that has to be wrapped 全角文字全角文字全角文字 somewhere' }),
  });
  const pane = openPane(t, makePlace(t, server), [], { columns: 30, rows: 20 });
  await pane.sees(/Type a message/);
  assert.match(pane.screen(), /test-model · \d+s/);
  pane.enter('hi');
  await pane.sees(/somewhere/);
  pane.resize(4, 10);
  pane.resize(30, 20);
  pane.enter('/quit');
  assert.equal(await pane.ended(), 0);
});

test('with NO_COLOR nothing is coloured', { skip }, async (t) => {
  await using server = await startModelServer({
    title: 'A title',
    respond: () => ({ text: '# Title\n\n`code` and **bold**' }),
  });
  const pane = openPane(t, makePlace(t, server), [], { env: { NO_COLOR: '1' } });
  await pane.sees(/Type a message/);
  pane.enter('hi');
  await pane.sees(/code and bold/);
  pane.type('/');
  await pane.sees(/→ \/help/);
  // Reverse video is the cursor, and 39 and 49 take colours off.
  assert.doesNotMatch(pane.coloured(), /\u001b\[(?:[\d;]*;)?(?:[1-4]|[349][0-8])(?:;[\d;]*)?m/);
});

test('a long answer scrolls away line by line, and a new size of the window loses nothing', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const code = Array.from({ length: 1500 }, (_, n) => `line ${n};`);
  server.enqueue({ text: `Here:\n\n\`\`\`js\n${code.join('\n')}\n\`\`\`\n\nThe end.`, pieceChars: 400 });
  const pane = openPane(t, makePlace(t, server), [], { rows: 20, before: 'earlier output' });
  await pane.sees(/Type a message/);
  pane.enter('show me');
  await pane.sees(/The end\./);
  const linesShown = (): string[] => pane.screen().match(/line \d+;/g) ?? [];
  assert.deepEqual(linesShown(), code);
  pane.resize(60, 12);
  await pane.sees(/^─{60}\n❯/m);
  pane.resize(100, 20);
  await pane.sees(/^─{100}\n❯/m);
  assert.deepEqual(linesShown(), code);
  assert.match(pane.screen(), /^earlier output/);
});

test('a window that changes while an answer arrives loses no word and shows none twice', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const words = Array.from({ length: 900 }, (_, n) => `w${n}.${n % 30 === 29 ? '\n\n' : ' '}`);
  let next = Promise.withResolvers<void>();
  async function* pieces() {
    for (let at = 0; at < words.length; at += 10) {
      yield sseChunk('test-model', { content: words.slice(at, at + 10).join('') });
      if (at % 100 === 90) await next.promise;
    }
    yield sseChunk('test-model', {}, 'stop');
    yield 'data: [DONE]\n\n';
  }
  server.enqueue({ chunks: pieces() });
  const place = makePlace(t, server, 'display: {cli_refresh_interval: 0}\n');
  const env = { HERMES_SPINNER_PAUSE: '1' };
  const pane = openPane(t, place, [], { rows: 20, columns: 100, before: 'earlier output', env });
  await pane.sees(/Type a message/);
  pane.enter('go');
  // tmux tells a program of a change up to 250 ms late: what is drawn until then goes to the wrong place, so nothing is.
  const sizes = [
    [60, 20],
    [55, 12],
    [41, 30],
    [130, 16],
    [100, 24],
    [80, 10],
    [43, 43],
    [100, 20],
  ] as const;
  for (const [at, [columns, rows]] of sizes.entries()) {
    await pane.sees(new RegExp(`w${at * 100 + 99}\\.`));
    pane.resize(columns, rows);
    await pane.sees(new RegExp(`^─{${columns}}\\n❯`, 'm'));
    const go = next;
    next = Promise.withResolvers();
    go.resolve();
  }
  next.resolve();
  await pane.sees(/w899\.[\s\S]*⚕/);
  const shown = pane.written().match(/w\d+\./g) ?? [];
  assert.deepEqual(
    shown,
    words.map((word) => word.trim()),
  );
  assert.match(pane.screen(), /^earlier output/);
});

test('after every way out the terminal is as it was', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'never done', gateAfterFirst: never });
  const crash = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('boom') })`;
  const ways = [
    { signal: 'SIGTERM', code: 143 },
    { signal: 'SIGINT', code: 0 },
    { signal: 'SIGUSR2', code: 1 },
  ] as const;
  for (const { signal, code } of ways) {
    const pane = openPane(t, makePlace(t, server), [], { node: ['--import', crash, mainFile] });
    await pane.sees(/Type a message/);
    if (signal === 'SIGTERM') {
      pane.enter('go');
      await pane.sees(/never/);
    }
    process.kill(pane.pid, signal);
    if (signal === 'SIGINT') {
      await pane.sees(/press Ctrl\+C again to leave/);
      process.kill(pane.pid, signal);
    }
    assert.equal(await pane.ended(), code, signal);
    const screen = await pane.sees(/^ icanon/m);
    assert.ok(pane.cursorShown);
    assert.doesNotMatch(screen, /─{10}|│/, 'input box and status bar are gone');
    if (signal === 'SIGUSR2') assert.match(screen, /\n *Type a message[^\n]*\n\s*hermes: boom\n\[left/);
    if (signal === 'SIGTERM') assert.match(screen, /Resume this session with:/);
  }
});

test('when the terminal is closed the program ends, and with it what it runs', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title' });
  server.enqueue({ toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 30' } }] });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('wait');
  await pane.sees(/terminal sleep 30 \(\d/);
  const { pid } = pane;
  pane.close();
  for (const end = Date.now() + 10_000; isAlive(pid); ) {
    assert.ok(Date.now() < end, 'hermes is still running');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('Ctrl+Z gives the terminal to the shell, and fg brings the chat back with what was typed', { skip }, async (t) => {
  await using server = await startModelServer({ title: 'A title', respond: () => ({ text: 'hello back' }) });
  const pane = openPane(t, makePlace(t, server), [], { jobs: true });
  await pane.sees(/shell>$/);
  pane.type('hermes\r');
  await pane.sees(/Type a message/);
  pane.type('half a thou');
  await pane.sees(/❯ half a thou/);
  pane.keys('C-z');
  await pane.sees(/Suspended\. Type `fg` to come back\.[\s\S]*shell>$/);
  pane.type('echo $((20 + 3))\r');
  await pane.sees(/^23$/m);
  pane.type('fg\r');
  // The chat has taken the screen back.
  await pane.sees(/^(?:(?!Suspended)[\s\S])*❯ half a thou\s*\n─/);
  pane.type('ght');
  await pane.sees(/❯ half a thought/);
  pane.keys('Enter');
  await pane.sees(/hello back/);
  assert.equal(server.lastRequest.body.messages.at(-1)?.content, 'half a thought');
});
