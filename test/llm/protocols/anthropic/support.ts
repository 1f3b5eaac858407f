/** Short forms for tests of the Anthropic protocol. */
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { ModelRequest, Protocol } from '../../../../src/llm/protocol.ts';
import { AnthropicMessages } from '../../../../src/llm/protocols/anthropic/messages.ts';
import { keyOf } from '../ask.ts';

export const claudeKey = 'sk-ant-api03-0123456789abcdef';

export function claudeAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  const authorizer = keyOf(claudeKey, 'anthropic_messages');
  return new AnthropicMessages({ provider: 'anthropic', baseUrl: url, authorizer, ...endpoint });
}

/** A request to an older Claude, without thinking. */
export function claudeRequest(overrides: Partial<ModelRequest> = {}): Partial<ModelRequest> {
  return { model: 'claude-sonnet-4-5', ...overrides };
}
