/** A running webhook server on a program whose model is a fake one, and senders that sign. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { TestContext } from 'node:test';
import type {
  ChatTarget,
  DeliveryDetails,
  DeliveryOutcome,
  WebhookDelivery,
} from '../../../src/http/webhooks/delivery.ts';
import { startWebhookServer, type WebhookOptions } from '../../../src/http/webhooks/start-webhook-server.ts';
import type { HttpServer } from '../../../src/http/server.ts';
import type { Program } from '../../../src/runtime/program.ts';
import type { SessionStore } from '../../../src/sessions/session-store.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server.ts';
import { type Place, placeFor, type PlaceOptions } from '../../runtime/support.ts';

export const secret = 'a-shared-secret';

/** Chats that write down what they are sent. */
export class FakeChats implements WebhookDelivery {
  readonly sent: { readonly target: ChatTarget; readonly text: string; readonly details: DeliveryDetails }[] = [];
  /** The platform takes nothing. */
  down = false;

  knows(platform: string): boolean {
    return platform === 'telegram';
  }

  async deliver(target: ChatTarget, text: string, details: DeliveryDetails): Promise<DeliveryOutcome> {
    if (this.down) return { as: 'failed', error: 'token 12345 was refused' };
    this.sent.push({ target, text, details });
    return { as: 'delivered' };
  }
}

export interface Hooks {
  readonly place: Place;
  readonly program: Program;
  readonly store: SessionStore;
  readonly model: ModelServer;
  readonly server: HttpServer;
  readonly chats: FakeChats;
  /** Signed as GitHub does. */
  readonly send: (route: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  /** As it is. */
  readonly post: (route: string, init: RequestInit) => Promise<Response>;
}

export interface HooksOptions extends PlaceOptions, WebhookOptions {
  /** Below `platforms.webhook.extra`, as YAML on one line. */
  readonly extra?: string;
  /** More of `config.yaml`. */
  readonly config?: string;
  readonly respond?: NonNullable<Parameters<typeof startModelServer>[0]>['respond'];
  /** A model that is there already. */
  readonly model?: ModelServer;
}

export async function startHooks(t: TestContext, options: HooksOptions = {}): Promise<Hooks> {
  const { extra = '', config = '', respond, model: given, now, drainMs = 0, others, ...placeOptions } = options;
  const model = given ?? (await startModelServer(respond === undefined ? {} : { respond }));
  if (given === undefined) t.after(() => model.close());
  const place = placeFor(t, model, webhookConfig(extra) + config, placeOptions);
  const program = await place.open();
  const chats = new FakeChats();
  const server = await startWebhookServer(program, { chats, drainMs, ...(now && { now }), ...(others && { others }) });
  t.after(() => server.stop());
  const { store } = program;
  assert.ok(store !== undefined);
  const post: Hooks['post'] = (route, init) => fetch(`${server.url}/webhooks/${route}`, { method: 'POST', ...init });
  return { place, program, store, model, server, chats, post, send: (...sent) => sendSigned(server.url, ...sent) };
}

function webhookConfig(extra: string): string {
  const host = extra.startsWith('host:') ? '' : 'host: 127.0.0.1, ';
  return `platforms:\n  webhook:\n    extra: {${host}port: 0, secret: ${secret}, ${extra}}\n`;
}

export async function sendSigned(
  url: string,
  route: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await fetch(`${url}/webhooks/${route}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${hmac(text)}`, ...headers },
  });
}

export function hmac(text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** What the model was asked, as one text for each request. */
export function askedOf({ requests }: ModelServer): readonly string[] {
  return requests.map(({ body }) => JSON.stringify(body.messages));
}
