/** That the threshold of a model on Codex was raised is told to its owner once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { noLog } from '../../src/lib/log.ts';
import { openContextEngine } from '../../src/runtime/session-context.ts';
import { fit, user } from '../agent/compressing.ts';
import { temporaryHome } from '../config/temporary-home.ts';

test('a raised threshold is told once in a home, however often the program starts, and again when it is another one', async (t) => {
  const { home, env } = temporaryHome(t);
  const config = await loadConfig({ home, env });
  const noticesOf = async (model: string) => {
    const engine = await openContextEngine({
      parts: { config, home, log: noLog, models: { learnWindow: async () => undefined, keepWindow: async () => {} } },
      side: { contextLength: async () => undefined, ask: () => Promise.reject(new Error('nobody is there')) },
      services: { redact: (text) => text },
      warn: () => {},
    });
    const codex = { provider: 'openai-codex', model, contextLength: 272_000 };
    return (await fit(engine, [user('hello')], codex)).notices.length;
  };
  const seen: number[] = [];
  for (const model of ['gpt-5.4', 'gpt-5.4', 'gpt-5.5', 'gpt-5.5']) seen.push(await noticesOf(model));
  assert.deepEqual(seen, [1, 0, 1, 0]);
  // The file of the original, so that neither program repeats the other.
  assert.equal(readFileSync(join(home.path, '.codex_gpt55_autoraise_notice'), 'utf8'), 'gpt-5.5:50:85');
});
