/** A sandbox of Daytona keeps to what all environments keep to. */
import { realpathSync } from 'node:fs';
import { conformance } from '../conformance.ts';
import { living } from '../support.ts';
import { openDaytona } from './support.ts';

conformance('daytona', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const sandbox = daytona.add({ name: 'hermes-default', labels: { hermes_task_id: 'default' } });
  return {
    environment: session(),
    directory: realpathSync(sandbox.home),
    living: (text) => Promise.resolve(living(text)),
  };
});
