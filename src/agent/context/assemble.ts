/** Puts head, summary and tail together. Alternation of roles is the business of whoever sends the history. */
import { type HistoryMessage, isSaid, sourcesOf } from '../../llm/message.ts';
import { mergeSources } from '../../llm/source.ts';

export interface Shortened {
  readonly head: readonly HistoryMessage[];
  /** What the summary stands for; its sources become those of the summary. */
  readonly replaced: readonly HistoryMessage[];
  readonly summary: string;
  readonly tail: readonly HistoryMessage[];
}

/**
 * The kept messages are not touched, and the summary stands in a message of its own. The newest message that the user
 * said is kept as it is, also where everything around it is replaced.
 */
export function assemble({ head, replaced, summary, tail }: Shortened): HistoryMessage[] {
  const kept = head.filter(isKept);
  const request = tail.some(isSaid) ? undefined : replaced.findLast(isSaid);
  return [
    ...kept,
    {
      role: 'user',
      content: summary,
      kind: 'summary',
      sources: mergeSources(...[...head.filter((message) => !isKept(message)), ...replaced].map(sourcesOf)),
    },
    ...(request === undefined ? [] : [request]),
    ...tail,
  ];
}

/** A summary goes into the next one, and what joined it to its neighbours is joined anew. */
function isKept({ kind }: HistoryMessage): boolean {
  return kind !== 'summary' && kind !== 'bridge' && kind !== 'recap';
}
