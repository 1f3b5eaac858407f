/** `hermes sessions export`: which sessions, in which form, and where to. */
import { appendFileSync, createWriteStream, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';
import { isPipeOrDevice } from '../../lib/is-pipe-or-device.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { createRedactor, type Redactor } from '../../safety/redact.ts';
import { secretValuesOf } from '../../safety/secret-variables.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { CliContext } from '../command.ts';
import { readLineage, readRecord, type SessionRecord } from './export/record.ts';
import { type FilterOptions, readSelection } from './selection.ts';
import { notFound, withStore } from './with-store.ts';

export interface ExportOptions extends FilterOptions {
  readonly format: 'jsonl' | 'md' | 'qmd' | 'html' | 'trace';
  readonly sessionId?: string;
  readonly only?: 'user-prompts';
  readonly lineage: 'single' | 'logical';
  /** Undefined: as the form has it; a trace is redacted, the others are not. */
  readonly redact?: boolean;
  readonly dryRun?: true;
  readonly force?: true;
  readonly deleteAfterVerified?: true;
  readonly yes?: true;
}

export async function exportSessions(
  context: CliContext,
  out: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const say = (line: string): void => void context.io.stdout.write(`${line}\n`);
  checkDeletion(options);
  const target = targetOf(context, out, options);
  const line = await withStore(context, async (store) => {
    const { ids, words } = await chosenIds(store, options);
    if (options.dryRun === true) {
      return [`Would export ${ids.length} session(s) (${words}).`, ...ids.map((id) => `  ${shown(id)}`)].join('\n');
    }
    const run = { store, ids, options, redact: redactorOf(context, options) };
    if (asPages(options)) return await exportPages(target, run);
    if (target === '-') return await toStdout(context, linesOf(run));
    await toFile(resolve(target), linesOf(run));
    return `Exported ${ids.length} session(s) to ${shown(target)}`;
  });
  if (line === undefined && options.sessionId !== undefined) throw notFound(options.sessionId);
  if (line !== '' && (line !== undefined || target !== '-')) say(line ?? 'No sessions found.');
}

/** What is to be gone afterwards must be one session, in a form that proves itself. Throws `UserError`. */
function checkDeletion(options: ExportOptions): void {
  if (options.deleteAfterVerified !== true) return;
  const missing = [
    ...(asPages(options) ? [] : ['--format md or qmd']),
    ...(options.sessionId === undefined ? ['--session-id'] : []),
    ...(options.yes === true ? [] : ['--yes']),
  ];
  if (missing.length === 0) return;
  throw new UserError(`--delete-after-verified also needs ${missing.join(' and ')}.`, { exitCode: 2 });
}

async function exportPages(target: string, run: ExportRun): Promise<string> {
  const pages = await writePages(target, run);
  const done = `Exported ${pages.length} session(s) to ${shown(target)}`;
  if (run.options.deleteAfterVerified !== true || pages.length === 0) return done;
  for (const { sessionId, path, text } of pages) {
    if (readFileSync(path, 'utf8') !== text) {
      throw new UserError(`${path} does not hold what was written; the session was not deleted.`);
    }
    await run.store.maintenance.deleteSession(sessionId);
  }
  return `${done}, read it back, and deleted the session.`;
}

interface WrittenPage {
  readonly sessionId: string;
  readonly path: string;
  readonly text: string;
}

interface ExportRun {
  readonly store: SessionStore;
  readonly ids: readonly string[];
  readonly options: ExportOptions;
  readonly redact: Redactor;
}

/** A file for each session, in a directory. */
function asPages({ format, only }: ExportOptions): boolean {
  return (format === 'md' || format === 'qmd') && only === undefined;
}

function targetOf({ home }: CliContext, out: string | undefined, options: ExportOptions): string {
  if (out !== undefined) return out;
  if (asPages(options)) return join(home.path, 'session-exports');
  if (options.format !== 'jsonl' && options.format !== 'html') return '-';
  throw new UserError('Where to? Name a file, or - for standard output.', {
    exitCode: 2,
    hint: `For example: hermes sessions export sessions.${options.format}`,
  });
}

/** The named session, or those that the filters select; a trace without either is of the newest. */
async function chosenIds(
  store: SessionStore,
  options: ExportOptions,
): Promise<{ readonly ids: readonly string[]; readonly words: string }> {
  if (options.sessionId !== undefined) {
    const session = await store.sessions.findById(options.sessionId);
    if (session === undefined) throw notFound(options.sessionId);
    return { ids: [session.id], words: `session ${shown(session.id)}` };
  }
  const { selection, words } = readSelection(options, Date.now() / 1000);
  if (words.length === 0 && options.format === 'trace') {
    const newest = await store.sessions.list({ order: 'active', limit: 1 });
    return { ids: newest.map(({ id }) => id), words: 'the newest' };
  }
  if (words.length === 0 && options.format !== 'jsonl' && options.format !== 'html') {
    throw new UserError('Which sessions? Name one with --session-id, or at least one filter.', {
      exitCode: 2,
      hint: 'For example: --older-than 90, --source telegram.',
    });
  }
  if (words.length === 0) return { ids: await store.maintenance.sessionIds(), words: 'all' };
  const rows = await store.maintenance.select({ ...selection, archived: 'also' });
  return { ids: rows.map(({ id }) => id), words: shown(words.join('; ')) };
}

function redactorOf({ env }: CliContext, { redact, format }: ExportOptions): Redactor {
  return createRedactor({ enabled: redact ?? format === 'trace', secretValues: secretValuesOf(env) });
}

async function* linesOf(run: ExportRun): AsyncGenerator<string> {
  const { store, ids, options, redact } = run;
  if (options.format === 'html' && options.only === undefined) return yield* htmlOf(run);
  for (const id of ids) {
    if (options.only === undefined && options.format === 'jsonl') yield* jsonLine({ store, id, options, redact });
    else yield redact(await textOf(store, id, options));
  }
}

/** One page for all of them, session by session. */
async function* htmlOf({ store, ids, redact }: ExportRun): AsyncGenerator<string, void> {
  const { pageBegin, pageEnd, sessionSection } = await import('./export/html.ts');
  yield pageBegin(ids.length);
  for (const id of ids) {
    const session = await readRecord(store, id);
    if (session !== undefined) yield redact(sessionSection(session));
  }
  yield pageEnd;
}

/** Piece by piece, unless it has to be read as a whole. */
async function* jsonLine(one: Omit<ExportRun, 'ids'> & { readonly id: string }): AsyncGenerator<string> {
  const pieces = one.store.maintenance.exportSession(one.id);
  if (one.options.redact !== true) {
    yield* pieces;
    return;
  }
  let line = '';
  for await (const piece of pieces) line += piece;
  const whole: unknown = JSON.parse(line);
  yield `${JSON.stringify(whole, (_, value: unknown) => (typeof value === 'string' ? one.redact(value) : value))}\n`;
}

async function textOf(store: SessionStore, id: string, { only, format }: ExportOptions): Promise<string> {
  const session = await readRecord(store, id);
  if (session === undefined) return '';
  if (only !== undefined) {
    const { promptLines, promptPage } = await import('./export/prompts.ts');
    return format === 'jsonl' ? promptLines(session) : promptPage(session);
  }
  const { traceOf } = await import('./export/trace.ts');
  return traceOf(session);
}

/** Writes a page and a line of the manifest for each. Throws `UserError` for one that is there already. */
async function writePages(directory: string, { store, ids, options, redact }: ExportRun): Promise<WrittenPage[]> {
  const { markdownOf, sha256 } = await import('./export/markdown.ts');
  const format = options.format === 'qmd' ? 'qmd' : 'md';
  const logical = options.lineage === 'logical';
  const written: WrittenPage[] = [];
  for (const id of ids) {
    const session = await readRecord(store, id);
    if (session === undefined) continue;
    const segments = logical ? await readLineage(store, session) : [session];
    const exportedAt = Date.now() / 1000;
    const text = redact(markdownOf(session, segments, { format, exportedAt, logical }));
    const path = join(directory, `${session.id.replace(/[^\w.-]/g, '_')}-${slugOf(session)}.${format}`);
    if (existsSync(path) && options.force !== true) {
      throw new UserError(`${path} is there already.`, { hint: '--force writes over it.' });
    }
    makeDirectories(directory);
    writeFileAtomic(path, text);
    const entry = {
      exported_at: exportedAt,
      format,
      lineage_session_ids: segments.map((segment) => segment.id),
      message_count: segments.reduce((sum, { messages }) => sum + messages.length, 0),
      path,
      session_id: session.id,
      sha256: sha256(text),
    };
    appendFileSync(join(directory, 'manifest.jsonl'), `${JSON.stringify(entry)}\n`);
    written.push({ sessionId: session.id, path, text });
  }
  return written;
}

/** `my-title`, for the name of a file. */
function slugOf({ title }: SessionRecord): string {
  const slug = (title ?? '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return slug === '' ? 'session' : slug;
}

/** Returns an empty line: nothing is to be said beside the export. */
async function toStdout({ io }: CliContext, text: AsyncIterable<string>): Promise<string> {
  try {
    await pipeline(Readable.from(text), io.stdout, { end: false });
  } catch (error) {
    // The reader has seen enough (`| head -1`).
    if (errorCode(error) !== 'EPIPE') throw error;
  }
  return '';
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}

/** The file is the old one until the new one is whole; a pipe or a device is written to. */
async function toFile(path: string, text: AsyncIterable<string>): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    if (isPipeOrDevice(path)) return await pipeline(Readable.from(text), createWriteStream(path));
    await pipeline(Readable.from(text), createWriteStream(partial, { mode: 0o600, flush: true }));
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    if (error instanceof UserError || errorCode(error) === undefined) throw error;
    throw new UserError(`Cannot export to ${path}: ${errorMessage(error)}.`, {
      hint: 'Choose a file in a directory that you can write to and that has space left.',
      cause: error,
    });
  }
}
