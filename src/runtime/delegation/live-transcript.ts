/** A file that grows while a sub-agent works: one line for each thing that it says or does. */
import { appendFile, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../../agent/events.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { formatTime } from '../../lib/format-time.ts';
import type { Log } from '../../lib/log.ts';
import type { DelegatedTask } from '../../tools/delegation/delegation.ts';
import type { ResultEntry } from './result-entry.ts';

export interface TranscriptParts {
  readonly homePath: string;
  readonly redact: (text: string) => string;
  readonly log: Log;
}

const keptMs = 7 * 86_400_000;
/** Characters of one file; what comes then is left out. */
const maxChars = 2_000_000;
const shown = { said: 600, thought: 300, arguments: 220, result: 400 } as const;
/** What is streamed is written when so much has come, or something else happens. */
const maxHeld = 4000;

/** Nothing that it does is needed: a file that cannot be written is given up with a line in the log. */
export class LiveTranscript {
  readonly path: string;
  readonly #parts: TranscriptParts;
  #lines = '';
  #written = 0;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #given = false;
  #said = '';
  #thought = '';

  constructor(path: string, parts: TranscriptParts) {
    this.path = path;
    this.#parts = parts;
  }

  hear(event: AgentEvent): void {
    switch (event.type) {
      case 'text_delta':
        this.#said += event.text;
        if (this.#said.length > maxHeld) this.#flush();
        return;
      case 'reasoning_delta':
        this.#thought += event.text;
        if (this.#thought.length > maxHeld) this.#flush();
        return;
      case 'text_end':
        return this.#flush();
      case 'text_reset':
        this.#said = '';
        return;
      case 'tool_started':
        this.#flush();
        return this.note('tool', `-> ${event.name}(${oneLine(event.preview, shown.arguments)})`);
      case 'tool_finished':
        return this.note(
          'result',
          `${event.name} ${event.outcome} ${(event.durationMs / 1000).toFixed(1)}s: ${oneLine(event.result, shown.result)}`,
        );
      case 'status':
        return this.note('status', oneLine(event.message, shown.said));
      default:
    }
  }

  end({ status, exit_reason: why, error }: Pick<ResultEntry, 'status' | 'exit_reason' | 'error'>): void {
    this.#flush();
    this.note(
      'final',
      `status=${status} exit_reason=${why}${error === undefined ? '' : ` error: ${oneLine(error, 400)}`}`,
    );
  }

  note(role: string, text: string): void {
    const line = `${formatTime('%H:%M:%S', new Date())} ${role.padEnd(9)}| ${this.#parts.redact(text)}\n`;
    if (this.#given || this.#written + line.length > maxChars) return;
    this.#written += line.length;
    this.#lines += line;
    if (!this.#isWriting) this.#writing = this.#write();
  }

  /** Resolves when all is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #flush(): void {
    const [thought, said] = [this.#thought, this.#said];
    this.#thought = '';
    this.#said = '';
    if (thought.trim() !== '') this.note('think', oneLine(thought, shown.thought));
    if (said.trim() !== '') this.note('assistant', oneLine(said, shown.said));
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      while (this.#lines !== '') {
        const lines = this.#lines;
        this.#lines = '';
        await appendFile(this.path, lines, { mode: 0o600 });
      }
    } catch (error) {
      this.#given = true;
      this.#lines = '';
      this.#parts.log.warning(`the live transcript ${this.path} is not written any more`, error);
    } finally {
      this.#isWriting = false;
    }
  }
}

/** The transcripts of one call, and the list of them. */
export class LiveTranscripts {
  readonly all: readonly LiveTranscript[];
  readonly #folder: string;
  readonly #parts: TranscriptParts;
  readonly #manifest: Manifest;

  /** Undefined where they cannot be written. */
  static async begin(
    id: string,
    tasks: readonly DelegatedTask[],
    parts: TranscriptParts,
  ): Promise<LiveTranscripts | undefined> {
    const root = join(parts.homePath, 'cache', 'delegation', 'live');
    const folder = join(root, id);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const begun = new LiveTranscripts(id, folder, tasks, parts);
      await Promise.all(
        begun.all.map((file, index) => writeFile(file.path, header(id, index, tasks, parts), { mode: 0o600 })),
      );
      begun.#writeManifest();
      void removeOld(root, parts.log);
      return begun;
    } catch (error) {
      parts.log.warning('no live transcripts are written', error);
      return undefined;
    }
  }

  private constructor(id: string, folder: string, tasks: readonly DelegatedTask[], parts: TranscriptParts) {
    this.#folder = folder;
    this.#parts = parts;
    this.all = tasks.map((_task, index) => new LiveTranscript(join(folder, `task-${index}.log`), parts));
    this.#manifest = {
      delegation_id: id,
      started: now(),
      task_count: tasks.length,
      tasks: tasks.map(({ goal }, index) => ({
        index,
        goal: parts.redact(goal.slice(0, 500).toWellFormed()),
        log: join(folder, `task-${index}.log`),
        status: 'running',
      })),
    };
  }

  end(results: readonly ResultEntry[]): void {
    for (const { task_index: index, status, exit_reason: why } of results) {
      const task = this.#manifest.tasks[index];
      if (task !== undefined) Object.assign(task, { status, exit_reason: why });
    }
    this.#manifest.completed = now();
    try {
      this.#writeManifest();
    } catch (error) {
      this.#parts.log.warning('the list of live transcripts was not written', error);
    }
  }

  #writeManifest(): void {
    writeFileAtomic(join(this.#folder, 'manifest.json'), JSON.stringify(this.#manifest, null, 2), { durable: false });
  }
}

interface Manifest {
  readonly delegation_id: string;
  readonly started: string;
  readonly task_count: number;
  readonly tasks: {
    readonly index: number;
    readonly goal: string;
    readonly log: string;
    status: string;
    exit_reason?: string;
  }[];
  completed?: string;
}

function header(id: string, index: number, tasks: readonly DelegatedTask[], { redact }: TranscriptParts): string {
  const { goal = '', context = '' } = tasks[index] ?? {};
  return [
    '=== Live transcript of a sub-agent of Hermes ===',
    `delegation: ${id}   task: ${index}`,
    `goal: ${redact(oneLine(goal, 500))}`,
    ...(context === '' ? [] : [`context: ${redact(oneLine(context, 500))}`]),
    `started: ${now()}`,
    '='.repeat(40),
    '',
  ].join('\n');
}

/** Never rejects. */
async function removeOld(root: string, log: Log): Promise<void> {
  try {
    const before = Date.now() - keptMs;
    for (const name of await readdir(root)) {
      const folder = join(root, name);
      if ((await stat(folder)).mtimeMs < before) await rm(folder, { recursive: true, force: true });
    }
  } catch (error) {
    log.warning('old live transcripts were not removed', error);
  }
}

export function oneLine(text: string, most: number): string {
  const line = text
    .slice(0, 20 * most)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= most) return line;
  return `${line.slice(0, most).toWellFormed()} …(+${text.length - most} chars)`;
}

function now(): string {
  return formatTime('%Y-%m-%d %H:%M:%S', new Date());
}
