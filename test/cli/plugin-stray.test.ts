/** What a plug-in throws where nobody catches it ends neither a turn nor the program; what the program throws does. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { gatewayPlace, until } from '../gateway/process/support.ts';
import { hermes, makePlace } from './hermes-process.ts';

test('a plug-in that throws in a timer, and leaves a promise to fail, is logged, and -z answers', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [{ name: 'sloppy', arguments: {} }] }, { text: 'the answer' });
  const place = makePlace(t, server, 'plugins: {enabled: [acme]}\n');
  place.write('plugins/acme/plugin.yaml', 'version: 1\n');
  const code = `export default (ctx) => ctx.registerTool({ name: 'sloppy', toolset: 'acme', schema: { type: 'object' },
    async handler() {
      const thrown = new Promise((resolve) => setTimeout(() => { resolve(); throw new Error('late throw'); }, 1));
      void Promise.reject(new Error('late reject'));
      await thrown;
      return 'done';
    } });`;
  place.write('plugins/acme/index.mjs', code);
  const run = await hermes(place, ['-z', 'hi']);
  assert.deepEqual([run.code, run.stdout], [0, 'the answer\n'], run.stderr);
  const log = place.read('logs/agent.log');
  assert.equal(log.match(/ERROR .*the plug-in acme threw an error that nobody caught/g)?.length, 2);
  assert.match(log, /late throw/);
  assert.match(log, /late reject/);
});

test('a gateway goes on, and does not call it a breakdown of its own', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'Hello Fred.' }) });
  const place = await gatewayPlace(t, model, { config: 'plugins: {enabled: [acme]}\n' });
  place.write('plugins/acme/plugin.yaml', 'version: 1\n');
  const late = "setTimeout(() => { throw new Error('late throw'); }, 0)";
  place.write(
    'plugins/acme/index.mjs',
    `export default (ctx) => ctx.registerHook('on_session_start', () => ${late});\n`,
  );
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: { chatId: '1001', threadId: null }, text: 'hi' });
  await until(() => place.texts().includes('Hello Fred.'), gateway);
  await until(() => place.read('logs/agent.log').includes('late throw'), gateway);
  assert.match(place.read('logs/agent.log'), /the plug-in acme threw an error that nobody caught/);
  assert.doesNotMatch(place.read('logs/gateway.log'), /broke down/);
});

test('an error of the program itself ends the process, whoever listens is told first', () => {
  const of = (more: string) => {
    const code = `import { outliveStrayErrors } from './src/cli/plugins/stray-errors.ts';
      import { noLog } from './src/lib/log.ts';
      outliveStrayErrors(noLog).watch('/nowhere');
      ${more}
      setTimeout(() => { throw new Error('our own'); }, 1);
      setTimeout(() => console.log('still here'), 200);`;
    return spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code], { encoding: 'utf8' });
  };
  for (const more of ['', "setTimeout(() => Promise.reject(new Error('our own')), 0);"]) {
    const ended = of(more);
    assert.deepEqual([ended.status, ended.stdout], [1, '']);
    assert.match(ended.stderr, /Error: our own/);
  }
  const heard = of("process.on('uncaughtException', ({ message }) => console.log('heard', message));");
  assert.deepEqual([heard.status, heard.stdout], [0, 'heard our own\nstill here\n']);
});
