/** One question to a model at an address, with every module that was loaded until its answer, as JSON on stdout. */
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context);
    loaded.add(found.url);
    return found;
  },
});
const { loadConfig } = await import('../../src/config/load.ts');
const { openProgram } = await import('../../src/runtime/open-program.ts');
const { headless } = await import('../../src/agent/human.ts');

const [path = ''] = process.argv.slice(2);
const home = { path, root: path, profile: 'default' };
const env = { HOME: path, PATH: process.env['PATH'] };
const program = await openProgram({ home, env, config: await loadConfig({ home, env }), cwd: path });
const session = await program.openSession({ surface: 'cli', human: headless });
const answer = await session.agent.chat('hi');
process.stdout.write(JSON.stringify({ answer, loaded: [...loaded] }));
await program.close();
