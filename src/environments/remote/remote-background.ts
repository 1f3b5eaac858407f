/** Commands that keep running on another host: files of theirs are looked at again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';
import { errorMessage } from '../../lib/errors.ts';
import type { BackgroundProcess } from '../environment.ts';
import { RollingOutput } from '../rolling-output.ts';
import type { RemotePlace } from './remote-place.ts';
import { type Ground, quote } from './script-text.ts';

export interface RemoteBackground {
  readonly place: RemotePlace;
  readonly ground: Ground;
  /** Names its files, and marks its processes. */
  readonly run: string;
  readonly pid: number;
  readonly graceMs: number;
}

const firstWaitMs = 100;
const maxWaitMs = 2000;
/** What is brought over in one look; of more than that only the end. */
const maxLookBytes = 200_000;
/** A log beyond that is emptied when it was read. */
const maxLogBytes = 10_000_000;
/** So often a host may not answer before the process counts as lost. */
const maxFailures = 30;
const lostStatus = 255;
const killedStatus = 128 + 9;
/** Looks at a process without our mark, one after another: one that is just being started has none for a moment. */
const maxForeign = 5;

/** Watches a process that was started with `backgroundScript`. Its input is closed. */
export function watchBackground(options: RemoteBackground): BackgroundProcess {
  const { place, run, pid, graceMs } = options;
  const listeners: ((chunk: string) => void)[] = [];
  const early = new RollingOutput(maxLookBytes);
  const send = (text: string): void => {
    if (text === '') return;
    if (listeners.length === 0) early.push(text);
    for (const listener of listeners) listener(text);
  };
  const soon = new AbortController();
  const exited = follow(options, send, soon.signal);
  return {
    pid,
    elsewhere: true,
    exited,
    onOutput(listener) {
      const missed = listeners.length === 0 ? early.tail() : '';
      listeners.push(listener);
      if (missed !== '') listener(missed);
    },
    write: () => false,
    endInput: () => false,
    async kill() {
      await place.endProcesses({ mark: runMark(run), group: pid, graceMs });
      soon.abort();
      if (graceMs > 0) await exited;
    },
  };
}

/** Resolves with the exit code: 128 + 9 when it ended without leaving one. */
async function follow(
  { place, ground, run, pid }: RemoteBackground,
  send: (text: string) => void,
  soon: AbortSignal,
): Promise<number> {
  const decoder = new StringDecoder('utf8');
  let offset = 0;
  let failures = 0;
  let foreign = 0;
  for (let wait = firstWaitMs; !place.closed.aborted; wait = Math.min(wait * 1.5, maxWaitMs)) {
    // An early look, and the end of the place, end the wait.
    await sleep(wait, undefined, { signal: AbortSignal.any([soon, place.closed]), ref: false }).catch(() => undefined);
    try {
      const look = await lookAt({ place, ground, run, pid }, offset);
      failures = 0;
      offset = look.offset;
      send(decoder.write(look.bytes));
      if (look.bytes.length > 0) wait = firstWaitMs;
      foreign = look.state === 'foreign' ? foreign + 1 : 0;
      if (typeof look.state !== 'number' && foreign < maxForeign) continue;
      send(decoder.end());
      return typeof look.state === 'number' ? look.state : killedStatus;
    } catch (error) {
      if (++failures < maxFailures) continue;
      send(`\n[${place.host.name} does not answer any more: ${errorMessage(error)}]\n`);
      return lostStatus;
    }
  }
  return killedStatus;
}

/** In the environment of its processes: a host that was started again gives its numbers to others. */
function runMark(run: string): string {
  return `HERMES_RUN=${run}`;
}

/**
 * One look: the new output, and the exit code once there is one; `foreign` when the number is another process's. The exit is
 * read first, so that no output is missed.
 */
async function lookAt(
  { place, ground, run, pid }: Omit<RemoteBackground, 'graceMs'>,
  offset: number,
): Promise<{ readonly bytes: Buffer; readonly offset: number; readonly state: number | 'runs' | 'foreign' }> {
  const base = `${ground.directory}/${run}`;
  const log = quote(`${base}.log`);
  const { output } = await place.work(
    `ours() { ! [ -r /proc/${pid}/environ ] || tr '\\0' '\\n' </proc/${pid}/environ | grep -q -x -F ${quote(runMark(run))}; }
e=; a=; if [ -f ${quote(`${base}.exit`)} ]; then e=$(cat ${quote(`${base}.exit`)}); elif kill -0 ${pid}; then ours || a=f; else [ -f ${quote(`${base}.exit`)} ] && e=$(cat ${quote(`${base}.exit`)}) || e=137; fi
n=$(wc -c <${log}); o=${offset}; [ $((n-o)) -gt ${maxLookBytes} ] && o=$((n-${maxLookBytes}))
echo "$((n)) \${e:-\${a:--}}" >&187
tail -c +$((o+1)) ${log} | head -c $((n-o)) | base64 >&187
if [ "$n" -gt ${maxLogBytes} ]; then : >${log}; echo "
-" >&187; fi
[ -z "$e" ] || rm -f -- ${quote(base)}.*`,
  );
  const text = output.toString('latin1');
  const [, size = '0', code = '-', encoded = ''] = /^(\d+) (\d+|-|f)\n([^-]*)/.exec(text) ?? [];
  const emptied = text.endsWith('\n-\n');
  return {
    bytes: Buffer.from(encoded, 'base64'),
    offset: emptied ? 0 : Number(size),
    state: code === '-' ? 'runs' : code === 'f' ? 'foreign' : Number(code),
  };
}
