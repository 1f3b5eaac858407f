/** Whose code threw an error that nobody caught: a plug-in's, or the program's own. */
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginFolder } from './plugin-folders.ts';

/** As Node tells it: an exception broke off whoever stands further down its stack, a rejected promise nobody. */
export type ErrorOrigin = 'uncaughtException' | 'unhandledRejection';

/**
 * The plug-in that threw it; undefined where that is none, or cannot be told. An exception is a plug-in's only where all of
 * its stack is: what passed through the program on its way up has broken off something of the program.
 */
export function thrownBy(error: unknown, origin: ErrorOrigin, folders: readonly PluginFolder[]): string | undefined {
  const places = placesOf(error);
  const owners = places.map((file) => folders.find(({ path }) => file.startsWith(`${path}${sep}`))?.name);
  const [first] = owners;
  return origin === 'unhandledRejection' || owners.every((owner) => owner === first) ? first : undefined;
}

/** The files of its stack, the innermost first, without those of Node. */
function placesOf(error: unknown): readonly string[] {
  return linesOf(error)
    .filter((line) => /^\s+at /.test(line) && !/ \((?:index \d+|native|<anonymous>)\)$/.test(line))
    .map(
      (line) =>
        / \((?<inside>(?:file:|node:|\/|[A-Za-z]:\\).*):\d+:\d+\)$/.exec(line)?.groups?.['inside'] ?? bareOf(line),
    )
    .filter((place) => place !== '<anonymous>' && !place.startsWith('node:'))
    .map((place) => (place.startsWith('file:') ? pathOf(place) : place));
}

/** Of a function without a name only the place is told. */
function bareOf(line: string): string {
  return line.replace(/^\s+at (?:async )?/, '').replace(/:\d+:\d+$/, '');
}

/** Without the message, which may tell of other stacks. What a plug-in throws is of any kind, and looking at it may throw too. */
function linesOf(error: unknown): readonly string[] {
  try {
    if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
    const { stack, message } = error;
    const start = stack.indexOf(message);
    return start < 0
      ? []
      : stack
          .slice(start + message.length)
          .split('\n')
          .slice(1);
  } catch {
    return [];
  }
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}
