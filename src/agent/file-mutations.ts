/** Keeps the agent honest about files: edits that failed and were never made good are listed under the answer. */
import type { FinishedCall } from './run-tool-calls.ts';

export interface FileMutationLedger {
  note(call: FinishedCall): void;
  /** The text to put under the final answer; empty when every edit went through. */
  footer(): string;
}

export function createFileMutationLedger(): FileMutationLedger {
  const failed = new Map<string, string>();
  return {
    note(call) {
      if (call.name !== 'write_file' && call.name !== 'patch') return;
      const { path } = call.args;
      if (typeof path !== 'string') return;
      if (call.outcome === 'ok') failed.delete(path);
      else failed.set(path, call.outcome);
    },
    footer() {
      if (failed.size === 0) return '';
      const files = [...failed].map(([path, outcome]) => `- ${path} (${outcome})`);
      return `⚠️ File-mutation verifier: ${failed.size} file(s) were NOT modified this turn\n${files.join('\n')}`;
    },
  };
}
