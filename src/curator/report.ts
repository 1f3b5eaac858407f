/** What a run of the curator did, as files a person can read later: `logs/curator/<time>/`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../lib/counted.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { freePath } from './free-path.ts';
import type { Transition } from './plan.ts';

/** What became of skills that were merged. */
export interface Merges {
  /** Old name → the skill that holds it now. */
  readonly merged: Readonly<Record<string, string>>;
  /** What the model said at the end. */
  readonly summary: string;
  /** Set when it did not come to an end. */
  readonly error?: string;
}

export interface CuratorReport {
  readonly startedAt: Date;
  readonly seconds: number;
  readonly dryRun: boolean;
  /** Skills that may change. */
  readonly checked: number;
  /** What was done; of a dry run, what would be. */
  readonly transitions: readonly Transition[];
  readonly failed: readonly { readonly name: string; readonly error: string }[];
  /** The snapshot taken before. */
  readonly backup?: string;
  readonly merges?: Merges;
  /** Where the report lies; absent for a dry run. */
  readonly folder?: string;
}

/** Returns the folder. */
export function writeReport(homePath: string, report: CuratorReport): string {
  const folder = freePath(join(homePath, 'logs', 'curator'), stampOf(report.startedAt));
  mkdirSync(folder, { recursive: true });
  writeFileAtomic(join(folder, 'run.json'), `${JSON.stringify(asJson(report), null, 2)}\n`);
  writeFileAtomic(join(folder, 'REPORT.md'), `${reportLines(report).join('\n')}\n`);
  return folder;
}

/** The report as lines of Markdown, which read well on a terminal too. */
export function reportLines(report: CuratorReport): string[] {
  const { startedAt, dryRun, checked, transitions, failed, backup, merges } = report;
  const word = dryRun ? 'Would become' : 'Became';
  const changes = transitions.map(
    ({ skill, to }) => `- ${skill.name}: ${skill.state} → ${to} (${Math.floor(skill.idleDays)} days unused)`,
  );
  return [
    `# Curator, ${startedAt.toISOString()}${dryRun ? ' (dry run)' : ''}`,
    '',
    `${counted(checked, 'skill')} looked at.`,
    ...(backup === undefined ? [] : [`Snapshot before: ${backup} (back with: hermes curator rollback --id ${backup})`]),
    '',
    ...(changes.length === 0 ? ['Nothing changed.'] : [`${word}:`, ...changes]),
    ...(failed.length === 0 ? [] : ['', 'Failed:', ...failed.map(({ name, error }) => `- ${name}: ${error}`)]),
    '',
    ...mergeLines(merges),
  ];
}

function mergeLines(merges: Merges | undefined): string[] {
  if (merges === undefined) return ['Merging: (not resolved)'];
  const lines = Object.entries(merges.merged).map(([old, now]) => `- ${old} → ${now}`);
  return [
    lines.length === 0 ? 'Merging: nothing merged.' : 'Merged:',
    ...lines,
    ...(merges.error === undefined ? [] : [`Stopped: ${merges.error}`]),
    ...(merges.summary === '' ? [] : ['', merges.summary]),
  ];
}

function asJson({ startedAt, seconds, checked, transitions, failed, backup, merges }: CuratorReport) {
  return {
    started_at: startedAt.toISOString(),
    duration_seconds: seconds,
    checked,
    transitions: transitions.map(({ skill, to }) => ({
      name: skill.name,
      from: skill.state,
      to,
      origin: skill.origin,
      last_active: skill.lastActive.toISOString(),
    })),
    failed,
    backup: backup ?? null,
    consolidation: merges ?? null,
  };
}

/** `20260131-102030`, local time. */
function stampOf(date: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}
