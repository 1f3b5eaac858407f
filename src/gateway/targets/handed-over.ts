/** What another process of this machine hands over to the running gateway, through files of the home: messages, and refusals. */
import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode, errorMessage } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { sendErrorKinds } from '../platform/send-result.ts';
import { type HandedMessage, handedMessage, type Outcome } from './outgoing.ts';
import { readSmallFile } from './read-small-file.ts';

/*
 * `<id>.json` asks. Whoever takes the name away has decided: the gateway by making it `<id>.taken`, the asker by
 * removing it. `<id>.answer` tells what became of it.
 */

const lookMs = 300;
/** A gateway that does not take it within this time is not there, or stuck. */
const takenWithinMs = 5000;
const answeredWithinMs = 180_000;
/** An asker waits less than that. */
const forgottenMs = 600_000;
const mostAtOnce = 8;

const outcome = z.object({
  result: z.union([
    z.object({ ok: z.literal(true), messageId: z.string().nullable() }),
    z.object({ ok: z.literal(false), kind: z.enum(sendErrorKinds), error: z.string() }),
  ]),
  mirrored: z.boolean(),
});

/** A call that waits for somebody's yes in a chat, by the id of its question, is not to run. There is no way to allow one. */
const handedDenial = z.object({ deny: z.string().max(200) });
const handed = z.union([handedMessage, handedDenial]);
type HandedDenial = z.infer<typeof handedDenial>;

/** Resolves with undefined when nobody took it: then it was not sent, and will not be. */
export async function handOver(homePath: string, message: HandedMessage | HandedDenial): Promise<Outcome | undefined> {
  const folder = folderOf(homePath);
  makeDirectories(folder, 0o700);
  const name = randomUUID();
  const [request, answer] = [join(folder, `${name}.json`), join(folder, `${name}.answer`)];
  writeFileAtomic(request, JSON.stringify(message));
  for (let waited = 0; waited < answeredWithinMs; waited += lookMs) {
    await sleep(lookMs);
    const told = readSmallFile(answer);
    if (told !== undefined) {
      rmSync(answer, { force: true });
      const { data } = outcome.safeParse(parseJson(told));
      return data ?? unknown('its answer cannot be read');
    }
    if (waited >= takenWithinMs && takeAway(request)) return undefined;
  }
  return unknown('the gateway has not said so within three minutes');
}

export interface HandedOverOptions {
  readonly homePath: string;
  readonly log: Log;
  send(message: HandedMessage): Promise<Outcome>;
  /** False when nobody waits for an answer to that question any more. */
  deny(questionId: string): boolean;
}

export class HandedOver {
  readonly #options: HandedOverOptions;
  readonly #folder: string;
  readonly #running = new Set<Promise<void>>();

  constructor(options: HandedOverOptions) {
    this.#options = options;
    this.#folder = folderOf(options.homePath);
  }

  /** Takes what is handed over until the signal aborts; resolves when what it took is answered. */
  async keep(signal: AbortSignal): Promise<void> {
    this.#answerForTheDead();
    while (!signal.aborted) {
      for (const name of this.#names('.json')) {
        if (this.#running.size >= mostAtOnce) await Promise.race(this.#running);
        if (!signal.aborted) this.#take(name);
      }
      // Who asks lives by the true time.
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
    await Promise.all(this.#running);
  }

  #take(name: string): void {
    const [request, taken] = [join(this.#folder, `${name}.json`), join(this.#folder, `${name}.taken`)];
    // Whoever asked may have taken it back.
    if (!isYoung(request)) return rmSync(request, { force: true });
    if (!rename(request, taken)) return;
    const running = this.#answer(name, taken).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #answer(name: string, taken: string): Promise<void> {
    const { data } = handed.safeParse(parseJson(readSmallFile(taken) ?? ''));
    this.#tell(name, data === undefined ? refused('it cannot be read') : await this.#carryOut(data));
    rmSync(taken, { force: true });
  }

  async #carryOut(asked: HandedMessage | HandedDenial): Promise<Outcome> {
    if (!('deny' in asked)) return await this.#send(asked);
    return this.#options.deny(asked.deny)
      ? { result: { ok: true, messageId: null }, mirrored: false }
      : refused('Nobody waits for that answer any more.');
  }

  async #send(message: HandedMessage): Promise<Outcome> {
    try {
      return await this.#options.send(message);
    } catch (error) {
      this.#options.log.error(`a message that was handed over was not sent: ${errorMessage(error)}`, error);
      return refused(errorMessage(error));
    }
  }

  #tell(name: string, told: Outcome): void {
    try {
      writeFileAtomic(join(this.#folder, `${name}.answer`), JSON.stringify(told));
    } catch (error) {
      this.#options.log.warning('what became of a message could not be told to who handed it over', error);
    }
  }

  /** An earlier gateway died while it sent these; answers that nobody wants any more go away. */
  #answerForTheDead(): void {
    for (const name of this.#names('.taken')) {
      this.#tell(name, unknown('the gateway died while it was sending it'));
      rmSync(join(this.#folder, `${name}.taken`), { force: true });
    }
    for (const name of this.#names('.answer')) {
      const path = join(this.#folder, `${name}.answer`);
      if (!isYoung(path)) rmSync(path, { force: true });
    }
  }

  #names(ending: string): readonly string[] {
    try {
      return readdirSync(this.#folder).flatMap((file) =>
        file.endsWith(ending) && !file.startsWith('.') ? [file.slice(0, -ending.length)] : [],
      );
    } catch {
      // Nobody has handed anything over yet.
      return [];
    }
  }
}

function folderOf(homePath: string): string {
  return join(homePath, 'gateway', 'handed-over');
}

function refused(error: string): Outcome {
  return { result: { ok: false, kind: 'unknown', error }, mirrored: false };
}

function unknown(why: string): Outcome {
  return refused(`Whether it was sent is not known: ${why}.`);
}

/** False when somebody else has it. */
function takeAway(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function isYoung(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < forgottenMs;
}
