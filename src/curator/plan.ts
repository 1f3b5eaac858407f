/** Which skills have lain unused for how long, and what should become of them. Changes nothing. */
import { basename, dirname, join, relative, sep } from 'node:path';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { readBundledUse } from '../skills/bundled-use.ts';
import { foreignSkills } from '../skills/provenance.ts';
import { findSkills } from '../skills/scan-skills.ts';
import type { SkillUsage } from '../skills/usage.ts';

/** `curator.*`; days. 0 turns a step off. */
export interface CuratorAges {
  readonly staleAfterDays: number;
  readonly archiveAfterDays: number;
  readonly pruneBuiltins: boolean;
}

export type SkillState = 'active' | 'stale' | 'archived';

/** A skill of the home that the curator may change. */
export interface Candidate {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
  /** Relative to `skills/`, with slashes. */
  readonly place: string;
  readonly origin: 'agent' | 'bundled';
  readonly state: SkillState;
  readonly lastActive: Date;
  readonly idleDays: number;
}

export interface Transition {
  readonly skill: Candidate;
  readonly to: SkillState;
}

export interface LocalSkill {
  readonly name: string;
  readonly directory: string;
  readonly place: string;
  readonly origin: 'agent' | 'bundled' | 'hub' | 'user';
  readonly pinned: boolean;
  readonly entry: JsonObject;
}

/** The program relies on these. */
const protectedBuiltins = new Set(['plan', 'hermes-agent', 'skill-authoring']);
const millisecondsPerDay = 86_400_000;

/** Every skill in the home's own folder. Of two with one directory name neither is listed: notes are kept by name. */
export function localSkills(homePath: string, usage: SkillUsage): LocalSkill[] {
  const root = join(homePath, 'skills');
  const { bundled, hub } = foreignSkills(homePath);
  const entries = usage.read();
  const found = findSkills([root]).skills.map(({ path }) => {
    const directory = dirname(path);
    const name = basename(directory);
    const entry = entries[name] ?? {};
    const byAgent = entry['created_by'] === 'agent' || entry['agent_created'] === true;
    const origin = hub.has(name) ? 'hub' : bundled.has(name) ? 'bundled' : byAgent ? 'agent' : 'user';
    const place = relative(root, directory).split(sep).join('/');
    return { name, directory, place, origin, pinned: entry['pinned'] === true, entry } as const;
  });
  const counts = Map.groupBy(found, ({ name }) => name);
  return found.filter(({ name, place }) => counts.get(name)?.length === 1 && place !== '');
}

/** What may grow old: the agent's own skills, and bundled ones where the settings say so. Pinned ones never. */
export function candidates(homePath: string, usage: SkillUsage, pruneBuiltins: boolean, now: Date): Candidate[] {
  const bundledUse = readBundledUse(homePath);
  const local = localSkills(homePath, usage);
  return local.flatMap((skill): Candidate[] => {
    const { name, directory, place, origin, pinned, entry } = skill;
    if (pinned || origin === 'user' || origin === 'hub') return [];
    if (origin === 'bundled' && (!pruneBuiltins || protectedBuiltins.has(name))) return [];
    // Others would go with it.
    if (local.some((other) => other.place.startsWith(`${place}/`))) return [];
    const lastActive = origin === 'agent' ? newest(entry) : dateOf(bundledUse[name]);
    // Without any sign of its age a skill is left alone.
    if (lastActive === undefined) return [];
    const idleDays = Math.max(0, (now.getTime() - lastActive.getTime()) / millisecondsPerDay);
    const state = entry['state'] === 'stale' ? 'stale' : 'active';
    return [{ name, directory, place, origin, state, lastActive, idleDays }];
  });
}

/** Names of bundled skills that may be archived one day. */
export function agingBundled(homePath: string, usage: SkillUsage): string[] {
  return localSkills(homePath, usage).flatMap(({ name, origin }) =>
    origin === 'bundled' && !protectedBuiltins.has(name) ? [name] : [],
  );
}

export function planTransitions(skills: readonly Candidate[], ages: CuratorAges): Transition[] {
  return skills.flatMap((skill) => {
    const to = stateFor(skill, ages);
    return to === skill.state ? [] : [{ skill, to }];
  });
}

function stateFor({ idleDays }: Candidate, { staleAfterDays, archiveAfterDays }: CuratorAges): SkillState {
  if (archiveAfterDays > 0 && idleDays >= archiveAfterDays) return 'archived';
  return staleAfterDays > 0 && idleDays >= staleAfterDays ? 'stale' : 'active';
}

function newest(entry: JsonObject): Date | undefined {
  const dates = ['last_used_at', 'last_viewed_at', 'last_patched_at', 'created_at'].flatMap(
    (field) => dateOf(entry[field]) ?? [],
  );
  return dates.length === 0 ? undefined : new Date(Math.max(...dates.map((date) => date.getTime())));
}

/** ISO text, or seconds as older homes have them. */
function dateOf(value: JsonValue | undefined): Date | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const date = new Date(typeof value === 'number' ? value * 1000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
