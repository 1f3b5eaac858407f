/** What was accepted is worked on in the background, each delivery by itself, and taken up again after a restart. */
import pLimit from 'p-limit';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { Program } from '../../runtime/program.ts';
import type { NewWebhook, ReceivedWebhook } from '../../sessions/received-webhooks.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { deliverText, named } from './deliver-text.ts';
import type { DeliveryOutcome, WebhookDelivery } from './delivery.ts';
import { readJob, type WebhookJob } from './job.ts';
import { leftTurn } from '../../worker/left-turn.ts';
import { deliveryTextId, runWebhookTurn } from './webhook-turn.ts';

/** How often a turn is begun; then its end is told. */
const maxAttempts = 3;
/** Turns at the same time; what else was accepted waits. */
const maxTurns = 10;

const parkedText =
  '⚠️ The program ended several times while it worked on this event, so it is not tried again. What was done so far is kept in the session.';

export interface RunsParts {
  readonly program: Program;
  readonly store: SessionStore;
  readonly chats: WebhookDelivery;
  readonly log: Log;
  /** Named in the keys of conversations; see `WebhookOptions`. */
  readonly keyProfile?: string | undefined;
}

export class WebhookRuns {
  readonly #parts: RunsParts;
  readonly #turns = pLimit(maxTurns);
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #draining = false;

  constructor(parts: RunsParts) {
    this.#parts = parts;
  }

  /** Deliveries that are worked on or wait for it. */
  get open(): number {
    return this.#running.size;
  }

  /** Takes up what an earlier process left. */
  async recover(): Promise<void> {
    for (const row of await this.#parts.store.webhooks.open()) {
      const job = readJob(row.job);
      if (job === undefined) {
        this.#parts.log.error(`${named(row)} cannot be read any more and is given up`);
        await this.#parts.store.webhooks.end(row.id);
      } else this.#start(row, job, true);
    }
  }

  /** Goes on by itself with a delivery that was accepted. */
  start(id: number, webhook: NewWebhook, job: WebhookJob): void {
    this.#start(newRow(id, webhook), job, false);
  }

  /** Delivers now, once; what fails is forgotten, so that its sender can send it again. */
  async deliverNow(id: number, webhook: NewWebhook, job: WebhookJob): Promise<DeliveryOutcome> {
    const { webhooks } = this.#parts.store;
    const outcome = await this.#deliver(newRow(id, webhook), job, job.prompt, { lasting: false, mayRepeat: false });
    if (outcome.as === 'delivered') await webhooks.end(id);
    else await webhooks.forget(id);
    return outcome;
  }

  /** Lets finish what runs until `signal` aborts; the rest is taken up with the next start. */
  async drain(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    this.#draining = true;
    await Promise.all(this.#running);
    signal.removeEventListener('abort', stop);
  }

  #start(row: ReceivedWebhook, job: WebhookJob, isLeft: boolean): void {
    const running = this.#run(row, job, isLeft)
      .catch((error: unknown) => {
        if (this.#draining) this.#parts.log.info(`${named(row)} is taken up with the next start`);
        else this.#parts.log.error(`${named(row)} could not be finished`, error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(row: ReceivedWebhook, job: WebhookJob, isLeft: boolean): Promise<void> {
    const { webhooks } = this.#parts.store;
    const wasOnItsWay = row.state === 'answered' || (isLeft && job.deliverOnly);
    const text = await this.#textFor(row, job);
    if (row.state !== 'answered' && !job.deliverOnly) await webhooks.answered(row.id, text);
    await this.#deliver(row, job, text, { lasting: true, mayRepeat: wasOnItsWay });
    // One that was cut off is delivered with the next start.
    this.#stop.signal.throwIfAborted();
    await webhooks.end(row.id);
  }

  async #textFor(row: ReceivedWebhook, job: WebhookJob): Promise<string> {
    if (job.deliverOnly) return job.prompt;
    if (row.answer !== null) return row.answer;
    return await this.#turns(() => this.#turn(row, job));
  }

  async #turn(row: ReceivedWebhook, job: WebhookJob): Promise<string> {
    const { program, store, log, keyProfile } = this.#parts;
    const { signal } = this.#stop;
    if (this.#draining) throw new Error('the server stops');
    const left = await leftTurn(store, row.sessionId);
    if (left.as === 'answered') return left.text;
    if (row.attempts >= maxAttempts) return parkedText;
    try {
      return await runWebhookTurn({
        program,
        row,
        job,
        resume: left.as === 'begun' ? left.session : undefined,
        log,
        keyProfile,
        onBegin: (sessionId) => store.webhooks.begin(row.id, sessionId),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      log.error(`${named(row)} was not answered`, error);
      const why = error instanceof UserError ? maskKeys(errorMessage(error)) : 'the log says more';
      return `⚠️ The agent could not work on this event: ${why}`;
    }
  }

  async #deliver(
    row: ReceivedWebhook,
    job: WebhookJob,
    text: string,
    how: { readonly lasting: boolean; readonly mayRepeat: boolean },
  ): Promise<DeliveryOutcome> {
    const { program, chats, log } = this.#parts;
    const { route, deliveryId } = row;
    const details = { id: deliveryTextId(row), route, deliveryId, signal: this.#stop.signal, ...how };
    return await deliverText(job.target, text, details, { chats, env: program.options.env, log });
  }
}

function newRow(id: number, webhook: NewWebhook): ReceivedWebhook {
  return { ...webhook, id, state: 'waiting', attempts: 0, sessionId: null, answer: null, receivedAt: Date.now() };
}
