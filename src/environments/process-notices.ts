/** What the agent is to hear about its background processes: kept until somebody takes it, bounded, without secrets. */
import { stripAnsi } from '../lib/ansi.ts';
import type { PatternMatch } from './pattern-watch.ts';
import type { RollingOutput } from './rolling-output.ts';

/** Something the agent should hear about a process when it is idle. */
export interface ProcessNotice {
  readonly kind: 'completed' | 'matched' | 'status';
  readonly processId: string;
  readonly command: string;
  readonly exitCode?: number;
  /** Ready to be shown: without control sequences and secrets. */
  readonly text: string;
}

/** The process that a notice is about. */
export interface NoticedProcess {
  readonly id: string;
  readonly command: string;
  readonly output: Pick<RollingOutput, 'tail'>;
}

type Details = Pick<ProcessNotice, 'kind' | 'exitCode'> & { readonly headline: string; readonly lines?: string };

const maxNotices = 100;
const outputChars = 1000;

export class ProcessNotices {
  readonly #redact: (text: string) => string;
  readonly #listeners = new Set<() => void>();
  #waiting: ProcessNotice[] = [];

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** All that are waiting, oldest first; they are handed out once. */
  take(): readonly ProcessNotice[] {
    const notices = this.#waiting;
    this.#waiting = [];
    return notices;
  }

  /** Returns what ends the listening. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  onNotice(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  completed(process: NoticedProcess, exitCode: number): void {
    const headline = `Background process ${process.id} finished with exit code ${exitCode}.`;
    this.#add(process, { kind: 'completed', headline, exitCode });
  }

  matched(process: NoticedProcess, { suppressed, disabled, lines }: PatternMatch): void {
    const more = suppressed > 0 ? ` ${suppressed} earlier matches were not reported.` : '';
    const off = disabled ? ' It matches too often: from now on only its end will be reported.' : '';
    const headline = `Background process ${process.id} printed a watched pattern.${more}${off}`;
    this.#add(process, { kind: 'matched', headline, lines: lines.join('\n') });
  }

  /** A report that nobody has taken yet is replaced, not repeated. */
  running(process: NoticedProcess, seconds: number): void {
    this.#drop(process.id, 'status');
    const headline = `Background process ${process.id} has been running for ${seconds} s.`;
    this.#add(process, { kind: 'status', headline });
  }

  /** Whoever has asked about the process knows of its end. */
  takeBackCompletion(id: string): void {
    this.#drop(id, 'completed');
  }

  #drop(id: string, kind: ProcessNotice['kind']): void {
    this.#waiting = this.#waiting.filter((notice) => notice.processId !== id || notice.kind !== kind);
  }

  #add({ id, command: written, output }: NoticedProcess, { headline, lines, ...rest }: Details): void {
    const shown = this.#redact(stripAnsi(lines ?? output.tail(outputChars * 4)).trim()).slice(-outputChars);
    const command = this.#redact(written);
    const text = `[${headline}]\nCommand: ${command}${shown === '' ? '' : `\nOutput:\n${shown}`}`;
    this.#waiting = [...this.#waiting, { ...rest, processId: id, command, text }].slice(-maxNotices);
    for (const listener of this.#listeners) listener();
  }
}
