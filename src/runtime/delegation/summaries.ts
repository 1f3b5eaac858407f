/** Keeps the summaries of sub-agents from filling the conversation that gets them; what is cut is in a file. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { formatTime } from '../../lib/format-time.ts';
import type { Log } from '../../lib/log.ts';
import type { ShowFile } from './kept-files.ts';
import type { ResultEntry } from './result-entry.ts';

export interface SummaryRoom {
  /** `delegation.max_summary_chars`; 0: no limit. */
  readonly configured: number;
  /** Tokens that the conversation has left; undefined: not known. */
  readonly freeTokens: number | undefined;
  /** Characters of the whole result; undefined: no limit. */
  readonly resultChars: number | undefined;
}

const least = 2000;
const charsPerToken = 4;
/** As JSON a text is longer, and there is more in a result than summaries. */
const resultShare = 0.7;
const headShare = 0.75;

/** The same entries, long summaries shortened. */
export function shortened(
  entries: readonly ResultEntry[],
  room: SummaryRoom,
  place: { readonly homePath: string; readonly log: Log; readonly show: ShowFile },
): readonly ResultEntry[] {
  const most = mostChars(room, entries.filter(({ summary }) => summary !== null).length);
  return entries.map((entry) => {
    const { summary } = entry;
    if (summary === null || summary.length <= most) return entry;
    const path = kept(entry.task_index, summary, place);
    return {
      ...entry,
      summary: ends(summary, most, path === undefined ? undefined : place.show(path)),
      summary_truncated: true,
      ...(path === undefined ? {} : { summary_full_path: path }),
    };
  });
}

function mostChars({ configured, freeTokens, resultChars }: SummaryRoom, count: number): number {
  const share = Math.max(1, count);
  const limits = [
    configured > 0 ? configured : Infinity,
    freeTokens === undefined ? Infinity : Math.max(least, Math.floor((freeTokens / 2 / share) * charsPerToken)),
    resultChars === undefined ? Infinity : Math.max(least, Math.floor((resultChars * resultShare) / share)),
  ];
  return Math.min(...limits);
}

/** The start and the end: what became of it usually stands last. */
function ends(summary: string, most: number, path: string | undefined): string {
  const head = summary.slice(0, Math.floor(most * headShare)).toWellFormed();
  const tail = summary.slice(summary.length - Math.floor(most * (1 - headShare))).toWellFormed();
  const where =
    path === undefined
      ? 'The rest could not be kept.'
      : `The whole text is in ${path}; read_file with offset ${head.split('\n').length} goes on here.`;
  const left = (summary.length - head.length - tail.length).toLocaleString('en-US');
  return `${head}\n\n[SUMMARY TRUNCATED: ${left} of ${summary.length.toLocaleString('en-US')} characters are left out here. ${where}]\n\n${tail}`;
}

function kept(index: number, summary: string, { homePath, log }: { readonly homePath: string; readonly log: Log }) {
  const folder = join(homePath, 'cache', 'delegation');
  const now = new Date();
  const time = `${formatTime('%Y%m%d_%H%M%S', now)}_${String(now.getMilliseconds()).padStart(3, '0')}`;
  const path = join(folder, `subagent-summary-${index}-${time}.txt`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileAtomic(path, summary);
    return path;
  } catch (error) {
    log.warning('a long summary of a sub-agent was not kept', error);
    return undefined;
  }
}
