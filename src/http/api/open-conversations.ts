/** Conversations that stay open for a while after a turn, so that the next one need not read them again. */
import pLimit from 'p-limit';
import { headless } from '../../agent/human.ts';
import type { Log } from '../../lib/log.ts';
import type { HistoryMessage } from '../../llm/message.ts';
import type { Program } from '../../runtime/program.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import { MemoryWorkQueue } from '../../worker/memory-work-queue.ts';
import { openWorker } from '../../worker/open-worker.ts';
import type { Worker } from '../../worker/worker.ts';
import { ModelRoutes, type NamedModel } from './model-routes.ts';
import { apiSystemMessage } from './session-rows.ts';
import { surface, toolsetsOf } from './surface.ts';
import { TurnHuman } from './turn-human.ts';

export interface Conversation {
  readonly worker: Worker;
  readonly human: TurnHuman;
  /** What the prompt has besides by configuration; a turn's own system text follows it. */
  readonly extra: string;
  /** What it was opened for. */
  readonly wanted: Pick<Wanted, 'alias' | 'person'>;
  /** What the store had of it when it was opened is not in its history. */
  apart: boolean;
}

export interface Wanted {
  readonly id: string;
  /** Undefined when it is not stored yet. */
  readonly row: SessionRow | undefined;
  readonly alias: NamedModel | undefined;
  readonly person: string | undefined;
  /** What the conversation begins with in the place of what is stored. */
  readonly history: readonly HistoryMessage[] | undefined;
}

/** Idle ones that are kept at most, and how long, in milliseconds. */
const maxIdle = 200;
const idleMs = 60_000;
const maxOpening = 8;

/**
 * An open conversation holds its lease; others can take it over, and it is then opened anew. Whoever uses one must hold its
 * place in the order of turns.
 */
export class OpenConversations {
  readonly #program: Program;
  readonly #log: Log;
  readonly #routes: ModelRoutes;
  /** The one that was used last is the last. */
  readonly #idle = new Map<string, { readonly conversation: Conversation; readonly since: number }>();
  readonly #opening = pLimit(maxOpening);
  readonly #closing = new Set<Promise<void>>();
  readonly #sweep: NodeJS.Timeout;

  constructor(program: Program) {
    this.#program = program;
    this.#log = program.log.named('http');
    this.#routes = new ModelRoutes(program);
    this.#sweep = setInterval(() => this.#closeOld(), idleMs / 4).unref();
  }

  has(id: string): boolean {
    return this.#idle.has(id);
  }

  /** The one that is open, or a new one. Throws what `openWorker` throws. */
  async take(wanted: Wanted): Promise<Conversation> {
    const idle = this.#idle.get(wanted.id)?.conversation;
    if (idle === undefined) return await this.#open(wanted);
    this.#idle.delete(wanted.id);
    if (fits(idle, wanted)) return idle;
    await this.close(idle);
    return await this.#open({ ...wanted, row: await this.#program.store?.sessions.get(wanted.id) });
  }

  /** Is kept for the next turn, under the id that it has now. */
  giveBack(conversation: Conversation): void {
    conversation.human.asks = headless;
    this.#idle.set(conversation.worker.session.id, { conversation, since: performance.now() });
    if (this.#idle.size > maxIdle) this.#closeOne(this.#idle.keys().next().value ?? '');
  }

  async close({ worker }: Conversation): Promise<void> {
    await worker.close();
    await worker.session.close(undefined);
  }

  /** Puts one down that is idle; what its processes still do ends. */
  async putDown(id: string): Promise<void> {
    const idle = this.#idle.get(id);
    this.#idle.delete(id);
    if (idle !== undefined) await this.close(idle.conversation);
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#sweep);
    for (const id of this.#idle.keys()) this.#closeOne(id);
    await Promise.all(this.#closing);
  }

  /** A few at a time: a crowd that opens all at once is slower for each, and needs more memory. */
  async #open(wanted: Wanted): Promise<Conversation> {
    return await this.#opening(() => this.#openNow(wanted));
  }

  async #openNow({ id, row, alias, person, history }: Wanted): Promise<Conversation> {
    const human = new TurnHuman();
    const systemMessage = row === undefined ? '' : apiSystemMessage(row);
    const spec: SessionSpec = {
      surface,
      human,
      toolsets: toolsetsOf(this.#program),
      ...(row === undefined ? {} : { resume: row }),
      stored: { ...(row === undefined ? { id } : {}), ...(history === undefined ? {} : { history }) },
      ...(person === undefined ? {} : { userId: person }),
      route: await this.#routes.get(alias),
      ...(systemMessage === '' ? {} : { prompt: { systemMessage } }),
      notify: ({ line }) => this.#log.warning(line),
    };
    const worker = await openWorker(this.#program, spec, { queue: new MemoryWorkQueue() });
    for (const line of worker.session.warnings) this.#log.warning(line);
    return {
      worker,
      human,
      extra: worker.session.prompt.extra,
      wanted: { alias, person },
      apart: history !== undefined,
    };
  }

  #closeOld(): void {
    for (const [id, { conversation, since }] of this.#idle) {
      const isWorking = conversation.worker.session.background.count > 0;
      if (performance.now() - since > idleMs && !isWorking) this.#closeOne(id);
    }
  }

  #closeOne(id: string): void {
    const closing = this.putDown(id)
      .catch((error: unknown) => this.#log.warning('a conversation was not closed in good order', error))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** The history of one that began apart from the store is no continuation of it. */
function fits(conversation: Conversation, { alias, person, history }: Wanted): boolean {
  const { wanted, apart } = conversation;
  return (
    JSON.stringify(wanted.alias) === JSON.stringify(alias) &&
    wanted.person === person &&
    (!apart || history !== undefined)
  );
}
