/** Event hooks in the gateway of a home, as its operator sees them. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRunning } from '../../../src/lib/is-running.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { gatewayPlace, until } from './support.ts';

const handler = `import { appendFileSync } from 'node:fs';
export function handle(type, { platforms, response }) {
  appendFileSync(process.env.SEEN, JSON.stringify({ type, pid: process.pid, platforms, response }) + '\\n');
}
`;

test('hooks hear of the start and of messages, see the variables of the home, and end with the gateway', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const place = await gatewayPlace(t, model);
  place.write('.env', `${place.read('.env')}SEEN=${join(place.home, 'seen')}\n`);
  place.write('hooks/notes/HOOK.yaml', "name: notes\nevents: ['gateway:startup', agent:end]\n");
  place.write('hooks/notes/handler.mjs', handler);
  place.write('hooks/broken/HOOK.yaml', 'name: broken\nevents: [agent:start]\n');
  place.write('hooks/broken/handler.mjs', 'export const other = 1;');
  const seen = (): string[] => place.read('seen').trimEnd().split('\n');
  const gateway = place.run();
  await place.inState(gateway, 'running');
  assert.match(gateway.stdout, /\[hooks\] broken is left out, .*no function named handle/);
  await place.telegram.write({ in: { chatId: '1001', threadId: null }, text: 'hi' });
  await until(() => place.texts().includes('Hello.'), gateway);
  // What has just happened is told before the end.
  gateway.child.kill('SIGTERM');
  await gateway.ended;
  const [started, ended] = seen().map((line) => JSON.parse(line));
  assert.deepEqual(started, { type: 'gateway:startup', pid: started.pid, platforms: ['telegram'] });
  assert.deepEqual(ended, { type: 'agent:end', pid: started.pid, response: 'Hello.' });
  // Whoever takes up orphans may be a moment late.
  await until(() => !isRunning(started.pid));
});
