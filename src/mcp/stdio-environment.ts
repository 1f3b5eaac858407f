/** What the process of a stdio server sees, and where its program lies. */
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Variables } from '../config/variables.ts';
import { UserError } from '../lib/errors.ts';
import { isExecutable } from '../lib/is-executable.ts';
import type { StdioReach } from './settings.ts';

const passedNames: ReadonlySet<string> = new Set('PATH HOME USER LANG LC_ALL TERM SHELL TMPDIR'.split(' '));
const windowsNames: ReadonlySet<string> = new Set(
  `PATH PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT WINDIR COMSPEC TEMP TMP USERNAME
   USERPROFILE HOMEDRIVE HOMEPATH`.split(/\s+/),
);
/** Programs that come with Node, which may lie where no `PATH` leads. */
const ofNode: ReadonlySet<string> = new Set(['node', 'npm', 'npx']);

export interface StartOfServer {
  /** Absolute. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Throws `UserError` when the program is not found. */
export function startOf(name: string, { command, env }: StdioReach, home: string, variables: Variables): StartOfServer {
  const passed = { ...safeVariables(variables), ...env };
  const path = passed['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const program = find(command, path, home);
  if (program === undefined) {
    throw new UserError(`mcp_servers.${name}: there is no program '${command}' in PATH.`, {
      hint: ofNode.has(command)
        ? 'Install Node.js, or write the whole path of the program.'
        : 'Write its whole path, or set env.PATH of the server.',
    });
  }
  return { program, env: { ...passed, PATH: [dirname(program), path].join(delimiter) } };
}

/** No key and no setting of this program is among them. */
function safeVariables(variables: Variables): Record<string, string> {
  const isWindows = process.platform === 'win32';
  const passes = (name: string): boolean =>
    passedNames.has(name) || name.startsWith('XDG_') || (isWindows && windowsNames.has(name.toUpperCase()));
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value !== undefined && passes(name) ? [[name, value]] : [])),
  );
}

function find(command: string, path: string, home: string): string | undefined {
  const written = command.startsWith('~/') ? join(homedir(), command.slice(2)) : command;
  if (isAbsolute(written)) return isExecutable(written) ? written : undefined;
  if (written.includes('/')) return undefined;
  const more = ofNode.has(written) ? [join(home, 'node', 'bin'), join(homedir(), '.local', 'bin')] : [];
  const folders = [...path.split(delimiter), ...more].filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, written)).find(isExecutable);
}
