/** The routes in force: those of the configuration, and those that were made since. */
import { readWebhookRoute, type WebhookRoute, type WebhookSettings } from '../../config/webhooks.ts';
import { UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { fileState } from '../file-state.ts';
import { isLoopback } from '../door.ts';
import type { WebhookDelivery } from './delivery.ts';
import { insecureSecret } from './signature.ts';
import { readSubscriptions } from './subscriptions.ts';
import { platformOf } from './target.ts';

/** Why a route must not be served; undefined when it may be. */
export function routeProblem(route: WebhookRoute, host: string | undefined): string | undefined {
  if (route.secret === '') return 'it has no secret, and there is none for all routes';
  if (route.secret === insecureSecret && !isOwnHost(host)) {
    return `${insecureSecret} is only for a server that nobody else reaches (platforms.webhook.extra.host: 127.0.0.1)`;
  }
  if (route.deliverOnly && route.deliver === 'log') return 'deliver_only needs somewhere to deliver to';
  return undefined;
}

function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && (isLoopback(host) || ['ip6-localhost', 'ip6-loopback'].includes(host.toLowerCase()));
}

/** Throws `UserError` for what a server must not be started with. */
export function requireServable({ routes, host, problems }: WebhookSettings): void {
  const found = [...routes].flatMap(([name, route]) => {
    const problem = route.enabled ? routeProblem(route, host) : undefined;
    return problem === undefined ? [] : [`the route '${name}': ${problem}`];
  });
  const [first, ...more] = [...problems, ...found];
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new UserError(`Webhooks do not start: ${first}${others}.`, {
    hint: 'Correct it below platforms.webhook.extra.routes in config.yaml, or set WEBHOOK_SECRET in .env.',
  });
}

export interface RouteTableParts {
  readonly settings: () => WebhookSettings;
  /** File of the routes that were made since. */
  readonly path: string;
  readonly chats: WebhookDelivery;
  readonly log: Log;
  /** Where a route is looked for that is not here. */
  readonly parent?: RouteTable | undefined;
}

export class RouteTable {
  readonly #parts: RouteTableParts;
  #seen = '';
  #dynamic: ReadonlyMap<string, WebhookRoute> = new Map();
  #secret = '';
  #settings: WebhookSettings | undefined;
  #static: ReadonlyMap<string, WebhookRoute> = new Map();

  constructor(parts: RouteTableParts) {
    this.#parts = parts;
    for (const [name, route] of parts.settings().routes) this.#warnOfTarget(name, route);
  }

  /** Looks at the file first; one that cannot be read changes nothing. */
  get(name: string): WebhookRoute | undefined {
    this.#refresh();
    return this.#static.get(name) ?? this.#dynamic.get(name) ?? this.#parts.parent?.get(name);
  }

  /** Those of the configuration that may be served: it may have been changed to what no server would start with. */
  #servable(): ReadonlyMap<string, WebhookRoute> {
    const { settings, log } = this.#parts;
    const { routes, host, problems } = settings();
    for (const problem of problems) log.warning(problem);
    const served = [...routes].filter(([name, route]) => {
      const problem = route.enabled ? routeProblem(route, host) : undefined;
      if (problem !== undefined) log.warning(`the webhook route '${name}' is not served: ${problem}`);
      return problem === undefined;
    });
    return new Map(served);
  }

  #refresh(): void {
    const { settings, path, log } = this.#parts;
    const now = settings();
    if (now !== this.#settings) {
      this.#settings = now;
      this.#static = this.#servable();
    }
    const seen = fileState(path);
    if (seen === this.#seen && now.secret === this.#secret) return;
    this.#seen = seen;
    this.#secret = now.secret;
    try {
      this.#dynamic = this.#read();
    } catch (error) {
      log.warning('subscriptions of webhooks could not be read; the ones from before hold', error);
    }
  }

  #read(): ReadonlyMap<string, WebhookRoute> {
    const { settings, path, log } = this.#parts;
    const { secret, host } = settings();
    const found = new Map<string, WebhookRoute>();
    for (const [name, entry] of Object.entries(readSubscriptions(path))) {
      const route = readWebhookRoute(entry, secret);
      const problem = typeof route === 'string' ? route : routeProblem(route, host);
      if (problem !== undefined) log.warning(`the webhook subscription '${name}' is not served: ${problem}`);
      else if (typeof route !== 'string') found.set(name, route);
    }
    return found;
  }

  #warnOfTarget(name: string, route: WebhookRoute): void {
    const platform = platformOf(route);
    if (platform === undefined || this.#parts.chats.knows(platform)) return;
    this.#parts.log.warning(`the webhook route '${name}' delivers to '${platform}', which is not connected here`);
  }
}
