/** The lines that tell the user of a compaction, done or only thought of. */
import type { Boundaries } from './boundaries.ts';
import type { Compaction } from './engine.ts';

export function compactionLine({ messagesBefore, messagesAfter, tokensBefore, tokensAfter }: Compaction): string {
  return `🗜️ Compressed ${messagesBefore} messages to ${messagesAfter} (${thousands(tokensBefore)} to ${thousands(tokensAfter)} tokens).`;
}

/** Of `messages`, which weigh `tokens`. */
export function previewLine({ head, tail }: Boundaries, messages: number, tokens: number): string {
  const kept = `the first ${head} and the last ${messages - tail} stay as they are`;
  return `Would summarise ${tail - head} of ${messages} messages (${thousands(tokens)} tokens in all now); ${kept}. Nothing was changed.`;
}

function thousands(tokens: number): string {
  return `~${Math.round(tokens / 1000)}k`;
}
