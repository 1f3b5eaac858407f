/** Bare `hermes auth`: shows what there is, and in a terminal asks what to do about it. */
import { allProfiles } from '../../providers/choose-provider.ts';
import type { CliContext } from '../command.ts';
import { savedProviders } from '../model/provider-settings.ts';
import { Cancelled, openPrompts, type Prompts } from '../model/prompts.ts';
import { addCredential } from './add.ts';
import { logOut, removeCredential, resetCoolDowns } from './change.ts';
import { type Credentials, openCredentials } from './credentials.ts';
import { credentialLines, otherWayIn, plain, providerName } from './describe.ts';
import { listCredentials } from './show.ts';

/** Throws `UserError`. */
export async function runAuth(context: CliContext): Promise<void> {
  const { io } = context;
  await listCredentials(context, undefined);
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    io.stdout.write('\nChange them with: hermes auth add|remove|reset|status|logout (see hermes auth --help)\n');
    return;
  }
  const prompts = await openPrompts(io);
  try {
    await askAndDo(context, prompts);
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.outro('Nothing was changed.');
  }
}

async function askAndDo(context: CliContext, prompts: Prompts): Promise<void> {
  const known = await openCredentials(context);
  const some = known.ids().length > 0;
  const action = await prompts.select('What would you like to do?', [
    { value: 'add', label: 'Add a key or log in' },
    ...(some
      ? [
          { value: 'remove', label: 'Remove a credential' },
          { value: 'reset', label: 'End cool-downs' },
          { value: 'logout', label: 'Log out of a provider' },
        ]
      : []),
    { value: 'nothing', label: 'Nothing' },
  ]);
  if (action === 'nothing') return;
  const provider = await prompts.pick('Which provider?', action === 'add' ? addable(known) : existing(known));
  if (action === 'add') return await addCredential(context, provider, {});
  if (action === 'reset') return await resetCoolDowns(context, provider);
  if (action === 'logout') return await logOut(context, provider);
  const lines = credentialLines(known.of(provider), Date.now());
  const number = await prompts.select(
    'Which one?',
    lines.map((line, index) => ({ value: String(index + 1), label: line.trim() })),
  );
  await removeCredential(context, provider, number);
}

function addable(known: Credentials) {
  const profiles = allProfiles(known.settings).filter(
    ({ id, auth }) => otherWayIn(auth) === undefined && id !== 'custom',
  );
  const ids = [...profiles.map(({ id }) => id), ...savedProviders(known.settings).map(({ id }) => id)];
  return ids.map((id) => ({ value: id, label: providerName(known, id), hint: id }));
}

function existing(known: Credentials) {
  return known.ids().map((id) => ({ value: id, label: providerName(known, id), hint: plain(id) }));
}
