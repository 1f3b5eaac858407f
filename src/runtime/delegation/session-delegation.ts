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
import type { ToolServices } from '../../tools/services.ts';
import type { OpenSession } from '../open-session-view.ts';
import type { SessionParts } from '../session-parts.ts';
import type { SessionSpec } from '../session-spec.ts';
import type { DelegatedCall } from './delegated-call.ts';
import type { DelegationHost } from './delegation-host.ts';
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
  #made: { readonly session: OpenSession; readonly services: ToolServices } | undefined;

  constructor(options: SessionDelegationOptions) {
    this.#options = options;
  }

  /** The conversation is there. */
  ready(session: OpenSession, services: ToolServices): void {
    this.#made = { session, services };
  }

  get terms(): DelegationTerms {
    const { max_concurrent_children, max_spawn_depth, orchestrator_enabled } = this.#settings;
    return {
      mostTasks: max_concurrent_children,
      inBackground: false,
      mayNest: orchestrator_enabled && this.#depth + 1 < max_spawn_depth,
    };
  }

  get paused(): boolean {
    return this.#options.program.delegations.paused;
  }

  set paused(paused: boolean) {
    this.#options.program.delegations.paused = paused;
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
    return await this.#inline(tasks, call);
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

  due(): Promise<readonly DueResults[]> {
    return Promise.resolve([]);
  }

  /** Ends them all; what is written down of them is. */
  async close(): Promise<void> {
    const calls = [...this.#calls];
    for (const call of calls) call.end();
    await Promise.race([Promise.all(calls.map((call) => call.gone())), sleep(closingMs, undefined, { ref: false })]);
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

  /** The call waits for them, and what interrupts it ends them. */
  async #inline(tasks: readonly DelegatedTask[], call: DelegatingCall): Promise<Delegated> {
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
    try {
      const answer = await started.run();
      return { answer, sources: started.sources };
    } finally {
      signal.removeEventListener('abort', stop);
      void started.gone().then(() => this.#calls.delete(started));
    }
  }
}
