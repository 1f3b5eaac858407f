/** Where webhooks are taken, under which secrets, and what is done with them. */
import * as z from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { isOn } from './env-values.ts';
import { filledVariables, listenerBlock } from './listener-block.ts';
import type { LoadedConfig } from './load.ts';
import { webhookExtra, webhookRoute } from './schema/webhook-route.ts';
import { valueAt } from './values.ts';
import type { Variables } from './variables.ts';

export interface WebhookRoute {
  /** Its own, or that of all routes; empty when there is none. */
  readonly secret: string;
  readonly events: readonly string[];
  readonly prompt: string;
  readonly skills: readonly string[];
  /** `log`, `github_comment`, a platform, or `platform:chat`. */
  readonly deliver: string;
  readonly deliverExtra: JsonObject;
  readonly deliverOnly: boolean;
  readonly enabled: boolean;
  readonly filters: JsonValue | undefined;
  /** Empty when it has none. */
  readonly script: string;
}

export interface WebhookSettings {
  readonly enabled: boolean;
  /** Undefined: every address of this machine. */
  readonly host: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  readonly secret: string;
  /** Deliveries of a route within a minute. */
  readonly rateLimit: number;
  readonly maxBodyBytes: number;
  readonly scriptTimeoutMs: number;
  readonly routes: ReadonlyMap<string, WebhookRoute>;
  /** Routes that cannot be read, each in one line. */
  readonly problems: readonly string[];
}

/**
 * A value of `platforms.webhook.extra` beats the variable. Throws a `ZodError` only for values of a kind that cannot be
 * read, such as a port that is a word.
 */
export function webhookSettings({ raw }: Pick<LoadedConfig, 'raw'>, env: Variables): WebhookSettings {
  const written = listenerBlock(raw, 'webhook');
  const given = Object.entries(written.extra).filter(([, value]) => value !== null && value !== '');
  const read = webhookExtra.parse({ ...fromVariables(env), ...Object.fromEntries(given) });
  const secret = read.secret?.trim() ?? '';
  const routes = new Map<string, WebhookRoute>();
  const problems: string[] = [];
  const blocks = [valueAt(raw, ['webhooks', 'routes']), written.extra['routes']];
  for (const [name, entry] of blocks.filter(isJsonObject).flatMap((block) => Object.entries(block))) {
    const route = readWebhookRoute(entry, secret);
    if (typeof route === 'string') problems.push(`the webhook route '${name}' cannot be read: ${route}`);
    else routes.set(name, route);
  }
  return {
    enabled: written.enabled ?? isOn(env['WEBHOOK_ENABLED']),
    host: read.host?.trim() || undefined,
    port: read.port,
    secret,
    rateLimit: read.rate_limit,
    maxBodyBytes: read.max_body_bytes,
    scriptTimeoutMs: read.script_timeout_seconds * 1000,
    routes,
    problems,
  };
}

/** What is wrong with it, where it cannot be read. */
export function readWebhookRoute(entry: unknown, secretOfAll: string): WebhookRoute | string {
  const parsed = webhookRoute.safeParse(entry);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'it is no map'}`;
  }
  const { deliver_extra: extra, deliver_only: deliverOnly, filters, ...route } = parsed.data;
  return {
    secret: route.secret?.trim() || secretOfAll,
    events: route.events,
    prompt: route.prompt,
    skills: route.skills,
    deliver: route.deliver.trim() || 'log',
    deliverExtra: jsonMap.parse(extra),
    deliverOnly,
    enabled: route.enabled,
    filters: z.json().optional().catch(null).parse(filters),
    script: route.script.trim(),
  };
}

const jsonMap = z.record(z.string(), z.json()).catch({});

function fromVariables(env: Variables): Record<string, string> {
  const names = { port: env['WEBHOOK_PORT'], secret: env['WEBHOOK_SECRET'] };
  return filledVariables(names);
}
