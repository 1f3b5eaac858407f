/** What a turn came to, in one line below it. */
import { counted } from '../../lib/counted.ts';
import { formatDuration } from '../chat/exit-summary.ts';
import { dollars } from './status-bar.ts';

/** Shorter turns without a tool need no account, in milliseconds. */
const quickMs = 5000;

/** `worked 4s · 3 tools · $0.01`; undefined for a quick answer. A price that is not known is left out. */
export function turnSum(ms: number, tools: number, usd = 0): string | undefined {
  if (tools === 0 && ms < quickMs) return undefined;
  const used = tools === 0 ? [] : [counted(tools, 'tool')];
  return [`worked ${formatDuration(ms)}`, ...used, ...(usd > 0 ? [dollars(usd)] : [])].join(' · ');
}
