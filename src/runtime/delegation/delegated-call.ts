/** One call of `delegate_task`: its sub-agents side by side, and their results in the order of the tasks. */
import type { Log } from '../../lib/log.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import type { ReadLedger } from '../../tools/file/read-ledger.ts';
import type { Child } from './child.ts';
import type { ShowFile } from './kept-files.ts';
import type { LiveTranscripts } from './live-transcript.ts';
import type { ResultEntry } from './result-entry.ts';
import { shortened, type SummaryRoom } from './summaries.ts';

export interface CallResults {
  readonly results: readonly ResultEntry[];
  readonly total_duration_seconds: number;
}

export interface DelegatedCallParts {
  readonly id: string;
  readonly children: readonly Child[];
  readonly transcripts: LiveTranscripts | undefined;
  /** What the parent has read. */
  readonly readLedger: Pick<ReadLedger, 'lastKnown'>;
  /** Asked when all have ended. */
  room(): SummaryRoom;
  readonly homePath: string;
  readonly log: Log;
  readonly show: ShowFile;
}

const maxNamed = 20;

export class DelegatedCall {
  readonly id: string;
  readonly children: readonly Child[];
  readonly #parts: DelegatedCallParts;

  constructor(parts: DelegatedCallParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.children = parts.children;
  }

  get transcriptPaths(): readonly string[] {
    return this.#parts.transcripts?.all.map(({ path }) => path) ?? [];
  }

  get sources(): readonly Source[] {
    return mergeSources(...this.children.map(({ sources }) => sources));
  }

  end(): void {
    for (const child of this.children) child.end();
  }

  async gone(): Promise<void> {
    await Promise.all(this.children.map((child) => child.gone()));
  }

  /** Runs them, once. Never rejects. */
  async run(): Promise<CallResults> {
    const { transcripts, homePath, log, show } = this.#parts;
    const started = Date.now();
    const entries = await Promise.all(this.children.map((child) => child.run()));
    transcripts?.end(entries);
    const results = shortened(entries, this.#parts.room(), { homePath, log, show }).map((entry) =>
      this.#withStale(entry),
    );
    return { results, total_duration_seconds: Math.round((Date.now() - started) / 10) / 100 };
  }

  /** Tells of files that the parent has read, and that are others now. */
  #withStale(entry: ResultEntry): ResultEntry {
    const changed = this.children[entry.task_index]?.changedFiles ?? new Set();
    const stale = [...changed].filter((path) => this.#parts.readLedger.lastKnown(path) !== undefined).toSorted();
    if (stale.length === 0) return entry;
    const named = stale.slice(0, maxNamed).join(', ');
    const more = stale.length > maxNamed ? ` and ${stale.length - maxNamed} more` : '';
    const note = `[NOTE: subagent modified files that you have read: ${named}${more}. Read them again before you edit them.]`;
    return { ...entry, summary: [entry.summary ?? '', note].join('\n\n').trim(), stale_paths: stale };
  }
}
