/** One credential as `auth.json` keeps it, with the names that the file uses. */
import { createHash } from 'node:crypto';
import * as z from 'zod';

const text = z.string().nullish().catch(undefined);
const number = z.number().nullish().catch(undefined);
const moment = z.union([z.string(), z.number()]).nullish().catch(undefined);

const entrySchema = z.looseObject({
  id: z.string().min(1).optional().catch(undefined),
  label: text,
  auth_type: text,
  priority: number,
  source: text,
  access_token: text,
  refresh_token: text,
  expires_at: moment,
  expires_at_ms: number,
  agent_key: text,
  agent_key_expires_at: moment,
  base_url: text,
  inference_base_url: text,
  secret_fingerprint: text,
  account_id: text,
  last_status: text,
  last_status_at: moment,
  last_error_code: number,
  last_error_reason: text,
  last_error_message: text,
  last_error_reset_at: moment,
  request_count: number,
});

type Fields = z.infer<typeof entrySchema>;

/** Fields of other programs stay in it. Holds secrets; never log it whole. */
export type PoolEntry = Fields & {
  readonly id: string;
  readonly label: string;
  readonly auth_type: string;
  readonly priority: number;
  readonly source: string;
  readonly request_count: number;
};

/** The entry with its blanks filled in; undefined for what is none. An entry without an id gets a stable one. */
export function parseEntry(value: unknown): PoolEntry | undefined {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return undefined;
  const entry = parsed.data;
  const source = entry.source ?? 'manual';
  return {
    ...entry,
    id: entry.id ?? shortHash(`${source}\n${entry.access_token ?? ''}`),
    label: entry.label ?? source,
    auth_type: entry.auth_type ?? 'api_key',
    priority: entry.priority ?? 0,
    source,
    request_count: entry.request_count ?? 0,
  };
}

/** True for somebody who logged in, false for a key. */
export function isLogin({ auth_type, refresh_token }: PoolEntry): boolean {
  return auth_type === 'oauth' || (refresh_token?.trim() ?? '') !== '';
}

/** Tells whether a secret changed without keeping it. */
export function fingerprint(secret: string): string {
  return `sha256:${createHash('sha256').update(secret).digest('hex').slice(0, 16)}`;
}

/**
 * True when the secret belongs to something else (the environment, the configuration, another program) and must not
 * be copied to `auth.json`. Unknown sources are taken for borrowed: what is not stored cannot leak.
 */
export function isBorrowed(source: string): boolean {
  return !source.startsWith('manual:') && !ownSources.has(source);
}

const ownSources: ReadonlySet<string> = new Set(['manual', 'device_code', 'hermes_pkce', 'oauth']);

/** The id of the entry of a source, the same in every process. */
export function idOfSource(provider: string, source: string): string {
  return shortHash(`${provider}\n${source}`);
}

/** Milliseconds since the epoch of a moment in any of the file's spellings: seconds, milliseconds, ISO 8601. */
export function toMillis(value: string | number | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  const numeric = Number(value);
  if (Number.isFinite(numeric)) return numeric <= 0 ? undefined : numeric > 1e12 ? numeric : numeric * 1000;
  const parsed = Date.parse(String(value));
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** When the secret of a stored login ends, in milliseconds since the epoch; undefined when it does not say. */
export function expiryOf(entry: PoolEntry): number | undefined {
  if (usesAgentKey(entry)) return toMillis(entry.agent_key_expires_at);
  return toMillis(entry.expires_at_ms) ?? toMillis(entry.expires_at);
}

/** What is sent: a minted key where a login has one, else its token. */
export function storedSecret(entry: PoolEntry): string | undefined {
  const secret = usesAgentKey(entry) ? entry.agent_key : entry.access_token;
  return secret?.trim() || undefined;
}

function usesAgentKey(entry: PoolEntry): boolean {
  return (entry.agent_key?.trim() ?? '') !== '';
}

function shortHash(value: string): string {
  return createHash('sha256').update(value).digest('hex').slice(0, 6);
}
