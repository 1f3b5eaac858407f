/** Runs one turn of a chat's conversation, and shows it while it runs. */
import { randomUUID } from 'node:crypto';
import type { AgentEvent, TurnResult } from '../../agent/events.ts';
import { UserError } from '../../lib/errors.ts';
import type { ChatMessage, ShownPreview } from '../../sessions/chat-inbox.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { SubAgentEvent } from '../../runtime/delegation/sub-agents.ts';
import type { WorkerEvent } from '../../worker/worker.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ChatDeps } from './chat-deps.ts';
import { nothingShown } from './replies.ts';
import { TurnWatch } from './turn-watch.ts';

export interface TurnToRun {
  readonly worker: SessionWorker;
  readonly event: MessageEvent;
  /** The messages that it answers. */
  readonly rows: readonly ChatMessage[];
  /** Hands the message over. */
  readonly start: () => Promise<unknown>;
  /** Whether a turn that was interrupted is left as it stands, without an answer. */
  readonly isLeft: () => boolean;
}

export interface EndedTurn {
  readonly result: TurnResult;
  /** Where the answer was shown while it was written. */
  readonly preview: ShownPreview;
}

/** The details of what is said on the way to the answer. */
const quiet = JSON.stringify({ notify: false });
const elsewhere = 'This conversation is open in another program; I answer as soon as it is done there.';

/** Throws `UserError` when the message gets no turn. */
export async function runTurn({ worker, event, rows, start, isLeft }: TurnToRun, deps: ChatDeps): Promise<EndedTurn> {
  const { place, inbox, hooks, settings, clock, delivery } = deps;
  const first = rows[0];
  const chat = { platform: event.source.platform, chatId: event.source.chat_id };
  const view = place.view(event, {
    before: first?.preview ?? nothingShown,
    onPreview: async (shown) => {
      if (first !== undefined) await inbox.setPreview(first.id, shown);
    },
    isBehind: () => delivery.isBehind(chat),
    sayBehind: async (content) => {
      const { thread_id: threadId } = event.source;
      const sessionKey = first?.sessionKey ?? '';
      await delivery.add({ id: randomUUID(), sessionKey, ...chat, threadId, content, details: quiet });
    },
  });
  const watch = new TurnWatch({
    settings,
    clock,
    say: (text) => place.say(event, text),
    onSilent: () => worker.interrupt(),
  });
  const ended = Promise.withResolvers<TurnResult>();
  const stop = worker.listen((told) => {
    if (told.type === 'turn_finished') ended.resolve(told.result);
    else if (told.type === 'message_failed') ended.reject(new UserError(told.error));
    else if (told.type === 'held_elsewhere') {
      void place.say(event, elsewhere);
      void worker.choose('wait');
    }
    if (!isOfAgent(told)) return;
    watch.heard(told);
    view.show(told);
    hooks.event(event, told, { sessionKey: first?.sessionKey ?? '', sessionId: worker.session.id });
  });
  const tools = new SubAgentTools((names) => view.showSubAgents(names));
  const stopAgents = worker.session.background.agents.listen((told) => tools.hear(told));
  let failed = true;
  place.mark(event, 'working');
  try {
    await start();
    const result = await ended.promise;
    failed = result.ended !== 'completed';
    const stopped = result.ended === 'interrupted';
    place.mark(event, stopped ? undefined : failed ? 'failed' : 'done');
    return { result, preview: await view.finish({ failed, stays: stopped && isLeft() }) };
  } finally {
    stop();
    stopAgents();
    watch.stop();
    if (failed) await view.finish({ failed });
  }
}

/** So many calls of sub-agents are one line in a chat. */
const toolsTogether = 5;

class SubAgentTools {
  readonly #show: (names: readonly string[]) => void;
  #names: string[] = [];

  constructor(show: (names: readonly string[]) => void) {
    this.#show = show;
  }

  hear(event: SubAgentEvent): void {
    if (event.type !== 'subagent_tool') return;
    this.#names.push(event.name);
    if (this.#names.length === toolsTogether) this.#show(this.#names.splice(0));
  }
}

const ofWorker: ReadonlySet<WorkerEvent['type']> = new Set([
  'message_taken',
  'message_failed',
  'queue_changed',
  'idle',
  'held_elsewhere',
  'held_here',
] as const);

export function isOfAgent(event: WorkerEvent): event is AgentEvent {
  return !ofWorker.has(event.type);
}
