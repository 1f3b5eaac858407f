/** What shortening a very long history costs besides the summariser's own answer. */
import { createCompressor } from '../../src/agent/context/compressor.ts';
import type { Measurement } from '../parts/measurement.ts';
import { inMs, median } from '../parts/statistics.ts';
import { workHistory } from '../parts/work.ts';

const messages = 2000;
const rounds = 11;
const headings = ['Goal', 'Constraints & Preferences', 'Progress', 'Key Decisions', 'Relevant Files', 'Next Steps'];
const summary = headings.map((heading) => `## ${heading}\nAs said.`).join('\n');

export const compression: Measurement = {
  name: 'compression',
  async measure() {
    const cold = await shorten();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await shorten());
    return [
      {
        what: `shortening ${messages} messages, without the model`,
        value: median(times),
        unit: 'ms',
        mark: 50,
        detail: `median of ${rounds}; first call ${inMs(cold)}`,
      },
    ];
  },
};

/** A new compressor and new messages every time: nothing is known of them. */
async function shorten(): Promise<number> {
  const history = workHistory(messages);
  const engine = createCompressor({
    settings: {
      enabled: true,
      threshold: 0.5,
      targetRatio: 0.2,
      protectFirst: 3,
      protectLast: 20,
      codexAutoraise: true,
    },
    side: {
      contextLength: async () => undefined,
      ask: async () => ({ text: summary, toolCalls: [], provider: 'bench', model: 'bench' }),
    },
    clock: { now: () => 0, sleep: async () => undefined },
    redact: (text) => text,
  });
  const request = {
    history,
    systemPromptChars: 10_000,
    tools: [],
    contextLength: 200_000,
    overflow: false,
    provider: 'bench',
    model: 'bench',
    baseUrl: 'https://models.test/v1',
  };
  const startedAt = performance.now();
  const fit = await engine.fit(request, new AbortController().signal);
  const took = performance.now() - startedAt;
  if (fit.compaction === undefined || !fit.compaction.summarised) throw new Error('the history was not shortened');
  return took;
}
