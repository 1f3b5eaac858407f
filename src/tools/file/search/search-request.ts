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
