/** Where whole pages are kept, and whose words they are. */
import { join, relative, sep } from 'node:path';
import type { Source } from '../../llm/source.ts';

export function pagesFolder(homePath: string): string {
  return join(homePath, 'cache', 'web');
}

/** Whose words a file of the cache holds; undefined for other files. */
export function sourceOfKept(homePath: string, path: string): Source | undefined {
  const inside = relative(pagesFolder(homePath), path);
  if (inside === '' || inside.startsWith('..') || path === inside) return undefined;
  return { from: 'page', name: (inside.split(sep).at(-1) ?? '').replace(/-[0-9a-f]{10}\.md$/, '') };
}
