/** Keys as models write them, and as the driver of this system calls them. */

/** Names of one modifier, on whatever system. */
const modifierOf: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cmd: 'cmd command ⌘',
    win: 'win windows super meta hyper',
    ctrl: 'ctrl control ctl ⌃ strg',
    option: 'option opt alt altgr ⌥',
    shift: 'shift ⇧',
    fn: 'fn function',
  }).flatMap(([name, others]) => others.split(' ').map((other): [string, string] => [other, name])),
);

/** What the driver understands on each system. */
const asOn: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  darwin: { win: 'cmd' },
  win32: { option: 'alt', cmd: 'win' },
  linux: { option: 'alt', cmd: 'super', win: 'super' },
};

/** The keys of a combination, in lower case: `ctrl+s`, `Ctrl-S` and `ctrl s` are the same; `ctrl++` has a plus. */
export function keysOf(written: string): readonly string[] {
  const text = written.normalize('NFKC').trim().toLowerCase();
  const [first = ''] = text.split(/[\s+-]/);
  if (text.includes('+') ? text.length === 1 : plainModifier(first) === undefined) return text === '' ? [] : [text];
  const isCombination = plainModifier(first) !== undefined;
  // A separator at the end is a key itself.
  const last = /[+-]$/.test(text) ? text.slice(-1) : undefined;
  const between = isCombination ? /[\s+-]+/ : /\s*\+\s*/;
  const parts = (last === undefined ? text : text.slice(0, -1)).split(between).filter((part) => part !== '');
  return last === undefined ? parts : [...parts, last];
}

/** The one name of a modifier, whichever side of the keyboard it is on; undefined for other keys. */
export function plainModifier(key: string): string | undefined {
  const bare = key.replace(/^(?:left|right)[_ ]?|[_ ]?(?:left|right)$|_[lr]$/g, '');
  return modifierOf.get(key) ?? modifierOf.get(bare) ?? modifierOf.get(bare.replace(/^[lr](?=\w{3})/, ''));
}

/** The modifier as the driver calls it; other keys stay. */
export function keyOn(platform: string, key: string): string {
  const name = plainModifier(key);
  return name === undefined ? key : (asOn[platform]?.[name] ?? name);
}
