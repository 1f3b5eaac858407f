/** What the tools ask of a Home Assistant server: its REST API, as it is documented at developers.home-assistant.io/docs/api/rest. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import type { JsonObject } from '../../lib/json.ts';

/** All methods throw `UserError` when there is no usable answer, and the signal's reason when it aborts. */
export interface HomeAssistant {
  states(signal: AbortSignal): Promise<readonly EntityState[]>;
  /** Undefined: there is no such entity. */
  state(entityId: string, signal: AbortSignal): Promise<EntityState | undefined>;
  services(signal: AbortSignal): Promise<readonly DomainServices[]>;
  /** The entities that have another state since. */
  call(domain: string, service: string, data: JsonObject, signal: AbortSignal): Promise<readonly EntityState[]>;
}

const entityState = z.object({
  entity_id: z.string(),
  state: z.string(),
  attributes: z.record(z.string(), z.unknown()).catch({}),
  last_changed: z.string().optional(),
  last_updated: z.string().optional(),
});
export type EntityState = z.infer<typeof entityState>;

const domainServices = z.object({
  domain: z.string(),
  services: z.record(
    z.string(),
    z.object({
      description: z.string().catch(''),
      fields: z
        .record(z.string(), z.object({ description: z.string().catch('') }).catch({ description: '' }))
        .catch({}),
    }),
  ),
});
export type DomainServices = z.infer<typeof domainServices>;

const listMs = 15_000;
const stateMs = 10_000;
/** A house of 10,000 entities writes about 8 MB. */
const maxBytes = 32_000_000;

export interface HomeAssistantOptions {
  /** Address of the server, with or without a slash at its end. */
  readonly url: string;
  /** A long-lived access token. */
  readonly token: string;
  readonly fetch: Fetch;
}

/** Asks nothing by itself. */
export function homeAssistantAt({ url, token, fetch }: HomeAssistantOptions): HomeAssistant {
  const base = url.trim().replace(/\/+$/, '');
  return {
    states: async (signal) => read(z.array(entityState), await ask('/api/states', { signal, ms: listMs })),
    async state(entityId, signal) {
      const answer = await ask(`/api/states/${entityId}`, { signal, ms: stateMs, mayMiss: true });
      return answer === undefined ? undefined : read(entityState, answer);
    },
    services: async (signal) => read(z.array(domainServices), await ask('/api/services', { signal, ms: listMs })),
    async call(domain, service, data, signal) {
      const answer = await ask(`/api/services/${domain}/${service}`, { signal, ms: listMs, send: data });
      // Services that answer with data of their own have nothing to list.
      return read(z.array(entityState).catch([]), answer);
    },
  };

  async function ask(
    path: string,
    { signal, ms, send, mayMiss }: { signal: AbortSignal; ms: number; send?: JsonObject; mayMiss?: boolean },
  ): Promise<unknown> {
    const deadline = AbortSignal.timeout(ms);
    try {
      const answer = await fetch(base + path, {
        method: send === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(send === undefined ? {} : { body: JSON.stringify(send) }),
        signal: AbortSignal.any([signal, deadline]),
      });
      const text = await bounded(answer);
      if (answer.ok) return JSON.parse(text);
      if (mayMiss === true && answer.status === 404) return undefined;
      throw new UserError(problemOf(answer.status, text));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UserError) throw error;
      const reason = deadline.aborted ? `no answer within ${ms / 1000} seconds` : errorMessage(error);
      throw new UserError(`Home Assistant at ${base} could not be asked: ${reason}. HASS_URL names its address.`, {
        cause: error,
      });
    }
  }
}

function problemOf(status: number, text: string): string {
  if (status === 401 || status === 403)
    return `Home Assistant refused the token (${status}): HASS_TOKEN wants a long-lived access token of this server.`;
  const said = text.trim().slice(0, 300);
  return `Home Assistant answered ${status}${said === '' ? '' : `: ${said}`}`;
}

async function bounded(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new UserError(`Home Assistant answered with more than ${maxBytes / 1_000_000} MB.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function read<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new UserError('Home Assistant answered with something else than its API promises: does HASS_URL name it?');
}
