/** Says in one line what a background task has written down. */
import type { Learned } from '../../agent/tool.ts';

/** `display.memory_notifications`. */
export type LearnedNotice = 'off' | 'on' | 'verbose';

/** Undefined when nothing was written, or nothing is to be said. */
export function learnedLine(learned: readonly Learned[], mode: LearnedNotice): string | undefined {
  if (mode === 'off') return undefined;
  const parts = new Set(learned.map(({ what, preview }) => (mode === 'verbose' ? `${what}: ${preview}` : what)));
  return parts.size === 0 ? undefined : `💾 ${[...parts].join(' · ')}`;
}
