/** Removes containers that sessions of this profile left behind and nobody started again. */
import { type ContainerSpec, ownerLabels } from './container-spec.ts';
import { ask, type Engine } from './engine.ts';

const limitMs = 60_000;

/** Only ended ones, and of those only what ended `ageMs` ago or earlier. Never a running one. */
export async function removeOrphans(
  engine: Engine,
  owner: Pick<ContainerSpec, 'task' | 'profile' | 'homePath'> & { readonly except: string },
  ageMs: number,
  now: number = Date.now(),
): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  // Of all tasks of this profile.
  const labels = ownerLabels(owner).filter((label) => !label.startsWith('hermes-task-id='));
  const filters = [...labels.map((label) => `label=${label}`), 'status=exited'].flatMap((filter) => [
    '--filter',
    filter,
  ]);
  const { output } = await ask(engine, ['ps', '-a', ...filters, '--format', '{{.Names}}'], signal);
  for (const name of output.split('\n').filter((found) => found !== '' && found !== owner.except)) {
    const { output: ended } = await ask(
      engine,
      ['inspect', '--format', '{{.State.Running}} {{json .State.FinishedAt}}', name],
      signal,
    );
    const [, running, at = ''] = /^(true|false) "(.*)"$/.exec(ended) ?? [];
    const finished = Date.parse(at);
    // Without -f: one that was started meanwhile stays.
    if (running === 'false' && now - finished >= ageMs) await ask(engine, ['rm', '-v', name], signal);
  }
}
