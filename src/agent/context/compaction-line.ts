/** The line that tells the user of a compaction. */
import type { Compaction } from './engine.ts';

export function compactionLine({ messagesBefore, messagesAfter, tokensBefore, tokensAfter }: Compaction): string {
  const thousands = (tokens: number) => `~${Math.round(tokens / 1000)}k`;
  return `🗜️ Compressed ${messagesBefore} messages to ${messagesAfter} (${thousands(tokensBefore)} to ${thousands(tokensAfter)} tokens).`;
}
