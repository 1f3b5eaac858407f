/** Rules of sub-directories, told when the work first touches them: appended to the tool result that did. */
import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { admitText, readRuleFile, type RuleTextLimits, trustedOwners } from './rule-text.ts';

export interface DirectoryHintsOptions extends Omit<RuleTextLimits, 'maxChars'> {
  /** Absolute; its own rules are in the prompt already. */
  readonly start: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** Told one line for each file that cannot be used. */
  readonly onWarning?: (line: string) => void;
}

export interface DirectoryHints {
  /**
   * The text to append to the result of a call with these arguments, made in `cwd`; `undefined` when no new directory
   * has rules. Looks at each directory once in its life. Never rejects.
   */
  hintsFor(args: Readonly<Record<string, unknown>>, cwd: string): Promise<string | undefined>;
}

const ruleFiles = ['AGENTS.md', 'agents.md', 'CLAUDE.md', 'claude.md', '.cursorrules'] as const;
const maxChars = 8_000;
/** How far above a touched directory rules are looked for. */
const maxAncestors = 5;
/** A command that names more paths than this is a list, not a place of work. */
const maxPaths = 20;
const maxCommandChars = 10_000;
/** A session that has seen this many directories looks at no new ones. */
const maxVisited = 5_000;

/** One tracker belongs to one session. */
export function createDirectoryHints(options: DirectoryHintsOptions): DirectoryHints {
  const visited = new Set([options.start]);
  const owners = trustedOwners(options.start);
  const start = realPath(options.start);

  function hintOf(directory: string): string | undefined {
    for (const name of ruleFiles.filter(options.names)) {
      const path = join(directory, name);
      const found = readRuleFile(path, { mayRead: options.mayRead, owners });
      if (found === undefined) continue;
      if ('warning' in found) {
        options.onWarning?.(found.warning);
        continue;
      }
      if (found.text === '') continue;
      const { text, warnings } = admitText({ path, label: name, text: found.text }, { scan: options.scan, maxChars });
      for (const warning of warnings) options.onWarning?.(warning);
      return `[Subdirectory context discovered: ${oneLine(relative(options.start, path))}]\n${text}`;
    }
    return undefined;
  }

  function newDirectories(paths: readonly string[]): string[] {
    const found: string[] = [];
    for (const path of paths) {
      let directory = directoryOf(path);
      for (let steps = 0; directory !== undefined && steps <= maxAncestors; steps++) {
        if (visited.has(directory) || visited.size >= maxVisited) break;
        // Rules of another place are not those of this work: reading a file there must not bring them in.
        if (!isBelow(realPath(directory), start)) break;
        visited.add(directory);
        found.push(directory);
        directory = dirname(directory);
      }
    }
    return found;
  }

  return {
    hintsFor(args, cwd) {
      // A command may have changed to the directory it will be asked about next.
      const paths = [cwd, ...pathsIn(args).slice(0, maxPaths)];
      const absolute = paths.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, options.userHome)));
      const hints = newDirectories(absolute).flatMap((directory) => hintOf(directory) ?? []);
      return Promise.resolve(hints.length === 0 ? undefined : `\n\n${hints.join('\n\n')}`);
    },
  };
}

/** What the arguments of a call name: paths as such, and words of a command that look like one. */
function pathsIn(args: Readonly<Record<string, unknown>>): string[] {
  const text = (name: string): string[] => {
    const value = args[name];
    return typeof value === 'string' && value !== '' && !value.includes('\0') ? [value] : [];
  };
  return [...text('path'), ...text('workdir'), ...text('command').flatMap(pathsInCommand)];
}

function pathsInCommand(command: string): string[] {
  const words = command.slice(0, maxCommandChars).split(/[\s;|&<>()"'`=]+/);
  return words.filter((word, index) => {
    if (word === '' || word.startsWith('-') || /[*?$\\]|:\/\//.test(word)) return false;
    if (words[index - 1] === 'cd' || words[index - 1] === 'pushd') return true;
    return isAbsolute(word) || word.startsWith('~/') || word.includes('/') || /^[\w-]+\.\w{1,8}$/.test(word);
  });
}

function isBelow(directory: string, start: string): boolean {
  const way = relative(start, directory);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    // What cannot be resolved is taken as it is written.
    return directory;
  }
}

/** The directory a path is or lies in; also of a file that does not exist yet. */
function directoryOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return path;
    const parent = dirname(path);
    return statSync(parent, { throwIfNoEntry: false })?.isDirectory() === true ? parent : undefined;
  } catch {
    // What cannot be looked at brings no rules.
    return undefined;
  }
}

function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, ' ');
}
