/** Messages of the user's own that stand before every conversation: sent each time, never stored. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../lib/json.ts';
import type { Message } from '../llm/message.ts';
import { readRuleFile } from './rule-text.ts';

export interface Prefill {
  /** Goes right after the system message. */
  readonly messages: readonly Message[];
  readonly warnings: readonly string[];
}

const messageList = z
  .array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.string().min(1) }))
  .max(200);

/**
 * Reads `prefill_messages_file`; a missing or invalid file is a warning and no messages.
 * @param path as configured; relative paths start at the home; empty = none
 */
export function readPrefill(path: string, homePath: string): Prefill {
  if (path.trim() === '') return { messages: [], warnings: [] };
  const expanded = path.trim().replace(/^~(?=\/|$)/, homedir());
  const file = resolve(homePath, expanded);
  const found = readRuleFile(file);
  if (found === undefined) return none(`${file}: the prefill messages file does not exist; none are sent.`);
  if ('warning' in found) return none(found.warning);
  const parsed = messageList.safeParse(parseJson(found.text));
  if (!parsed.success) {
    return none(`${file}: not a JSON list of {"role", "content"} messages; no prefill messages are sent.`);
  }
  return { messages: parsed.data, warnings: [] };
}

function none(warning: string): Prefill {
  return { messages: [], warnings: [warning] };
}
