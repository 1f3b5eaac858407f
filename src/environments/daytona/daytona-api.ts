/** What is asked of Daytona's HTTP API: sandboxes, and commands and files in them. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import { BriefFailure } from '../remote/polled-commands.ts';

export interface DaytonaAccess {
  readonly apiKey: string;
  /** `https://app.daytona.io/api`, or that of an installation of one's own. */
  readonly apiUrl: string;
  /** Region; absent: the one of the account. */
  readonly target?: string;
  readonly fetch: Fetch;
}

const sandboxSchema = z.object({
  id: z.string().regex(/^[\w-]+$/),
  name: z.string().optional(),
  /** Among them `started`, `stopped`, `archived`, `error`, `destroyed`, and names of what leads there. */
  state: z.string().default('unknown'),
  errorReason: z.string().nullish(),
  /** Where commands and files of it are asked for; its id follows. */
  toolboxProxyUrl: z.string().optional(),
});

export type DaytonaSandbox = z.infer<typeof sandboxSchema>;

/** Newer versions answer in pages. */
const listSchema = z.union([z.array(sandboxSchema), z.object({ items: z.array(sandboxSchema) })]);
const proxySchema = z.object({ url: z.string() });
const executedSchema = z.object({ exitCode: z.number(), result: z.string().default('') });
const complaintSchema = z.object({ message: z.string() });

export interface NewSandbox {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly image: string;
  readonly cpus: number;
  readonly memoryGib: number;
  readonly diskGib: number;
  /** 0: it never stops by itself. */
  readonly stopAfterMinutes: number;
  /** Goes away when it stops. */
  readonly passing: boolean;
}

interface Ask {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

const requestLimitMs = 30_000;
const uploadLimitMs = 10 * 60_000;
/** Making one may wait for a place. */
const makeLimitMs = 120_000;

export class DaytonaApi {
  readonly #access: DaytonaAccess;

  constructor(access: DaytonaAccess) {
    this.#access = access;
  }

  /** Undefined when there is none of that name or id. */
  async find(nameOrId: string, signal: AbortSignal): Promise<DaytonaSandbox | undefined> {
    const response = await this.#send(this.#api(`/sandbox/${encodeURIComponent(nameOrId)}`), { signal });
    if (response.status === 404) return undefined;
    return await this.#read(response, sandboxSchema);
  }

  async withLabels(labels: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly DaytonaSandbox[]> {
    const query = new URLSearchParams({ labels: JSON.stringify(labels) });
    const found = await this.#read(await this.#send(this.#api(`/sandbox?${query.toString()}`), { signal }), listSchema);
    return Array.isArray(found) ? found : found.items;
  }

  /** Undefined when there is one of that name already. */
  async make(sandbox: NewSandbox, signal: AbortSignal): Promise<DaytonaSandbox | undefined> {
    const { name, labels, image, cpus, memoryGib, diskGib, stopAfterMinutes, passing } = sandbox;
    const { target } = this.#access;
    const body = {
      name,
      labels,
      buildInfo: { dockerfileContent: `FROM ${image}\n` },
      cpu: cpus,
      memory: memoryGib,
      disk: diskGib,
      autoStopInterval: stopAfterMinutes,
      ...(passing ? { autoDeleteInterval: 0 } : {}),
      ...(target === undefined ? {} : { target }),
    };
    const response = await this.#send(this.#api('/sandbox'), { method: 'POST', body, signal, timeoutMs: makeLimitMs });
    if (response.status === 409) return undefined;
    return await this.#read(response, sandboxSchema);
  }

  async start({ id }: DaytonaSandbox, signal: AbortSignal): Promise<void> {
    await this.#done(await this.#send(this.#api(`/sandbox/${id}/start`), { method: 'POST', signal }));
  }

  async stop({ id }: DaytonaSandbox, signal: AbortSignal): Promise<void> {
    await this.#done(await this.#send(this.#api(`/sandbox/${id}/stop`), { method: 'POST', signal }));
  }

  async remove({ id }: DaytonaSandbox, signal: AbortSignal): Promise<void> {
    await this.#done(await this.#send(this.#api(`/sandbox/${id}`), { method: 'DELETE', signal }));
  }

  /** The address below which a sandbox is asked for commands and files. */
  async toolbox({ id, toolboxProxyUrl }: DaytonaSandbox, signal: AbortSignal): Promise<string> {
    const given =
      toolboxProxyUrl ??
      (await this.#read(await this.#send(this.#api(`/sandbox/${id}/toolbox-proxy-url`), { signal }), proxySchema)).url;
    if (this.#access.apiUrl.startsWith('https:') && !given.startsWith('https:')) {
      throw new UserError(`Daytona names an address for its sandbox that is not encrypted: ${given}`);
    }
    return `${given.replace(/\/$/, '')}/${id}`;
  }

  /** Runs text of a shell; resolves with what it printed. `BriefFailure` when that may be tried again. */
  async execute(toolbox: string, command: string, ask: Pick<Ask, 'signal' | 'timeoutMs'>): Promise<string> {
    const response = await this.#send(`${toolbox}/process/execute`, { method: 'POST', body: { command }, ...ask });
    this.#refuseBriefly(response);
    return (await this.#read(response, executedSchema)).result;
  }

  async upload(toolbox: string, path: string, text: string, signal: AbortSignal): Promise<void> {
    const boundary = '----hermes-agent-file';
    const body = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="file"\r\ncontent-type: application/octet-stream\r\n\r\n${text}\r\n--${boundary}--\r\n`;
    const query = new URLSearchParams({ path });
    const type = `multipart/form-data; boundary=${boundary}`;
    const response = await this.#request(`${toolbox}/files/upload?${query.toString()}`, {
      method: 'POST',
      text: body,
      type,
      signal,
      timeoutMs: uploadLimitMs,
    });
    this.#refuseBriefly(response);
    await this.#done(response);
  }

  #api(path: string): string {
    return `${this.#access.apiUrl.replace(/\/$/, '')}${path}`;
  }

  async #send(url: string, { method = 'GET', body, ...asked }: Ask): Promise<Response> {
    if (body === undefined) return await this.#request(url, { method, ...asked });
    return await this.#request(url, { method, ...asked, text: JSON.stringify(body), type: 'application/json' });
  }

  async #request(
    url: string,
    { method, text, type, signal, timeoutMs = requestLimitMs }: Omit<Ask, 'body'> & { text?: string; type?: string },
  ): Promise<Response> {
    const { fetch, apiKey } = this.#access;
    const deadline = AbortSignal.timeout(timeoutMs);
    const headers = {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    let response: Response;
    try {
      response = await fetch(url, {
        ...(method === undefined ? {} : { method }),
        headers,
        signal: AbortSignal.any([signal, deadline]),
        ...(text === undefined ? {} : { body: text }),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw noConnection(url, deadline.aborted ? `no answer in ${timeoutMs / 1000} s` : errorMessage(error));
    }
    if (response.status !== 401 && response.status !== 403) return response;
    throw new UserError(`Daytona refuses the key: ${await complaintOf(response)}`, {
      hint: 'Set DAYTONA_API_KEY to a key that may use sandboxes: hermes config set DAYTONA_API_KEY KEY',
    });
  }

  #refuseBriefly({ status }: Response): void {
    if (status === 408 || status === 429 || status >= 500) throw new BriefFailure(`it answered with status ${status}`);
  }

  async #done(response: Response): Promise<void> {
    if (!response.ok) throw await failureOf(response);
    await response.body?.cancel();
  }

  async #read<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
    if (!response.ok) throw await failureOf(response);
    const text = await response.text().catch((error: unknown) => {
      throw new BriefFailure(`the answer broke off: ${errorMessage(error)}`);
    });
    const read = schema.safeParse(jsonOf(text));
    if (read.success) return read.data;
    throw new UserError(`Daytona answered with something else than expected: ${text.slice(0, 200)}`, {
      hint: 'Check DAYTONA_API_URL.',
    });
  }
}

function noConnection(url: string, why: string): BriefFailure {
  return new BriefFailure(`there is no connection to ${new URL(url).host}: ${why}`);
}

async function failureOf(response: Response): Promise<UserError> {
  return new UserError(`Daytona answered with status ${response.status}: ${await complaintOf(response)}`);
}

async function complaintOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  const read = complaintSchema.safeParse(jsonOf(text));
  return (read.success ? read.data.message : text).replace(/\s+/g, ' ').trim().slice(0, 300) || 'no reason given';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
