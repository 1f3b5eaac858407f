/** Chats by their names: `channel_directory.json` of the home, in the original's format, and names that the owner gives. */
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';
import { movedText } from '../platform/moved-ids.ts';
import { readSmallFile } from './read-small-file.ts';

export interface DirectoryEntry {
  /** `chat`, or `chat:thread` for a topic of it. */
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly guild?: string;
  readonly thread_id?: string;
}

export interface Directory {
  /** When it was last brought up to date; null: never. */
  readonly updatedAt: string | null;
  readonly platforms: Readonly<Record<string, readonly DirectoryEntry[]>>;
}

/** What a name stands for. */
export type Named =
  | { readonly as: 'found'; readonly entry: DirectoryEntry }
  | { readonly as: 'several'; readonly names: readonly string[] }
  | { readonly as: 'unknown' };

const text = z.string().max(4096);
const entry = z
  .looseObject({
    id: z.union([text.min(1), z.number()]).transform(String),
    name: text.catch(''),
    type: text.catch('dm'),
    guild: text.nullish().catch(null),
    thread_id: z.union([text, z.number()]).transform(String).nullish().catch(null),
  })
  .transform(
    ({ id, name, type, guild, thread_id: threadId }): DirectoryEntry => ({
      id,
      name,
      type,
      ...(guild ? { guild } : {}),
      ...(threadId ? { thread_id: threadId } : {}),
    }),
  );
const file = z.looseObject({
  updated_at: text.nullish().catch(null),
  platforms: z.record(z.string(), z.array(z.unknown())).catch({}),
});
const aliases = z.record(z.string(), z.record(z.string(), text));

/** A damaged file is as none: what stood there can be found out again. */
export function readDirectory(homePath: string): Directory {
  const { data } = file.safeParse(parseJson(readSmallFile(directoryFile(homePath)) ?? ''));
  const names = aliases.safeParse(parseJson(readSmallFile(join(homePath, 'channel_aliases.json')) ?? '')).data ?? {};
  const platforms = Object.entries(data?.platforms ?? {}).map(([platform, list]) => {
    const entries = list.flatMap((each) => entry.safeParse(each).data ?? []);
    return [platform, entries.map((each) => renamed(each, names[platform]))] as const;
  });
  return { updatedAt: data?.updated_at ?? null, platforms: Object.fromEntries(platforms) };
}

export function writeDirectory(homePath: string, { updatedAt, platforms }: Directory): void {
  const text = `${JSON.stringify({ updated_at: updatedAt, platforms }, null, 2)}\n`;
  writeFileAtomic(directoryFile(homePath), text, { durable: false });
}

/** In `channel_aliases.json`, if it names the chat; throws when it cannot be written. */
export function moveAlias(homePath: string, platform: string, from: string, to: string): void {
  const path = join(homePath, 'channel_aliases.json');
  const { data } = aliases.safeParse(parseJson(readSmallFile(path) ?? ''));
  const names = data?.[platform];
  if (data === undefined || names === undefined) return;
  const moved = Object.entries(names).map(([id, name]) => [movedText(id, from, to), name] as const);
  if (moved.every(([id]) => Object.hasOwn(names, id))) return;
  writeFileAtomic(path, `${JSON.stringify({ ...data, [platform]: Object.fromEntries(moved) }, null, 2)}\n`);
}

/** How an entry is called in a list, and may be called in a target. */
export function labelOf({ name, guild }: DirectoryEntry): string {
  return guild === undefined ? name : `${guild}/${name}`;
}

/** Looks for an id first, then for a name, then for what a name alone begins with; a leading `#` says nothing. */
export function findByName(entries: readonly DirectoryEntry[], typed: string): Named {
  const exact = entries.find(({ id }) => id === typed);
  if (exact !== undefined) return { as: 'found', entry: exact };
  const wanted = plain(typed);
  const ways: readonly ((each: DirectoryEntry) => boolean)[] = [
    ({ name }) => plain(name) === wanted,
    (each) => plain(labelOf(each)) === wanted,
    (each) => plain(each.name).startsWith(wanted) || plain(labelOf(each)).startsWith(wanted),
  ];
  for (const fits of wanted === '' ? [] : ways) {
    const [first, ...others] = entries.filter(fits);
    if (first === undefined) continue;
    if (others.length === 0) return { as: 'found', entry: first };
    return { as: 'several', names: [first, ...others].map((each) => `${labelOf(each)} (${each.id})`) };
  }
  return { as: 'unknown' };
}

function directoryFile(homePath: string): string {
  return join(homePath, 'channel_directory.json');
}

function renamed(each: DirectoryEntry, names: Readonly<Record<string, string>> | undefined): DirectoryEntry {
  const name = names !== undefined && Object.hasOwn(names, each.id) ? names[each.id] : undefined;
  return name === undefined ? each : { ...each, name };
}

function plain(name: string): string {
  return name.trim().replace(/^#/, '').toLowerCase();
}
