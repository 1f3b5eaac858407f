/** A session whose person is asked and never answers; run by the tests, which end it. Says on stdout what it asks. */
import { headless } from '../../src/agent/human.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openProgram } from '../../src/runtime/open-program.ts';

const [path = '', cwd = ''] = process.argv.slice(2);
const home = { path, root: path, profile: 'default' };
const env = { HOME: path, PATH: process.env['PATH'] };
const program = await openProgram({ home, env, config: await loadConfig({ home, env }), cwd });
const session = await program.openSession({
  surface: 'cli',
  human: {
    ...headless,
    present: true,
    approve({ command }) {
      console.log(JSON.stringify({ command, session: session.id }));
      return new Promise(() => undefined);
    },
  },
});
// Nothing else keeps a process that only waits.
setInterval(() => undefined, 60_000);
await session.agent.chat('go on');
