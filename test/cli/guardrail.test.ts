/** `bedrock.guardrail` as a person writes it, up to what AWS is asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delta, messageStart, messageStop, startBedrockServer } from '../fakes/bedrock-server.ts';
import { hermes, makePlace } from './hermes-process.ts';

const env = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'us-east-1' };

test('a guardrail is asked for in the way that is configured', async (t) => {
  await using server = await startBedrockServer();
  const asked = async (more: string) => {
    server.enqueue({ events: [messageStart, delta(0, { text: 'Hello.' }), messageStop('end_turn')] });
    const place = makePlace(t);
    const model = `model: {provider: bedrock, base_url: '${server.url}', default: amazon.nova-pro-v1:0, context_length: 128000}\n`;
    place.write('config.yaml', `${model}bedrock: {guardrail: {guardrail_identifier: gr-1${more}}}\n`);
    const { code, stdout, stderr } = await hermes(place, ['-z', 'hello'], { env });
    assert.deepEqual([code, stdout, stderr], [0, 'Hello.\n', '']);
    return server.requests.at(-1)?.body['guardrailConfig'];
  };
  assert.deepEqual(await asked(''), { guardrailIdentifier: 'gr-1', guardrailVersion: 'DRAFT' });
  assert.deepEqual(await asked(', guardrail_version: "2", stream_processing_mode: async, trace: enabled'), {
    guardrailIdentifier: 'gr-1',
    guardrailVersion: '2',
    streamProcessingMode: 'async',
    trace: 'enabled',
  });
});
