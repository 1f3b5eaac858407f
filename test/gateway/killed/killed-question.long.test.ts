/** A gateway that is killed while a question waits in a chat, and while it is answered: nothing runs that nobody approved. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryHome } from '../../config/temporary-home.ts';
import { type RecordedRequest, type Step, startModelServer } from '../../fakes/model-server.ts';
import { isReview, textOf } from '../../runtime/support.ts';
import { startOutsideService } from './outside-service.ts';

const program = fileURLToPath(new URL('gateway-child.ts', import.meta.url));
/** Milliseconds between the yes and the kill; undefined: the yes is sent when nobody is there. */
const kills: readonly (number | undefined)[] = [undefined, 0, 3, 6, 10, 15, 25, 40, 80];

/** It wants to remove a folder, once, and says what came of it. */
function respond(request: RecordedRequest): Step {
  if (isReview(request)) return { text: 'Nothing.' };
  const result = request.body.messages.filter(({ role }) => role === 'tool').at(-1);
  if (result === undefined) return { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -r src' } }] };
  const text = textOf(result);
  return { text: /not run|BLOCKED/.test(text) ? 'Kept.' : /unknown/.test(text) ? 'Unclear.' : 'Gone.' };
}

for (const killAfter of kills) {
  const when = killAfter === undefined ? 'before it is answered' : `${killAfter} ms after a yes`;
  test(`killed ${when}, a question is answered or told to have lapsed`, { timeout: 300_000 }, async (t) => {
    const { write, env } = temporaryHome(t);
    const base = env['HOME'] ?? '';
    const folder = join(base, 'work', 'src');
    mkdirSync(folder, { recursive: true });
    await using service = await startOutsideService();
    await using model = await startModelServer({ respond });
    write(
      'config.yaml',
      `model:\n  provider: custom\n  base_url: ${model.url}\n  default: test-model\n  api_key: test-key\nauxiliary:\n  title_generation:\n    enabled: false\napprovals:\n  mode: manual\n  timeout: 600\ndisplay:\n  busy_ack_enabled: false\n`,
    );
    let output = '';
    const start = () => {
      const child = spawn(process.execPath, [program, base, service.url, '50', '4096', `${process.pid}`], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
      return { child, ended: once(child, 'close') };
    };
    const until = async (condition: () => boolean): Promise<void> => {
      while (!condition()) {
        t.signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    // A reply that may have arrived when the process died comes a second time, and says so before its own words.
    const ownWords = (text: string): string => text.replace(/^♻️ .*\n\n/, '');
    const said = (text: RegExp): boolean => service.sent.some((each) => text.test(ownWords(each.text)));

    const first = start();
    t.after(() => first.child.kill('SIGKILL'));
    service.say('c1', 'tidy up');
    await until(() => said(/^⚠️ \*\*Approval needed/));
    if (killAfter !== undefined) {
      service.say('c1', 'yes');
      await new Promise((resolve) => setTimeout(resolve, killAfter));
    }
    first.child.kill('SIGKILL');
    await first.ended;
    if (killAfter === undefined) service.say('c1', 'yes');

    const second = start();
    t.after(() => second.child.kill('SIGKILL'));
    await until(() => said(/^(?:Gone|Kept|Unclear)\.$/) && service.updates.every(({ acknowledged }) => acknowledged));
    if (killAfter === undefined) await until(() => said(/^⌛ That answer came too late, and nothing was run/));
    service.stopping = true;
    await second.ended;

    const heard = model.requests.flatMap(({ body }) => body.messages).filter(({ role }) => role === 'user');
    assert.ok(!heard.some((message) => /^yes$/im.test(textOf(message))), `no yes reaches the model\n${output}`);
    assert.equal(service.sent.filter(({ text }) => text.startsWith('⌛ I was restarted')).length <= 1, true);
    if (said(/^⌛/)) assert.ok(existsSync(folder), 'what is told to have lapsed did not run');
    if (said(/^Gone\.$/)) assert.ok(!existsSync(folder));
    if (said(/^Kept\.$/)) assert.ok(existsSync(folder));
    if (killAfter === undefined) assert.ok(said(/^⌛ I was restarted before you answered/) && existsSync(folder));
  });
}
