/** What a turn came to, in one line below it. */
import { formatDuration } from '../chat/exit-summary.ts';
import { dollars } from './status-bar.ts';

/** Shorter turns without a tool need no account, in milliseconds. */
const quickMs = 5000;

/** `worked 4s · 3 tools · $0.01`; undefined for a quick answer. A price that is not known is left out. */
export function turnSum(ms: number, tools: number, usd = 0): string | undefined {
  if (tools === 0 && ms < quickMs) return undefined;
  const counted = tools === 0 ? [] : [`${tools} tool${tools === 1 ? '' : 's'}`];
  return [`worked ${formatDuration(ms)}`, ...counted, ...(usd > 0 ? [dollars(usd)] : [])].join(' · ');
}
