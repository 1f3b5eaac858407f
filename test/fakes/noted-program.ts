/** A program of a test that notes every call. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NotedProgram {
  readonly program: string;
  /** The arguments of every call, oldest first. */
  calls(): string[][];
}

/**
 * Puts it into a directory.
 * @param body text of bash, with the arguments in `$@`
 */
export function notedProgram(directory: string, name: string, body: string): NotedProgram {
  const program = join(directory, name);
  const log = join(directory, 'calls');
  writeFileSync(log, '');
  writeFileSync(program, `#!/bin/bash\n{ printf '%s\\037' "$@"; printf '\\036'; } >>'${log}'\n${body}`);
  chmodSync(program, 0o755);
  return {
    program,
    calls: () =>
      readFileSync(log, 'utf8')
        .split('\u001e')
        .filter((call) => call !== '')
        .map((call) => call.split('\u001f').slice(0, -1)),
  };
}
