/** What one conversation delegates: its sub-agents, and the results that are on their way to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../lib/errors.ts';
import type { Source } from '../../llm/source.ts';
import type {
  Delegated,
  DelegatedTask,
  DelegatingCall,
  Delegation,
  DelegationTerms,
} from '../../tools/delegation/delegation.ts';
import type { OpenSession } from '../open-session-view.ts';
import type { SessionParts } from '../session-parts.ts';
import type { SessionSpec } from '../session-spec.ts';
import type { OpenedServices } from '../tool-services.ts';
import type { DelegatedCall } from './delegated-call.ts';
import type { DelegationHost } from './delegation-host.ts';
import { delegationTerms } from './delegation-terms.ts';
import type { SubAgent, SubAgentEvent, SubAgents, DueResults } from './sub-agents.ts';

export interface SessionDelegationOptions {
  readonly program: DelegationHost['program'];
  readonly parts: SessionParts;
  readonly spec: SessionSpec;
  readonly entered: () => readonly Source[];
}

/** At its end a conversation waits so long for what it has stopped, in milliseconds. */
const closingMs = 3000;

export class SessionDelegation implements Delegation, SubAgents {
  readonly #options: SessionDelegationOptions;
  readonly #calls = new Set<DelegatedCall>();
  readonly #listeners = new Set<(event: SubAgentEvent) => void>();
  #paused = false;
  /** What has ended and is being written down. */
  readonly #finishing = new Set<Promise<void>>();
  #made: { readonly session: OpenSession; readonly services: OpenedServices } | undefined;

  constructor(options: SessionDelegationOptions) {
    this.#options = options;
  }

  /** The conversation is there. */
  ready(session: OpenSession, services: OpenedServices): void {
    this.#made = { session, services };
  }

  get terms(): DelegationTerms {
    return delegationTerms(this.#settings, { depth: this.#depth, inBackground: this.#isReachable });
  }

  get paused(): boolean {
    return this.#paused;
  }

  set paused(paused: boolean) {
    this.#paused = paused;
    for (const { children } of this.#calls) {
      for (const { session } of children) if (session !== undefined) session.background.agents.paused = paused;
    }
  }

  async delegate(tasks: readonly DelegatedTask[], call: DelegatingCall): Promise<Delegated> {
    const { max_concurrent_children: most, max_spawn_depth: deepest } = this.#settings;
    if (this.paused) throw new UserError('New sub-agents are paused by the user; do the work yourself or wait.');
    if (this.#depth >= deepest) {
      throw new UserError(
        `Delegation depth limit reached (${deepest}). Do the work yourself; delegation.max_spawn_depth allows more.`,
      );
    }
    if (tasks.length > most) {
      throw new UserError(
        `Too many tasks: ${tasks.length} of at most ${most} (delegation.max_concurrent_children). Give fewer tasks at a time.`,
      );
    }
    if (this.#depth > 0) return await this.#inline(tasks, call);
    if (!this.#isReachable) return await this.#inline(tasks, call, notLater);
    const giveBack = this.#options.program.delegations.take(most);
    if (giveBack === undefined) return await this.#inline(tasks, call, noRoom);
    return await this.#inBackground(tasks, giveBack);
  }

  list(): readonly SubAgent[] {
    return [...this.#calls].flatMap(({ children }) => children.flatMap((child) => child.all));
  }

  end(id: string): boolean {
    for (const call of this.#calls) {
      if (call.id === id) {
        call.end();
        return true;
      }
      for (const child of call.children) {
        if (child.id === id && child.all.length > 0) {
          child.end();
          return true;
        }
        if (child.session?.background.agents.end(id) === true) return true;
      }
    }
    return false;
  }

  endAll(): number {
    const { length } = this.list();
    for (const call of this.#calls) call.end();
    return length;
  }

  steer(id: string, text: string): boolean {
    for (const { children } of this.#calls) {
      for (const child of children) {
        if (child.id === id) return child.steer(text);
        if (child.session?.background.agents.steer(id, text) === true) return true;
      }
    }
    return false;
  }

  listen(listener: (event: SubAgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async due(): Promise<readonly DueResults[]> {
    const { store } = this.#options.program;
    if (store === undefined || !this.#isReachable) return [];
    const { claimDue } = await import('./due-results.ts');
    const { bringAgain, showFiles } = await import('./kept-files.ts');
    const { session, services, parts } = this.#host;
    const show = showFiles(services);
    return await claimDue(store, session(), (paths) => bringAgain(paths, parts.home.path, show));
  }

  /** Ends them all; what is written down of them is. */
  async close(): Promise<void> {
    const calls = [...this.#calls];
    for (const call of calls) call.end();
    const all = [...calls.map((call) => call.gone()), ...this.#finishing];
    await Promise.race([Promise.all(all), sleep(closingMs, undefined, { ref: false })]);
  }

  get #settings() {
    return this.#options.parts.config.config.delegation;
  }

  get #depth(): number {
    return this.#options.spec.mode?.subAgent?.depth ?? 0;
  }

  get #host(): DelegationHost {
    const { program, parts, spec, entered } = this.#options;
    const made = this.#made;
    if (made === undefined) throw new Error('the session is not open yet');
    const { session, services } = made;
    return { program, parts, spec, services, depth: this.#depth, session: () => session, entered, tell: this.#tell };
  }

  readonly #tell = (event: SubAgentEvent): void => {
    for (const listener of this.#listeners) listener(event);
  };

  get #isReachable(): boolean {
    const { program, spec } = this.#options;
    return this.#depth === 0 && spec.mode?.later !== undefined && program.store !== undefined;
  }

  /** What was begun is written down before it begins, and its end before anybody is told of it. */
  async #inBackground(tasks: readonly DelegatedTask[], giveBack: () => void): Promise<Delegated> {
    const { startBackground } = await import('./background-call.ts');
    try {
      const begun = await startBackground(this.#host, tasks);
      this.#calls.add(begun.call);
      const finishing = begun.finish().finally(() => {
        giveBack();
        this.#finishing.delete(finishing);
        this.#calls.delete(begun.call);
        this.#tell({ type: 'results_due' });
      });
      this.#finishing.add(finishing);
      return { answer: begun.answer, sources: [{ from: 'agent' }] };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** The call waits for them, and what interrupts it ends them. */
  async #inline(tasks: readonly DelegatedTask[], call: DelegatingCall, note?: string): Promise<Delegated> {
    const { startCall, newDelegationId } = await import('./start-call.ts');
    const { signal, human, maxResultChars: resultChars } = call;
    const started = await startCall(this.#host, tasks, {
      id: newDelegationId(),
      human,
      inBackground: false,
      resultChars,
    });
    this.#calls.add(started);
    const stop = (): void => started.end();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const heartbeat = keepAlive(started, call);
    try {
      const { results, ...times } = await started.run();
      const { showFiles, withShownFiles } = await import('./kept-files.ts');
      const shown = { results: withShownFiles(results, showFiles(this.#host.services)), ...times };
      const answer = note === undefined ? shown : { ...shown, note };
      return { answer, sources: started.sources };
    } finally {
      clearInterval(heartbeat);
      signal.removeEventListener('abort', stop);
      void started.gone().then(() => this.#calls.delete(started));
    }
  }
}

const notLater = 'Results cannot come later in this conversation, so the call has waited for them; they are above.';
const noRoom =
  'As many calls as may (delegation.max_concurrent_children) work in the background already, so this one has waited for its results; they are above.';

const heartbeatMs = 30_000;
/** So long a sub-agent may think, or one of its tools run, before it counts as hanging. */
const thinkingMs = 450_000;
const inToolMs = 1_200_000;

/** Whoever watches the turn hears that it lives, as long as a sub-agent gets on. */
function keepAlive({ children }: DelegatedCall, { progress }: DelegatingCall): NodeJS.Timeout {
  return setInterval(() => {
    const now = Date.now();
    const moving = children.filter((child) => {
      if (child.all.length === 0) return false;
      const { movedAt, inToolSince } = child.pulse;
      return inToolSince === undefined ? now - movedAt < thinkingMs : now - inToolSince < inToolMs;
    });
    if (moving.length > 0) progress(`${moving.length} of ${children.length} sub-agents at work\n`);
  }, heartbeatMs).unref();
}
