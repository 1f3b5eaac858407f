/** Another Hermes as the model of a conversation: its API server runs the turn, with a prompt, tools and a memory of its own. */
import { visibleText } from '../../agent/visible-text.ts';
import type { JsonObject } from '../../lib/json.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { EndpointNetwork } from '../../llm/endpoint.ts';
import { type Message, textOf } from '../../llm/message.ts';
import { ModelError } from '../../llm/model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../llm/protocol.ts';
import { ChatAnswer } from '../../llm/protocols/chat-answer.ts';
import { ChunkParser } from '../../llm/protocols/chat-chunks.ts';
import { toChatMessages } from '../../llm/protocols/chat-messages.ts';
import { detailsOf } from '../../llm/protocols/error-body.ts';
import { ModelClient } from '../../llm/protocols/model-client.ts';
import { toLine } from '../../llm/protocols/model-failure.ts';
import { readEvents } from '../../llm/protocols/read-events.ts';
import { boundedLines } from './bounded-lines.ts';

export interface RemoteAgentOptions {
  /** The setting that names it, which stands for a provider. */
  readonly provider: string;
  /** The name that it is asked by. */
  readonly model: string;
  /** Without `/v1` and without a slash at its end. */
  readonly url: string;
  /** Undefined: none is sent. */
  readonly key: string | undefined;
  readonly network: EndpointNetwork;
  /** How long it may say nothing, in milliseconds; default: half an hour. */
  readonly silenceMs?: number;
}

const usualSilenceMs = 1_800_000;
/** Characters of what was said before: the other side has that itself, and takes ten million bytes. */
const maxEarlierChars = 1_000_000;

/**
 * Asks once, whatever happens: the other side begins with the work as soon as it has read the request. Whoever stops reading
 * ends the turn there.
 */
export class RemoteAgent implements Protocol {
  readonly #client: ModelClient;
  readonly #provider: string;
  readonly #model: string;
  readonly #secrets: readonly string[];

  constructor({ provider, model, url, key, network, silenceMs = usualSilenceMs }: RemoteAgentOptions) {
    this.#provider = provider;
    this.#model = model;
    this.#secrets = key === undefined ? [] : [key];
    this.#client = new ModelClient({
      provider,
      baseUrl: `${url}/v1`,
      authorizer: {
        headers: () => Promise.resolve(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        secrets: this.#secrets,
      },
      requestHeaders: ({ sessionId }) => (sessionId === undefined ? {} : { 'x-hermes-session-id': sessionId }),
      // Its tools may take their time; meanwhile it gives signs of life.
      timeouts: { readMs: silenceMs, streamTotalMs: 0, firstEventMs: 0, staleMs: 0 },
      network,
    });
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let refusal = '';
    const post = {
      path: '/chat/completions',
      request: { ...request, stream: true },
      body: { model: this.#model, messages: messagesFor(request.messages, this.#model), stream: true },
      adapt: (_status: number, text: string) => {
        refusal = text;
        return undefined;
      },
      read: (...[exchange, context]: Parameters<typeof boundedLines>) =>
        readEvents(boundedLines(exchange, context), context, new ChunkParser()),
    };
    try {
      for await (const event of this.#client.stream(post, (context) => new ChatAnswer(context), signal))
        yield event.type === 'done' ? whole(event, this.#provider) : event;
    } catch (error) {
      throw this.#told(error, refusal);
    }
  }

  /** One line for the person: what became of it there. */
  #told(error: unknown, refusal: string): unknown {
    if (!(error instanceof ModelError) || error.kind === 'aborted') return error;
    const { status, host = '' } = error;
    const own = detailsOf(refusal).message;
    const happened = own === '' ? error.message.replace(/^.*?(?: \([^)]*\))?: /, '') : own;
    const of = status === undefined ? (host === '' ? '' : ` (${host})`) : ` (${status})`;
    const step = status === 401 ? ' — GATEWAY_PROXY_KEY has to be the API_SERVER_KEY of that server' : '';
    const line = toLine(maskKeys(`Proxy error${of}: ${happened}`, this.#secrets));
    return new ModelError('asked_once', `${line}${step}`, { status, host, provider: this.#provider, cause: error });
  }
}

/** What the surface says of the chat, then what was said, the newest with its pictures. */
function messagesFor(messages: readonly Message[], model: string): JsonObject[] {
  const said = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const last = said.at(-1);
  const earlier: Message[] = [];
  let chars = 0;
  for (const { role, content } of said.slice(0, -1).reverse()) {
    const text = textOf(content ?? '');
    chars += text.length;
    if (chars > maxEarlierChars) break;
    if (text.trim() !== '' && role !== 'system' && role !== 'tool') earlier.unshift({ role, content: text });
  }
  const system = messages.filter(({ role }) => role === 'system');
  return toChatMessages([...system, ...earlier, ...(last === undefined ? [] : [last])], model, {});
}

/** What the other agent said is its answer: it went on by itself as long as there was something to do. */
function whole(done: Extract<ModelEvent, { type: 'done' }>, provider: string): ModelEvent {
  const { tool_calls: _, ...message } = done.message;
  if (visibleText(message.content).trim() === '')
    throw new ModelError('malformed', `${provider}: the other agent ended its turn without an answer`);
  return { ...done, message, stopReason: 'stop' };
}
