/** `hermes auth remove`, `reset` and `logout`. */
import { join } from 'node:path';
import { readEnvFile } from '../../config/dotenv.ts';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { loadManagedScope, refusePackagedInstall, refusePinnedVariable } from '../../config/managed.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import { restsOf } from '../../credentials/lone-key.ts';
import { removeEntry, resetPool } from '../../credentials/stored-pool.ts';
import { findingsOf } from '../../runtime/open-logins.ts';
import type { CliContext } from '../command.ts';
import { openCredentials } from './credentials.ts';
import { plain } from './describe.ts';

/** Forgets the credential with this number, label or id. Throws `UserError`, with exit code 2 when there is none or several. */
export async function removeCredential(context: CliContext, name: string, number: string): Promise<void> {
  const known = await openCredentials(context);
  const id = known.idOf(name);
  const members = known.of(id);
  const same = members.filter(({ entry }) => entry.id === number || entry.label === number);
  if (same.length > 1) {
    throw new UserError(`${plain(id)} has ${same.length} credentials called '${plain(number.slice(0, 40))}'.`, {
      exitCode: 2,
      hint: 'Name one by its number in `hermes auth list`.',
    });
  }
  const member = (/^\d{1,4}$/.test(number) ? members[Number(number) - 1] : undefined) ?? same[0];
  if (member === undefined) {
    const hint =
      members.length === 0
        ? 'there is none to remove'
        : `use a number from 1 to ${members.length}, its label or its id`;
    throw new UserError(`${plain(id)} has no credential '${plain(number.slice(0, 40))}': ${hint}.`, {
      exitCode: 2,
      hint: 'See the numbers with `hermes auth list`.',
    });
  }
  const { entry } = member;
  const removed = `Removed ${plain(entry.label)} of ${plain(id)}.\n`;
  const [kind, origin] = split(entry.source);
  if (kind === 'env') {
    const left = await removeVariable(context, origin);
    if (left) await removeEntry(known.store, id, entry);
    context.io.stdout.write(left ? stillSet(origin) : removed);
    return;
  }
  if (kind === 'config') {
    throw new UserError(`${plain(entry.label)} is a key of config.yaml; it was not changed.`, {
      hint: 'Take it out of `providers` or `custom_providers` with `hermes config edit`.',
    });
  }
  await removeEntry(known.store, id, entry);
  context.io.stdout.write(removed);
}

/** Ends the cool-downs of a provider. Throws `UserError`. */
export async function resetCoolDowns(context: CliContext, name: string): Promise<void> {
  const known = await openCredentials(context);
  const id = known.idOf(name);
  const count = (await resetPool(known.store, id)) + findingsOf(context.home.path).forget(restsOf(id));
  context.io.stdout.write(
    count === 0
      ? `Nothing was resting for ${plain(id)}.\n`
      : `${counted(count, 'credential')} of ${plain(id)} can be used again.\n`,
  );
}

/** Forgets all that is stored for a provider; keys of the environment stay. Throws `UserError`. */
export async function logOut(context: CliContext, name: string): Promise<void> {
  const known = await openCredentials(context);
  const id = known.idOf(name);
  const found = await known.store.clearProvider(id);
  const left = known.of(id).map(({ entry }) => plain(entry.label));
  const lines = [found ? `Logged out of ${plain(id)}.` : `Nothing was stored for ${plain(id)}.`];
  if (left.length > 0) lines.push(`Still set outside auth.json: ${left.join(', ')} (see \`hermes auth list\`).`);
  context.io.stdout.write(`${lines.join('\n')}\n`);
}

/** Takes a variable out of the home's `.env`; true when it is set somewhere else. Throws when it is pinned. */
async function removeVariable({ home, env }: CliContext, name: string): Promise<boolean> {
  refusePackagedInstall(home, env);
  refusePinnedVariable(await loadManagedScope(env), name);
  const path = join(home.path, '.env');
  if (!readEnvFile(path).values.has(name)) return true;
  setEnvValue(path, name, undefined);
  return false;
}

function stillSet(variable: string): string {
  return `${plain(variable)} is set outside this home, by your shell or service, and stays there: unset it to stop its use altogether.\n`;
}

function split(source: string): readonly [kind: string, rest: string] {
  const at = source.indexOf(':');
  return at === -1 ? [source, ''] : [source.slice(0, at), source.slice(at + 1)];
}
