/** What hooks hear of the requests to models in one turn. */
import { weighMessage } from '../llm/estimate.ts';
import type { ModelError } from '../llm/model-error.ts';
import type { ModelEvent, ModelRequest, ModelRoute } from '../llm/protocol.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Clock } from './clock.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { ChangedRequest } from './changed-request.ts';
import { givenRequests } from './hook-answers.ts';
import { boundedPayload, plainAddress, plainMessages, requestBody, usageFields } from './hook-payload.ts';
import type { HookAnswer, HookPayload, HookPoint, Hooks, RequestMiddleware } from './hooks.ts';
import type { Given, SurroundedRequest } from './surrounded-model.ts';

export interface RequestHooksOptions {
  readonly platform: string;
  readonly taskId: string;
  readonly maxPayloadChars: number;
  readonly turnId: string;
  readonly log: ConversationLog;
  readonly clock: Clock;
  readonly hooks: Pick<Hooks, 'has' | 'around'>;
  call(point: HookPoint | RequestMiddleware, payload: () => HookPayload): Promise<readonly HookAnswer[]>;
  /** Told that the model reads text of a hook. */
  heardFrom(by: string): void;
  /** One line for the log. */
  warn(line: string): void;
  /** What the turn answers. */
  userText(): string;
}

/** One attempt to get an answer. */
export interface Attempt {
  readonly route: ModelRoute;
  /** As it is sent. */
  readonly request: ModelRequest;
  /** As it was before middleware. */
  readonly planned: ModelRequest;
  /** Of the middleware that changed it. */
  readonly trace: readonly JsonObject[];
  readonly startedAt: number;
  /** The middleware that changed it. */
  readonly changedBy?: string;
}

interface Changed extends ChangedRequest {
  readonly by: string;
  readonly trace: JsonObject;
}

export class RequestHooks {
  readonly #options: RequestHooksOptions;
  #count = 0;
  /** A provider refused what middleware made of a request: for the rest of the turn they go as they are. */
  #takesChanges = true;

  constructor(options: RequestHooksOptions) {
    this.#options = options;
  }

  /** Of the newest request; empty before the first one. */
  get id(): string {
    return this.#count === 0 ? '' : `${this.#options.turnId}:api:${this.#count}`;
  }

  async asking(route: ModelRoute, planned: ModelRequest): Promise<Attempt> {
    this.#count += 1;
    const changed = await this.#changed(route, planned);
    const { request } = changed ?? { request: planned };
    const trace = changed === undefined ? [] : [changed.trace];
    const startedAt = this.#options.clock.now();
    const { messages, tools } = request;
    await this.#options.call('pre_api_request', () => ({
      ...this.#requestFields(route),
      user_message: this.#options.userText(),
      conversation_history: plainMessages(this.#options.log.messages),
      request_messages: plainMessages(messages),
      message_count: messages.length,
      tool_count: tools.length,
      approx_input_tokens: messages.reduce((sum, message) => sum + weighMessage(message), 0),
      request_char_count: JSON.stringify(plainMessages(messages)).length,
      max_tokens: request.maxTokens ?? null,
      started_at: startedAt / 1000,
      middleware_trace: trace,
      request: this.#bounded({ method: 'POST', body: requestBody(request) }),
    }));
    return { route, request, planned, trace, startedAt, ...(changed === undefined ? {} : { changedBy: changed.by }) };
  }

  /** What is said to an attempt where middleware stands around it, and asks for it; undefined: nobody does. */
  around(
    attempt: Attempt,
    signal: AbortSignal,
    book: SurroundedRequest['book'],
  ): AsyncIterable<ModelEvent | Given> | undefined {
    return this.#options.hooks.has('llm_execution') ? this.#surrounded(attempt, signal, book) : undefined;
  }

  async *#surrounded(
    { route, request, planned, trace }: Attempt,
    signal: AbortSignal,
    book: SurroundedRequest['book'],
  ): AsyncGenerator<ModelEvent | Given, void> {
    const { shownRequest } = await import('./changed-request.ts');
    const { surroundedModel } = await import('./surrounded-model.ts');
    const payload = (): HookPayload => ({
      request: shownRequest(request),
      original_request: shownRequest(planned),
      ...this.#requestFields(route),
      middleware_trace: trace,
    });
    const heardFrom = (by: string): void => this.#options.heardFrom(by);
    const { hooks } = this.#options;
    yield* surroundedModel({ hooks, route, request, signal, payload, book, heardFrom });
  }

  /** The provider will not take the request: true when it was changed, so that it is worth asking as it was. */
  refused({ changedBy }: Attempt): boolean {
    if (changedBy === undefined || !this.#takesChanges) return false;
    this.#takesChanges = false;
    this.#options.warn(`the provider refused a request that ${changedBy} changed; it is sent as it was`);
    return true;
  }

  async answered({ route, request, startedAt }: Attempt, done: Extract<ModelEvent, { type: 'done' }>): Promise<void> {
    const { message, stopReason } = done;
    await this.#options.call('post_api_request', () => {
      const [assistant] = plainMessages([message]);
      const model = done.answeredBy?.model ?? route.model;
      const usage = done.usage === undefined ? null : usageFields(done.usage);
      const finish_reason = message.finish_reason ?? stopReason;
      return {
        ...this.#requestFields(route),
        ...this.#times(startedAt),
        finish_reason,
        message_count: request.messages.length,
        response_model: model,
        response: this.#bounded({ model, finish_reason, assistant_message: assistant, usage }),
        usage,
        assistant_message: this.#bounded(assistant),
        assistant_content_chars: (message.content ?? '').length,
        assistant_tool_call_count: (message.tool_calls ?? []).length,
      };
    });
  }

  async failed(
    { route, request, startedAt }: Attempt,
    error: ModelError,
    retries: { readonly count: number; readonly max: number; readonly retryable: boolean },
  ): Promise<void> {
    await this.#options.call('api_request_error', () => ({
      ...this.#requestFields(route),
      ...this.#times(startedAt),
      status_code: error.status ?? null,
      retry_count: retries.count,
      max_retries: retries.max,
      retryable: retries.retryable,
      reason: error.kind,
      error: { type: error.kind, message: error.message },
      request: this.#bounded({ method: 'POST', body: requestBody(request) }),
    }));
  }

  /** The request as middleware wants it, when it can be sent; undefined: as it is. */
  async #changed(route: ModelRoute, request: ModelRequest): Promise<Changed | undefined> {
    if (!this.#takesChanges || !this.#options.hooks.has('llm_request')) return undefined;
    // Read only where somebody wants to change requests.
    const { changedRequest, shownRequest } = await import('./changed-request.ts');
    const answers = await this.#options.call('llm_request', () => {
      const shown = shownRequest(request);
      return { request: shown, original_request: shown, ...this.#requestFields(route) };
    });
    for (const { by, request: given, trace } of givenRequests(answers)) {
      const changed = changedRequest(given, request, route);
      if ('problem' in changed) {
        this.#options.warn(`a request that ${by} changed is not sent: ${changed.problem}`);
        continue;
      }
      if (changed.bringsText) this.#options.heardFrom(by);
      return { ...changed, by, trace };
    }
    return undefined;
  }

  #requestFields({ model, provider, baseUrl, apiMode }: ModelRoute): HookPayload {
    return {
      task_id: this.#options.taskId,
      turn_id: this.#options.turnId,
      api_request_id: this.id,
      session_id: this.#options.log.sessionId,
      platform: this.#options.platform,
      model,
      provider,
      base_url: plainAddress(baseUrl),
      api_mode: apiMode,
      api_call_count: this.#count,
    };
  }

  #times(startedAt: number): HookPayload {
    const endedAt = this.#options.clock.now();
    return { api_duration: (endedAt - startedAt) / 1000, started_at: startedAt / 1000, ended_at: endedAt / 1000 };
  }

  #bounded(value: unknown): unknown {
    return boundedPayload(value, this.#options.maxPayloadChars);
  }
}
