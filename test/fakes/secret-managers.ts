/** The programs of 1Password and Bitwarden for tests: shell scripts that know a few secrets and note every call. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeProgram {
  /** The folder to put on PATH. */
  readonly folder: string;
  /** The words of every call so far, without calls for the version. */
  readonly calls: () => readonly string[];
  /** What the last call saw of an environment. */
  readonly seen: () => Readonly<Record<string, string>>;
}

/** `op`: the shell line that `op read` runs for each reference; others are unknown to it. */
export function fakeOp(base: string, references: Readonly<Record<string, string>>, login = loggedIn): FakeProgram {
  const cases = Object.entries(references).map(([reference, line]) => `*"-- ${reference}") ${line} ;;`);
  return writeProgram(base, 'op', [
    ...cases,
    `"whoami"*) ${login} ;;`,
    `*) echo "[ERROR] could not find item" >&2; exit 1 ;;`,
  ]);
}

const loggedIn = 'test -n "$OP_SERVICE_ACCOUNT_TOKEN" || { echo "[ERROR] not signed in" >&2; exit 1; }; echo ann';

/** `bws`: the secrets of the project `p1`; a second project is there to be chosen from. */
export function fakeBws(base: string, secrets: Readonly<Record<string, string>>, before = ':'): FakeProgram {
  const list = Object.entries(secrets).map(([key, value]) => ({ id: 'i', key, value, note: '' }));
  const quoted = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", `'\\''`)}'`;
  return writeProgram(base, 'bws', [
    `"secret list p1 "*) ${before}; printf '%s' ${quoted(list)} ;;`,
    `"project list "*) printf '%s' ${quoted([{ id: 'p1', name: 'one' }])} ;;`,
    `*) echo "Error: 404 Not Found" >&2; exit 1 ;;`,
  ]);
}

function writeProgram(base: string, name: string, cases: readonly string[]): FakeProgram {
  const folder = join(base, 'programs');
  mkdirSync(folder, { recursive: true });
  const [calls, seen] = [join(base, `${name}.calls`), join(base, `${name}.seen`)];
  const script = `#!/bin/sh
case "$*" in "--version") echo "2.0.0"; exit 0 ;; esac
echo "$*" >> '${calls}'
env > '${seen}'
case "$*" in
${cases.join('\n')}
esac
`;
  writeFileSync(join(folder, name), script, { mode: 0o755 });
  const linesOf = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
  return {
    folder,
    calls: () => linesOf(calls),
    seen: () => Object.fromEntries(linesOf(seen).map((line) => line.split(/=(.*)/s).slice(0, 2))),
  };
}
