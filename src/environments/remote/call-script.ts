/** One script on another host: its output, its two reports, and what becomes of it when nobody waits any more. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReportScanner } from '../local/report-scanner.ts';
import type { HostEnd, RemoteHost } from './host.ts';
import { launcher, scriptInput } from './script-text.ts';

export interface Report {
  readonly status: number;
  readonly text: string;
}

export interface ScriptCall {
  /** Gets the secret that its reports must carry. */
  readonly script: (secret: string) => string;
  readonly stdin?: Uint8Array;
  readonly timeoutMs: number;
  /** Stops listening; what runs there is not ended by it. */
  readonly signal: AbortSignal;
  /** After the first report; `ended` after the last one, too. */
  onBytes?(bytes: Buffer, ended: boolean): void;
  onBegun?(report: Report): void;
}

export interface ScriptOutcome {
  readonly begun: Report | undefined;
  /** Undefined when the script was killed or replaced. */
  readonly ended: Report | undefined;
  /** Undefined when something of it still holds the output. */
  readonly end: HostEnd | undefined;
}

const noEnd: HostEnd = { exitCode: 1, complaint: '' };
const quietMs = 40;
const drainLimitMs = 400;
/** Things that were left in the background and still write: further ones lose their output. */
const maxLeft = 4;

/** Runs scripts of one host. */
export class ScriptCaller {
  readonly #host: RemoteHost;
  /** Listening to what was left in the background, so that it can go on writing; oldest first. */
  readonly #left = new Set<AbortController>();

  constructor(host: RemoteHost) {
    this.#host = host;
  }

  /** Rejects with what the host rejects with, and with the signal's reason. */
  async call(call: ScriptCall): Promise<ScriptOutcome> {
    const secret = randomBytes(16).toString('hex');
    const scanner = new ReportScanner(secret);
    const stop = new AbortController();
    let begun: Report | undefined;
    let ended: Report | undefined;
    const heard = { at: Date.now() };
    const reported = Promise.withResolvers<undefined>();
    const onOutput = (bytes: Buffer): void => {
      heard.at = Date.now();
      for (const found of scanner.push(bytes)) {
        if (found.kind === 'output') {
          if (begun !== undefined) call.onBytes?.(found.bytes, ended !== undefined);
        } else if (found.last) {
          ended ??= { status: found.status, text: found.cwd };
          reported.resolve(undefined);
        } else if (begun === undefined) {
          begun = { status: found.status, text: found.cwd };
          call.onBegun?.(begun);
        }
      }
    };
    const running = this.#host.exec(launcher, {
      input: scriptInput(call.script(secret), call.stdin ?? new Uint8Array()),
      timeoutMs: call.timeoutMs,
      signal: AbortSignal.any([call.signal, stop.signal]),
      onOutput,
    });
    // A loss after the last report costs nothing: all there was to hear has been heard.
    const heardOut = running.catch((error: unknown) => {
      if (ended === undefined) throw error;
      return noEnd;
    });
    let end = await Promise.race([heardOut, reported.promise]);
    if (end === undefined) {
      end = await endOrQuiet(heardOut, heard);
      if (end === undefined) this.#leave(heardOut, stop);
    }
    const rest = scanner.flush();
    if (rest.length > 0 && begun !== undefined) call.onBytes?.(rest, ended !== undefined);
    return { begun, ended, end };
  }

  /** Listens to nothing any more. */
  release(): void {
    for (const controller of this.#left) controller.abort();
    this.#left.clear();
  }

  #leave(running: Promise<HostEnd>, stop: AbortController): void {
    this.#left.add(stop);
    const forget = (): void => void this.#left.delete(stop);
    running.then(forget, forget);
    const [oldest] = this.#left;
    if (this.#left.size > maxLeft) oldest?.abort();
  }
}

/** The end of a shell that has reported, or undefined when others hold its output and it fell quiet. */
async function endOrQuiet(running: Promise<HostEnd>, heard: { readonly at: number }): Promise<HostEnd | undefined> {
  const deadline = Date.now() + drainLimitMs;
  do {
    const end = await Promise.race([running, sleep(5, undefined)]);
    if (end !== undefined) return end;
  } while (Date.now() < deadline && Date.now() - heard.at <= quietMs);
  return undefined;
}
