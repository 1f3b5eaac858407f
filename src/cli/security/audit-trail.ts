/** Shows the audit log to a person, and checks it. */
import * as z from 'zod';
import { lastEntries } from '../../audit/read-entries.ts';
import { verifyAuditLog } from '../../audit/verify.ts';
import { counted } from '../../lib/counted.ts';
import type { JsonObject } from '../../lib/json.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';

export interface ShownEntries {
  readonly lines: number;
  readonly json?: true;
  /** Part of a session id. */
  readonly session?: string;
}

export async function showLog({ io, home }: CliContext, { lines, json, session }: ShownEntries): Promise<void> {
  const wanted = (entry: JsonObject): boolean =>
    session === undefined || (typeof entry['session'] === 'string' && entry['session'].includes(session));
  const entries = await lastEntries(home.path, lines, wanted);
  if (entries.length === 0 && json !== true) io.stdout.write('Nothing has been decided yet.\n');
  for (const entry of entries) io.stdout.write(`${json === true ? JSON.stringify(entry) : lineOf(entry)}\n`);
}

/** Returns the exit code. */
export async function verifyLog({ io, home }: CliContext, json: boolean): Promise<number> {
  const { entries, end, problems, notes } = await verifyAuditLog(home.path);
  const code = problems.length === 0 ? 0 : 1;
  if (json) {
    io.stdout.write(`${JSON.stringify({ whole: code === 0, entries, ...end, problems, notes })}\n`);
    return code;
  }
  for (const note of notes) io.stdout.write(`· ${escapeForDisplay(note, { singleLine: true })}\n`);
  for (const problem of problems) io.stdout.write(`✗ ${escapeForDisplay(problem, { singleLine: true })}\n`);
  if (code === 1) {
    io.stdout.write(
      'The record was changed, or its disk lost a part of it. Compare it with a backup; to begin a new one, move logs/audit.* and audit.key out of the home.\n',
    );
  } else if (end === undefined) io.stdout.write('Nothing has been decided yet.\n');
  else io.stdout.write(`✓ ${counted(entries, 'entry', 'entries')}, whole; the last is ${end.seq} with ${end.hash}\n`);
  return code;
}

const fields = z.looseObject({
  seq: z.number().optional(),
  time: z.string().default(''),
  kind: z.string().default(''),
  session: z.string().default(''),
  surface: z.string().default(''),
  tool: z.string().default(''),
  shown: z.string().default(''),
  decision: z.union([z.string(), z.number()]).default(''),
  answer: z.string().optional(),
  by: z.string().default(''),
  setting: z.string().optional(),
  reason: z.string().optional(),
  findings: z.array(z.string()).default([]),
  sources: z.array(z.looseObject({ from: z.string(), name: z.string().optional() })).default([]),
  outcome: z.string().default(''),
  exit: z.number().optional(),
  where: z.string().optional(),
  process: z.string().optional(),
  endedBy: z.string().optional(),
  changed: z.array(z.string()).default([]),
});

const maxShownChars = 300;

function lineOf(entry: JsonObject): string {
  const read = fields.safeParse(entry);
  const text = read.success ? textOf(read.data) : JSON.stringify(entry);
  return escapeForDisplay(text, { singleLine: true });
}

function textOf(entry: z.infer<typeof fields>): string {
  const head = `${entry.seq ?? '?'} ${entry.time} [${entry.session}]`;
  if (entry.kind === 'resumed') return `${head} the end of the log was not as it was left`;
  if (entry.kind === 'ended') {
    const facts = [
      ...(entry.exit === undefined ? [] : [`exit ${entry.exit}`]),
      ...(entry.where === undefined ? [] : [entry.where]),
      ...(entry.process === undefined ? [] : [entry.process]),
      ...(entry.endedBy === undefined ? [] : [`by ${entry.endedBy}`]),
      ...(entry.changed.length === 0 ? [] : [`changed ${entry.changed.join(', ')}`]),
    ];
    return `${head} ${entry.tool} of ${entry.decision}: ${[entry.outcome, ...facts].join(', ')}`;
  }
  const outside = entry.sources.filter(({ from }) => from !== 'user' && from !== 'agent' && from !== 'tool');
  const facts = [
    `${entry.decision}${entry.answer === undefined ? '' : ` (${entry.answer})`} by ${entry.setting ?? entry.by}`,
    ...(entry.findings.length === 0 ? [] : [`for ${entry.findings.join(', ')}`]),
    ...(entry.reason === undefined || entry.findings.length > 0 ? [] : [entry.reason]),
    ...(outside.length === 0 ? [] : [`after ${outside.map(({ from, name }) => name ?? from).join(', ')}`]),
  ];
  const shown = entry.shown.length > maxShownChars ? `${entry.shown.slice(0, maxShownChars)}…` : entry.shown;
  return `${head} ${entry.surface} ${entry.tool}: ${facts.join('; ')}: ${shown}`;
}
