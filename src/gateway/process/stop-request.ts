/** Why the gateway is to end, and what its exit code says to whoever started it. */
import type { PlannedEnd } from './markers.ts';

export type StopRequest =
  /** Somebody wants it to end, or another gateway takes its place. */
  | { readonly kind: PlannedEnd; readonly reason: string }
  /** A signal that nobody announced: a supervisor shall start it again. */
  | { readonly kind: 'signal'; readonly reason: string }
  | { readonly kind: 'restart'; readonly reason: string }
  /** No platform is left that could be connected. */
  | { readonly kind: 'over'; readonly reason: string }
  /** None could be from the start: starting it again would change nothing. */
  | { readonly kind: 'misconfigured'; readonly reason: string };

const exitCodes = { takeover: 0, stop: 0, over: 0, signal: 1, restart: 75, misconfigured: 78 } as const;

export function exitCodeOf({ kind }: StopRequest): number {
  return exitCodes[kind];
}

/** The first request counts; a second signal means that nobody wants to wait. */
export class StopRequests {
  readonly #first = Promise.withResolvers<StopRequest>();
  readonly #impatient = new AbortController();
  #asked = false;

  get wanted(): Promise<StopRequest> {
    return this.#first.promise;
  }

  get isWanted(): boolean {
    return this.#asked;
  }

  /** Aborts when nobody wants to wait for what runs. */
  get impatient(): AbortSignal {
    return this.#impatient.signal;
  }

  ask(request: StopRequest): void {
    if (this.#asked && request.kind === 'signal') this.#impatient.abort();
    this.#asked = true;
    this.#first.resolve(request);
  }

  /** Listens for signals until what it returns is called. `announced`: what was said of the end beforehand. */
  listen(announced: () => PlannedEnd | undefined): () => void {
    const onEnd = (signal: NodeJS.Signals): void => {
      const kind = announced();
      const reason = kind === 'takeover' ? 'another gateway takes over' : kind === 'stop' ? 'it was stopped' : signal;
      this.ask({ kind: kind ?? 'signal', reason });
    };
    const onRestart = (): void => this.ask({ kind: 'restart', reason: 'SIGUSR1' });
    process.on('SIGTERM', onEnd).on('SIGINT', onEnd).on('SIGUSR1', onRestart);
    return () => {
      process.off('SIGTERM', onEnd).off('SIGINT', onEnd).off('SIGUSR1', onRestart);
    };
  }
}
