/** Open files that we have from whoever started us: a folder among them would lead everything inside out of the sandbox. */
import { readdirSync, readFileSync } from 'node:fs';
import { UserError } from '../../../lib/errors.ts';
import { findSystemProgram } from './programs.ts';

/** The flag that closes a file with the next program; Node sets it on all of its own. See proc_pid_fdinfo(5). */
const closesOnExec = 0o2000000;

/**
 * Words in front of a program that close what it would inherit, except the files up to `highest`; nothing where there is
 * nothing to close.
 */
export function withoutInherited(highest: number): readonly string[] {
  const inherited = inheritedFiles().filter((file) => file > highest);
  if (inherited.length === 0) return [];
  const bash = findSystemProgram('bash');
  if (bash === undefined)
    throw new UserError('A sandbox needs bash here to close the files this program was started with.');
  const text = `${inherited.map((file) => `exec ${file}>&-`).join('; ')}; exec "$@"`;
  return [bash, '--noprofile', '--norc', '-p', '-c', text, 'close'];
}

function inheritedFiles(): readonly number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((file) => file > 2 && !isOurs(file))
    .sort((left, right) => left - right);
}

function isOurs(file: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) !== 0;
  } catch {
    // Closed since: it was the one by which the list was read.
    return true;
  }
}
