/** Notices a model that goes round in circles: first it is told so, then the call is not run again and the turn ends. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../lib/json.ts';
import type { CallOutcome } from './events.ts';
import type { ToolDetails } from './tool.ts';

/** `tool_loop_guardrails`: how often is too often. Every count is at least 1. */
export interface LoopLimits {
  /** The same call failed. */
  readonly exactFailure: number;
  /** Calls of the same tool failed, whatever their arguments. */
  readonly sameToolFailure: number;
  /** The same call brought the same result. */
  readonly noProgress: number;
}

export interface LoopGuardSettings {
  readonly warnings: boolean;
  readonly hardStops: boolean;
  readonly warnAfter: LoopLimits;
  readonly stopAfter: LoopLimits;
}

export const defaultLoopGuard: LoopGuardSettings = {
  warnings: true,
  hardStops: true,
  warnAfter: { exactFailure: 2, sameToolFailure: 3, noProgress: 2 },
  stopAfter: { exactFailure: 3, sameToolFailure: 8, noProgress: 5 },
};

/** What of a call's tool counts here. */
interface GuardedTraits {
  readonly idempotent: boolean;
  /** It writes memory: no answer to the user is given up because a note could not be kept. */
  readonly keepsMemory?: boolean;
}

/** A call as the guard sees it. */
export interface GuardedCall extends GuardedTraits {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A call that was answered. */
interface AnsweredCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly outcome: CallOutcome;
  readonly details: ToolDetails;
  readonly result: string;
}

/** A tool that may change things can rightly be called again; twice as much patience with it. */
const patience = 2;
/** After so many failures memory is left alone for the rest of the turn. */
const mostMemoryFailures = 3;

/** Counts for one turn. A new call that may have changed something and went well begins all counts anew. */
export class LoopGuard {
  readonly #settings: LoopGuardSettings;
  readonly #failures = new Map<string, number>();
  readonly #toolFailures = new Map<string, number>();
  readonly #results = new Map<string, { readonly result: string; readonly count: number }>();
  readonly #succeeded = new Set<string>();
  #memoryFailures = 0;
  #stopped: string | undefined;

  constructor(settings: LoopGuardSettings = defaultLoopGuard) {
    this.#settings = settings;
  }

  /** What the model is answered instead of running the call; from then on the turn is to end, unless it is about memory. */
  block({ name, args, idempotent, keepsMemory = false }: GuardedCall): JsonObject | undefined {
    const { hardStops, stopAfter } = this.#settings;
    if (keepsMemory && this.#memoryFailures >= mostMemoryFailures) return this.#leaveMemory(name);
    if (!hardStops) return undefined;
    const hash = hashOf(args);
    const key = keyOf(name, hash);
    const failed = this.#failures.get(key) ?? 0;
    const same = this.#results.get(key)?.count ?? 0;
    if (failed >= stopAfter.exactFailure) {
      this.#stopped = `the same \`${name}\` call failed ${times(failed)}`;
      const message = `This same call of ${name} failed ${times(failed)}, so it was not run again.`;
      return blocked('repeated_exact_failure_block', message, { name, hash, count: failed });
    }
    if (same < stopAfter.noProgress * (idempotent ? 1 : patience)) return undefined;
    this.#stopped = `the same \`${name}\` call brought the same result ${times(same)}`;
    const message = `This same call of ${name} brought the same result ${times(same)}, so it was not run again.`;
    return blocked('idempotent_no_progress_block', message, { name, hash, count: same });
  }

  /** Counts a call that was answered; returns the line for the model that is due, if one is. */
  note(call: AnsweredCall, { idempotent, keepsMemory = false }: GuardedTraits): string | undefined {
    // A look at something that is not ready yet is repeated with good reason.
    if (call.outcome === 'cancelled' || call.details.awaits === true) return undefined;
    if (keepsMemory) this.#memoryFailures = call.outcome === 'ok' ? 0 : this.#memoryFailures + 1;
    const key = keyOf(call.name, hashOf(call.args));
    return call.outcome === 'ok' ? this.#success(call, key, idempotent) : this.#failure(call.name, key);
  }

  /** What to tell the user when the turn should end, else `undefined`. */
  verdict(): string | undefined {
    if (this.#stopped === undefined) return undefined;
    return `Stopped: ${this.#stopped}. Tell me how to go on, or what to try instead.`;
  }

  #leaveMemory(name: string): JsonObject {
    const { hardStops, stopAfter } = this.#settings;
    this.#memoryFailures += 1;
    if (hardStops && this.#memoryFailures >= stopAfter.sameToolFailure) {
      this.#stopped = `\`${name}\` was called ${times(this.#memoryFailures)} in vain`;
    }
    const error = `Calls of ${name} failed ${times(mostMemoryFailures)} in this turn. Leave it as it is now and go on with your answer to the user; a later turn can save it.`;
    return { success: false, done: true, error };
  }

  #failure(name: string, key: string): string | undefined {
    const { warnings, hardStops, warnAfter, stopAfter } = this.#settings;
    const same = (this.#failures.get(key) ?? 0) + 1;
    const ofTool = (this.#toolFailures.get(name) ?? 0) + 1;
    this.#failures.set(key, same);
    this.#toolFailures.set(name, ofTool);
    if (hardStops && ofTool >= stopAfter.sameToolFailure) {
      this.#stopped ??= `calls of \`${name}\` failed ${times(ofTool)}`;
    }
    if (!warnings) return undefined;
    if (same >= warnAfter.exactFailure) {
      const advice = 'the same call failed again; look at its error and change something before you repeat it';
      return warning('repeated_exact_failure_warning', same, advice);
    }
    if (ofTool < warnAfter.sameToolFailure) return undefined;
    const advice = `calls of ${name} keep failing; find out why, or go another way`;
    return warning('same_tool_failure_warning', ofTool, advice);
  }

  #success({ name, result }: AnsweredCall, key: string, idempotent: boolean) {
    this.#failures.delete(key);
    this.#toolFailures.delete(name);
    if (!idempotent && !this.#succeeded.has(key)) {
      this.#failures.clear();
      this.#toolFailures.clear();
      this.#results.clear();
    }
    this.#succeeded.add(key);
    const digest = createHash('sha256').update(result).digest('base64');
    const before = this.#results.get(key);
    const count = before?.result === digest ? before.count + 1 : 1;
    this.#results.set(key, { result: digest, count });
    const { warnings, warnAfter } = this.#settings;
    if (!warnings || count < warnAfter.noProgress * (idempotent ? 1 : patience)) return undefined;
    const advice = 'the same call brought the same result again; use what it said, or do something else';
    return warning('idempotent_no_progress_warning', count, advice);
  }
}

function warning(code: string, count: number, advice: string): string {
  return `[Tool loop warning: ${code}; count=${count}; ${advice}]`;
}

function blocked(
  code: string,
  message: string,
  { name, hash, count }: { readonly name: string; readonly hash: string; readonly count: number },
): JsonObject {
  const signature = { tool_name: name, args_hash: hash };
  return { error: message, guardrail: { action: 'block', code, message, tool_name: name, count, signature } };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function keyOf(name: string, hash: string): string {
  return `${name}\n${hash}`;
}

/** Of the arguments as compact JSON with sorted keys: the order in which a model wrote them does not matter. */
function hashOf(args: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(args)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
