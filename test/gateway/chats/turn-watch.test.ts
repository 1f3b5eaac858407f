/** What a turn is told to take, and when it counts as dead, whatever happens to the clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentEvent } from '../../../src/agent/events.ts';
import { TurnWatch } from '../../../src/gateway/chats/turn-watch.ts';

/** `looks`: how far the clock goes on while the watch sleeps, one after the other, in seconds. */
async function watch(looks: readonly number[], silentSeconds = 60, heard: readonly AgentEvent[] = []) {
  const said: string[] = [];
  let silent = false;
  let now = 1_800_000_000_000;
  const left = [...looks];
  const ended = Promise.withResolvers<void>();
  const turn = new TurnWatch({
    settings: { silentSeconds, silentWarningSeconds: 0, noteSeconds: 180 },
    clock: {
      now: () => now,
      random: () => 0,
      sleep: async (_ms, signal) => {
        const step = left.shift();
        if (step === undefined) {
          ended.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        } else now += step * 1000;
      },
    },
    say: (text) => Promise.resolve(void said.push(text)),
    onSilent: () => {
      silent = true;
      ended.resolve();
    },
  });
  for (const event of heard) turn.heard(event);
  await ended.promise;
  turn.stop();
  return { said, silent };
}

test('a clock that is set forward does not end a turn that runs', async () => {
  assert.deepEqual(await watch([15, 86_400, 15]), { said: [], silent: false });
});

test('a clock that is set back does not keep a dead turn alive', async () => {
  const { said, silent } = await watch([15, -86_400, 15, 15, 15, 15]);
  assert.equal(silent, true);
  assert.match(said[0] ?? '', /Nothing has happened for 1 min, so I stopped this turn/);
});

test('a long turn is told of every few minutes', async () => {
  const { said } = await watch(
    Array.from({ length: 26 }, () => 15),
    0,
  );
  assert.deepEqual(said, ['⏳ Working — 3 min', '⏳ Working — 7 min']);
});

test('while somebody is asked, nothing is said to go on and nothing counts as dead', async () => {
  const asked = { type: 'question_asked', id: 'q', callId: 'c', question: 'Which?', choices: [] } as const;
  const looks = Array.from({ length: 26 }, () => 15);
  assert.deepEqual(await watch(looks, 60, [asked]), { said: [], silent: false });
});
