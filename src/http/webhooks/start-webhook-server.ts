/**
 * Webhooks: events of other programs become turns of the agent, or messages to a chat.
 *
 *   const server = await startWebhookServer(program, { chats }, signal);   // a listener of its own
 */
import { networkInterfaces } from 'node:os';
import { type WebhookSettings, webhookSettings } from '../../config/webhooks.ts';
import { UserError } from '../../lib/errors.ts';
import type { Program } from '../../runtime/program.ts';
import { jsonAnswer } from '../answers.ts';
import { type OtherProfiles, ProfileMounts } from '../profile-mounts.ts';
import type { RouteGroup } from '../routes.ts';
import { type HttpServer, startHttpServer } from '../server.ts';
import { SettingsOnDisk } from '../settings-on-disk.ts';
import { noChats, type WebhookDelivery } from './delivery.ts';
import { requireServable, RouteTable } from './route-table.ts';
import { WebhookRuns } from './runs.ts';
import { subscriptionsFile } from './subscriptions.ts';
import { DeliveryTaker } from './take-delivery.ts';

export interface WebhookOptions {
  /** What reaches chats; default: nothing does. */
  readonly chats?: WebhookDelivery;
  /** Milliseconds that turns get to end when the server stops; default 20,000. */
  readonly drainMs?: number;
  /** Milliseconds since the epoch; default: the system's clock. */
  readonly now?: () => number;
  /** Profiles that are found below `/p/<profile>/` too. */
  readonly others?: OtherProfiles<WebhookProfile>;
}

/** Another profile, as the server takes events for it. */
export interface WebhookProfile {
  readonly program: Program;
  readonly chats: WebhookDelivery;
}

/** What a profile has of the listener that is not its own. */
interface SharedListener {
  readonly host: string | undefined;
  readonly port: number;
  /** Where a route is looked for that the profile does not have. */
  readonly routes: RouteTable;
}

/** A group of routes with what its listener has to know. */
export interface Webhooks extends RouteGroup {
  readonly settings: WebhookSettings;
  readonly table: RouteTable;
}

/** Takes up what an earlier process left. Throws `UserError` for routes that must not be served. `drain` ends it. */
async function webhookRoutes(
  program: Program,
  options: WebhookOptions = {},
  shared?: SharedListener,
): Promise<Webhooks> {
  const { chats = noChats, now = Date.now } = options;
  const { store } = program;
  const log = program.log.named('webhook');
  if (store === undefined) {
    throw new UserError(
      'Webhooks do not start: the database cannot be opened, so nothing that arrives could be kept.',
      {
        hint: 'See what is wrong with: hermes doctor',
      },
    );
  }
  const { home, config, env } = program.options;
  const own = webhookSettings(config, env);
  // It listens where it began to, whatever the files say since.
  const { host, port } = shared ?? own;
  const settings = { ...own, host, port };
  requireServable(settings);
  const onDisk = new SettingsOnDisk(program, 'webhooks', (...sources) => ({
    ...webhookSettings(...sources),
    host,
    port,
  }));
  const current = (): WebhookSettings => onDisk.known;
  const path = subscriptionsFile(home.path);
  const routes = new RouteTable({ settings: current, path, chats, log, parent: shared?.routes });
  const keyProfile = shared === undefined ? undefined : home.profile;
  const runs = new WebhookRuns({ program, store, chats, log, keyProfile });
  const { webhooks } = store;
  const taker = new DeliveryTaker({ program, settings: current, routes, runs, webhooks, log, now });
  await runs.recover();
  return {
    name: 'webhook',
    settings,
    table: routes,
    routes: [
      {
        method: 'GET',
        path: '/health',
        // Whoever may reach it may ask: there is no key here that could stand before it.
        access: 'own',
        handle: async () => jsonAnswer({ status: 'ok', platform: 'webhook' }),
      },
      {
        method: 'POST',
        path: '/webhooks/:route',
        access: 'own',
        handle: async (request) => {
          await onDisk.current();
          return await taker.take(request);
        },
      },
    ],
    drain: (signal) => runs.drain(signal),
  };
}

/** Throws `UserError` for routes that must not be served, and when the port cannot be had. */
export async function startWebhookServer(
  program: Program,
  options: WebhookOptions = {},
  signal?: AbortSignal,
): Promise<HttpServer> {
  const group = await webhookRoutes(program, options);
  const { host, port, maxBodyBytes } = group.settings;
  if (host === undefined) {
    program.log
      .named('webhook')
      .warning(
        'Webhooks are taken on every address of this machine; platforms.webhook.extra.host: 127.0.0.1 leaves that to a proxy.',
      );
  }
  const { drainMs, others, now } = options;
  const { table: routes } = group;
  const mounts =
    others &&
    new ProfileMounts(others, async (other) => {
      const { program: owner, chats } = other;
      const mounted = await webhookRoutes(owner, { chats, ...(now && { now }) }, { host, port, routes });
      return { groups: [mounted], log: owner.log };
    });
  const limits = { maxBytes: maxBodyBytes, headersMs: 10_000, patienceMs: 30_000 };
  try {
    const server = await startHttpServer(
      {
        name: 'The webhook server',
        host: host ?? everyAddress(),
        port,
        groups: [group],
        // Known by any name: each delivery says by its signature who sent it.
        allowedHosts: () => ['*'],
        profile: program.options.home.profile,
        ...(mounts && { others: mounts }),
        log: program.log,
        limits: drainMs === undefined ? limits : { ...limits, drainMs },
      },
      signal,
    );
    mounts?.mountAll(program.log.named('webhook'));
    return server;
  } catch (error) {
    await group.drain(AbortSignal.abort());
    throw error;
  }
}

/** IPv4 and IPv6, where there is such. */
function everyAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}
