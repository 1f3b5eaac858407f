/** What a turn came to, in one line below it. */
import { formatDuration } from '../chat/exit-summary.ts';

/** Shorter turns without a tool need no account, in milliseconds. */
const quickMs = 5000;

/** `worked 4s · 3 tools`; undefined for a quick answer. */
export function turnSum(ms: number, tools: number): string | undefined {
  if (tools === 0 && ms < quickMs) return undefined;
  return [`worked ${formatDuration(ms)}`, ...(tools === 0 ? [] : [`${tools} tool${tools === 1 ? '' : 's'}`])].join(
    ' · ',
  );
}
