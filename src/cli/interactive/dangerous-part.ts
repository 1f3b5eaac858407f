/** Finds what a person has to look at in a long command: the parts that alone raise what was found in the whole. */
import { judgeCommand } from '../../safety/commands/judge.ts';
import type { CommandPaths } from '../../safety/commands/paths.ts';

export interface ShownCommand {
  readonly lines: readonly ShownLine[];
  /** Parts that are left out. */
  readonly hidden: number;
}

export interface ShownLine {
  readonly text: string;
  readonly dangerous: boolean;
}

/** More is not looked at one by one. */
const maxParts = 200;
/** Of a command that is shown in part. */
const maxShownLines = 6;

/** Cuts at line ends, `;`, `&&`, `||` and `|`; what stands in quotes may be cut too, which only adds lines. */
function partsOf(command: string): string[] {
  return command.split(/\n|(?<=;|&&|\|\|?)(?![|&])\s*/).filter((part) => part.trim() !== '');
}

/** The dangerous parts first of all; without any, the beginning. `keys` is what was found in the whole command. */
export function showCommand(command: string, keys: readonly string[], paths: CommandPaths): ShownCommand {
  const parts = partsOf(command);
  const judged = parts.map((text, at) => ({
    text: text.trimEnd(),
    dangerous: at < maxParts && judgeCommand(text, paths).findings.some(({ key }) => keys.includes(key)),
  }));
  const dangerous = judged.filter((part) => part.dangerous);
  const chosen = new Set((dangerous.length > 0 ? dangerous : judged).slice(0, maxShownLines));
  // The neighbours say what it is about, as long as there is room.
  for (const [at, part] of judged.entries()) {
    const nextTo = judged[at + 1]?.dangerous === true || judged[at - 1]?.dangerous === true;
    if (nextTo && chosen.size < maxShownLines) chosen.add(part);
  }
  const lines = judged.filter((part) => chosen.has(part));
  return { lines, hidden: judged.length - lines.length };
}
