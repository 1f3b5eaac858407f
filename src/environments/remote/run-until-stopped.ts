/** A script on another host until its end, its deadline or an interrupt, after which nothing of it is left. */
import type { ScriptOutcome } from './call-script.ts';
import { timerMs } from '../../lib/timer-limit.ts';
import { HostLostError } from './host.ts';
import type { RemotePlace } from './remote-place.ts';

export interface StoppableScript {
  /** What marks its processes. */
  readonly run: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly stdin?: string;
  readonly script: (secret: string) => string;
  readonly onBytes: (bytes: Buffer, ended: boolean) => void;
}

export interface StoppedRun {
  /** Undefined when it was stopped and did not report any more. */
  readonly outcome: ScriptOutcome | undefined;
  readonly stopped: 'timeout' | 'interrupt' | undefined;
  /** It was stopped, and that nothing of it is left could not be made sure. */
  readonly survived: boolean;
}

const graceMs = 1000;
/** What the host's own deadline has beyond ours. */
const spareMs = 60_000;
/** How long the end of a stopped script is waited for. */
const stopLimitMs = 3000;

/** Rejects with `HostLostError` when the host went away: the script is not run again by itself. */
export async function runUntilStopped(place: RemotePlace, job: StoppableScript): Promise<StoppedRun> {
  const silence = new AbortController();
  const timeoutMs = timerMs(job.timeoutMs + spareMs) - spareMs;
  let leader: number | undefined;
  let stopped: StoppedRun['stopped'];
  const calling = place.call({
    script: job.script,
    ...(job.stdin === undefined ? {} : { stdin: Buffer.from(job.stdin) }),
    timeoutMs: timeoutMs + spareMs,
    signal: silence.signal,
    onBegun: ({ text }) => (leader = processId(text)),
    onBytes: job.onBytes,
  });
  const settled = calling.then(
    () => true,
    () => true,
  );
  const end = (): Promise<boolean> =>
    place.endProcesses({ mark: `HERMES_RUN=${job.run}`, graceMs, ...(leader === undefined ? {} : { leader }) });
  /** Ends it; once more when it began only meanwhile. Resolves with whether nothing is left. */
  const endAll = async (): Promise<boolean> => {
    let gone = await end();
    if (gone && !(await within(settled, stopLimitMs))) gone = await end();
    silence.abort();
    return gone;
  };
  const ending = Promise.withResolvers<boolean>();
  const stop = (reason: 'timeout' | 'interrupt'): void => {
    if (stopped !== undefined) return;
    stopped = reason;
    endAll().then(ending.resolve, ending.reject);
  };
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  const onAbort = (): void => stop('interrupt');
  const signal = AbortSignal.any([job.signal, place.closed]);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const outcome = await calling.catch((error: unknown) => {
      if (stopped !== undefined) return undefined;
      throw error instanceof HostLostError && leader !== undefined ? unknownEnd(error) : error;
    });
    const survived = stopped !== undefined && !(await ending.promise);
    return { outcome, stopped, survived };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** The process id in a first report; never one that would mean everybody. */
export function processId(text: string): number | undefined {
  const id = Number.parseInt(text, 10);
  return Number.isSafeInteger(id) && id > 1 ? id : undefined;
}

function unknownEnd(error: HostLostError): HostLostError {
  const message = `${error.message} The command had begun; whether it came to its end is not known, and it may still run there.`;
  return new HostLostError(message, { cause: error, ...(error.hint === undefined ? {} : { hint: error.hint }) });
}

async function within(promise: Promise<boolean>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
