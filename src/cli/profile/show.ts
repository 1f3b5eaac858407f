/** What `hermes profile`, `profile list` and `profile show` print. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { displayPath, type Home, listProfiles } from '../../config/home.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { readDescription } from './description.ts';
import { readManifest } from './manifest.ts';
import { countSkills, findProfile, gatewayOf, modelOf } from './profiles.ts';
import { wrappersOf } from './wrapper.ts';

const NONE = '—';
const HEADINGS = ['Profile', 'Model', 'Gateway', 'Alias', 'Distribution'];

export async function showActive(context: CliContext): Promise<void> {
  const { home, env } = context;
  print(context, [
    ['Active profile', home.profile],
    ['Path', displayPath(home.path, env)],
    ['Model', await modelText(home)],
    ['Gateway', gatewayText(home)],
    ['Skills', `${countSkills(home)} installed`],
    ['Alias', aliasText(context, home)],
  ]);
}

export async function showProfile(context: CliContext, name: string): Promise<void> {
  const home = findProfile(context, name);
  const manifest = await readManifest(home.path);
  const described = await readDescription(home.path);
  const present = (file: string): string => (existsSync(join(home.path, file)) ? 'exists' : 'none');
  print(context, [
    ['Profile', home.profile],
    ['Path', home.path],
    ['Description', described === '' ? undefined : described],
    ['Model', await modelText(home)],
    ['Gateway', gatewayText(home)],
    ['Skills', String(countSkills(home))],
    ['.env', present('.env')],
    ['SOUL.md', present('SOUL.md')],
    ['Alias', aliasText(context, home)],
    ['Distribution', manifest === undefined ? undefined : `${manifest.name}${versionText(manifest.version)}`],
    ['Source', manifest?.source],
  ]);
}

export async function listAll(context: CliContext): Promise<void> {
  const { root, profile: active } = context.home;
  const rows = [HEADINGS];
  for (const home of listProfiles(root)) {
    const manifest = await readManifest(home.path);
    rows.push([
      `${home.profile === active ? '◆' : ' '}${home.profile}`,
      (await modelOf(home))?.model ?? NONE,
      gatewayText(home),
      wrappersOf(home.profile, context.env)[0]?.name ?? NONE,
      manifest === undefined ? NONE : `${manifest.name}${versionText(manifest.version)}`,
    ]);
  }
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows) {
    const cells = row.map((cell, column) => escapeForDisplay(cell, { singleLine: true }).padEnd(widths[column] ?? 0));
    context.io.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** `@1.2.0`, or nothing. */
export function versionText(version: string | undefined): string {
  return version === undefined ? '' : `@${version}`;
}

async function modelText(home: Home): Promise<string | undefined> {
  const found = await modelOf(home);
  if (found === undefined) return undefined;
  return found.provider === '' ? found.model : `${found.model} (${found.provider})`;
}

function gatewayText(home: Home): string {
  const pid = gatewayOf(home);
  return pid === undefined ? 'stopped' : `running (process ${pid})`;
}

function aliasText({ env }: CliContext, { profile }: Home): string | undefined {
  const found = wrappersOf(profile, env);
  return found.length === 0
    ? undefined
    : found.map(({ name, path }) => `${name} (${displayPath(path, env)})`).join(', ');
}

function print({ io }: CliContext, rows: readonly (readonly [string, string | undefined])[]): void {
  for (const [label, value] of rows) {
    if (value !== undefined)
      io.stdout.write(`${`${label}:`.padEnd(16)}${escapeForDisplay(value, { singleLine: true })}\n`);
  }
}
