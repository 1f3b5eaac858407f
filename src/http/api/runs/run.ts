/** A turn that belongs to no connection: what happens in it is kept for whoever comes to look. */
import type { AgentEvent } from '../../../agent/events.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { maskKeys } from '../../../lib/secrets.ts';
import { AnswerText } from '../answer-text.ts';
import { responsesUsage, shortfallOf } from '../turn-end.ts';
import type { TurnOutcome } from '../turns.ts';

export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting_for_approval'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'cancelled';

export interface RunEvent {
  /** From 1, without gaps. */
  readonly id: number;
  readonly data: JsonObject;
}

/** Events that are kept for those who come later, and their characters; the oldest go. */
const maxEvents = 5000;
const maxChars = 2_000_000;

export class Run {
  readonly id: string;
  readonly createdAt = seconds();
  readonly #model: string;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(event: RunEvent | undefined) => void>();
  readonly #text = new AnswerText();
  #events: RunEvent[] = [];
  /** Characters of the kept events. */
  #chars = 0;
  #count = 0;
  #sessionId: string;
  #status: RunStatus = 'queued';
  #updatedAt = this.createdAt;
  #lastEvent: string | null = null;
  #end: JsonObject = {};
  #endChars = 0;

  constructor(id: string, made: { readonly sessionId: string; readonly model: string }) {
    this.id = id;
    this.#sessionId = made.sessionId;
    this.#model = made.model;
  }

  get status(): RunStatus {
    return this.#status;
  }

  get isOver(): boolean {
    return ['completed', 'failed', 'cancelled'].includes(this.#status);
  }

  /** Seconds since the epoch. */
  get updatedAt(): number {
    return this.#updatedAt;
  }

  /** Roughly what is held of it, in characters. */
  get size(): number {
    return this.#chars + this.#endChars;
  }

  /** Aborts when it is to end. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** As it is shown. */
  get object(): JsonObject {
    return {
      object: 'hermes.run',
      run_id: this.id,
      status: this.#status,
      created_at: this.createdAt,
      updated_at: this.#updatedAt,
      session_id: this.#sessionId,
      model: this.#model,
      last_event: this.#lastEvent,
      ...this.#end,
    };
  }

  /**
   * Hears the kept events after `lastId`, then those that come, then undefined at the end. Returns the end of listening.
   */
  listen(lastId: number, listener: (event: RunEvent | undefined) => void): () => void {
    for (const event of this.#events) if (event.id > lastId) listener(event);
    if (this.isOver) listener(undefined);
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** No effect when it is over. */
  stop(): void {
    if (this.isOver) return;
    this.#become('stopping');
    this.#stop.abort();
  }

  hear(event: AgentEvent): void {
    const delta = this.#text.take(event);
    if (delta !== '') this.tell('message.delta', { delta });
    switch (event.type) {
      case 'turn_started':
        this.#sessionId = event.sessionId;
        if (this.#status === 'queued') this.#become('running');
        return;
      case 'session_moved':
        this.#sessionId = event.to;
        return;
      case 'reasoning_delta':
        this.tell('reasoning.available', { text: event.text });
        return;
      case 'tool_started':
        this.tell('tool.started', { tool: event.name, preview: event.preview });
        return;
      case 'tool_finished':
        this.tell('tool.completed', {
          tool: event.name,
          duration: event.durationMs / 1000,
          error: event.outcome !== 'ok',
        });
        return;
      default:
        return;
    }
  }

  /** An event for those who listen and those who will. */
  tell(event: string, more: JsonObject): void {
    this.#count += 1;
    this.#lastEvent = event;
    this.#updatedAt = seconds();
    const told = { id: this.#count, data: { event, run_id: this.id, timestamp: seconds(), ...more } };
    this.#events.push(told);
    this.#chars += sizeOf(told);
    if (this.#events.length > maxEvents || this.#chars > maxChars) this.#forgetHalf();
    for (const listener of this.#listeners) listener(told);
  }

  /** The newest one stays, however large it is. */
  #forgetHalf(): void {
    let kept = 0;
    let chars = 0;
    for (const event of this.#events.toReversed()) {
      const size = sizeOf(event);
      if (kept > 0 && (kept >= maxEvents / 2 || chars + size > maxChars / 2)) break;
      kept += 1;
      chars += size;
    }
    this.#events = this.#events.slice(-kept);
    this.#chars = chars;
  }

  /** While somebody has to answer. */
  waits(): void {
    if (this.#status === 'running') this.#become('waiting_for_approval');
  }

  goesOn(): void {
    if (this.#status === 'waiting_for_approval') this.#become('running');
  }

  finish({ result, usage, sessionId }: TurnOutcome): void {
    this.#sessionId = sessionId;
    const rest = this.#text.finish(result);
    if (rest !== '') this.tell('message.delta', { delta: rest });
    const output = result.finalResponse;
    const end = { ...(output === null ? {} : { output }), usage: responsesUsage(usage) };
    const shortfall = shortfallOf(result);
    if (result.ended === 'interrupted') this.#close('cancelled', 'run.cancelled', {}, end);
    else if (shortfall === undefined) this.#close('completed', 'run.completed', end, end);
    else this.#close('failed', 'run.failed', { error: shortfall.error }, { ...end, error: shortfall.error });
  }

  fail(error: unknown): void {
    const told = { error: maskKeys(errorMessage(error)) };
    if (this.#stop.signal.aborted) this.#close('cancelled', 'run.cancelled', {}, {});
    else this.#close('failed', 'run.failed', told, told);
  }

  #close(status: RunStatus, event: string, told: JsonObject, end: JsonObject): void {
    this.#end = end;
    this.#endChars = JSON.stringify(end).length;
    this.#become(status);
    this.tell(event, told);
    for (const listener of this.#listeners) listener(undefined);
    this.#listeners.clear();
  }

  #become(status: RunStatus): void {
    this.#status = status;
    this.#updatedAt = seconds();
  }
}

function sizeOf({ data }: RunEvent): number {
  return JSON.stringify(data).length;
}

function seconds(): number {
  return Date.now() / 1000;
}
