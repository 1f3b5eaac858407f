/** `agent.environment_probe`: what the prompt says of the Python of this machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { homeWith } from './support.ts';

test('a machine without Python is told of in the prompt, unless that is switched off', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hi' }) });
  const prompt = async (config: string) => {
    const program = await homeWith(t, server, config, { PATH: '/nowhere' })();
    await (await program.openSession({ surface: 'cli', human: headless })).agent.runConversation('go');
    return JSON.stringify(server.lastRequest.body.messages[0]);
  };
  assert.match(await prompt(''), /Python: python3 is missing\./);
  assert.doesNotMatch(await prompt('agent: {environment_probe: false}\n'), /Python: /);
});
