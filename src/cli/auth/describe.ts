/** How credentials are shown to people: never more of a secret than its last four characters. */
import { allProfiles } from '../../providers/choose-provider.ts';
import { isDead, restsUntil } from '../../credentials/cool-down.ts';
import { fingerprint } from '../../credentials/pool-entry.ts';
import type { Member } from '../../credentials/pool-members.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { AuthKind } from '../../llm/provider.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { fit } from '../sessions/table.ts';
import type { Credentials } from './credentials.ts';

/** A line a credential, numbered from 1. `now` in milliseconds since the epoch. */
export function credentialLines(members: readonly Member[], now: number): string[] {
  const rows = members.map((member, index) => [
    String(index + 1),
    plain(member.entry.label),
    member.entry.auth_type === 'oauth' ? 'oauth' : 'api key',
    plain(member.entry.source),
    shownSecret(member.secret),
    stateOf(member, now),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.min(widestColumn, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  );
  return rows.map((row) => {
    const cells = row.map((cell, column) => fit(cell, widths[column] ?? cell.length));
    return `  ${cells.join('  ').trimEnd()}`;
  });
}

const widestColumn = 32;

/** `ok`, `resting, 52 min left (HTTP 429)`, `ended: …`, `expired`. `now` in milliseconds since the epoch. */
export function stateOf({ entry, expiresAt, refreshToken }: Member, now: number): string {
  if (isDead(entry)) {
    const why = entry.last_error_message ?? '';
    return why === '' ? 'ended' : `ended: ${plain(maskKeys(why)).slice(0, 160)}`;
  }
  const rests = restsUntil(entry) ?? 0;
  if (rests > now) {
    const code = entry.last_error_code;
    return `resting, ${timeLeft(rests - now)} left${typeof code === 'number' ? ` (HTTP ${code})` : ''}`;
  }
  if (expiresAt === undefined) return 'ok';
  if (expiresAt > now) return `ok, for ${timeLeft(expiresAt - now)}`;
  return refreshToken === undefined ? 'expired' : 'ok, renewed at the next use';
}

/** The name of a provider for people. */
export function providerName({ provider, settings }: Pick<Credentials, 'provider' | 'settings'>, id: string): string {
  const found = provider(id);
  if (found?.saved !== undefined) return plain(found.saved.name);
  const profile = allProfiles(settings).find((known) => known.id === id);
  return plain(profile?.name ?? id);
}

/** How one gets in to a provider that takes no stored credentials; undefined for those that do. */
export function otherWayIn(auth: AuthKind): string | undefined {
  switch (auth) {
    case 'aws':
      return 'uses the AWS credential chain (AWS_PROFILE, AWS_ACCESS_KEY_ID, `aws configure`)';
    case 'google':
      return 'uses Google application credentials (`gcloud auth application-default login`)';
    case 'external_process':
      return 'uses the login of its own program';
    case 'none':
      return 'needs no credentials';
    default:
      return undefined;
  }
}

/** One line without control characters. */
export function plain(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}

function shownSecret(secret: string): string {
  if (secret === '') return '(to be fetched)';
  return secret.length < 18 ? fingerprint(secret) : `…${plain(secret.slice(-4))}`;
}

function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`;
}
