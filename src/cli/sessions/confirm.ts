/** Asks before something is lost. */
import type { Io } from '../../lib/io.ts';
import { askLine } from '../ask-line.ts';

/** True when the answer is `y` or `yes`; the end of input counts as no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const answer = await askLine(io, `${question} [y/N] `);
  return ['y', 'yes'].includes(answer?.toLowerCase() ?? '');
}
