/** What is searched for, and the bounds of every search. */

export interface SearchRequest {
  readonly pattern: string;
  /** Absolute. */
  readonly root: string;
  /** As the model wrote it; results are shown below it. */
  readonly path: string;
  readonly file_glob?: string | undefined;
  readonly context: number;
}

/** How a search ended beside what it found. */
export interface SearchEnd {
  /** There was more than is looked at. */
  readonly cut: boolean;
  /** Why it ended before everything was looked at. */
  readonly limitReason?: string;
  /** Hits in files whose contents no model may see. */
  readonly omitted: number;
}

/** How a search program ran. */
export interface ProgramRun {
  readonly output: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly truncated: boolean;
}

/** Both programs exit with 1 when nothing matched, and with 2 when they failed, perhaps after some matches. */
export function searchFailure({ stderr, exitCode }: ProgramRun, found: number): string | undefined {
  if (exitCode === 124 && found === 0) {
    return 'The search took longer than 60 seconds. Narrow the path or the pattern.';
  }
  if (exitCode === 130) return 'The search was interrupted.';
  if (exitCode < 2 || found > 0) return undefined;
  return `The search failed: ${stderr.trim().slice(0, 500) || `exit code ${exitCode}`}`;
}

/** What was found within the time is worth more than an error. */
export function searchEnd({ exitCode, truncated }: ProgramRun, omitted: number): SearchEnd {
  if (exitCode !== 124) return { cut: truncated, omitted };
  return { cut: true, omitted, limitReason: 'The search was ended after 60 seconds: narrow the path or the pattern.' };
}

export const searchTimeoutMs = 60_000;
/** Characters of program output that are looked at. */
export const maxSearchOutput = 8_000_000;

/** How a found absolute path is shown: as the model would write it. */
export function shownPath(absolute: string, { root, path }: SearchRequest): string {
  if (absolute === root) return path;
  const inside = absolute.startsWith(root === '/' ? '/' : `${root}/`);
  if (!inside) return absolute;
  const rest = absolute.slice(root === '/' ? 1 : root.length + 1);
  return path === '.' || path === './' ? rest : `${path.replace(/\/+$/, '')}/${rest}`;
}
