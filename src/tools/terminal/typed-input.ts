/** Text typed into running processes, put together to whole lines so that it cannot be slipped in piece by piece. */

/** A line that never ends is judged by its last part. */
const maxLineChars = 16_384;
const maxProcesses = 64;

export class TypedInput {
  readonly #unfinished = new Map<string, string>();

  /** What the process would have to run if `data` was typed: the unfinished line before it, and the data. */
  preview(process: string, data: string): string {
    return (this.#unfinished.get(process) ?? '') + data;
  }

  /** Remembers that `data` was typed. */
  typed(process: string, data: string): void {
    const text = this.preview(process, data);
    const line = text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1).slice(-maxLineChars);
    this.#unfinished.delete(process);
    if (line !== '') this.#unfinished.set(process, line);
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > maxProcesses && oldest !== undefined) this.#unfinished.delete(oldest);
  }
}
