/** A sandbox of Modal keeps to what all environments keep to. */
import { mkdirSync, realpathSync } from 'node:fs';
import { conformance } from '../conformance.ts';
import { living } from '../support.ts';
import { openModal } from './support.ts';

conformance('modal', async (t) => {
  const { modal, session } = await openModal(t);
  const environment = session();
  await environment.run('true', { timeoutMs: 20_000, signal: new AbortController().signal });
  const home = modal.sandboxes[0]?.home ?? '';
  mkdirSync(home, { recursive: true });
  return { environment, directory: realpathSync(home), living: (text) => Promise.resolve(living(text)) };
});
