/** What shortening a very long history costs besides the summariser's own answer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../parts/bundle.ts';
import type { Measurement } from '../parts/measurement.ts';
import { inMs, median } from '../parts/statistics.ts';
import { workHistory } from '../parts/work.ts';

const messages = 2000;
const processes = 7;
export const compression: Measurement = {
  name: 'compression',
  async measure() {
    const dir = mkdtempSync(join(tmpdir(), 'hermes-bench-compression-'));
    try {
      const file = join(dir, 'history.json');
      writeFileSync(file, JSON.stringify(workHistory(messages)));
      using history = await bundle('./src/agent/history.ts');
      using built = await bundle('./src/agent/context/compressor.ts');
      const script = scriptFor({ compressor: built.address, history: history.address }, file);
      await built.run(script);
      const runs: Times[] = [];
      for (let round = 0; round < processes; round += 1) runs.push((await built.run(script)) as Times);
      if (!runs.every(({ summarised }) => summarised)) throw new Error('the history was not shortened');
      const later = median(runs.flatMap(({ later }) => later));
      return [
        {
          what: `shortening ${messages} messages, without the model`,
          value: median(runs.map(({ first }) => first)),
          unit: 'ms',
          mark: 50,
          detail: `first in its process, median of ${processes}; warmed up ${inMs(later)}`,
        },
      ];
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

interface Times {
  readonly first: number;
  readonly later: readonly number[];
  readonly summarised: boolean;
}

/**
 * Every time with a new compressor and new messages: nothing is known of them. The summariser answers under the headings
 * that it is asked for, at once.
 */
function scriptFor(address: { readonly compressor: string; readonly history: string }, file: string): string {
  const settings = {
    enabled: true,
    threshold: 0.5,
    targetRatio: 0.2,
    protectFirst: 3,
    protectLast: 20,
    codexAutoraise: true,
  };
  const request = {
    sessionId: 'bench',
    systemPromptChars: 10_000,
    tools: [],
    contextLength: 200_000,
    overflow: false,
    provider: 'bench',
    model: 'bench',
    baseUrl: 'https://models.test/v1',
  };
  return `
    import { readFileSync } from 'node:fs';
    const { Compressor } = await import(${JSON.stringify(address.compressor)});
    const { pairCalls } = await import(${JSON.stringify(address.history)});
    const text = readFileSync(${JSON.stringify(file)}, 'utf8');
    async function ask(task, { messages: [{ content }] }) {
      const headings = new Set(content.match(/^## .+$/gm));
      const text = [...headings].map((heading) => heading + '\\nThe work goes on as it was agreed.').join('\\n');
      return { text, toolCalls: [], provider: 'bench', model: 'bench' };
    }
    let summarised = true;
    async function shorten() {
      const engine = new Compressor({
        settings: ${JSON.stringify(settings)},
        side: { contextLength: async () => undefined, ask },
        clock: { now: () => 0, sleep: async () => undefined },
        redact: (words) => words,
      });
      const history = JSON.parse(text);
      const request = { ...${JSON.stringify(request)}, history, repaired: () => pairCalls(history) };
      const startedAt = performance.now();
      const fit = await engine.fit(request, new AbortController().signal);
      const took = performance.now() - startedAt;
      summarised &&= fit.compaction?.by === 'summary';
      return took;
    }
    const first = await shorten();
    const later = [];
    for (let round = 0; round < 7; round += 1) later.push(await shorten());
    console.log(JSON.stringify({ first, later, summarised }));`;
}
