/** Which shell hooks the owner has allowed: `shell-hooks-allowlist.json`, in the form of the original. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { withFileLock } from '../../lib/file-lock.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { ShellHook } from './read-hooks.ts';
import { commandWords, splitWords } from './split-words.ts';

const approval = z.looseObject({
  event: z.string(),
  command: z.string(),
  approved_at: z.string().optional().catch(undefined),
  script_mtime_at_approval: z.string().nullish().catch(undefined),
});
export type Approval = z.infer<typeof approval>;

type Pair = Pick<ShellHook, 'point' | 'command'>;

const scripts = /\.(?:sh|bash|zsh|fish|pyw?|rb|pl|lua|[mc]?js|ts)$/i;

export class ShellHookAllowlist {
  readonly #path: string;

  constructor(homePath: string) {
    this.#path = join(homePath, 'shell-hooks-allowlist.json');
  }

  /** What is there now; a file that cannot be read allows nothing. */
  approvals(): readonly Approval[] {
    return approvalsIn(this.#read()).flatMap((entry) => approval.safeParse(entry).data ?? []);
  }

  /** Only for the exact words of a command. */
  find({ point, command }: Pair): Approval | undefined {
    return this.approvals().find((entry) => entry.event === point && entry.command === command);
  }

  async allow({ point, command }: Pair): Promise<void> {
    const entry = {
      event: point,
      command,
      approved_at: new Date().toISOString(),
      script_mtime_at_approval: scriptChangedAt(command) ?? null,
    };
    await this.#change((all) => [
      ...all.filter((known) => !isJsonObject(known) || known['event'] !== point || known['command'] !== command),
      entry,
    ]);
  }

  /** Returns how many entries were there. */
  async revoke(command: string): Promise<number> {
    let gone = 0;
    await this.#change((all) => {
      const left = all.filter((known) => !isJsonObject(known) || known['command'] !== command);
      gone = all.length - left.length;
      return left;
    });
    return gone;
  }

  async #change(change: (all: readonly JsonValue[]) => readonly JsonValue[]): Promise<void> {
    await withFileLock(`${this.#path}.lock`, () => {
      const data = this.#read();
      const next = { ...data, approvals: [...change(approvalsIn(data))] };
      writeFileAtomic(this.#path, JSON.stringify(sorted(next), null, 2));
    });
  }

  #read(): JsonObject {
    if (!existsSync(this.#path)) return {};
    try {
      const data = parseJson(readFileSync(this.#path, 'utf8'));
      return isJsonObject(data) ? data : {};
    } catch {
      // It allows nothing then, and every hook that is left out is told.
      return {};
    }
  }
}

function approvalsIn(data: JsonObject): readonly JsonValue[] {
  const { approvals } = data;
  return Array.isArray(approvals) ? approvals : [];
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

/** The script among the words of a command, as far as it looks like one; else its program. `~` is written out. */
export function scriptOf(command: string): string | undefined {
  const words = commandWords(command) ?? [];
  return words.find((word) => scripts.test(word)) ?? words.find((word) => word.includes('/')) ?? words[0];
}

/** When the script of a command was last changed; undefined when it is not there. */
export function scriptChangedAt(command: string): string | undefined {
  const path = splitWords(command) === undefined ? undefined : scriptOf(command);
  const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return found?.mtime.toISOString();
}
