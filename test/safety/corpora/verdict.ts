/** What would become of a command text by what is known of its programs and by the rules about dangerous ones. */
import { judgeCommand } from '../../../src/safety/commands/judge.ts';
import { resolvePath } from '../../../src/safety/commands/paths.ts';
import { plainCommandText } from '../../../src/safety/commands/plain-text.ts';
import { knowText } from '../programs/know-text.ts';

const paths = {
  userHome: '/home/ann',
  homePath: '/home/ann/.hermes',
  root: '/home/ann/.hermes',
  cwd: '/home/ann/work',
};

/** Findings about programs nobody can see into, and about trees that can be made again: a sandbox answers them. */
const containable = new Set([
  'script execution via -e/-c flag',
  'shell command via -c/-lc flag',
  'pipe content to shell',
  'recursive delete',
  'find -delete',
  'find -exec rm',
  'xargs with rm',
  'disk copy',
  'delete of a computed path',
  'delete in root path',
  'the program to run is computed by the shell',
  'command cannot be parsed as shell text',
]);

export type Verdict = 'refused' | 'asked' | 'contained' | 'harmless';

export function verdictOf(text: string): { readonly verdict: Verdict; readonly reasons: readonly string[] } {
  const judged = judgeCommand(text, paths);
  if (judged.hardline !== undefined) return { verdict: 'refused', reasons: [judged.hardline.reason] };
  const plain = plainCommandText(text);
  const readings = plain === text ? [knowText(text)] : [knowText(plain), knowText(text)];
  const reasons = [
    ...readings.flatMap(({ keys }) => keys),
    ...judged.findings.map(({ key }) => key).filter((key) => !containable.has(key)),
  ];
  if (reasons.length > 0) return { verdict: 'asked', reasons };
  const free = readings.every(
    ({ verdict, writes, hosts, places }) =>
      verdict !== 'unknown' &&
      hosts.length === 0 &&
      places.every((place) => place === 'anywhere') &&
      writes.every(isInside),
  );
  return { verdict: free ? 'harmless' : 'contained', reasons: [] };
}

/** Writes there are seen by nobody but this work, and can be had back. */
function isInside(path: string): boolean {
  const absolute = resolvePath(path.replace(/^~(?=\/|$)/, paths.userHome), paths.cwd) ?? '/';
  if (path.includes('\ue000') || /\/(?:\.git|\.vscode|\.envrc|AGENTS\.md|CLAUDE\.md)(?:\/|$)/.test(absolute))
    return false;
  return absolute.startsWith('/home/ann/work/') || absolute === '/home/ann/work' || absolute.startsWith('/tmp/');
}
