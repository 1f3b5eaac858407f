/** What the fake model server can be told to answer, and how each answer looks on the wire. */

/** A function call of a scripted answer. */
export interface ScriptedToolCall {
  /** Default: `call_1`, `call_2`, … counted over the whole server; an empty string is sent as it is. */
  readonly id?: string;
  readonly name: string;
  /** An object is sent as JSON text; a string is sent as it is, so it may be broken JSON. */
  readonly arguments?: string | object;
  /** The index on the wire; default is the position. Ollama re-uses 0 for every call. */
  readonly index?: number;
  readonly extra_content?: object;
}

/** An answer in good order. An empty object is an empty answer that stops. */
export interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  /** The field that carries `reasoning`; default `reasoning_content`. */
  readonly reasoningField?: 'reasoning' | 'reasoning_content' | 'reasoning_details';
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default `tool_calls` when there are calls, else `stop`; null is never sent, as if the server forgot. */
  readonly finishReason?: string | null;
  /** Wire form; default 10 in, 5 out. False: the server reports none. */
  readonly usage?: object | false;
  /** False leaves out `data: [DONE]`. */
  readonly done?: boolean;
  /** `json` answers with one JSON object even when asked to stream; `sse` streams even when not. */
  readonly format?: 'json' | 'sse';
  /** Characters of one delta of text, reasoning or arguments; default 12. */
  readonly pieceChars?: number;
  /** Cuts the body into writes of so many bytes, through events and UTF-8 sequences alike. */
  readonly bytesPerWrite?: number;
  /** Nothing is sent before this settles. */
  readonly gate?: Promise<unknown>;
  /** The first text, reasoning or call delta is sent, the rest waits until this settles. */
  readonly gateAfterFirst?: Promise<unknown>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that goes wrong. */
export type Fault =
  /** An HTTP error; an object body is sent as JSON. */
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly body?: string | object;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The error page of a proxy; default status 502. */
  | { readonly fault: 'html'; readonly status?: number }
  /** Status 200 with `{error: …}` instead of an answer. */
  | { readonly fault: 'error_body'; readonly error?: object | string }
  /** Some text, then an event `{error: …}`. */
  | { readonly fault: 'error_event'; readonly text?: string; readonly error?: object | string }
  /** The connection ends without a response. */
  | { readonly fault: 'close_before' }
  /** The response ends in good order after the text, but without a finish reason. */
  | { readonly fault: 'close_after'; readonly text?: string }
  /** The connection is reset after the text. */
  | { readonly fault: 'reset'; readonly text?: string }
  /** Text, then an event whose data is not JSON. */
  | { readonly fault: 'malformed_json'; readonly text?: string }
  /** Bytes that are nothing at all, as status 200. */
  | { readonly fault: 'garbage'; readonly bytes?: Uint8Array; readonly contentType?: string }
  /** Text deltas without end, as fast as they are read. */
  | { readonly fault: 'endless'; readonly text?: string }
  /** No response ever; the connection stays open. */
  | { readonly fault: 'hang' }
  /** Text, then silence; the connection stays open. */
  | { readonly fault: 'hang_after'; readonly text?: string }
  /** Status 200, `choices: []`. */
  | { readonly fault: 'empty_choices' };

/** Exact bytes; strings are UTF-8. A promise among the chunks holds the rest back until it settles. */
export interface Raw {
  readonly raw: readonly (string | Uint8Array | Promise<unknown>)[];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that is made while it is read, until the client goes away. */
export interface Live {
  readonly chunks: AsyncIterable<string | Uint8Array>;
}

export type Step = Answer | Fault | Raw | Live;

/** One `data:` event with a JSON value. */
export function sseEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** One streamed chunk of an answer, as an event. */
export function sseChunk(model: string, delta: object, finishReason: string | null = null): string {
  return sseEvent({
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
}

const defaultUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } as const;

/** The answer as server-sent events; the number of content deltas that come before `gateAfterFirst` is one. */
export function streamedEvents(model: string, answer: Answer, nextCallId: () => string, withUsage: boolean): string[] {
  const events = [sseChunk(model, { role: 'assistant', content: '' })];
  const size = answer.pieceChars ?? 12;
  for (const piece of pieces(answer.reasoning ?? '', size)) {
    events.push(sseChunk(model, reasoningDelta(piece, answer.reasoningField)));
  }
  for (const piece of pieces(answer.text ?? '', size)) events.push(sseChunk(model, { content: piece }));
  for (const [position, call] of (answer.toolCalls ?? []).entries()) {
    const index = call.index ?? position;
    const { rest, arguments: argumentsText } = wireCall(call, nextCallId);
    events.push(
      sseChunk(model, {
        tool_calls: [{ index, ...rest, function: { name: call.name, arguments: '' } }],
      }),
    );
    for (const piece of pieces(argumentsText, size)) {
      events.push(sseChunk(model, { tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  if (answer.finishReason !== null) events.push(sseChunk(model, {}, finishReasonOf(answer)));
  if (answer.usage !== false && withUsage) {
    events.push(
      sseEvent({
        id: 'chatcmpl-fake',
        object: 'chat.completion.chunk',
        model,
        choices: [],
        usage: answer.usage ?? defaultUsage,
      }),
    );
  }
  if (answer.done !== false) events.push('data: [DONE]\n\n');
  return events;
}

/** The answer as one JSON object. */
export function wholeAnswer(model: string, answer: Answer, nextCallId: () => string): object {
  const calls = (answer.toolCalls ?? []).map((call) => {
    const { rest, arguments: argumentsText } = wireCall(call, nextCallId);
    return { ...rest, function: { name: call.name, arguments: argumentsText } };
  });
  const message = {
    role: 'assistant',
    content: answer.text ?? null,
    ...(answer.reasoning === undefined ? {} : reasoningDelta(answer.reasoning, answer.reasoningField)),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message, finish_reason: finishReasonOf(answer) }],
    ...(answer.usage === false ? {} : { usage: answer.usage ?? defaultUsage }),
  };
}

function finishReasonOf(answer: Answer): string | null {
  if (answer.finishReason !== undefined) return answer.finishReason;
  return (answer.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop';
}

function reasoningDelta(text: string, field: Answer['reasoningField'] = 'reasoning_content'): object {
  if (field !== 'reasoning_details') return { [field]: text };
  return { reasoning_details: [{ type: 'reasoning.text', text, index: 0, format: 'unknown' }] };
}

function wireCall(call: ScriptedToolCall, nextCallId: () => string) {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
  const extra = call.extra_content === undefined ? {} : { extra_content: call.extra_content };
  return { rest: { id: call.id ?? nextCallId(), type: 'function', ...extra }, arguments: text };
}

/** Cuts between characters, so that every piece is valid text. */
function pieces(text: string, size: number): string[] {
  const characters = Array.from(text);
  const cut: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    cut.push(characters.slice(start, start + size).join(''));
  }
  return cut;
}
