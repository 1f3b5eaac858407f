/** Text typed into a running process, put together to whole lines so that it cannot be slipped in piece by piece. */

/** A line that never ends is judged by its last part. */
const longestLine = 16_384;
const mostProcesses = 64;

export interface TypedInput {
  /** What the process would have to run if `data` was typed: the unfinished line before it, and the data. */
  preview(process: string, data: string): string;
  /** Remembers that `data` was typed. */
  typed(process: string, data: string): void;
}

export function createTypedInput(): TypedInput {
  const unfinished = new Map<string, string>();
  const preview = (process: string, data: string): string => (unfinished.get(process) ?? '') + data;
  return {
    preview,
    typed(process, data) {
      const text = preview(process, data);
      const line = text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1).slice(-longestLine);
      unfinished.delete(process);
      if (line !== '') unfinished.set(process, line);
      const [oldest] = unfinished.keys();
      if (unfinished.size > mostProcesses && oldest !== undefined) unfinished.delete(oldest);
    },
  };
}
