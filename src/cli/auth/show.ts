/** `hermes auth list` and `hermes auth status`: which credentials there are and how they are. */
import { allProfiles } from '../../providers/choose-provider.ts';
import type { CliContext } from '../command.ts';
import { type Credentials, openCredentials } from './credentials.ts';
import { credentialLines, otherWayIn, plain, providerName, stateOf } from './describe.ts';

/** The pools with the numbers that `auth remove` takes. Throws `UserError`. */
export async function listCredentials(context: CliContext, name: string | undefined): Promise<void> {
  const known = await openCredentials(context);
  const now = Date.now();
  const ids = name === undefined ? known.ids() : [known.idOf(name)];
  const parts = ids.map((id) => {
    const members = known.of(id);
    if (members.length === 0) return `No credentials for ${plain(id)}. Add one with: hermes auth add ${plain(id)}\n`;
    return `${plain(id)} (${members.length})\n${credentialLines(members, now).join('\n')}\n`;
  });
  context.io.stdout.write(
    parts.length === 0 ? 'No credentials yet. Add one with: hermes auth add <provider>\n' : parts.join('\n'),
  );
}

/** Whether one is logged in, for a provider or for all that have something. Throws `UserError`. */
export async function showStatus(context: CliContext, name: string | undefined): Promise<void> {
  const known = await openCredentials(context);
  const ids = name === undefined ? known.ids() : [known.idOf(name)];
  const active = known.store.activeProvider();
  const lines = ids.map((id) => statusLine(known, id, active));
  context.io.stdout.write(
    lines.length === 0
      ? 'Not logged in anywhere. Log in with: hermes auth add <provider>\n'
      : lines.map((line) => `${line}\n`).join(''),
  );
}

function statusLine(known: Credentials, id: string, active: string | undefined): string {
  const title = `${providerName(known, id)} (${plain(id)})${id === active ? ', last login' : ''}`;
  const members = known.of(id);
  if (members.length === 0) {
    const profile = allProfiles(known.settings).find((candidate) => candidate.id === id);
    const other = profile === undefined ? undefined : otherWayIn(profile.auth);
    return `${title}: ${other ?? `not logged in; hermes auth add ${plain(id)}`}`;
  }
  const now = Date.now();
  const states = members.map((member) => `${plain(member.entry.label)} ${stateOf(member, now)}`);
  return `${title}: ${states.join('; ')}`;
}
