/** A conversation with Bedrock for tests: a model, credentials, a tool and a plain answer. */
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { Protocol } from '../../../../src/llm/protocol.ts';
import { BedrockConverse } from '../../../../src/llm/protocols/bedrock/converse.ts';
import { type BedrockStep, delta, messageStart, messageStop } from '../../../fakes/bedrock-server.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret-of-the-test' };
export const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
export const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

export function bedrockAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  return new BedrockConverse({ provider: 'bedrock', baseUrl: url, ...endpoint }, credentials);
}

export function said(text: string, stopReason = 'end_turn'): BedrockStep {
  return { events: [messageStart, delta(0, { text }), messageStop(stopReason)] };
}
