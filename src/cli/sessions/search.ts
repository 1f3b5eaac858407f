/** `hermes sessions search` */
import { escapeForDisplay } from '../../safety/display.ts';
import type { SearchHit } from '../../sessions/message-search.ts';
import type { CliContext } from '../command.ts';
import { localTime } from './times.ts';
import { withStore } from './with-store.ts';

interface SearchOptions {
  readonly source?: string;
  readonly role?: string;
  readonly limit: number;
}

export async function searchSessions(context: CliContext, query: string, options: SearchOptions): Promise<void> {
  const found = await withStore(context, async (store) => {
    const hits = await store.search.messages({
      query,
      limit: options.limit,
      ...(options.source !== undefined && { sources: [options.source] }),
      ...(options.role !== undefined && { roles: [options.role] }),
    });
    for (const hit of hits) {
      const session = await store.sessions.get(hit.session_id);
      context.io.stdout.write(describe(hit, session?.title ?? null));
    }
    return hits.length;
  });
  if (found === undefined) context.io.stdout.write('No sessions found.\n');
  if (found === 0) context.io.stdout.write(`Nothing found for '${shown(query)}'.\n`);
}

function describe(hit: SearchHit, title: string | null): string {
  const facts = [hit.session_id, ...(title === null ? [] : [title]), hit.role, hit.source, localTime(hit.timestamp)];
  return `${facts.map(shown).join('  ·  ')}\n  ${shown(hit.snippet.replace(/\s+/g, ' '))}\n\n`;
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
