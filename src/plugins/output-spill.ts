/** What hooks add to a conversation and is too long for it goes into a file, and the model reads its two ends. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { expandTilde } from '../config/home.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import type { JsonValue } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';

/** `hooks.output_spill` */
const settings = z
  .looseObject({
    enabled: z.boolean().catch(true),
    max_chars: z.number().int().min(1).catch(10_000),
    preview_head: z.number().int().min(0).catch(500),
    preview_tail: z.number().int().min(0).catch(500),
    directory: z.string().min(1).nullable().catch(null),
  })
  .catch({ enabled: true, max_chars: 10_000, preview_head: 500, preview_tail: 500, directory: null });

export interface SpillPlace {
  readonly homePath: string;
  /** `hooks.output_spill` as it is written. */
  readonly written: JsonValue | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Of one session; the oldest go. */
const maxFiles = 200;

/** The text, or its preview with the path of the whole. Never throws: what cannot be written is cut all the same. */
export function spillText(text: string, sessionId: string, { homePath, written, env, log }: SpillPlace): string {
  const { enabled, max_chars, preview_head, preview_tail, directory } = settings.parse(written ?? {});
  if (!enabled || text.length <= max_chars) return text;
  const folder = join(
    directory === null ? join(homePath, 'hook_outputs') : expandTilde(directory, env),
    sessionId.replaceAll(/[^\w.-]/g, '_'),
  );
  const name = `${Date.now().toString(16)}${randomBytes(8).toString('hex')}.txt`;
  const path = join(folder, name);
  const head = text.slice(0, preview_head).toWellFormed();
  const tail = preview_tail === 0 ? '' : text.slice(-preview_tail).toWellFormed();
  let where = `the whole text is in ${path}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileAtomic(path, text, { durable: false });
    prune(folder);
  } catch (error) {
    log.warning('the text of a hook could not be kept', error);
    where = 'the rest could not be kept';
  }
  return `${head}\n\n[A hook gave ${text.length} characters; ${where}]\n\n${tail}`;
}

/** The names begin with the time. */
function prune(folder: string): void {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder).toSorted();
  for (const name of names.slice(0, -maxFiles)) rmSync(join(folder, name), { force: true });
}
