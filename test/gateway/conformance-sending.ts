/** What every chat platform keeps to with what the agent says. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Prompt } from '../../src/gateway/platform/adapter.ts';
import type { PlatformFacts } from '../../src/gateway/platform/platform.ts';
import type { SendResult } from '../../src/gateway/platform/send-result.ts';
import { type Checks, hello, message, sendOk, signal } from './conformance-checks.ts';
import { until } from './fake-host.ts';

export function sending({ maxMessageLength }: PlatformFacts, { check, connected }: Checks): void {
  connected('text is sent, in bold too, and its id is told', async ({ fake, adapter }) => {
    const { requests } = fake;
    const id = await sendOk(adapter, { to: fake.places.dm, text: 'a **strong** word. 1 < 2 & 3!' });
    assert.ok(fake.requests - requests <= 2);
    const [shown] = fake.shown(fake.places.dm);
    assert.equal(shown?.text, 'a strong word. 1 < 2 & 3!');
    assert.equal(shown?.id, id);
    assert.notEqual(shown?.raw, shown?.text);
  });

  connected('text goes to its thread and quotes what it answers', async ({ fake, host, adapter }) => {
    const { thread, group } = fake.places;
    const place = thread ?? group;
    const id = await fake.write({ in: place, text: hello, mention: true });
    await until(() => host.accepted.length === 1);
    await sendOk(adapter, { to: place, text: 'yes', replyTo: id });
    assert.equal(fake.shown(place).at(-1)?.text, 'yes');
    assert.equal(fake.shown(place).at(-1)?.replyTo, id);
    const gone = await adapter.send(message({ to: place, text: 'still', replyTo: '999999' }), signal());
    if (gone.ok) assert.equal(fake.shown(place).at(-1)?.text, 'still', 'a quoted message that is gone is left out');
    else assert.equal(gone.kind, 'not_found');
  });

  connected('the longest message arrives, whatever its characters become', async ({ fake, adapter }) => {
    if (maxMessageLength === 0) return;
    const sign = '.!-_(*[~`>#+=|{}]) \\&<"';
    const text = sign
      .repeat(Math.ceil(maxMessageLength / sign.length))
      .slice(0, maxMessageLength - 1)
      .concat('.');
    await sendOk(adapter, { to: fake.places.dm, text, plain: true });
    assert.equal(fake.shown(fake.places.dm).at(-1)?.text, text);
    const words = 'a word, '.repeat(Math.floor(maxMessageLength / 8)).trim();
    await sendOk(adapter, { to: fake.places.dm, text: words });
    assert.equal(fake.shown(fake.places.dm).at(-1)?.text, words);
  });

  connected('plain text is shown as it is', async ({ fake, adapter }) => {
    const text = '**not** bold, _nor_ this \\ [x](y) <b> `code';
    await sendOk(adapter, { to: fake.places.dm, text, plain: true });
    assert.equal(fake.shown(fake.places.dm).at(-1)?.text, text);
  });

  connected('troubles are told apart', async ({ fake, host, adapter }) => {
    const attempt = async (): Promise<SendResult> =>
      await adapter.send(message({ to: fake.places.dm, text: '**hi**' }), signal());
    fake.trouble({ as: 'rate_limited', seconds: 7 });
    const limited = await attempt();
    assert.ok(!limited.ok && limited.kind === 'rate_limited');
    assert.equal(limited.retryAfterMs, 7000);
    for (const as of ['server_error', 'forbidden', 'not_found'] as const) {
      fake.trouble({ as });
      const result = await attempt();
      assert.ok(!result.ok);
      assert.equal(result.kind, as === 'server_error' ? 'transient' : as);
      assert.equal(result.mayHaveArrived, undefined);
      assert.doesNotMatch(result.error, /\n/);
      for (const secret of fake.secrets) assert.ok(!result.error.includes(secret));
    }
    assert.deepEqual(fake.shown(fake.places.dm), []);
    assert.deepEqual(host.failures, [], 'the connection is not at fault');
    assert.equal((await attempt()).ok, true);
  });

  connected('markup that is refused can be sent plain', async ({ fake, adapter }) => {
    fake.trouble({ as: 'bad_format' });
    const refused = await adapter.send(message({ to: fake.places.dm, text: '**hi**' }), signal());
    assert.ok(!refused.ok && refused.kind === 'bad_format');
    await sendOk(adapter, { to: fake.places.dm, text: '**hi**', plain: true });
    assert.equal(fake.shown(fake.places.dm).length, 1);
  });

  connected('what may have arrived is not sent twice', async ({ fake, adapter }) => {
    await sendOk(adapter, { to: fake.places.dm, text: 'over a connection that is kept' });
    fake.trouble({ as: 'cut_after' });
    const once = message({ to: fake.places.dm, text: 'once', idempotencyKey: 'key-1' });
    const result = await adapter.send(once, signal());
    if (!result.ok) assert.equal(result.mayHaveArrived, true);
    assert.equal(fake.shown(fake.places.dm).filter(({ text }) => text === 'once').length, 1);
  });

  check('with nobody there, sending says that it did not arrive', async ({ fake, adapter }) => {
    await fake.stop();
    const result = await adapter.send(message({ to: fake.places.dm, text: hello }), signal());
    assert.ok(!result.ok && result.kind === 'transient');
    assert.equal(result.mayHaveArrived, undefined);
    await fake.start();
  });

  connected('sending ends with its signal', async ({ fake, adapter }) => {
    const stopped = AbortSignal.abort();
    const result = await adapter.send(message({ to: fake.places.dm, text: hello }), stopped);
    assert.equal(result.ok, false);
    assert.deepEqual(fake.shown(fake.places.dm), []);
  });

  connected('a message can be changed and taken back', async ({ fake, adapter }) => {
    const { edits } = adapter;
    if (edits === undefined) return;
    const to = fake.places.dm;
    const id = await sendOk(adapter, { to, text: 'one' });
    for (const [text, final] of [
      ['one **tw', false],
      ['one **two**', true],
      ['one **two**', true],
    ] as const) {
      const result = await edits.edit(id, { to, text, idempotencyKey: text }, final, signal());
      assert.ok(result.ok, 'an edit that changes nothing is none that fails');
      assert.equal(result.messageId, id);
    }
    assert.deepEqual(
      fake.shown(to).map(({ text }) => text),
      ['one two'],
    );
    const unknown = await edits.edit('999999', { to, text: 'x', idempotencyKey: 'x' }, true, signal());
    assert.equal(unknown.ok, false);
    if (edits.remove === undefined) return;
    assert.equal((await edits.remove(to, id, signal())).ok, true);
    assert.deepEqual(fake.shown(to), []);
  });

  connected('files are sent with their captions', async ({ fake, adapter }, t) => {
    const { files } = adapter;
    if (files === undefined) return;
    const folder = mkdtempSync(join(tmpdir(), 'files-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'a "report" é.pdf');
    writeFileSync(path, 'the report');
    const to = fake.places.thread ?? fake.places.group;
    const file = { to, kind: 'document', path, name: 'a "report" é.pdf', idempotencyKey: 'f1' } as const;
    const sent = await files.send({ ...file, caption: 'a **report**' }, signal());
    assert.ok(sent.ok, sent.ok ? '' : sent.error);
    const shown = fake.shown(to).at(-1);
    assert.equal(shown?.file?.name, 'a "report" é.pdf');
    assert.equal(Buffer.from(shown?.file?.bytes ?? []).toString(), 'the report');
    if (shown?.text !== '') assert.equal(shown?.text, 'a report');
    const missing = await files.send({ ...file, path: join(folder, 'gone.pdf') }, signal());
    assert.ok(!missing.ok && !missing.error.includes(folder), 'a path is nobody’s business');
  });

  connected('it is seen that the bot writes', async ({ fake, adapter }) => {
    if (adapter.typing === undefined) return;
    await adapter.typing.show(fake.places.dm, signal());
    assert.equal(fake.typed(fake.places.dm), 1);
    assert.ok(adapter.typing.everyMs >= 1000);
  });

  connected('a question is answered by pressing, and closed', async ({ fake, host, adapter }) => {
    const { prompts } = adapter;
    if (prompts === undefined || fake.press === undefined) return;
    const to = fake.places.dm;
    const prompt: Prompt = {
      to,
      id: 'prompt_01234567890-ABCDE',
      kind: 'approval' as const,
      text: 'May it run `rm -rf build/*`?',
      options: [
        { id: 'once', label: 'Once' },
        { id: 'never_16_chars-x', label: 'Deny' },
      ],
      idempotencyKey: 'p1',
    };
    const sent = await prompts.show(prompt, signal());
    assert.ok(sent.ok && sent.messageId !== null);
    const shown = fake.shown(to).at(-1);
    assert.match(shown?.text ?? '', /May it run rm -rf build\/\*\?/);
    assert.deepEqual(shown?.buttons, ['Once', 'Deny']);
    host.whenPressed(async ({ source }) => {
      if (source.user_id !== host.presses[0]?.source.user_id) return { as: 'denied' };
      return host.presses.length > 1 ? { as: 'stale' } : { as: 'done', text: 'It will not run.' };
    });
    await fake.press(sent.messageId, 'Deny', 'friend');
    assert.equal(host.presses[0]?.promptId, prompt.id);
    assert.equal(host.presses[0]?.optionId, 'never_16_chars-x');
    assert.equal(host.presses[0]?.source.chat_id, to.chatId);
    await fake.press(sent.messageId, 'Once', 'stranger');
    assert.notEqual(host.presses[1]?.source.user_id, host.presses[0]?.source.user_id);
    await prompts.close(prompt, sent.messageId, 'Denied.', signal());
    assert.deepEqual(fake.shown(to).at(-1)?.buttons, []);
    assert.match(fake.shown(to).at(-1)?.text ?? '', /Denied\./);
  });
}
