/** What servers write to their error output: into a file, with a line of its own for each start, never on a screen. */
import type { LogFile } from '../lib/log-file.ts';
import { stripAnsi } from '../lib/ansi.ts';

/** Of one line; a server that writes no line breaks must not fill the memory. */
const maxLineChars = 4000;

export class StderrLog {
  readonly #file: LogFile;
  /** The line that is not complete yet, by server. */
  readonly #begun = new Map<string, string>();

  constructor(file: LogFile) {
    this.#file = file;
  }

  started(server: string): void {
    this.#begun.delete(server);
    this.#file.append(`===== ${new Date().toISOString()} ${server} started =====\n`);
  }

  write(server: string, text: string): void {
    const lines = `${this.#begun.get(server) ?? ''}${text}`.split('\n');
    const rest = lines.pop() ?? '';
    const isLong = rest.length > maxLineChars;
    this.#begun.set(server, isLong ? '' : rest);
    for (const line of isLong ? [...lines, rest] : lines) {
      const shown = stripAnsi(line).trimEnd().slice(0, maxLineChars);
      if (shown !== '') this.#file.append(`[${server}] ${shown.toWellFormed()}\n`);
    }
  }
}
