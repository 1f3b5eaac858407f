/** What `hermes pairing` does: the files of pairing, and the list of people in `.env` where there is one. */
import { join } from 'node:path';
import { readEnvFile } from '../../config/dotenv.ts';
import { setEnvValue } from '../../config/dotenv-edit.ts';
import { platformCatalogue } from '../../gateway/catalogue.ts';
import { allPlatforms } from '../../gateway/process/configured-platforms.ts';
import { pluggedPlatforms } from './plugged-platforms.ts';
import { listOf } from '../../gateway/intake/access-lists.ts';
import { Pairing } from '../../gateway/intake/pairing.ts';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { localTime } from '../sessions/times.ts';

export function listPairing({ home, io }: CliContext): void {
  const pairing = new Pairing(home.path);
  const pending = pairing
    .platforms()
    .flatMap((platform) => pairing.pending(platform).map((who) => ({ platform, ...who })));
  const approved = pairing
    .platforms()
    .flatMap((platform) => pairing.approved(platform).map((who) => ({ platform, ...who })));
  const lines = [
    ...(pending.length === 0 ? [] : ['Asked to be let in:']),
    ...pending.map(
      ({ platform, userId, userName, hash, createdAt }) =>
        `  ${platform}  ${shown(userId, userName)}  request ${hash}, ${localTime(createdAt)}`,
    ),
    ...(approved.length === 0 ? [] : ['Let in:']),
    ...approved.map(({ platform, userId, userName }) => `  ${platform}  ${shown(userId, userName)}`),
    ...(pending.length === 0
      ? []
      : ['Approve with the code that the person was told: hermes pairing approve PLATFORM CODE']),
  ];
  io.stdout.write(lines.length === 0 ? 'Nobody asked, and nobody was let in by pairing.\n' : `${lines.join('\n')}\n`);
}

export async function approve(context: CliContext, platform: string, code: string): Promise<void> {
  const name = platformName(platform);
  const approval = await new Pairing(context.home.path).approve(name, code);
  if (approval.as === 'locked') {
    const minutes = Math.ceil(approval.seconds / 60);
    throw new UserError(`Too many wrong codes for ${name}: the next one counts in ${minutes} min.`);
  }
  if (approval.as === 'unknown') {
    throw new UserError(`No open request for ${name} has this code.`, {
      hint: 'Codes are good for one hour; a new message to the agent brings a new one. See who asked: hermes pairing list',
    });
  }
  const { userId, userName } = approval.person;
  const noted = await changeList(context, name, (users) => (users.has('*') ? users : new Set([...users, userId])));
  const also = noted === undefined ? '' : ` ${noted} in .env names them too.`;
  context.io.stdout.write(`Let in on ${name}: ${shown(userId, userName)}.${also}\n`);
}

export async function revoke(context: CliContext, platform: string, userId: string): Promise<void> {
  const name = platformName(platform);
  const removed = await new Pairing(context.home.path).revoke(name, userId);
  const noted = await changeList(context, name, (users) => new Set([...users].filter((each) => each !== userId)));
  if (!removed && noted === undefined) {
    throw new UserError(`${userId} was not let in on ${name}.`, { hint: 'See who was: hermes pairing list' });
  }
  context.io.stdout.write(`Not let in on ${name} any more: ${printable(userId)}.\n`);
}

export async function clearPending({ home, io }: CliContext): Promise<void> {
  const count = await new Pairing(home.path).clearPending();
  io.stdout.write(count === 1 ? 'One request is forgotten.\n' : `${count} requests are forgotten.\n`);
}

/**
 * Changes the platform's list in `.env` where one is set; returns its variable when it changed. A list that gets empty
 * stays as one that lets nobody in: without it, everybody could ask again.
 */
async function changeList(
  context: CliContext,
  name: string,
  change: (users: ReadonlySet<string>) => ReadonlySet<string>,
): Promise<string | undefined> {
  const { home } = context;
  const platforms = allPlatforms(await pluggedPlatforms(context));
  const platform = (await platforms.find((entry) => entry.name === name)?.load())?.platform;
  const path = join(home.path, '.env');
  const variable = platform?.allowedUsersVariable;
  const users = variable === undefined ? undefined : listOf(readEnvFile(path).values.get(variable));
  if (variable === undefined || users === undefined) return undefined;
  const changed = change(users);
  if (changed.size === users.size) return undefined;
  setEnvValue(path, variable, changed.size === 0 ? ',' : [...changed].join(','));
  return variable;
}

/** Any name that could be one: files of a platform that this build lacks may be there from the original. */
function platformName(typed: string): string {
  const name = typed.trim().toLowerCase();
  if (/^[a-z0-9_]{1,64}$/.test(name)) return name;
  throw new UserError(`'${printable(typed).slice(0, 60)}' is no name of a platform.`, {
    exitCode: 2,
    hint: `This build has: ${platformCatalogue.map((entry) => entry.name).join(', ')}`,
  });
}

function shown(userId: string, userName: string | null): string {
  return userName === null || userName === '' ? printable(userId) : `${printable(userId)} (${printable(userName)})`;
}

/** People choose their names themselves. */
function printable(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
