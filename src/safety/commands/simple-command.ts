/** One program call as the shell would make it, with what stands around it: the unit that rules look at. */
import type { Field } from './fields.ts';

export interface Redirection {
  readonly operator: string;
  readonly target: string;
}

export interface SimpleCommand {
  /** Last part of the program's path, in small letters; `''` for bare assignments and redirections. */
  readonly name: string;
  /** The program as it was written, with its directory. */
  readonly path: string;
  /** True when the name cannot be known before it runs. */
  readonly unknownName: boolean;
  readonly args: readonly Field[];
  readonly assignments: readonly string[];
  readonly redirections: readonly Redirection[];
  /** Programs that start this one: `sudo`, `xargs`, `find`, `bash -c` …, outermost first. */
  readonly via: readonly string[];
  /** The commands whose output it reads through a pipe. */
  readonly pipedFrom: readonly SimpleCommand[];
  /** What it reads from standard input, when the text says so (here-document, here-string, `echo … |`). */
  readonly stdin: string | undefined;
  readonly background: boolean;
  /** The directory it runs in, when a `cd` before it says so. */
  readonly cwd: string | undefined;
  /** As written, without the programs that start it. */
  readonly source: string;
}

/** True when one of the short options is there, alone or in a cluster (`-rf`). */
export function hasShort(command: Pick<SimpleCommand, 'args'>, letters: string): boolean {
  return optionsOf(command).some(
    (text) => /^-[^-]/.test(text) && letters.split('').some((letter) => text.slice(1).includes(letter)),
  );
}

/** True for a long option, also abbreviated as GNU programs allow it (`--recurs`). */
export function hasLong(command: Pick<SimpleCommand, 'args'>, name: string): boolean {
  const full = `--${name}`;
  return optionsOf(command).some((text) => {
    const given = text.split('=')[0] ?? '';
    return given.length >= Math.min(full.length, 5) && full.startsWith(given);
  });
}

function optionsOf({ args }: Pick<SimpleCommand, 'args'>): string[] {
  const end = args.findIndex((field) => field.text === '--');
  return (end === -1 ? args : args.slice(0, end)).map((field) => field.text).filter((text) => text.startsWith('-'));
}

/** Arguments that are no options; everything after `--`. */
export function operandsOf({ args }: Pick<SimpleCommand, 'args'>): Field[] {
  const end = args.findIndex((field) => field.text === '--');
  const isOperand = (field: Field): boolean => !field.text.startsWith('-') || field.text === '-';
  if (end === -1) return args.filter(isOperand);
  return [...args.slice(0, end).filter(isOperand), ...args.slice(end + 1)];
}

/** The value of an option: `-o x`, `-ox`, `--output x`, `--output=x`. */
export function optionValue({ args }: Pick<SimpleCommand, 'args'>, short: string, long: string): string | undefined {
  for (const [index, { text }] of args.entries()) {
    if (text === `-${short}` || text === `--${long}`) return args[index + 1]?.text;
    if (text.startsWith(`--${long}=`)) return text.slice(long.length + 3);
    if (short !== '' && text.startsWith(`-${short}`) && !text.startsWith('--')) return text.slice(2);
  }
  return undefined;
}

export function textOf(command: Pick<SimpleCommand, 'name' | 'args'>): string {
  return [command.name, ...command.args.map((field) => field.text)].join(' ');
}
