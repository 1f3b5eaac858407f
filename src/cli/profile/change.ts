/** What `hermes profile` changes: which is used, their names, their wrappers, whether they are there. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { DEFAULT_PROFILE, displayPath, type Home, isProfileName, listProfiles } from '../../config/home.ts';
import { isOnPath } from '../../config/shell.ts';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { askLine } from '../ask-line.ts';
import type { CliContext } from '../command.ts';
import { readDescription, writeDescription } from './description.ts';
import { findProfile, freeProfile, gatewayOf, modelOf, setStickyProfile, stickyProfile } from './profiles.ts';
import { makeWrapper, removeWrapper, wrapperFolder, wrappersOf } from './wrapper.ts';

export function useProfile(context: CliContext, typed: string): void {
  const home = findProfile(context, typed);
  setStickyProfile(home.root, home.profile);
  say(context, `Switched to: ${home.profile} (${displayPath(home.path, context.env)})`);
}

export async function renameProfile(context: CliContext, typed: string, wanted: string): Promise<void> {
  const old = findProfile(context, typed);
  if (old.profile === DEFAULT_PROFILE) throw new UserError("The profile 'default' cannot be renamed.");
  const renamed = freeProfile(context, wanted);
  refuseWhileGatewayRuns(old);
  const wrappers = wrappersOf(old.profile, context.env);
  renameSync(old.path, renamed.path);
  if (stickyProfile(old.root) === old.profile) setStickyProfile(old.root, renamed.profile);
  for (const wrapper of wrappers) {
    removeWrapper(wrapper);
    // An alias of another name stays what people type; one with the profile's name follows it.
    const name = wrapper.name === old.profile ? renamed.profile : wrapper.name;
    try {
      makeWrapper(context, renamed.profile, name);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      context.io.stderr.write(`${error.message}\n`);
    }
  }
  say(context, `✓ Profile renamed: ${old.profile} → ${renamed.profile}\n  ${displayPath(renamed.path, context.env)}`);
}

/** Asks for the name; the profile that is in use is not even deleted with `--yes` without it. */
export async function deleteProfile(context: CliContext, typed: string, options: { yes?: true }): Promise<void> {
  const home = findProfile(context, typed);
  const { profile, path, root } = home;
  if (profile === DEFAULT_PROFILE) {
    throw new UserError("The profile 'default' cannot be deleted; it is the home itself.", {
      hint: 'To remove the program with all its data: hermes uninstall --full',
    });
  }
  refuseWhileGatewayRuns(home);
  const active = stickyProfile(root) === profile;
  const wrappers = wrappersOf(profile, context.env);
  const model = await modelOf(home);
  say(context, `Profile: ${profile}${active ? ' (the one in use)' : ''}\nPath:    ${path}`);
  if (model !== undefined) say(context, `Model:   ${escapeForDisplay(model.model, { singleLine: true })}`);
  say(context, 'All of it is deleted: settings, keys, memories, conversations, skills and jobs.');
  for (const wrapper of wrappers) say(context, `The command ${wrapper.path} goes too.`);
  if (options.yes !== true || active) {
    const answer = await askLine(context.io, `Type '${profile}' to delete it: `);
    if (answer !== profile) return say(context, '\nCancelled.');
  }
  // Out of the list first: a deletion that breaks off leaves no half profile that can be used.
  const doomed = `${path.slice(0, -profile.length)}.deleted-${profile}-${process.pid}`;
  renameSync(path, doomed);
  if (active) setStickyProfile(root, DEFAULT_PROFILE);
  for (const wrapper of wrappers) removeWrapper(wrapper);
  rmSync(doomed, { recursive: true, force: true, maxRetries: 3 });
  say(context, `✓ Profile '${profile}' deleted.`);
}

export interface AliasOptions {
  readonly name?: string;
  readonly remove?: true;
}

export function changeAlias(context: CliContext, typed: string, options: AliasOptions): void {
  const { env } = context;
  const { profile } = findProfile(context, typed);
  const name = (options.name ?? profile).toLowerCase();
  if (!isProfileName(name))
    throw new UserError(`'${name.slice(0, 80)}' cannot be the name of a command.`, { exitCode: 2 });
  if (options.remove === true) {
    const found = wrappersOf(profile, env).filter((wrapper) => options.name === undefined || wrapper.name === name);
    if (found.length === 0)
      throw new UserError(`Profile '${profile}' has no alias${options.name === undefined ? '' : ` '${name}'`}.`);
    for (const wrapper of found) {
      removeWrapper(wrapper);
      say(context, `✓ Removed ${wrapper.path}`);
    }
    return;
  }
  const { path } = makeWrapper(context, profile, name);
  say(context, `✓ '${name}' starts this profile now: ${path}`);
  if (!isOnPath(wrapperFolder(env), env)) context.io.stderr.write(`${wrapperFolder(env)} is not on your PATH.\n`);
}

export interface DescribeOptions {
  readonly text?: string;
  readonly all?: true;
  readonly auto?: true;
  readonly overwrite?: true;
}

export async function describeProfile(
  context: CliContext,
  typed: string | undefined,
  options: DescribeOptions,
): Promise<void> {
  if (options.overwrite === true && options.auto !== true) {
    throw new UserError('--overwrite belongs to --auto.', { exitCode: 2, hint: '--text always replaces.' });
  }
  if (options.auto === true) {
    if (options.text !== undefined) throw new UserError('Give --text or --auto, not both.', { exitCode: 2 });
    const { describeByModel } = await import('./describe-by-model.ts');
    if (options.all === true) return await describeByModel(context, listProfiles(context.home.root), options);
    return await describeByModel(context, [findProfile(context, typed ?? context.home.profile)], options);
  }
  if (options.all === true) {
    for (const home of listProfiles(context.home.root)) {
      say(context, `${home.profile}: ${shownDescription(home.profile, await readDescription(home.path))}`);
    }
    return;
  }
  if (typed === undefined) {
    throw new UserError('Name a profile, or give --all.', {
      exitCode: 2,
      hint: 'hermes profile describe NAME --text "…"',
    });
  }
  const { profile, path } = findProfile(context, typed);
  if (options.text === undefined) return say(context, shownDescription(profile, await readDescription(path)));
  await writeDescription(path, options.text);
  say(context, `✓ Description of '${profile}' stored.`);
}

function shownDescription(profile: string, text: string): string {
  return text === '' ? `(no description set for '${profile}')` : escapeForDisplay(text, { singleLine: true });
}

/** Its files are open in another process, which would go on writing into the old place. */
function refuseWhileGatewayRuns(home: Home): void {
  const pid = gatewayOf(home);
  if (pid === undefined || !existsSync(home.path)) return;
  throw new UserError(`The gateway of profile '${home.profile}' is running (process ${pid}).`, {
    hint: `Stop it first. If that process is no gateway, delete ${home.path}/gateway.pid.`,
  });
}

function say({ io }: CliContext, line: string): void {
  io.stdout.write(`${line}\n`);
}
