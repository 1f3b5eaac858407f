/** Chats that take nothing from us any more: `gateway/dead_targets.json` of the home, in the original's format. */
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorMessage } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { readSmallFile } from './read-small-file.ts';

export interface Place {
  readonly platform: string;
  readonly chatId: string;
}

const marks = z.record(
  z.string(),
  z.looseObject({ platform: z.string(), chat_id: z.string(), reason: z.string(), marked_at: z.unknown() }),
);

type Marks = z.infer<typeof marks>;

const maxMarks = 5000;
const maxReason = 300;

/** Read once; a change is written at once. A failed write is logged: the mark then counts as long as the process lives. */
export class DeadTargets {
  readonly #folder: string;
  readonly #log: Log;
  readonly #now: () => number;
  #known: Map<string, Marks[string]> | undefined;

  constructor(homePath: string, { log, clock }: { readonly log: Log; readonly clock: { now(): number } }) {
    this.#folder = join(homePath, 'gateway');
    this.#log = log;
    this.#now = () => clock.now();
  }

  has(place: Place): boolean {
    return this.#marks.has(keyOf(place));
  }

  mark(place: Place, reason: string): void {
    if (this.has(place)) return;
    const { platform, chatId } = place;
    const oldest = this.#marks.size >= maxMarks ? this.#marks.keys().next().value : undefined;
    if (oldest !== undefined) this.#marks.delete(oldest);
    this.#marks.set(keyOf(place), {
      platform,
      chat_id: chatId,
      reason: reason.slice(0, maxReason),
      marked_at: new Date(this.#now()).toISOString(),
    });
    this.#log.warning(`${platform}: a chat takes no messages any more (${reason}); what is routed there is skipped`);
    this.#save();
  }

  clear(place: Place): void {
    if (this.#marks.delete(keyOf(place))) this.#save();
  }

  get #marks(): Map<string, Marks[string]> {
    this.#known ??= new Map(Object.entries(marks.safeParse(parseJson(readSmallFile(this.#path) ?? '')).data ?? {}));
    return this.#known;
  }

  get #path(): string {
    return join(this.#folder, 'dead_targets.json');
  }

  #save(): void {
    try {
      makeDirectories(this.#folder, 0o700);
      writeFileAtomic(this.#path, `${JSON.stringify(Object.fromEntries(this.#marks), null, 2)}\n`);
    } catch (error) {
      this.#log.warning(`the list of dead targets could not be written: ${errorMessage(error)}`, error);
    }
  }
}

function keyOf({ platform, chatId }: Place): string {
  return `${platform}:${chatId}`;
}
