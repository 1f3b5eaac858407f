/** What hooks hear of the requests to models in one turn. */
import { weighMessage } from '../llm/estimate.ts';
import type { ModelError } from '../llm/model-error.ts';
import type { ModelEvent, ModelRequest, ModelRoute } from '../llm/protocol.ts';
import type { Clock } from './clock.ts';
import type { ConversationLog } from './conversation-log.ts';
import { boundedPayload, plainMessages, requestBody, usageFields } from './hook-payload.ts';
import type { HookPayload, HookPoint } from './hooks.ts';

export interface RequestHooksOptions {
  readonly platform: string;
  readonly taskId: string;
  readonly maxPayloadChars: number;
  readonly turnId: string;
  readonly log: ConversationLog;
  readonly clock: Clock;
  call(point: HookPoint, payload: () => HookPayload): Promise<unknown>;
  /** What the turn answers. */
  userText(): string;
}

/** One attempt to get an answer. */
export interface Attempt {
  readonly route: ModelRoute;
  readonly request: ModelRequest;
  readonly startedAt: number;
}

export class RequestHooks {
  readonly #options: RequestHooksOptions;
  #count = 0;

  constructor(options: RequestHooksOptions) {
    this.#options = options;
  }

  /** Of the newest request; empty before the first one. */
  get id(): string {
    return this.#count === 0 ? '' : `${this.#options.turnId}:api:${this.#count}`;
  }

  async asking(route: ModelRoute, request: ModelRequest): Promise<Attempt> {
    const startedAt = this.#options.clock.now();
    this.#count += 1;
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
      middleware_trace: [],
      request: this.#bounded({ method: 'POST', body: requestBody(request) }),
    }));
    return { route, request, startedAt };
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

  #requestFields({ model, provider, baseUrl, apiMode }: ModelRoute): HookPayload {
    return {
      task_id: this.#options.taskId,
      turn_id: this.#options.turnId,
      api_request_id: this.id,
      session_id: this.#options.log.sessionId,
      platform: this.#options.platform,
      model,
      provider,
      base_url: baseUrl,
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
