/**
 * Measures, and prints every figure beside its mark.
 *
 *   npm run bench                       all measurements but the slow ones
 *   npm run bench -- version store      some of them
 *
 * `BENCH_NODE_FLAGS` are flags for the gateways that are measured, such as `--cpu-prof`.
 *
 * Exits with 1 when a mark is missed or a measurement fails. Figures of a busy machine mean little.
 */
import { api } from './measurements/api.ts';
import { browser } from './measurements/browser.ts';
import { compression } from './measurements/compression.ts';
import { conversion } from './measurements/conversion.ts';
import { judging } from './measurements/judging.ts';
import { installedSize } from './measurements/installed-size.ts';
import { corpora } from './measurements/corpora.ts';
import { gatewayControl } from './measurements/gateway-control.ts';
import { gatewayIdle } from './measurements/gateway-idle.ts';
import { gatewayLoop } from './measurements/gateway-loop.ts';
import { gatewayMemory, gatewayMemoryLong } from './measurements/gateway-memory.ts';
import { gatewayReady } from './measurements/gateway-ready.ts';
import { gatewayTurns } from './measurements/gateway-turns.ts';
import { gatewayWaiting } from './measurements/gateway-waiting.ts';
import { longConversation } from './measurements/long-conversation.ts';
import { longStream } from './measurements/long-stream.ts';
import { mcpCalls } from './measurements/mcp-calls.ts';
import { memoryOverTurns } from './measurements/memory-over-turns.ts';
import { oneShot } from './measurements/one-shot.ts';
import { pages } from './measurements/pages.ts';
import { promptReady } from './measurements/prompt-ready.ts';
import { providerCatalogue } from './measurements/provider-catalogue.ts';
import { recall } from './measurements/recall.ts';
import { searchFiles } from './measurements/search-files.ts';
import { sandbox } from './measurements/sandbox.ts';
import { skillsIndex } from './measurements/skills-index.ts';
import { store } from './measurements/store.ts';
import { subAgents } from './measurements/sub-agents.ts';
import { toolGap } from './measurements/tool-gap.ts';
import { version } from './measurements/version.ts';
import type { Figure, Measurement } from './parts/measurement.ts';

const all: readonly Measurement[] = [
  version,
  promptReady,
  oneShot,
  toolGap,
  mcpCalls,
  judging,
  sandbox,
  longStream,
  longConversation,
  memoryOverTurns,
  api,
  gatewayTurns,
  gatewayWaiting,
  gatewayIdle,
  gatewayControl,
  gatewayLoop,
  gatewayReady,
  gatewayMemory,
  gatewayMemoryLong,
  store,
  subAgents,
  conversion,
  providerCatalogue,
  compression,
  skillsIndex,
  installedSize,
  recall,
  searchFiles,
  corpora,
  pages,
  browser,
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.some((measurement) => measurement.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no measurement ${unknown.join(', ')}. There are: ${all.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

const rows: string[][] = [['', 'measured', 'mark', '', 'from']];
for (const measurement of all) {
  if (wanted.length === 0 ? measurement.onlyByName === true : !wanted.includes(measurement.name)) continue;
  if (process.stderr.isTTY) process.stderr.write(`measuring ${measurement.name} ...\n`);
  rows.push(...(await rowsOf(measurement)));
}
process.stdout.write(table(rows));

async function rowsOf(measurement: Measurement): Promise<string[][]> {
  try {
    return (await measurement.measure()).map(rowOf);
  } catch (error) {
    process.exitCode = 1;
    return [[measurement.name, '-', '-', 'FAILED', error instanceof Error ? error.message : String(error)]];
  }
}

function rowOf({ what, value, unit, mark, detail }: Figure): string[] {
  if (mark === undefined) return [what, amount(value, unit), '', '', detail];
  const missed = value > mark;
  if (missed) process.exitCode = 1;
  return [what, amount(value, unit), `≤ ${mark}${unit === 'x' ? ' x' : ` ${unit}`}`, missed ? 'MISS' : 'pass', detail];
}

function amount(value: number, unit: Figure['unit']): string {
  return `${value.toFixed(unit === 'x' ? 2 : 1)} ${unit}`;
}

function table(lines: readonly string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
