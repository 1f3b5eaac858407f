/** One delivery, from its first byte to what its sender is told. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { WebhookRoute, WebhookSettings } from '../../config/webhooks.ts';
import { remember } from '../../lib/bounded.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { Program } from '../../runtime/program.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import type { ReceivedWebhooks } from '../../sessions/received-webhooks.ts';
import { HttpError, jsonAnswer } from '../answers.ts';
import { isLoopback } from '../door.ts';
import type { HttpRequest } from '../routes.ts';
import { passesFilters } from './filter.ts';
import type { WebhookJob } from './job.ts';
import { deliveryIdOf, eventTypeOf, isWanted, parsePayload } from './payload.ts';
import { MinuteRate } from './rate.ts';
import type { RouteTable } from './route-table.ts';
import type { WebhookRuns } from './runs.ts';
import { runRouteScript } from './script.ts';
import { checkSignature, insecureSecret } from './signature.ts';
import { targetOf } from './target.ts';
import { defaultPrompt, renderTemplate } from './template.ts';

export interface TakeParts {
  readonly program: Program;
  readonly settings: () => WebhookSettings;
  readonly routes: RouteTable;
  readonly runs: WebhookRuns;
  readonly webhooks: ReceivedWebhooks;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Accepted and not finished at the same time. */
const maxOpen = 100;
/** Refusals of one address within a minute that are told apart from each other and written down. */
const maxRefused = 200;
const maxListBytes = 1_048_576;
/** Far more than come while a signed time is good. */
const maxTaken = 10_000;

/** A delivery that is its sender's and wanted. */
interface Entering {
  readonly request: HttpRequest;
  readonly name: string;
  readonly route: WebhookRoute;
  readonly payload: JsonValue;
  readonly event: string;
}

export class DeliveryTaker {
  readonly #parts: TakeParts;
  readonly #rate: MinuteRate;
  readonly #refused: MinuteRate;
  readonly #mask: (text: string) => string;
  readonly #warnedOf = new Set<string>();
  /** Signatures with a time that were taken: what they cover says nothing of the id, which anybody could change. */
  readonly #taken = new Set<string>();
  /** Deliveries that are being entered, by route and id: their repetitions wait. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Between their signature and their row. */
  #entering = 0;

  constructor(parts: TakeParts) {
    this.#parts = parts;
    this.#rate = new MinuteRate(parts.now);
    this.#refused = new MinuteRate(parts.now);
    this.#mask = secretMask(parts.program.options);
  }

  async take(request: HttpRequest): Promise<Response> {
    const name = request.params['route'] ?? '';
    const route = this.#parts.routes.get(name);
    if (route === undefined) return refusal(404, `Unknown route: ${name.slice(0, 100)}`);
    if (!route.enabled) return refusal(403, `Route disabled: ${name}`);
    const body = await readBody(request, this.#parts.settings().maxBodyBytes);
    if (body instanceof Response) return body;
    const problem = this.#authenticate(request, name, route, body);
    if (problem !== undefined) return problem;
    if (!this.#rate.take(name, this.#parts.settings().rateLimit)) {
      return refusal(429, 'Rate limit exceeded', { 'retry-after': '60' });
    }
    const payload = parsePayload(body, request.headers.get('content-type') ?? '');
    if (payload === undefined) return refusal(400, 'Cannot parse body');
    const event = eventTypeOf(request.headers, payload);
    if (!isWanted(route.events, event, payload)) return jsonAnswer({ status: 'ignored', event });
    if (this.#parts.runs.open + this.#entering >= maxOpen) {
      return refusal(503, 'Too many deliveries are being worked on', { 'retry-after': '10' });
    }
    this.#entering += 1;
    try {
      return await this.#once(request, name, async () => await this.#enter({ request, name, route, payload, event }));
    } finally {
      this.#entering -= 1;
    }
  }

  #authenticate(
    { headers, address }: HttpRequest,
    name: string,
    { secret }: WebhookRoute,
    body: Uint8Array,
  ): Response | undefined {
    if (secret === '') return refusal(403, 'Webhook route is missing an HMAC secret');
    if (secret === insecureSecret) {
      // A page of a stranger may lead its own name to this machine.
      return isOwnName(headers.get('host')) ? undefined : refusal(403, 'This route is for this machine alone');
    }
    const verdict = checkSignature({ headers, body, secret, now: Math.floor(this.#parts.now() / 1000) });
    if (verdict === 'undated' && !this.#warnedOf.has(name)) {
      this.#warnedOf.add(name);
      this.#parts.log.warning(
        `deliveries to '${name}' are signed without a time, so whoever sees one can send it again; X-Webhook-Signature-V2 has one`,
      );
    }
    if (verdict !== 'bad') return undefined;
    if (!this.#refused.take(address, maxRefused)) return refusal(429, 'Rate limit exceeded', { 'retry-after': '60' });
    this.#parts.log.warning(`a delivery to '${name}' from ${address} was refused: its signature is not right`);
    return refusal(401, 'Invalid signature');
  }

  /** What could not be taken is new again. */
  async #once({ headers }: HttpRequest, name: string, enter: () => Promise<Response>): Promise<Response> {
    const signature = headers.get('x-webhook-signature-v2')?.toLowerCase();
    if (signature === undefined) return await enter();
    const key = `${name} ${signature}`;
    if (this.#taken.has(key))
      return jsonAnswer({ status: 'duplicate', delivery_id: deliveryIdOf(headers, this.#parts.now()) });
    remember(this.#taken, key, maxTaken);
    let isTaken = false;
    try {
      const response = await enter();
      isTaken = response.ok;
      return response;
    } finally {
      if (!isTaken) this.#taken.delete(key);
    }
  }

  async #enter(given: Entering): Promise<Response> {
    const { program, now } = this.#parts;
    const { name, route, payload, event } = given;
    const { headers } = given.request;
    const listIn = (path: string): readonly JsonValue[] | undefined =>
      readList(resolve(program.options.home.path, path));
    if (!passesFilters(route.filters, { payload, eventType: event, headers, listIn })) return ignored('filter', name);
    const deliveryId = deliveryIdOf(headers, now());
    return await this.#oneByOne(`${name} ${deliveryId}`, () => this.#enterAs(deliveryId, given));
  }

  async #oneByOne(key: string, enter: () => Promise<Response>): Promise<Response> {
    // Whatever became of the one before: this one finds out by itself.
    const before = this.#underWay.get(key)?.catch(() => undefined);
    const entered = before === undefined ? enter() : before.then(enter);
    this.#underWay.set(key, entered);
    try {
      return await entered;
    } finally {
      if (this.#underWay.get(key) === entered) this.#underWay.delete(key);
    }
  }

  async #enterAs(deliveryId: string, { request, name, route, payload, event }: Entering): Promise<Response> {
    const { webhooks, runs, log } = this.#parts;
    const duplicate = jsonAnswer({ status: 'duplicate', delivery_id: deliveryId });
    // Before the script, which may do something too.
    if (await webhooks.isKnown({ route: name, deliveryId })) return duplicate;
    const seen = route.script === '' ? payload : await this.#script(name, route, payload, request.signal);
    if (seen === undefined) return ignored('script', name);
    const job = jobFor(name, route, { payload: seen, eventType: event });
    const webhook = { route: name, deliveryId, job: JSON.stringify(job) };
    const id = await webhooks.accept(webhook);
    if (id === undefined) return duplicate;
    log.info(`POST ${event} on '${name}': ${job.prompt.length} characters, delivery ${JSON.stringify(deliveryId)}`);
    if (!job.deliverOnly) {
      runs.start(id, webhook, job);
      return jsonAnswer({ status: 'accepted', route: name, event, delivery_id: deliveryId }, 202);
    }
    const outcome = await runs.deliverNow(id, webhook, job);
    return outcome.as === 'delivered'
      ? jsonAnswer({ status: 'delivered', route: name, target: route.deliver, delivery_id: deliveryId })
      : jsonAnswer({ status: 'error', error: 'Delivery failed', delivery_id: deliveryId }, 502);
  }

  /** What the payload is now; undefined when the delivery stops here. */
  async #script(
    name: string,
    { script }: WebhookRoute,
    payload: JsonValue,
    signal: AbortSignal,
  ): Promise<JsonValue | undefined> {
    const { program, settings, log } = this.#parts;
    const { home, env } = program.options;
    const timeoutMs = settings().scriptTimeoutMs;
    const place = { homePath: home.path, env, timeoutMs, mask: this.#mask, signal };
    const outcome = await runRouteScript(script, payload, place);
    if (outcome.as === 'payload') return outcome.payload;
    log.info(`a delivery to '${name}' was stopped by its script: ${outcome.why}`);
    return undefined;
  }
}

function jobFor(
  name: string,
  route: WebhookRoute,
  values: { readonly payload: JsonValue; readonly eventType: string },
): WebhookJob {
  const prompt = route.prompt === '' ? defaultPrompt(name, values) : renderTemplate(route.prompt, values);
  return {
    event: values.eventType,
    prompt: prompt.toWellFormed(),
    skills: [...route.skills],
    target: targetOf(route, values),
    deliverOnly: route.deliverOnly,
  };
}

const bodyErrors = new Map([
  [408, 'Request timeout'],
  [413, 'Payload too large'],
  [415, 'Compressed bodies are not taken'],
  [503, 'Busy'],
]);

async function readBody(request: HttpRequest, maxBytes: number): Promise<Buffer | Response> {
  try {
    return await request.bytes(maxBytes);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { status, options } = error;
    return refusal(status, bodyErrors.get(status) ?? 'Bad request', options.headers);
  }
}

function refusal(status: number, error: string, headers: Readonly<Record<string, string>> = {}): Response {
  return jsonAnswer({ error }, status, headers);
}

function ignored(reason: string, route: string): Response {
  return jsonAnswer({ status: 'ignored', reason, route });
}

function isOwnName(host: string | null): boolean {
  return host === null || isLoopback(host.replace(/:\d+$/, ''));
}

/** A JSON list, the keys of a JSON object, or lines. */
function readList(path: string): readonly JsonValue[] | undefined {
  try {
    const text = readFileSync(path);
    if (text.length > maxListBytes) return undefined;
    const value = parseJson(text.toString('utf8'));
    if (Array.isArray(value)) return value;
    if (isJsonObject(value)) return Object.keys(value);
    return text
      .toString('utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  } catch {
    // A list that is not there has nothing in it.
    return undefined;
  }
}
