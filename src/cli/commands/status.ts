/** `hermes status`: what is configured and how it is, in a form that may be shared. */
import { Command } from 'commander';
import type { CliContext } from '../command.ts';
import type { Finding } from '../doctor/finding.ts';

const glyphs: Readonly<Record<Finding['status'], string>> = { ok: '✓', warn: '⚠', fail: '✗', info: '·' };

export function build(context: CliContext): Command {
  return new Command('status')
    .description('Shows what is configured; secrets are masked.')
    .option('--all', 'list what is not set too: redacted detail that may be shared')
    .option('--deep', 'ask the providers whether they answer')
    .action((options: { all?: boolean; deep?: boolean }) => show(context, options));
}

async function show(cli: CliContext, { all = false, deep = false }: { all?: boolean; deep?: boolean }): Promise<void> {
  const { statusSections, tryCredentials } = await import('../status/sections.ts');
  const { readPackage } = await import('./version.ts');
  const loaded = await cli.config();
  const known = await tryCredentials(cli);
  const problem = 'status' in known ? known : undefined;
  const credentials = 'status' in known ? undefined : known;
  const { version, releaseDate } = readPackage();
  const context = { cli, loaded, all, version: `${version} (${releaseDate})`, credentials };
  // Side by side: those that wait for others should not wait for each other.
  const sections = statusSections.filter((section) => deep || section.deep !== true);
  const results = await Promise.all(sections.map(async (section) => ({ section, found: await section.run(context) })));
  for (const { section, found } of results) {
    if (section.optional === true && found.length === 0) continue;
    const lines = found.length === 0 && problem !== undefined ? [problem] : found;
    cli.io.stdout.write(`\n◆ ${section.title}\n${lines.map(line).join('')}`);
  }
}

function line({ status, text, detail }: Finding): string {
  return `  ${glyphs[status]} ${text}${detail === undefined ? '' : ` (${detail})`}\n`;
}
