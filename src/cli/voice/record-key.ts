/** The key that begins and ends a recording, as `voice.record_key` names it. */
import type { KeyId } from '@earendil-works/pi-tui';

export interface RecordKey {
  readonly key: KeyId;
  /** As people write it, `Ctrl+B`. */
  readonly label: string;
}

const letters = [
  'a',
  'b',
  'c',
  'd',
  'e',
  'f',
  'g',
  'h',
  'i',
  'j',
  'k',
  'l',
  'm',
  'n',
  'o',
  'p',
  'q',
  'r',
  's',
  't',
  'u',
  'v',
  'w',
  'x',
  'y',
  'z',
] as const;
const keys: readonly KeyId[] = [
  ...letters.flatMap((letter) => [`ctrl+${letter}`, `alt+${letter}`] as const),
  'ctrl+space',
  'alt+space',
];
const modifiers: Readonly<Record<string, string>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  c: 'ctrl',
  alt: 'alt',
  option: 'alt',
  opt: 'alt',
  meta: 'alt',
  a: 'alt',
  m: 'alt',
};
/** What these do is more than the chat can do without, or terminals do not tell them from other keys. */
const taken: ReadonlySet<string> = new Set('cdhijlmoqxz'.split('').map((letter) => `ctrl+${letter}`));
const usual: RecordKey = { key: 'ctrl+b', label: 'Ctrl+B' };

/** `problem` says why it is the usual one in the place of what is written. */
export function recordKey(written: string): RecordKey & { readonly problem?: string } {
  const [modifier = '', name = '', ...more] = written
    .trim()
    .toLowerCase()
    .split(/\s*[+-]\s*/);
  const wanted = `${modifiers[modifier] ?? '?'}+${name}`;
  const key = more.length === 0 ? keys.find((each) => each === wanted) : undefined;
  if (key !== undefined && !taken.has(key)) return { key, label: labelOf(key) };
  const why = key === undefined ? 'is none of ctrl+letter, alt+letter, ctrl+space, alt+space' : 'is taken';
  return { ...usual, problem: `voice.record_key '${written}' ${why}; it is ${usual.label}.` };
}

function labelOf(key: string): string {
  return key.replace(/\w+/g, (part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`);
}
