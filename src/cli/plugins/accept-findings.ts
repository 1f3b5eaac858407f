/** What was found in a plug-in from outside, for whoever decides about it. */
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { Finding } from '../../safety/skill-guard/guard.ts';
import type { CliContext } from '../command.ts';
import { terminalText } from '../render/terminal-text.ts';
import { confirm } from '../sessions/confirm.ts';

const maxShown = 12;

/** Asks where there is something to ask about. Throws `UserError` when the answer is no, or nobody can be asked. */
export async function acceptFindings(
  { io }: CliContext,
  findings: readonly Finding[],
  { force }: { readonly force?: true },
): Promise<void> {
  if (findings.length === 0) return;
  const rank = ['critical', 'high', 'medium', 'low'];
  const worst = findings.toSorted((left, right) => rank.indexOf(left.severity) - rank.indexOf(right.severity));
  io.stderr.write(`${counted(findings.length, 'place')} in it should be looked at:\n`);
  for (const { severity, file, line, description, match } of worst.slice(0, maxShown)) {
    io.stderr.write(
      `  ${terminalText(`${severity}: ${file}${line === 0 ? '' : `:${line}`}: ${description}: ${match}`)}\n`,
    );
  }
  if (findings.length > maxShown) io.stderr.write(`  and ${findings.length - maxShown} more\n`);
  if (force === true) return;
  if (io.stdin.isTTY && io.stdout.isTTY && (await confirm(io, 'Take it all the same?'))) return;
  throw new UserError('The plug-in was not taken.', { hint: 'With --force it is taken whatever was found.' });
}

/** Wherever it stands: a line that moved is nothing new. */
export function notThereBefore(findings: readonly Finding[], before: readonly Finding[]): readonly Finding[] {
  const textOf = ({ rule, file, match }: Finding): string => `${rule} ${file} ${match}`;
  const known = new Set(before.map(textOf));
  return findings.filter((finding) => !known.has(textOf(finding)));
}
