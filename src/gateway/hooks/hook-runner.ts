/** Calls the handler of one event hook, in a process of its own. */
import type { Readable } from 'node:stream';
import * as z from 'zod';
import type { OwnProcesses } from '../../environments/local/own-processes.ts';
import { startTalking, type TalkingProgram } from '../../environments/local/talking-program.ts';
import { runHelper } from '../../environments/run-helper.ts';
import { type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { hostCommand } from './handler-hosts.ts';
import type { HookHandler } from './hook-folders.ts';

export interface HookCall {
  readonly event: string;
  readonly context: JsonObject;
}

/** The handler itself has failed, and can be called again. */
export class HandlerError extends Error {
  override readonly name: string = 'HandlerError';
}

export interface HookRunner {
  /**
   * What the handler returns, if anything. Rejects with a `HandlerError`, with another one when its process ends, and with
   * the reason of the signal.
   */
  call(call: HookCall, signal: AbortSignal): Promise<JsonValue | undefined>;
  readonly ended: boolean;
  close(): Promise<void>;
}

export interface RunnerPlace {
  readonly homePath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly processes: OwnProcesses;
}

const loadMs = 20_000;
const maxAnswer = 1_048_576;

/** Rejects when the handler cannot be loaded; the message says why. */
export async function startRunner(handler: HookHandler, place: RunnerPlace): Promise<HookRunner> {
  return handler.kind === 'program' ? programRunner(handler.path, place) : await HostedHandler.start(handler, place);
}

/** Run anew for each event: the call on its input, the result on its output. */
function programRunner(path: string, { homePath, env }: RunnerPlace): HookRunner {
  return {
    ended: false,
    async call({ event, context }, signal) {
      const input = JSON.stringify({ event_type: event, context });
      const run = await runHelper(path, [], { env, cwd: homePath, input, signal, maxBytes: maxAnswer });
      if (run.code !== 0) throw new HandlerError(`it ended with ${run.code}: ${run.stderr.trim().slice(-300)}`);
      return parseJson(run.stdout);
    },
    close: () => Promise.resolve(),
  };
}

const told = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ failed: z.string() }),
  z.object({ id: z.number(), error: z.string() }),
  z.object({ id: z.number(), result: z.json().optional() }),
]);

class HostedHandler implements HookRunner {
  readonly #program: TalkingProgram;
  readonly #ready = Promise.withResolvers<void>();
  readonly #open = new Map<number, PromiseWithResolvers<JsonValue | undefined>>();
  #nextId = 1;
  #ended = false;

  static async start(handler: HookHandler, { homePath, env, processes }: RunnerPlace): Promise<HostedHandler> {
    const program = await startTalking(hostCommand(handler), { cwd: homePath, env, processes });
    const hosted = new HostedHandler(program);
    const late = setTimeout(() => hosted.#end(new Error(`it was not loaded within ${loadMs / 1000} s`)), loadMs);
    try {
      await hosted.#ready.promise;
      return hosted;
    } catch (error) {
      await hosted.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  private constructor(program: TalkingProgram) {
    this.#program = program;
    onLines(program.output, (line) => this.#hear(line)).catch((error: unknown) => this.#end(error));
    void program.exited.then((code) => {
      const words = program.complaints().slice(-300);
      this.#end(new Error(`its process ended with ${code}${words === '' ? '' : `: ${words}`}`));
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  async call(call: HookCall, signal: AbortSignal): Promise<JsonValue | undefined> {
    signal.throwIfAborted();
    if (this.#ended) throw new Error('its process has ended');
    const id = this.#nextId++;
    const answer = Promise.withResolvers<JsonValue | undefined>();
    const stop = (): void => answer.reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    this.#open.set(id, answer);
    try {
      this.#program.input.write(`${JSON.stringify({ id, ...call })}\n`);
      return await answer.promise;
    } finally {
      this.#open.delete(id);
      signal.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    this.#end(new Error('the gateway ends'));
    await this.#program.end();
  }

  #hear(line: string): void {
    const { data } = told.safeParse(parseJson(line));
    if (data === undefined) return;
    if ('ready' in data) this.#ready.resolve();
    else if ('failed' in data) this.#ready.reject(new Error(data.failed));
    else if ('error' in data) this.#open.get(data.id)?.reject(new HandlerError(data.error));
    else this.#open.get(data.id)?.resolve(data.result);
  }

  #end(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ready.reject(reason);
    for (const answer of this.#open.values()) answer.reject(reason);
  }
}

/** Rejects when a line is longer than any answer may be. */
async function onLines(output: Readable, hear: (line: string) => void): Promise<void> {
  let rest = '';
  for await (const piece of output.setEncoding('utf8')) {
    const lines = `${rest}${String(piece)}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxAnswer) throw new Error(`it answered with more than ${maxAnswer} characters`);
    for (const line of lines) hear(line);
  }
}
