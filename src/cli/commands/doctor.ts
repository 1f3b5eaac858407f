/** `hermes doctor`: checks the installation, says what is wrong and mends what it can. */
import { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import type { CliContext } from '../command.ts';
import { acknowledge, advisories } from '../doctor/advisories.ts';
import { configurationFiles, directories, managedScope } from '../doctor/files.ts';
import type { Check, Finding } from '../doctor/finding.ts';
import { gateway } from '../doctor/gateway.ts';
import { authProviders, connectivity } from '../doctor/model-access.ts';
import { packages, programs, runtime, toolAvailability } from '../doctor/programs.ts';
import { secretManagers } from '../secrets/findings.ts';
import { certificates, installation, memoryProvider, profiles, skillsHub } from '../doctor/surroundings.ts';

/** In the order of the original. */
const CHECKS: readonly Check[] = [
  advisories,
  runtime,
  certificates,
  packages,
  configurationFiles,
  managedScope,
  secretManagers,
  authProviders,
  directories,
  installation,
  programs,
  connectivity,
  toolAvailability,
  gateway,
  skillsHub,
  memoryProvider,
  profiles,
];

const GLYPHS: Readonly<Record<Finding['status'], string>> = { ok: '✓', warn: '⚠', fail: '✗', info: '·' };

export function build(context: CliContext): Command {
  return new Command('doctor')
    .description('Checks the installation; exit code 1 when something is broken.')
    .option('--fix', 'create what is missing, repair .env and state.db, and bring config.yaml to the version of today')
    .option('--ack <advisory>', 'acknowledge a security advisory')
    .option('--security', 'try what can be reached, by the agent and by others, instead of the other checks')
    .action((options: DoctorOptions) => diagnose(context, options));
}

interface DoctorOptions {
  readonly fix?: boolean;
  readonly ack?: string;
  readonly security?: boolean;
}

async function diagnose(context: CliContext, options: DoctorOptions): Promise<void> {
  const { io, home, env, global } = context;
  if (options.ack !== undefined) {
    await acknowledge({ cli: context, loaded: await context.config() }, options.ack);
    io.stdout.write(`✓ Acknowledged ${options.ack}\n`);
  }
  // Read afresh: the report is about the files as they are now, and prints their warnings itself.
  const loaded = await loadConfig({ home, env, ignoreUserConfig: global.ignoreUserConfig });
  const issues: string[] = [];
  let failures = 0;
  const checks = options.security === true ? (await import('../doctor/security/probes.ts')).securityProbes : CHECKS;
  const glyphs = options.security === true ? { ...GLYPHS, info: '–' } : GLYPHS;
  for (const check of checks) {
    const findings = await check.run({ cli: context, loaded, fix: options.fix === true });
    if (findings.length > 0) io.stdout.write(`\n◆ ${check.title}\n`);
    for (const finding of findings) {
      io.stdout.write(`  ${glyphs[finding.status]} ${finding.text}${finding.detail ? ` (${finding.detail})` : ''}\n`);
      if (finding.status === 'fail') failures += 1;
      if (finding.remedy !== undefined) issues.push(`${finding.text}. ${finding.remedy}`);
    }
  }
  io.stdout.write(issues.length === 0 ? '\nAll checks passed.\n' : `\n${summary(issues, options.fix === true)}\n`);
  if (failures > 0) context.exitCode = 1;
}

function summary(issues: readonly string[], fixed: boolean): string {
  const title = `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}${fixed ? ' left' : ''}:`;
  return [title, ...issues.map((issue, index) => `  ${index + 1}. ${issue}`)].join('\n');
}
