/** The owner's lists of people, read anew when they change: variables of `.env` and keys of a platform's block. */
import type { Variables } from '../../config/variables.ts';
import { filled, firstSet, isOn } from '../../config/env-values.ts';
import type { PlatformFacts } from '../platform/platform.ts';
import type { PlatformConfig } from '../platform/platform-config.ts';

export interface AccessLists {
  /** Ids that may speak anywhere; undefined: no list was made, an empty one lets nobody in. */
  readonly users: ReadonlySet<string> | undefined;
  /** The list for all platforms. */
  readonly everywhere: ReadonlySet<string> | undefined;
  /** Ids that may speak in groups only. */
  readonly groupUsers: ReadonlySet<string> | undefined;
  /** Groups in which everybody may. */
  readonly groups: ReadonlySet<string>;
  readonly allowAll: boolean;
  readonly allowAllEverywhere: boolean;
  readonly bots: 'none' | 'mentions' | 'all';
}

/** Names of variables follow the platform's own (`TELEGRAM_ALLOWED_USERS` → `TELEGRAM_GROUP_ALLOWED_CHATS`). */
export function accessLists(
  facts: Pick<PlatformFacts, 'allowedUsersVariable' | 'allowAllVariable'>,
  { extra }: Pick<PlatformConfig, 'extra'>,
  variables: Variables,
): AccessLists {
  const read = (name: string): string | undefined => filled(firstSet(variables, [name])?.value);
  const prefix = facts.allowedUsersVariable.replace(/ALLOWED_USERS$/, '');
  const written = read(`${prefix}ALLOW_BOTS`) ?? extra['allow_bots'];
  const bots = typeof written === 'string' ? written.toLowerCase() : undefined;
  return {
    users: union(listOf(read(facts.allowedUsersVariable)), listOf(extra['allow_from'])),
    everywhere: listOf(read('GATEWAY_ALLOWED_USERS')),
    groupUsers: union(listOf(read(`${prefix}GROUP_ALLOWED_USERS`)), listOf(extra['group_allow_from'])),
    groups: union(listOf(read(`${prefix}GROUP_ALLOWED_CHATS`)), listOf(extra['group_allowed_chats'])) ?? new Set(),
    allowAll: isOn(read(facts.allowAllVariable)),
    allowAllEverywhere: isOn(read('GATEWAY_ALLOW_ALL_USERS')),
    bots: bots === 'all' || bots === 'mentions' ? bots : 'none',
  };
}

/** A text with commas, a YAML list, or one value; undefined for none. */
export function listOf(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const items: readonly unknown[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',')
      : [value];
  const words = items.map((item) => (typeof item === 'string' || typeof item === 'number' ? String(item).trim() : ''));
  return new Set(words.filter((word) => word !== ''));
}

/** For whoever writes such a list: one that holds anything else would let nobody in. */
export function allAre(shape: RegExp, text: string): boolean {
  const words = [...(listOf(text) ?? [])];
  return words.length > 0 && words.every((word) => word === '*' || shape.test(word));
}

function union(first: ReadonlySet<string> | undefined, second: ReadonlySet<string> | undefined) {
  return first === undefined ? second : second === undefined ? first : new Set([...first, ...second]);
}
