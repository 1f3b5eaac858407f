/** What is asked of the tool gateway that keeps sandboxes of Modal: to make one, to run a text in it, and to end it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { GatewayDoor } from '../../config/tool-gateway.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import { BriefFailure } from '../remote/polled-commands.ts';

export interface GatewayAccess {
  readonly door: Pick<GatewayDoor, 'address' | 'token' | 'refusal'>;
  readonly fetch: Fetch;
}

export interface GatewaySandbox {
  readonly image: string;
  readonly cpus: number;
  readonly memoryMb: number;
  /** Without a command for so long, the gateway ends it. */
  readonly idleMs: number;
  /** Its files are kept under that name, and are there in the next one of the same name. */
  readonly files: string;
  readonly persists: boolean;
  /** The same for every try to make the same one: it is made once. */
  readonly try: string;
}

/** How one text ended. */
export interface GatewayEnd {
  readonly status: 'completed' | 'failed' | 'cancelled' | 'timeout';
  /** Both streams, as text. */
  readonly output: string;
}

/** The sandbox that was named is not there any more. */
export class SandboxGone extends Error {}

interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const madeSchema = z.object({ id: z.string().regex(/^[\w.-]{1,200}$/) });
const execSchema = z.object({ status: z.string(), output: z.string().nullish(), execId: z.string().nullish() });
const endSchema = z.enum(['completed', 'failed', 'cancelled', 'timeout']);
const complaintSchema = z.object({
  error: z.unknown().optional(),
  message: z.unknown().optional(),
  code: z.unknown().optional(),
});

/** The most that the gateway is known to give. */
const lifetimeMs = 60 * 60_000;
/** An image that is new there is fetched first. */
const makeLimitMs = 10 * 60_000;
const askLimitMs = 30_000;
/** Its files are kept meanwhile. */
const endLimitMs = 120_000;
const [firstLookMs, lastLookMs] = [40, 250];
const goneStatuses: ReadonlySet<number> = new Set([404, 410]);
const briefStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

export class GatewayApi {
  readonly #access: GatewayAccess;

  constructor(access: GatewayAccess) {
    this.#access = access;
  }

  /** Resolves with its id. */
  async make(sandbox: GatewaySandbox, signal: AbortSignal): Promise<string> {
    const body = {
      image: sandbox.image,
      cwd: '/',
      cpu: sandbox.cpus,
      memoryMiB: sandbox.memoryMb,
      timeoutMs: lifetimeMs,
      idleTimeoutMs: sandbox.idleMs,
      persistentFilesystem: sandbox.persists,
      logicalKey: sandbox.files,
    };
    const headers = { 'x-idempotency-key': sandbox.try };
    const ask: Ask = { method: 'POST', path: '/v1/sandboxes', body, headers, signal, timeoutMs: makeLimitMs };
    return (await this.#read(await this.#send(ask), madeSchema)).id;
  }

  /**
   * Runs text of a POSIX shell. Rejects with `SandboxGone`, and with `BriefFailure` when it is worth trying once more: the
   * text may have run then.
   */
  async run(
    sandbox: string,
    command: string,
    { input, timeoutMs, signal }: { readonly input: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<GatewayEnd> {
    const execId = randomUUID();
    const path = `/v1/sandboxes/${sandbox}/execs`;
    const body = { execId, command, cwd: '/', timeoutMs, stdinData: input };
    const started = await this.#send({ method: 'POST', path, body, signal, timeoutMs: askLimitMs });
    if (goneStatuses.has(started.status)) throw new SandboxGone(await complaintOf(started));
    let look = await this.#read(started, execSchema);
    const deadline = Date.now() + timeoutMs + askLimitMs;
    for (let wait = firstLookMs; ; wait = Math.min(wait * 1.5, lastLookMs)) {
      const end = endSchema.safeParse(look.status);
      if (end.success) return { status: end.data, output: look.output ?? '' };
      if (Date.now() > deadline) throw new BriefFailure('a command of ours did not end in time');
      await sleep(wait, undefined, { signal });
      const ask: Ask = { method: 'GET', path: `${path}/${execId}`, signal, timeoutMs: askLimitMs };
      const answer = await this.#send(ask);
      // Whether the sandbox or only this command is not known any more, the next try will tell.
      if (goneStatuses.has(answer.status)) throw new BriefFailure(await complaintOf(answer));
      look = await this.#read(answer, execSchema);
    }
  }

  /** One that is gone is no failure. */
  async end(sandbox: string, { keepsFiles, signal }: { keepsFiles: boolean; signal: AbortSignal }): Promise<void> {
    const path = `/v1/sandboxes/${sandbox}/terminate`;
    const body = { snapshotBeforeTerminate: keepsFiles };
    const answer = await this.#send({ method: 'POST', path, body, signal, timeoutMs: endLimitMs });
    if (!answer.ok && !goneStatuses.has(answer.status)) throw await this.#failureOf(answer);
    await answer.body?.cancel();
  }

  async #send({ method, path, body, headers = {}, signal, timeoutMs }: Ask): Promise<Response> {
    const { door, fetch } = this.#access;
    const token = await door.token(signal);
    const deadline = AbortSignal.timeout(timeoutMs);
    let answer: Response;
    try {
      answer = await fetch(`${door.address}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: AbortSignal.any([signal, deadline]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (error) {
      signal.throwIfAborted();
      const why = deadline.aborted ? `no answer in ${timeoutMs / 1000} s` : errorMessage(error);
      throw new BriefFailure(`there is no connection to ${new URL(door.address).host}: ${why}`);
    }
    if (answer.status >= 500 || briefStatuses.has(answer.status)) {
      throw new BriefFailure(`it answered with status ${answer.status}: ${await complaintOf(answer)}`);
    }
    return answer;
  }

  async #read<T>(answer: Response, schema: z.ZodType<T>): Promise<T> {
    if (!answer.ok) throw await this.#failureOf(answer);
    const text = await answer.text().catch((error: unknown) => {
      throw new BriefFailure(`the answer broke off: ${errorMessage(error)}`);
    });
    const read = schema.safeParse(jsonOf(text));
    if (read.success) return read.data;
    throw new UserError(`The tool gateway answered with something else than expected: ${oneLine(text, 200)}`, {
      hint: 'Check MODAL_GATEWAY_URL and TOOL_GATEWAY_DOMAIN where they are set.',
    });
  }

  async #failureOf(answer: Response): Promise<UserError> {
    const told = await complaintOf(answer);
    const refusal = this.#access.door.refusal(answer.status, told);
    if (refusal !== undefined) return new UserError(`Modal cannot be reached: ${refusal}`);
    return new UserError(`The tool gateway answered with status ${answer.status}: ${told}`, {
      hint: 'Check terminal.modal_image, terminal.container_cpu and terminal.container_memory.',
    });
  }
}

async function complaintOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '');
  const read = complaintSchema.safeParse(jsonOf(text));
  const { error, message, code } = read.success ? read.data : {};
  const said = [error, message, code].find((part): part is string => typeof part === 'string' && part !== '');
  return oneLine(said ?? text, 300) || 'no reason given';
}

function oneLine(text: string, most: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, most).toWellFormed();
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
