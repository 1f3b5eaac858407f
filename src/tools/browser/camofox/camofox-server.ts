/** What is asked of a Camofox server. https://github.com/jo-inc/camofox-browser#api */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import {
  askForBytes,
  askForText,
  askService,
  below,
  type ServiceCall,
  ServiceRefusal,
} from '../../web/backends/ask-service.ts';
import type { WebAccess } from '../../web/web-access.ts';

export interface CamofoxAccess extends Pick<WebAccess, 'fetch'> {
  /** `CAMOFOX_URL` */
  readonly url: string;
  /** `CAMOFOX_API_KEY`: it goes there and nowhere else. */
  readonly key: string | undefined;
}

export interface Limits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface ListedTab {
  readonly tabId: string;
  readonly url: string;
  readonly title: string;
  readonly listItemId: string;
}

const name = 'Camofox';
const healthMs = 5000;
const listMs = 5000;
const endMs = 5000;
const start =
  'Start it with npm start in its folder, or docker run -p 9377:9377 jo-inc/camofox-browser; or unset CAMOFOX_URL.';

const health = z.looseObject({ vncPort: z.int().min(1).max(65_535).optional().catch(undefined) });
const text = z.string().catch('');
const listed = z.looseObject({
  tabs: z.array(z.looseObject({ tabId: z.string(), url: text, title: text, listItemId: text }).nullable().catch(null)),
});

export class CamofoxServer {
  readonly #access: CamofoxAccess;

  /** Throws `UserError` where `CAMOFOX_URL` is no address of a server. */
  constructor(access: CamofoxAccess) {
    const url = URL.parse(access.url);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new UserError('CAMOFOX_URL is no address of a server.', { hint: 'Such as: http://localhost:9377' });
    this.#access = access;
  }

  /** `https://host:port` */
  get origin(): string {
    return new URL(this.#access.url).origin;
  }

  /** Where its browser can be watched, when it says so. Throws `UserError` when nobody answers. */
  async health(signal: AbortSignal): Promise<{ readonly vncUrl?: string }> {
    const { host, hostname } = new URL(this.#access.url);
    try {
      // It is the one question that every server answers without a key.
      const call = { name, url: below(this.#access.url, '/health'), timeoutMs: healthMs };
      const { vncPort } = await askService(call, health, { access: this.#access, signal });
      return vncPort === undefined ? {} : { vncUrl: `http://${hostname}:${vncPort}` };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`No Camofox server answers at ${host}: ${error.message}`, { hint: start, cause: error });
    }
  }

  /** The tabs of one user, those opened last at the end. */
  async tabs(userId: string, signal: AbortSignal): Promise<readonly ListedTab[]> {
    const { tabs } = await this.get('/tabs', { userId }, listed, { signal, timeoutMs: listMs });
    return tabs.filter((tab) => tab !== null);
  }

  async get<Schema extends z.ZodType>(
    path: string,
    query: Readonly<Record<string, string>>,
    schema: Schema,
    { signal, timeoutMs }: Limits,
  ): Promise<z.infer<Schema>> {
    const call = { ...this.#call(withQuery(path, query)), timeoutMs };
    return await askService(call, schema, { access: this.#access, signal });
  }

  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
    { signal, timeoutMs }: Limits,
  ): Promise<z.infer<Schema>> {
    return await askService({ ...this.#call(path), body, timeoutMs }, schema, { access: this.#access, signal });
  }

  async bytes(path: string, query: Readonly<Record<string, string>>, { signal, timeoutMs }: Limits): Promise<Buffer> {
    const call = { ...this.#call(withQuery(path, query)), timeoutMs };
    return (await askForBytes(call, { access: this.#access, signal })).bytes;
  }

  /** Ends all that a user has open. */
  async endSession(userId: string): Promise<void> {
    await this.#delete(`/sessions/${encodeURIComponent(userId)}`);
  }

  async closeTab(tabId: string, userId: string): Promise<void> {
    await this.#delete(withQuery(`/tabs/${encodeURIComponent(tabId)}`, { userId }));
  }

  async #delete(path: string): Promise<void> {
    const call = { ...this.#call(path), method: 'DELETE' as const, timeoutMs: endMs };
    await askForText(call, { access: this.#access, signal: AbortSignal.timeout(endMs) });
  }

  #call(path: string): Omit<ServiceCall, 'timeoutMs'> {
    const { url, key } = this.#access;
    return {
      name,
      url: below(url, path),
      ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
    };
  }
}

/** The server has no such tab any more, or no such question. */
export function isGone(error: unknown): boolean {
  return error instanceof ServiceRefusal && [404, 405, 410, 501].includes(error.status);
}

function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}
