/** `hermes security audit`: which of the packages here have known holes. */
import { proxyVariables } from '../../config/proxy-variables.ts';
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import { createDownload } from '../../skill-hub/download.ts';
import type { CliContext } from '../command.ts';
import { projectRoot } from '../commands/version.ts';
import { type Advisory, askOsv, type Severity, severities, type Vulnerable } from './osv.ts';
import { installedPackages, mcpPackages, type Package, pluginPackages } from './packages.ts';

export interface AuditPackagesOptions {
  readonly json: boolean;
  /** The least severity that counts. */
  readonly failOn: Severity;
  readonly own: boolean;
  readonly plugins: boolean;
  readonly mcp: boolean;
}

/** For all questions together. */
const deadlineMs = 90_000;

/** Returns the exit code: 1 when a hole reaches the level, 2 when the question failed. */
export async function auditPackages(context: CliContext, options: AuditPackagesOptions): Promise<number> {
  const { io, settings, env } = context;
  const packages = unique([
    ...(options.own ? installedPackages(projectRoot()) : []),
    ...(options.plugins ? pluginPackages(context.home.path) : []),
    ...(options.mcp ? mcpPackages((await context.config()).config) : []),
  ]);
  const endpoint = settings.osvEndpoint;
  // Whoever names another address means it, wherever it is.
  const localHosts = URL.canParse(endpoint) ? [new URL(endpoint).host] : [];
  const download = createDownload({ localHosts, proxies: proxyVariables(env), timeoutMs: deadlineMs });
  try {
    const found = await askOsv(packages, { endpoint, download, signal: AbortSignal.timeout(deadlineMs) });
    if (options.json) io.stdout.write(`${JSON.stringify({ packages: packages.length, vulnerable: found })}\n`);
    else for (const line of reportLines(packages, found)) io.stdout.write(`${escapeForDisplay(line)}\n`);
    return found.some(({ advisories }) => advisories.some((one) => reaches(one, options.failOn))) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.message, { exitCode: 2, ...(error.hint === undefined ? {} : { hint: error.hint }) });
  }
}

function unique(packages: readonly Package[]): readonly Package[] {
  return [...new Map(packages.map((one) => [`${one.ecosystem} ${one.name}@${one.version}`, one])).values()];
}

function reaches({ severity }: Advisory, level: Severity): boolean {
  return severities.indexOf(severity === 'unknown' ? 'high' : severity) >= severities.indexOf(level);
}

function reportLines(packages: readonly Package[], found: readonly Vulnerable[]): readonly string[] {
  if (found.length === 0) return [`✓ No known hole in ${packages.length} packages.`];
  return [
    ...found.flatMap(({ name, version, from, advisories }) => [
      `✗ ${name} ${version} (${from})`,
      ...advisories.map(({ id, severity, summary }) => `    ${severity.padEnd(8)} ${id}  ${summary}`),
    ]),
    `${found.length} of ${packages.length} packages have known holes. Bring this program up to date with: hermes update`,
  ];
}
