/** Configuration: approvals, guards and privacy. */
import * as z from 'zod';
import { bool, choice, list, mixedList, nested, number, section, text } from './fields.ts';

/** What the command ran when it was allowed, by path, with its SHA-256. */
const fileStates = z.record(z.string(), z.string());

/** The folder holds for all below it; for a command it is the one in which it starts. */
const allowEntry = z.union([
  z.string(),
  z.strictObject({ pattern: z.string(), folder: z.string().optional(), files: fileStates.optional() }),
  z.strictObject({ command: z.string(), folder: z.string().optional(), files: fileStates.optional() }),
]);

const approvals = () =>
  section({
    mode: choice(['manual', 'smart', 'off'], 'manual', 'Who decides about dangerous commands', {
      yes: 'manual',
      no: 'off',
    }),
    timeout: number(60, 'Seconds an approval waits'),
    cron_mode: choice(['deny', 'approve'], 'deny', 'Dangerous commands of cron jobs', { yes: 'approve', no: 'deny' }),
    headless: choice(['deny', 'approve'], 'deny', 'Dangerous commands when nobody can be asked', {
      yes: 'approve',
      no: 'deny',
    }),
    default: choice(
      ['judge', 'ask'],
      'judge',
      'Commands that approvals.allow does not name: judged by what they would do, or asked about each time',
    ),
    allow: mixedList(
      allowEntry,
      'Commands that run without a question, as patterns (git status, npm run *), also for one folder: {pattern, folder}, or exact: {command}',
    ),
    deny: list('Commands that are never run, as patterns (rm, git push *), whoever approves them'),
    mcp_reload_confirm: bool(true, 'Ask before servers are reloaded'),
    destructive_slash_confirm: bool(true, 'Ask before commands that lose something'),
  });

const command_allowlist = () => list('Kinds of commands that were allowed for good, and commands as patterns with *');

const security = () =>
  section({
    redact_secrets: bool(true, 'Hide secrets in output and logs'),
    tirith_enabled: bool(true, 'Scan commands with tirith'),
    tirith_path: text('tirith', 'The program'),
    tirith_timeout: number(5, 'Seconds of a scan'),
    tirith_fail_open: bool(true, 'Go on when the scan fails'),
    allow_private_urls: bool(false, 'Allow requests to private addresses'),
    allow_lazy_installs: bool(true, 'Install missing parts when they are needed'),
    acked_advisories: list('Advisories that were read'),
    website_blocklist: nested(
      {
        enabled: bool(false, 'Use it'),
        domains: list('Sites that are refused'),
        shared_files: list('Files with more sites'),
      },
      'Sites that are refused',
    ).prefault({}),
  });

const privacy = () => section({ redact_pii: bool(false, 'Hide personal data from the model') });

const network = () => section({ force_ipv4: bool(false, 'Connect over IPv4 only') });

/** Top-level keys of this file. */
export const securitySections = {
  approvals,
  command_allowlist,
  security,
  privacy,
  network,
};
