/** `hermes curator usage`: how often each skill of the home was used, as a table or in the JSON of the original. */
import { type LocalSkill, localSkills } from '../../curator/plan.ts';
import { counted } from '../../lib/counted.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { readBundledUse } from '../../skills/bundled-use.ts';
import { SkillUsage } from '../../skills/usage.ts';
import type { CliContext } from '../command.ts';

export interface UsageOptions {
  readonly sort: 'activity' | 'recent' | 'name';
  readonly provenance?: LocalSkill['origin'];
  readonly json?: true;
}

interface Row {
  readonly name: string;
  readonly origin: LocalSkill['origin'];
  readonly uses: number;
  readonly views: number;
  readonly patches: number;
  /** ISO time of the newest use, view or change. */
  readonly lastActivity: string | null;
  readonly entry: JsonObject;
}

export function showUsage({ home, io, log }: CliContext, { sort, provenance, json }: UsageOptions): void {
  const usage = new SkillUsage(home.path, () => new Date(), log);
  const bundledUse = readBundledUse(home.path);
  const rows = localSkills(home.path, usage)
    .map((skill) => rowOf(skill, bundledUse[skill.name]))
    .filter(({ origin }) => provenance === undefined || origin === provenance)
    .sort(orders[sort]);
  const lines = json === true ? [JSON.stringify(rows.map(asJson), null, 2)] : table(rows, Date.now());
  io.stdout.write(`${lines.join('\n')}\n`);
}

/** Of a skill that came with the program only the day of its last use is kept. */
function rowOf({ name, origin, entry }: LocalSkill, bundledUse: JsonValue | undefined): Row {
  const known: JsonObject = origin === 'bundled' && bundledUse !== undefined ? { last_used_at: bundledUse } : {};
  const merged = { ...entry, ...known };
  const times = ['last_used_at', 'last_viewed_at', 'last_patched_at'].flatMap((field) => isoOf(merged[field]) ?? []);
  return {
    name,
    origin,
    uses: countOf(merged['use_count']),
    views: countOf(merged['view_count']),
    patches: countOf(merged['patch_count']),
    lastActivity: times.toSorted().at(-1) ?? null,
    entry: merged,
  };
}

const byName = (a: Row, b: Row): number => (a.name < b.name ? -1 : 1);
const timeOf = ({ lastActivity }: Row): number => (lastActivity === null ? 0 : Date.parse(lastActivity));
const orders: Readonly<Record<UsageOptions['sort'], (a: Row, b: Row) => number>> = {
  name: byName,
  recent: (a, b) => timeOf(b) - timeOf(a) || byName(a, b),
  activity: (a, b) => activityOf(b) - activityOf(a) || byName(a, b),
};

function activityOf({ uses, views, patches }: Row): number {
  return uses + views + patches;
}

function asJson(row: Row): JsonObject {
  return {
    created_by: null,
    last_used_at: null,
    last_viewed_at: null,
    last_patched_at: null,
    created_at: null,
    state: 'active',
    pinned: false,
    archived_at: null,
    ...row.entry,
    name: row.name,
    use_count: row.uses,
    view_count: row.views,
    patch_count: row.patches,
    provenance: row.origin,
    last_activity_at: row.lastActivity,
    activity_count: activityOf(row),
  };
}

function table(rows: readonly Row[], now: number): string[] {
  if (rows.length === 0) return ['No skills found.'];
  const counts = (['agent', 'bundled', 'hub', 'user'] as const).map(
    (origin) => `${origin}=${rows.filter((row) => row.origin === origin).length}`,
  );
  const width = Math.min(40, Math.max(5, ...rows.map(({ name }) => name.length)));
  const line = (name: string, origin: string, numbers: readonly (number | string)[], last: string): string =>
    `  ${name.padEnd(width)}  ${origin.padEnd(7)}  ${numbers.map((value) => String(value).padStart(5)).join('  ')}  ${last}`;
  return [
    `${counted(rows.length, 'skill')} (${counts.join(', ')})`,
    '',
    line('skill', 'origin', ['use', 'view', 'patch', 'all'], 'last activity'),
    ...rows.map((row) => {
      const name = escapeForDisplay(row.name, { singleLine: true });
      return line(name, row.origin, [row.uses, row.views, row.patches, activityOf(row)], ago(row.lastActivity, now));
    }),
  ];
}

function ago(time: string | null, now: number): string {
  if (time === null) return 'never';
  const hours = Math.max(0, (now - Date.parse(time)) / 3_600_000);
  return hours < 1 ? 'within the hour' : hours < 48 ? `${Math.floor(hours)}h ago` : `${Math.floor(hours / 24)}d ago`;
}

/** Older homes keep seconds. */
function isoOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(typeof value === 'number' ? value * 1000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
