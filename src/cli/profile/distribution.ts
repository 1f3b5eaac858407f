/** `hermes profile install`, `update` and `info`: profiles that somebody made and keeps in a git repository or a folder. */
import { existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { displayPath, ensureHome, type Home, listProfiles } from '../../config/home.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import { namedText } from '../../credentials/keys.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { copyTree } from '../../backups/copy-files.ts';
import type { CliContext } from '../command.ts';
import { confirm } from '../sessions/confirm.ts';
import { fetchDistribution } from './fetch-distribution.ts';
import { MANIFEST_FILE, type Manifest, readManifest } from './manifest.ts';
import { refuseUnmet } from './requirement.ts';
import { findProfile, freeProfile } from './profiles.ts';
import { versionText } from './show.ts';
import { makeWrapper } from './wrapper.ts';

export interface InstallOptions {
  readonly name?: string;
  readonly alias?: true;
  readonly force?: true;
  readonly yes?: true;
}

export interface UpdateOptions {
  readonly forceConfig?: true;
  readonly yes?: true;
}

const OWNED_BY_DEFAULT = ['SOUL.md', 'config.yaml', 'mcp.json', 'skills', 'cron', MANIFEST_FILE];
/** What belongs to the person, whatever a distribution says it owns. */
const NEVER_TAKEN = new Set(
  `auth.json .env .op.env audit.key auth.lock active_profile hermes_state.db gateway.pid gateway_state.json processes.json errors.log
  .update_check .hermes_history memories sessions logs plans workspace home image_cache audio_cache document_cache
  browser_screenshots checkpoints sandboxes backups cache hermes-agent .worktrees profiles bin lsp node_modules local .git`.split(
    /\s+/,
  ),
);

export async function installDistribution(context: CliContext, source: string, options: InstallOptions): Promise<void> {
  await withDistribution(context, source, async (folder, manifest, recorded) => {
    const name = (options.name ?? manifest.name).toLowerCase();
    const existing = listProfiles(context.home.root).find(({ profile }) => profile === name);
    if (existing !== undefined && options.force !== true) {
      throw new UserError(`Profile '${name}' already exists.`, {
        hint: 'Give --name for another one, or --force to install over it; its own data stays.',
      });
    }
    const home = existing ?? freeProfile(context, name);
    showOffer(context, manifest, recorded, home);
    if (options.yes !== true && !(await confirm(context.io, 'Install it?'))) return say(context, '\nCancelled.');
    await place(folder, { ...manifest, source: recorded }, home, { keepConfig: false });
    say(context, `✓ Installed '${home.profile}'${versionText(manifest.version)} at ${home.path}`);
    if (manifest.env_requires.length > 0)
      say(context, `  Its variables: copy ${home.path}/.env.EXAMPLE to .env and fill it in.`);
    if (options.alias === true) say(context, `  Command written to ${makeWrapper(context, home.profile).path}`);
    say(context, `\nNext: hermes -p ${home.profile}`);
  });
}

export async function updateDistribution(context: CliContext, name: string, options: UpdateOptions): Promise<void> {
  const home = findProfile(context, name);
  const { source } = (await readManifest(home.path)) ?? {};
  if (source === undefined) {
    throw new UserError(
      `Profile '${home.profile}' did not come from a distribution, so there is nothing to update from.`,
    );
  }
  await withDistribution(context, source, async (folder, manifest) => {
    showOffer(context, manifest, source, home);
    const config = options.forceConfig === true ? 'config.yaml is replaced too' : 'config.yaml stays as it is';
    if (options.yes !== true && !(await confirm(context.io, `Update the profile? (${config})`))) {
      return say(context, '\nCancelled.');
    }
    await place(folder, { ...manifest, source }, home, { keepConfig: options.forceConfig !== true });
    say(context, `✓ Updated '${home.profile}'${versionText(manifest.version)}; ${config}.`);
  });
}

export async function showManifest(context: CliContext, name: string): Promise<void> {
  const home = findProfile(context, name);
  const manifest = await readManifest(home.path);
  if (manifest === undefined)
    return say(context, `Profile '${home.profile}' is not a distribution (no ${MANIFEST_FILE}).`);
  const rows: [string, string | undefined][] = [
    ['Distribution', manifest.name],
    ['Version', manifest.version],
    ['Description', manifest.description],
    ['Author', manifest.author],
    ['License', manifest.license],
    ['Requires', manifest.hermes_requires],
    ['Source', manifest.source],
    ['Installed', manifest.installed_at],
  ];
  for (const [label, value] of rows) if (value !== undefined) say(context, `${`${label}:`.padEnd(14)}${value}`);
  for (const line of variableLines(context, manifest)) say(context, line);
}

async function withDistribution(
  { env }: CliContext,
  source: string,
  work: (folder: string, manifest: Manifest, recorded: string) => Promise<void>,
): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), 'hermes-distribution-'));
  try {
    const { folder, recorded } = await fetchDistribution(source, stage, env);
    const manifest = await readManifest(folder);
    if (manifest === undefined)
      throw new UserError(`There is no ${MANIFEST_FILE} in ${source}; it is no distribution.`);
    refuseUnmet(manifest.hermes_requires);
    await work(folder, manifest, recorded);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Owned files are replaced whole; all others are not looked at. */
async function place(
  folder: string,
  manifest: Manifest,
  home: Home,
  { keepConfig }: { readonly keepConfig: boolean },
): Promise<void> {
  const parent = dirname(home.path);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const stage = mkdtempSync(join(parent, '.install-'));
  try {
    await copyTree(folder, stage, (path) => !isNeverTaken(path));
    const fresh = !existsSync(home.path);
    if (fresh) ensureHome(home);
    for (const name of ownedNames(manifest, stage)) {
      const target = join(home.path, name);
      if (name === 'config.yaml' && keepConfig && existsSync(target)) continue;
      mkdirSync(dirname(target), { recursive: true });
      rmSync(target, { recursive: true, force: true });
      renameSync(join(stage, name), target);
    }
    const file = await readYamlFile(join(home.path, MANIFEST_FILE));
    const data = file.state === 'read' ? file.data : {};
    const installed = {
      ...data,
      source: manifest.source,
      installed_at: new Date().toISOString().replace(/\.\d+Z$/, '+00:00'),
    };
    writeFileAtomic(join(home.path, MANIFEST_FILE), stringify(installed, { compat: 'yaml-1.1' }));
    if (manifest.env_requires.length > 0) writeFileAtomic(join(home.path, '.env.EXAMPLE'), exampleText(manifest));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function ownedNames(manifest: Manifest, stage: string): string[] {
  const named = (manifest.distribution_owned ?? OWNED_BY_DEFAULT).map((name) => name.replace(/^\.\/|\/+$/g, ''));
  return [...new Set([...named, MANIFEST_FILE])].filter((name) => {
    const inside = name !== '' && resolve(stage, name).startsWith(`${stage}/`) && !isNeverTaken(name);
    return inside && lstatSync(join(stage, name), { throwIfNoEntry: false }) !== undefined;
  });
}

function isNeverTaken(path: string): boolean {
  const top = path.split('/', 1).join('');
  return NEVER_TAKEN.has(top) || /^(?:state|response_store)\.db/.test(top) || path.split('/').includes('.git');
}

function showOffer(context: CliContext, manifest: Manifest, source: string, home: Home): void {
  say(context, `Distribution: ${manifest.name}${versionText(manifest.version)}`);
  if (manifest.description !== undefined) say(context, `  ${manifest.description}`);
  say(context, `  From: ${source}\n  To:   ${displayPath(home.path, context.env)}`);
  for (const line of variableLines(context, manifest)) say(context, line);
  say(context, '  Scheduled jobs among its files are copied and not started.');
}

function variableLines({ env }: CliContext, { env_requires: needed }: Manifest): string[] {
  if (needed.length === 0) return [];
  const lines = needed.map(({ name, description, required }) => {
    const state = namedText(name, env) === undefined ? (required ? 'needs setting' : 'optional') : '✓ set';
    return `  ${name} (${state})${description === '' ? '' : `: ${description}`}`;
  });
  return ['Variables:', ...lines];
}

function exampleText({ env_requires: needed }: Manifest): string {
  const blocks = needed.map(({ name, description, required, default: value = '' }) =>
    [
      ...(description === '' ? [] : [`# ${description.replaceAll('\n', ' ')}`]),
      `# ${required ? 'required' : 'optional'}`,
      `${name}=${value}`,
    ].join('\n'),
  );
  return `# What this distribution needs. Copy the file to .env and fill it in.\n\n${blocks.join('\n\n')}\n`;
}

function say({ io }: CliContext, line: string): void {
  io.stdout.write(`${escapeForDisplay(line)}\n`);
}
