/** What the agent is to hear about its background processes: kept until somebody takes it, bounded, without secrets. */
import { stripAnsi } from '../lib/ansi.ts';
import type { WatchNews } from './pattern-watch.ts';
import type { RollingOutput } from './rolling-output.ts';

/** Something the agent should hear about a process when it is idle. */
export interface ProcessNotice {
  readonly kind: 'completed' | 'matched';
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

type Details = Pick<ProcessNotice, 'kind' | 'exitCode'> & { readonly text: string };

const maxNotices = 100;
const outputChars = 2000;
/** 128 and the number of SIGTERM. */
const sigtermExit = 143;

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

  /** Whether somebody listens. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns what ends the listening. */
  onNotice(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** `note`: what else there is to know of the run. */
  completed(process: NoticedProcess, exitCode: number, note: string | undefined): void {
    const signal = exitCode === sigtermExit ? ', SIGTERM' : '';
    const how = `${exitCode === 0 ? 'finished' : 'ended'} (exit code ${exitCode}${signal}).`;
    const printed = this.#clean(process.output.tail(outputChars * 4)).slice(-outputChars);
    const text = this.#text(process, how, printed, note);
    this.#add(process, { kind: 'completed', exitCode, text });
  }

  matched(process: NoticedProcess, news: WatchNews): void {
    if (news.kind === 'disabled') {
      const how = 'matches its watch patterns too often: they are off, and you are told when it ends.';
      return this.#add(process, { kind: 'matched', text: this.#text(process, how, '') });
    }
    const more = news.suppressed > 0 ? `(${news.suppressed} earlier matches were not told)` : '';
    const lines = this.#clean(news.lines.join('\n')).slice(0, outputChars);
    const text = this.#text(process, `matched watch pattern "${this.#redact(news.pattern)}".`, lines, more);
    this.#add(process, { kind: 'matched', text });
  }

  /** About the watches of all processes. */
  overall(process: NoticedProcess, news: string): void {
    this.#add(process, { kind: 'matched', text: `[IMPORTANT: ${news}]` });
  }

  /** Whoever has asked about the process knows of its end. */
  takeBackCompletion(id: string): void {
    this.#waiting = this.#waiting.filter((notice) => notice.processId !== id || notice.kind !== 'completed');
  }

  #text(process: NoticedProcess, how: string, output: string, more = ''): string {
    const lines = [
      `Background process ${process.id} ${how}`,
      `Command: ${this.#redact(process.command)}`,
      ...(output === '' ? [] : [`Output:\n${output}`]),
      ...(more === '' ? [] : [more]),
    ];
    return `[IMPORTANT: ${lines.join('\n')}]`;
  }

  #clean(output: string): string {
    return this.#redact(stripAnsi(output).trim());
  }

  #add({ id, command: written }: NoticedProcess, details: Details): void {
    const notice = { ...details, processId: id, command: this.#redact(written) };
    this.#waiting = [...this.#waiting, notice].slice(-maxNotices);
    for (const listener of this.#listeners) listener();
  }
}
