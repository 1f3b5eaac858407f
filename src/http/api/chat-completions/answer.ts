/** A turn as a chat completion: whole, or as a stream of chunks. */
import { randomBytes } from 'node:crypto';
import type { AgentEvent } from '../../../agent/events.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { maskKeys } from '../../../lib/secrets.ts';
import { HttpError, jsonAnswer } from '../../answers.ts';
import type { EventStream } from '../../event-stream.ts';
import { AnswerText } from '../answer-text.ts';
import { sessionHeaders } from '../session-headers.ts';
import { chatUsage, hermesObject, type Shortfall, shortfallHeaders, shortfallOf } from '../turn-end.ts';
import type { TurnOutcome } from '../turns.ts';
import type { ChatRequest } from './request.ts';

/** What is kept of a turn for those that ask again. */
export type Answered = Omit<TurnOutcome, 'history'>;

/** `content`: the answer as its reader is to see it. Throws `HttpError` for a turn that came to nothing. */
export function chatCompletion(
  { result, usage, sessionId }: Answered,
  { model, headers }: ChatRequest,
  content = result.finalResponse ?? '',
): Response {
  const shortfall = shortfallOf(result);
  if (shortfall !== undefined && content === '') throw incomplete(shortfall, sessionId, headers.sessionKey);
  const message = { role: 'assistant', content };
  return jsonAnswer(
    {
      id: completionId(),
      object: 'chat.completion',
      created: nowSeconds(),
      model,
      choices: [{ index: 0, message, finish_reason: finishReason(shortfall) }],
      usage: chatUsage(usage),
      ...(shortfall === undefined ? {} : { hermes: hermesObject(shortfall) }),
    },
    200,
    {
      ...sessionHeaders(sessionId, headers.sessionKey),
      ...(shortfall === undefined ? {} : shortfallHeaders(shortfall)),
    },
  );
}

/** Without a text there is nothing to answer with. */
export function incomplete(shortfall: Shortfall, sessionId: string, key: string | undefined): HttpError {
  return new HttpError(502, shortfall.error, {
    code: 'agent_incomplete',
    headers: { ...sessionHeaders(sessionId, key), ...shortfallHeaders(shortfall) },
    more: { hermes: hermesObject(shortfall) },
  });
}

/**
 * Chunks as OpenAI's own. What tools do is told in events of another name; the official clients take those for chunks all
 * the same, so each is one as well, in which nothing is said.
 */
export class ChatStream {
  readonly #stream: EventStream;
  readonly #text = new AnswerText();
  readonly #head: JsonObject;

  constructor(stream: EventStream, model: string) {
    this.#stream = stream;
    this.#head = { id: completionId(), object: 'chat.completion.chunk', created: nowSeconds(), model };
    this.#chunk({ role: 'assistant' });
  }

  hear(event: AgentEvent): void {
    this.#say(this.#text.take(event));
    if (event.type === 'tool_started' && !event.name.startsWith('_')) {
      const { name: tool, emoji, preview: label, callId: toolCallId } = event;
      this.#tell({ tool, emoji, label, toolCallId, status: 'running' });
    }
    if (event.type === 'tool_finished' && !event.name.startsWith('_')) {
      const { name: tool, callId: toolCallId } = event;
      this.#tell({ tool, toolCallId, status: 'completed' });
    }
  }

  finish({ result, usage }: TurnOutcome): void {
    this.#say(this.#text.finish(result));
    const shortfall = shortfallOf(result);
    this.#end(finishReason(shortfall), {
      usage: chatUsage(usage),
      ...(shortfall === undefined
        ? {}
        : { error: { message: shortfall.error, type: 'server_error' }, hermes: hermesObject(shortfall) }),
    });
  }

  fail(error: unknown): void {
    const message = maskKeys(errorMessage(error));
    const shortfall = { partial: false, failed: true, error: message, error_code: 'agent_error' } as const;
    this.#end('error', { error: { message, type: 'server_error' }, hermes: hermesObject(shortfall) });
  }

  #say(text: string): void {
    if (text !== '') this.#chunk({ content: text });
  }

  #tell(progress: JsonObject): void {
    const choices = [{ index: 0, delta: {}, finish_reason: null }];
    this.#stream.send({ event: 'hermes.tool.progress', data: { ...progress, ...this.#head, choices } });
  }

  #chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): void {
    this.#stream.send({
      data: { ...this.#head, choices: [{ index: 0, delta, finish_reason: finish }], ...more },
    });
  }

  #end(finish: string, more: JsonObject): void {
    this.#chunk({}, finish, more);
    this.#stream.send({ data: '[DONE]' });
    this.#stream.end();
  }
}

function finishReason(shortfall: Shortfall | undefined): string {
  if (shortfall === undefined) return 'stop';
  return shortfall.error_code === 'output_truncated' ? 'length' : 'error';
}

function completionId(): string {
  return `chatcmpl-${randomBytes(15).toString('hex').slice(0, 29)}`;
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
