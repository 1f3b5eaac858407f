/** What becomes of a command text where a sandbox can be had, and text of strangers has entered. */
import { judgeCommand } from '../../../src/safety/commands/judge.ts';

const paths = {
  userHome: '/home/ann',
  homePath: '/home/ann/.hermes',
  root: '/home/ann/.hermes',
  program: '/opt/hermes',
  cwd: '/home/ann/work',
  workspace: '/home/ann/work',
};

/** `harmless`: it runs with all rights of the person, and nobody is asked. */
export type Verdict = 'refused' | 'asked' | 'contained' | 'harmless';

export function verdictOf(text: string): { readonly verdict: Verdict; readonly reasons: readonly string[] } {
  const { hardline, findings, verdict, place, unknown } = judgeCommand(text, paths);
  if (hardline !== undefined) return { verdict: 'refused', reasons: [hardline.reason] };
  const asked = findings.filter((found) => found.containable !== true);
  if (asked.length > 0) return { verdict: 'asked', reasons: asked.map(({ key }) => key) };
  const free = verdict === 'harmless' || (place === 'outside' && unknown.length === 0);
  return { verdict: free ? 'harmless' : 'contained', reasons: [] };
}
