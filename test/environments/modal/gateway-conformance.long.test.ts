/** A sandbox of Modal behind the tool gateway keeps to what all environments keep to. */
import { realpathSync } from 'node:fs';
import { conformance } from '../conformance.ts';
import { living } from '../support.ts';
import { openGateway } from './gateway-support.ts';

conformance('modal through the tool gateway', async (t) => {
  const { gateway, session } = await openGateway(t);
  const environment = session();
  await environment.run('true', { timeoutMs: 20_000, signal: new AbortController().signal });
  return {
    environment,
    directory: realpathSync(gateway.sandboxes[0]?.home ?? ''),
    living: (text) => Promise.resolve(living(text)),
  };
});
