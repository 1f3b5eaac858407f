/** What the user calls the models. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelNames } from '../../src/cli/chat/model-names.ts';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryHome } from '../config/temporary-home.ts';

test('a model is shown by its shortest alias, whichever list has it', async (t) => {
  const { home, env, write } = temporaryHome(t);
  write(
    'config.yaml',
    'model:\n  aliases: {quick: openrouter/google/gemini-3-flash, long-name: openai-api/gpt-5.4}\n' +
      'model_aliases:\n  mine: {model: gpt-5.4, provider: openai-api}\n  empty: {provider: openai-api}\n',
  );
  const names = modelNames((await loadConfig({ home, env })).config);
  assert.deepEqual(Object.fromEntries(names), { 'gpt-5.4': 'mine', 'google/gemini-3-flash': 'quick' });
});
