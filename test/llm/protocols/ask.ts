/** Ways to run one model request in a test. */
import assert from 'node:assert/strict';
import type { Authorizer } from '../../../src/llm/authorizer.ts';
import type { Endpoint } from '../../../src/llm/endpoint.ts';
import { ModelError } from '../../../src/llm/model-error.ts';
import type { ApiMode, ModelEvent, ModelRequest, Protocol } from '../../../src/llm/protocol.ts';
import type { ProviderProfile } from '../../../src/llm/provider.ts';
import { createChatCompletions } from '../../../src/llm/protocols/chat-completions.ts';
import { KeyAuthorizer } from '../../../src/providers/authorizer.ts';

export type Done = Extract<ModelEvent, { type: 'done' }>;

export interface Answered {
  readonly events: readonly ModelEvent[];
  readonly done: Done;
  /** All text events joined. */
  readonly text: string;
  readonly reasoning: string;
}

export function requestOf(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return { model: 'test-model', messages: [{ role: 'user', content: 'hi' }], tools: [], stream: true, ...overrides };
}

/** What a key is sent with in a wire format. */
export function keyOf(
  key: string,
  apiMode: ApiMode,
  profile: Pick<ProviderProfile, 'keyHeader' | 'quirks'> = {},
): Authorizer {
  return new KeyAuthorizer(key, { profile, apiMode, baseUrl: 'http://127.0.0.1' });
}

export function protocolAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  const authorizer = keyOf('test-key-0123456789', 'chat_completions');
  return createChatCompletions({ provider: 'custom', baseUrl: url, authorizer, ...endpoint });
}

/** Runs a request to its end and checks that `done` comes exactly once, last. */
export async function ask(protocol: Protocol, overrides: Partial<ModelRequest> = {}): Promise<Answered> {
  const events: ModelEvent[] = [];
  for await (const event of protocol.stream(requestOf(overrides), new AbortController().signal)) events.push(event);
  const done = events.at(-1);
  assert.ok(done?.type === 'done', 'the last event is not done');
  assert.equal(events.filter((event) => event.type === 'done').length, 1);
  return { events, done, text: joined(events, 'text'), reasoning: joined(events, 'reasoning') };
}

/** Runs a request that must fail; returns its one error and the events before it. */
export async function askInVain(
  protocol: Protocol,
  overrides: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly error: ModelError; readonly events: readonly ModelEvent[] }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of protocol.stream(requestOf(overrides), signal)) events.push(event);
  } catch (error) {
    assert.ok(error instanceof ModelError, `not a ModelError: ${String(error)}`);
    assert.ok(error.message.length <= 300 && !/[\n<>]/.test(error.message), error.message);
    assert.ok(!events.some((event) => event.type === 'done'), 'an error after done');
    return { error, events };
  }
  throw new assert.AssertionError({ message: 'the request did not fail' });
}

function joined(events: readonly ModelEvent[], type: 'text' | 'reasoning'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}
