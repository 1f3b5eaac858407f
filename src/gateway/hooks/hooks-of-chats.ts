/** What event hooks are told of chats, in the names and shapes that handlers of the original know. */
import type { AgentEvent, TurnResult } from '../../agent/events.ts';
import type { JsonObject } from '../../lib/json.ts';
import { answerText } from '../chats/replies.ts';
import type { CommandDecision, HookedCommand, HookedTurn } from '../chats/chat-deps.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { EventHooks } from './event-hooks.ts';
import type { GatewayHooks } from './gateway-hooks.ts';

const maxText = 500;
const maxResult = 8000;
const gatewayLane = 'gateway';
/** How long a command waits for its hooks: `/stop` and its like have to be done within two seconds whatever happens. */
const commandMs = 10_000;
const atOnceMs = 1000;

interface FinishedTool {
  readonly name: string;
  readonly result: string;
}

export class HooksOfChats implements GatewayHooks {
  readonly #hooks: EventHooks;
  /** What the tools of the last step gave, by session; only while a turn runs. */
  readonly #tools = new Map<string, FinishedTool[]>();

  constructor(hooks: EventHooks) {
    this.#hooks = hooks;
  }

  gatewayStarted(platforms: readonly string[]): void {
    this.#hooks.tell('gateway:startup', { platforms: [...platforms] }, gatewayLane);
  }

  turnStarted(
    event: MessageEvent,
    { sessionKey, sessionId, isFirst }: HookedTurn & { readonly isFirst: boolean },
  ): void {
    const started = { ...sender(event), session_id: sessionId, session_key: sessionKey };
    if (isFirst) this.#hooks.tell('session:start', started, sessionKey);
    this.#hooks.tell('agent:start', turnContext(event, sessionId), sessionKey);
  }

  event(event: MessageEvent, told: AgentEvent, { sessionKey, sessionId }: HookedTurn): void {
    if (!this.#hooks.wants('agent:step')) return;
    if (told.type === 'tool_finished') {
      const done = { name: told.name, result: told.result.slice(0, maxResult) };
      this.#tools.set(sessionKey, [...(this.#tools.get(sessionKey) ?? []), done]);
    } else if (told.type === 'step_started') {
      const tools = this.#tools.get(sessionKey) ?? [];
      this.#tools.delete(sessionKey);
      const step = {
        ...sender(event),
        session_id: sessionId,
        iteration: told.step,
        tool_names: tools.map(({ name }) => name),
        tools: tools.map((tool) => ({ ...tool })),
      };
      this.#hooks.tell('agent:step', step, sessionKey);
    } else if (told.type === 'turn_finished') this.#tools.delete(sessionKey);
  }

  turnEnded(event: MessageEvent, result: TurnResult, { sessionKey, sessionId }: HookedTurn): void {
    const response = answerText(result).slice(0, maxText);
    this.#hooks.tell('agent:end', { ...turnContext(event, sessionId), response }, sessionKey);
  }

  sessionReset(event: MessageEvent, sessionKey: string): void {
    const context = { ...sender(event), session_key: sessionKey };
    this.#hooks.tell('session:end', context, sessionKey);
    this.#hooks.tell('session:reset', context, sessionKey);
  }

  async commandTyped(event: MessageEvent, { name, typed, args, atOnce }: HookedCommand): Promise<CommandDecision> {
    const context = { ...sender(event), command: name, raw_command: typed, args, raw_args: args };
    return await this.#hooks.decide(`command:${name}`, context, atOnce ? atOnceMs : commandMs);
  }

  async close(): Promise<void> {
    await this.#hooks.close();
  }
}

function sender({ source }: MessageEvent): JsonObject {
  return { platform: source.platform, user_id: source.user_id };
}

function turnContext({ source, text }: MessageEvent, sessionId: string): JsonObject {
  return {
    platform: source.platform,
    user_id: source.user_id,
    chat_id: source.chat_id,
    thread_id: source.thread_id,
    chat_type: source.chat_type,
    session_id: sessionId,
    message: text.slice(0, maxText),
  };
}
