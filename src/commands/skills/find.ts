/** Looking for skills: browse, search, inspect, list. */
import { join } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { SkillOffer } from '../../skill-hub/source.ts';
import { hubOf, shown, type SkillsSurface } from './skills-surface.ts';

export async function browseSkills(
  surface: SkillsSurface,
  { page, size, source }: { readonly page: string; readonly size: string; readonly source: string },
): Promise<void> {
  const perPage = readCount('--size', size, 200);
  const wanted = readCount('--page', page, 100_000);
  const hub = await hubOf(surface);
  const { offers, warnings } = await hub.search('', source, surface.signal);
  const pages = Math.max(1, Math.ceil(offers.length / perPage));
  printWarnings(surface, warnings);
  if (offers.length === 0)
    return surface.print('No skills are offered there. Sites are searched by address: hermes skills search https://…');
  printOffers(surface, offers.slice((wanted - 1) * perPage, wanted * perPage));
  surface.print(`Page ${wanted} of ${pages}, ${counted(offers.length, 'skill')}.`);
}

export async function searchSkills(
  surface: SkillsSurface,
  query: string,
  { source, limit, json = false }: { readonly source: string; readonly limit: string; readonly json?: boolean },
): Promise<void> {
  const most = readCount('--limit', limit, 200);
  const hub = await hubOf(surface);
  const { offers, warnings } = await hub.search(query, source, surface.signal);
  if (json) return surface.print(JSON.stringify(offers.slice(0, most), undefined, 2));
  printWarnings(surface, warnings);
  if (offers.length === 0) return surface.print(`Nothing found for '${shown(query)}'.`);
  printOffers(surface, offers.slice(0, most));
  if (offers.length > most) surface.print(`${offers.length - most} more; see them with --limit ${offers.length}.`);
  surface.print('Read one: hermes skills inspect <identifier>. Install it: hermes skills install <identifier>.');
}

/** Shows a skill before it is installed: where it is from, what the guard says, its text. */
export async function inspectSkill(surface: SkillsSurface, identifier: string): Promise<void> {
  const { describeFinding, scanFetched } = await import('../../skill-hub/install.ts');
  const { escapeForDisplay } = await import('../../safety/display.ts');
  const skill = await (await hubOf(surface)).fetch(identifier, surface.signal);
  const report = scanFetched(skill);
  surface.print(
    `${shown(skill.name ?? '(no name)')}  from ${shown(skill.identifier)} (${skill.source}, ${skill.trust})`,
  );
  surface.print(`Guard: ${report.verdict}`);
  for (const finding of report.findings.slice(0, 20)) surface.print(shown(describeFinding(finding), 300));
  for (const [path, body] of skill.files) surface.print(`  ${shown(path)}  ${body.length} bytes`);
  surface.print('');
  surface.print(escapeForDisplay((skill.files.get('SKILL.md')?.toString('utf8') ?? '').slice(0, 20_000)));
}

export async function listSkills(
  surface: SkillsSurface,
  { source, enabledOnly = false }: { readonly source: string; readonly enabledOnly?: boolean },
): Promise<void> {
  if (!['all', 'hub', 'builtin', 'local'].includes(source)) {
    throw new UserError(`There is no source '${shown(source, 40)}'.`, {
      exitCode: 2,
      hint: 'Choose from: all, hub, builtin, local.',
    });
  }
  const { HomeCatalogue } = await import('../../skills/skill-catalogue.ts');
  const { foreignSkills } = await import('../../skills/provenance.ts');
  const { readLock } = await import('../../skill-hub/hub-files.ts');
  const catalogue = await new HomeCatalogue(surface.homePath).read([join(surface.homePath, 'skills')]);
  const { bundled } = foreignSkills(surface.homePath);
  const installed = readLock(surface.homePath);
  const off = new Set(enabledOnly ? await surface.disabledSkills?.() : []);
  const rows = catalogue.skills.flatMap(({ name, directoryName, category, description }) => {
    const entry = installed.get(directoryName);
    const origin = entry !== undefined ? 'hub' : bundled.has(directoryName) ? 'builtin' : 'local';
    if (source !== 'all' && source !== origin) return [];
    if (off.has(name) || off.has(directoryName)) return [];
    const trust = entry === undefined ? origin : `${entry.source}, ${entry.trust_level}`;
    return [
      { category, line: `  ${shown(name, 40).padEnd(28)} ${shown(trust, 24).padEnd(20)} ${shown(description, 60)}` },
    ];
  });
  if (rows.length === 0) return surface.print('No skills.');
  for (const [category, members] of [...Map.groupBy(rows, (row) => row.category)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    surface.print(`${shown(category)}:`);
    for (const { line } of members) surface.print(line.trimEnd());
  }
  surface.print(`${counted(rows.length, 'skill')}.`);
  for (const warning of catalogue.warnings) surface.print(shown(warning, 300));
}

function printOffers(surface: SkillsSurface, offers: readonly SkillOffer[]): void {
  for (const { name, description, identifier, trust, category } of offers) {
    const label = category === undefined ? '' : `, ${shown(category, 30)}`;
    surface.print(`${shown(name, 64)}  (${trust}${label})\n  ${shown(identifier)}\n  ${shown(description, 120)}`);
  }
}

function printWarnings(surface: SkillsSurface, warnings: readonly string[]): void {
  const [first] = warnings;
  if (first === undefined) return;
  if (warnings.length === 1) return surface.print(`Not asked: ${shown(first, 300)}`);
  const names = warnings.map((warning) => warning.split(': ')[0] ?? '');
  const reason = first.slice((names[0] ?? '').length + 2);
  surface.print(`Not asked: ${shown(names.join(', '), 300)} (${shown(reason, 200)})`);
}

function readCount(flag: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new UserError(`${flag} takes a whole number from 1 to ${most}; '${shown(text, 20)}' is none.`, { exitCode: 2 });
}
