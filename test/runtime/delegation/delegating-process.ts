/** A conversation that delegates in the background; run by a test, which kills it. Says on stdout which session it is. */
import { headless } from '../../../src/agent/human.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { openProgram } from '../../../src/runtime/open-program.ts';

const [path = '', cwd = ''] = process.argv.slice(2);
const home = { path, root: path, profile: 'default' };
const env = { HOME: path, PATH: process.env['PATH'] };
const program = await openProgram({ home, env, config: await loadConfig({ home, env }), cwd });
const session = await program.openSession({ surface: 'cli', human: headless, mode: { later: {} } });
session.background.agents.listen(({ type }) => {
  if (type === 'results_due') process.stdout.write(`due ${session.id}\n`);
});
await session.agent.chat('go');
process.stdout.write(`working ${session.id}\n`);
// Nothing else keeps a process that only waits.
setInterval(() => undefined, 60_000);
