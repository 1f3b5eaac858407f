/** Keeps the agent honest about files: edits that failed and were never made good are listed under the answer. */
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { FinishedCall } from './run-tool-calls.ts';

export interface FileMutationLedger {
  note(call: FinishedCall): void;
  /** The text to put under the final answer; empty when every edit went through. */
  footer(): string;
}

export function createFileMutationLedger(): FileMutationLedger {
  /** By absolute path: a file that was `a.txt` may be made good as `./a.txt`. */
  const failed = new Map<string, { readonly path: string; readonly outcome: string }>();
  return {
    note({ edits, outcome, result }) {
      const done = outcome === 'error' ? changedAllTheSame(result) : new Set();
      for (const { path, resolved } of edits) {
        if (outcome === 'ok' || done.has(path)) failed.delete(resolved);
        else failed.set(resolved, { path, outcome });
      }
    },
    footer() {
      if (failed.size === 0) return '';
      // In backticks, because surfaces that render Markdown would take the underscores out of `__init__.py`.
      const files = [...failed.values()].map(({ path, outcome }) => `- \`${path}\` (${outcome})`);
      return `⚠️ File-mutation verifier: ${failed.size} file(s) were NOT modified this turn\n${files.join('\n')}`;
    },
  };
}

/** A patch over several files goes on after one that failed; its answer names those that it did change. */
function changedAllTheSame(result: string): ReadonlySet<unknown> {
  const answer = parseJson(result);
  if (!isJsonObject(answer)) return new Set();
  const { files_modified: modified, files_created: created, files_deleted: deleted } = answer;
  return new Set([modified, created, deleted].flatMap((names) => (Array.isArray(names) ? names : [])));
}
