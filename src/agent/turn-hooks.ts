/** What hooks hear of one turn, and say to it. */
import { type HistoryMessage, isSaid, textOf, type UserMessage } from '../llm/message.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import { CallHooks } from './call-hooks.ts';
import type { Clock } from './clock.ts';
import type { ConversationLog } from './conversation-log.ts';
import type { TurnEnd } from './events.ts';
import { contextTexts, continuation, firstText } from './hook-answers.ts';
import { plainMessages } from './hook-payload.ts';
import { type HookPayload, type HookPoint, type Hooks, hookSource, noHooks, type RequestMiddleware } from './hooks.ts';
import { RequestHooks } from './request-hooks.ts';
import type { FinishedCall } from './run-tool-calls.ts';

/** The hooks of a conversation, with what they are told of it. */
export interface ConversationHooks {
  readonly hooks: Hooks;
  /** `cli`, or the chat platform. */
  readonly platform: string;
  /** Whose conversation it is; empty for nobody in particular. */
  readonly senderId: string;
  readonly taskId: string;
  /** Whether code is worked on here. */
  coding(): Promise<boolean>;
  /** `agent.max_verify_nudges`: how often `pre_verify` may keep a turn going. */
  readonly maxNudges: number;
  /** `HERMES_PLUGIN_PAYLOAD_MAX_CHARS` */
  readonly maxPayloadChars: number;
  /** Makes of a text that is too long for the model what it is to read instead. Must not reject. */
  spill(text: string): Promise<string>;
  /** Told where text comes from that the model gets and that no message carries. Must not throw. */
  entered(sources: readonly Source[]): void;
  /** One line for the log: what a hook gave cannot be used. Must not throw. */
  warn(line: string): void;
}

export const unhooked: ConversationHooks = {
  hooks: noHooks,
  platform: '',
  senderId: '',
  taskId: '',
  coding: () => Promise.resolve(false),
  maxNudges: 0,
  maxPayloadChars: 0,
  spill: (text) => Promise.resolve(text),
  entered: () => undefined,
  warn: () => undefined,
};

export interface HookedTurn {
  readonly id: string;
  readonly log: ConversationLog;
  readonly route: () => ModelRoute;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export class TurnHooks {
  readonly #options: ConversationHooks;
  readonly #turn: HookedTurn;
  readonly requests: RequestHooks;
  #isFirst = false;
  #message: UserMessage | undefined;
  #begun: Promise<void> | undefined;
  #context = '';
  #sources: readonly Source[] = [];
  #changed = new Set<string>();
  #nudges = 0;

  constructor(options: ConversationHooks, turn: HookedTurn) {
    this.#options = options;
    this.#turn = turn;
    this.requests = new RequestHooks({
      ...options,
      turnId: turn.id,
      log: turn.log,
      clock: turn.clock,
      call: (point, payload) => this.#call(point, payload),
      heardFrom: (by) => this.#enter([hookSource(by)]),
      userText: () => this.#userText(),
    });
  }

  /** The message that the turn answers is stored. */
  answering(message: HistoryMessage | undefined): void {
    this.#message = message?.role === 'user' ? message : undefined;
    this.#isFirst = this.#turn.log.messages.length === 1;
  }

  /** Before the first request; later calls do nothing. `systemPrompt` is built by then. */
  async begin(): Promise<void> {
    this.#begun ??= this.#begin();
    await this.#begun;
  }

  /** Where the text comes from that hooks gave the model in this turn: its words carry it on. */
  get sources(): readonly Source[] {
    return this.#sources;
  }

  /** The history as it is sent: what hooks have to say stands behind the user's words, for the model alone. */
  withContext(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
    if (this.#context === '') return history;
    const own = this.#message === undefined ? -1 : history.lastIndexOf(this.#message);
    const at = own >= 0 ? own : history.findLastIndex(isSaid);
    return history.map((message, index) => (index === at && message.role === 'user' ? this.#added(message) : message));
  }

  note({ details: { changedFiles = [] } }: FinishedCall): void {
    for (const path of changedFiles) this.#changed.add(path);
  }

  /** What the model is told instead of ending the turn with this answer; undefined: it may end. */
  async demand(answer: string): Promise<string | undefined> {
    const { hooks, maxNudges } = this.#options;
    if (this.#changed.size === 0 || this.#nudges >= maxNudges || !hooks.has('pre_verify')) return undefined;
    const coding = await this.#options.coding();
    const said = continuation(
      await this.#call('pre_verify', () => ({
        ...this.#place(),
        coding,
        attempt: this.#nudges,
        final_response: answer,
        changed_paths: [...this.#changed].toSorted(),
      })),
    );
    if (said === undefined) return undefined;
    this.#nudges += 1;
    this.#enter([hookSource(said.by)]);
    return said.text;
  }

  /** The answer as it is delivered. */
  async delivered(answer: string): Promise<string> {
    if (answer === '' || this.#turn.signal.aborted) return answer;
    const said = await this.#call('transform_llm_output', () => ({ response_text: answer, ...this.#place() }));
    return firstText(said, false)?.text ?? answer;
  }

  async ended(end: TurnEnd): Promise<void> {
    const interrupted = end.ended === 'interrupted';
    const identity = { session_id: this.#turn.log.sessionId, task_id: this.#options.taskId, turn_id: this.#turn.id };
    const { platform } = this.#options;
    const { model } = this.#turn.route();
    if (!interrupted && end.finalResponse !== null && end.finalResponse !== '') {
      const assistant_response = end.finalResponse;
      await this.#call('post_llm_call', () => ({
        ...identity,
        user_message: this.#userText(),
        assistant_response,
        conversation_history: plainMessages(this.#turn.log.messages),
        model,
        platform,
      }));
    }
    const completed = end.ended === 'completed';
    await this.#call('on_session_end', () => ({ ...identity, completed, interrupted, model, platform }));
  }

  /** For the calls of one answer; undefined when there are no hooks at all. */
  calls(): CallHooks | undefined {
    const { hooks, platform, taskId } = this.#options;
    if (hooks === noHooks) return undefined;
    const identity = {
      task_id: taskId,
      session_id: this.#turn.log.sessionId,
      turn_id: this.#turn.id,
      api_request_id: this.requests.id,
    };
    return new CallHooks({ hooks, platform, identity, signal: this.#turn.signal });
  }

  async #begin(): Promise<void> {
    const { hooks, platform, senderId, taskId } = this.#options;
    if (this.#isFirst) await this.#call('on_session_start', () => this.#place());
    if (!hooks.has('pre_llm_call')) return;
    const { model } = this.#turn.route();
    const said = contextTexts(
      await this.#call('pre_llm_call', () => ({
        session_id: this.#turn.log.sessionId,
        task_id: taskId,
        turn_id: this.#turn.id,
        user_message: this.#userText(),
        conversation_history: plainMessages(this.#turn.log.messages),
        is_first_turn: this.#isFirst,
        model,
        platform,
        sender_id: senderId,
      })),
    );
    this.#context = (await Promise.all(said.map(({ text }) => this.#options.spill(text)))).join('\n\n');
    this.#enter(said.map(({ by }) => hookSource(by)));
  }

  #enter(sources: readonly Source[]): void {
    if (sources.length === 0) return;
    this.#sources = mergeSources(this.#sources, sources);
    this.#options.entered(sources);
  }

  #added(message: UserMessage): UserMessage {
    const text = `\n\n${this.#context}`;
    if (message.sent !== undefined) return { ...message, sent: message.sent + text };
    if (typeof message.content === 'string') return { ...message, content: message.content + text };
    return { ...message, content: [...message.content, { type: 'text', text: this.#context }] };
  }

  async #call(point: HookPoint | RequestMiddleware, payload: () => HookPayload) {
    return await this.#options.hooks.call(point, payload, this.#turn.signal);
  }

  #place(): HookPayload {
    const { platform } = this.#options;
    return { session_id: this.#turn.log.sessionId, model: this.#turn.route().model, platform };
  }

  #userText(): string {
    return this.#message === undefined ? '' : textOf(this.#message.content);
  }
}
