/**
 * One session over many turns, in a process of its own: `node --expose-gc turns.ts <home> <turns>,<turns>`. Prints the
 * memory that is held after each of these numbers of turns, in bytes, as JSON.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { headless } from '../../src/agent/human.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openProgram } from '../../src/runtime/open-program.ts';

const [path = '', marks = ''] = process.argv.slice(2);
const home = { path, root: path, profile: 'default' };
const env = { HOME: path, PATH: process.env['PATH'] };
const program = await openProgram({ home, env, config: await loadConfig({ home, env }), cwd: path });
const session = await program.openSession({ surface: 'cli', human: headless, mode: { learns: true } });
const held: { rss: number; heapUsed: number }[] = [];
let turns = 0;
for (const mark of marks.split(',').map(Number)) {
  for (; turns < mark; turns += 1) {
    const result = await session.agent.runConversation(`Turn ${turns}: print the numbers again.`);
    if (result.ended !== 'completed') throw new Error(JSON.stringify(result));
  }
  held.push(await settled());
}
process.stdout.write(JSON.stringify({ held }));
await program.close();

/** What is held when nothing is under way and everything was collected that can be. */
async function settled(): Promise<{ rss: number; heapUsed: number }> {
  for (let round = 0; round < 4; round += 1) {
    await sleep(100);
    globalThis.gc?.();
  }
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed };
}
