/** Keeps the agent honest about files: edits that failed and were never made good are listed under the answer. */
import type { FinishedCall } from './run-tool-calls.ts';

export class FileMutations {
  readonly #enabled: boolean;
  /** By absolute path: a file that was `a.txt` may be made good as `./a.txt`. */
  readonly #failed = new Map<string, { readonly path: string; readonly outcome: string }>();

  /** `enabled` is `display.file_mutation_verifier`. */
  constructor(enabled: boolean) {
    this.#enabled = enabled;
  }

  note({ edits, outcome, details }: FinishedCall): void {
    if (!this.#enabled) return;
    // A patch over several files goes on after one that failed.
    const changed = new Set(details.changedFiles);
    for (const { path, resolved } of edits) {
      if (outcome === 'ok' || changed.has(resolved)) this.#failed.delete(resolved);
      else this.#failed.set(resolved, { path, outcome });
    }
  }

  /** The text to put under the final answer; empty when every edit went through. */
  footer(): string {
    if (this.#failed.size === 0) return '';
    // In backticks, because surfaces that render Markdown would take the underscores out of `__init__.py`.
    const files = [...this.#failed.values()].map(({ path, outcome }) => `- \`${path}\` (${outcome})`);
    return `⚠️ File-mutation verifier: ${this.#failed.size} file(s) were NOT modified this turn\n${files.join('\n')}`;
  }
}
