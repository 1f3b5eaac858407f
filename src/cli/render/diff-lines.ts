/** A unified diff as a person reads it: the file with its counts, then its lines with their numbers. */
import { isAbsolute, relative } from 'node:path';
import type { Colors } from './colors.ts';
import { terminalText } from './terminal-text.ts';

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

interface Hunk {
  /** Numbers of the next line on both sides, and how many are still to come. */
  old: number;
  new: number;
  oldLeft: number;
  newLeft: number;
}

/** `cwd` is the directory that paths are shown from; without it they stay as they are. */
export function diffLines(diff: string, colors: Colors, cwd?: string): string[] {
  const lines = terminalText(diff).replace(/\n$/, '').split('\n');
  const digits = String(highestNumber(lines)).length;
  const shown: string[] = [];
  let hunk: Hunk | undefined;
  for (const [index, line] of lines.entries()) {
    if (hunk !== undefined && (hunk.oldLeft > 0 || hunk.newLeft > 0 || line.startsWith('\\'))) {
      shown.push(...hunkLine(line, hunk, digits, colors));
      continue;
    }
    const begin = hunkHeader.exec(line);
    if (begin !== null) {
      const [, oldStart = '1', oldCount = '1', newStart = '1', newCount = '1'] = begin;
      if (hunk !== undefined) shown.push(colors.dim(`${' '.repeat(digits)} ⋮`));
      hunk = { old: Number(oldStart), new: Number(newStart), oldLeft: Number(oldCount), newLeft: Number(newCount) };
    } else if (line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true) {
      hunk = undefined;
      shown.push(title(lines, index, colors, cwd));
    } else if (!line.startsWith('+++ ') && line !== '') shown.push(colors.dim(line));
  }
  return shown;
}

function hunkLine(line: string, hunk: Hunk, digits: number, colors: Colors): string[] {
  const number = (value: number): string => String(value).padStart(digits);
  if (line.startsWith('+')) {
    hunk.newLeft -= 1;
    hunk.new += 1;
    return [colors.green(`${number(hunk.new - 1)} + ${line.slice(1)}`)];
  }
  if (line.startsWith('-')) {
    hunk.oldLeft -= 1;
    hunk.old += 1;
    return [colors.red(`${number(hunk.old - 1)} - ${line.slice(1)}`)];
  }
  // `\ No newline at end of file` is no line of either side.
  if (line.startsWith('\\')) return [colors.dim(`${' '.repeat(digits)}   ${line}`)];
  hunk.oldLeft -= 1;
  hunk.newLeft -= 1;
  hunk.old += 1;
  hunk.new += 1;
  return [colors.dim(`${number(hunk.new - 1)}   ${line.slice(1)}`)];
}

/** `src/a.ts  +2 −1`, with `new` or `deleted` where one side is missing. */
function title(lines: readonly string[], at: number, colors: Colors, cwd: string | undefined): string {
  const before = sideOf(lines[at] ?? '');
  const after = sideOf(lines[at + 1] ?? '');
  const { added, removed } = counts(lines, at + 2);
  const kind = before === undefined ? ' (new)' : after === undefined ? ' (deleted)' : '';
  const path = shownPath(after ?? before ?? '', cwd);
  return `${colors.bold(path)}${kind}  ${colors.green(`+${added}`)} ${colors.red(`−${removed}`)}`;
}

function sideOf(header: string): string | undefined {
  const name = header.slice(4).split('\t')[0] ?? '';
  return name === '/dev/null' ? undefined : name.replace(/^[ab]\//, '');
}

/** The root's slash is not part of a name in a diff, so both readings are tried. */
function shownPath(name: string, cwd: string | undefined): string {
  if (cwd === undefined) return name;
  const near = relative(cwd, isAbsolute(name) ? name : `/${name}`);
  return near === '' || near.startsWith('..') || isAbsolute(near) ? name : near;
}

function counts(lines: readonly string[], from: number): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  let left = { old: 0, new: 0 };
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (left.old > 0 || left.new > 0) {
      if (line.startsWith('+')) {
        added += 1;
        left.new -= 1;
      } else if (line.startsWith('-')) {
        removed += 1;
        left.old -= 1;
      } else if (!line.startsWith('\\')) left = { old: left.old - 1, new: left.new - 1 };
      continue;
    }
    const begin = hunkHeader.exec(line);
    if (begin !== null) left = { old: Number(begin[2] ?? 1), new: Number(begin[4] ?? 1) };
    else if (line.startsWith('--- ')) break;
  }
  return { added, removed };
}

function highestNumber(lines: readonly string[]): number {
  return lines.reduce((highest, line) => {
    const begin = hunkHeader.exec(line);
    if (begin === null) return highest;
    return Math.max(highest, Number(begin[1]) + Number(begin[2] ?? 1), Number(begin[3]) + Number(begin[4] ?? 1));
  }, 1);
}
