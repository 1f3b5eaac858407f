/** Judges shell text before it runs, and tells where its output comes from. */
import { basename } from 'node:path';
import type { ToolContext } from '../../agent/tool.ts';
import type { Confinement } from '../../environments/environment.ts';
import { UserError } from '../../lib/errors.ts';
import { isOutside, mergeSources, type Source } from '../../llm/source.ts';
import type { CommandJudgement } from '../../safety/commands/judge.ts';
import type { Contact } from '../../safety/programs/known.ts';
import {
  contactWith,
  type Finding,
  type Judgement,
  notAllowed,
  outsideSandbox,
  reachesHost,
} from '../../safety/finding.ts';
import { parseHost } from '../../safety/hosts.ts';
import { fileSources } from '../file/file-sources.ts';
import { guessedPasswordMessage, hardlineMessage, noSandboxMessage, ownerForbidsMessage } from '../policy/messages.ts';
import type { ToolServices } from '../services.ts';
import { commandPaths } from './command-paths.ts';
import { placementOf } from './placement.ts';
import { runFiles } from './run-files.ts';
import type { Want } from './withheld-commands.ts';

/** `cwd`: the directory it starts in. */
export async function judgeShellText(command: string, cwd: string, services: ToolServices): Promise<Judgement> {
  const refusedOrJudged = await judgeText(command, cwd, services);
  if ('shown' in refusedOrJudged) return refusedOrJudged;
  return await withOwnersWord(command, cwd, services, refusedOrJudged.findings);
}

/** A command that `terminal` is to run: what a sandbox contains is no question where it will run in one. */
export async function judgeRun(command: string, cwd: string, services: ToolServices): Promise<Judgement> {
  const judged = await judgeText(command, cwd, services);
  if ('shown' in judged) return judged;
  const placement = await placementOf(judged, services, undefined, cwd);
  if (placement.kind === 'nowhere') {
    const message = noSandboxMessage(placement.problem);
    return { shown: command, findings: [], refused: { reason: placement.problem, message } };
  }
  const confined = placement.kind === 'confined';
  const findings = confined
    ? judged.findings.filter(({ containable }) => containable !== true)
    : withReason(judged.findings, placement.noSandbox);
  // Inside, whom it talks to is watched on its way.
  const contacts = confined ? [] : judged.contacts.filter((contact) => !isKnownHost(contact, services));
  const want = services.state.withheld.wantOf(command, cwd);
  const against = [...findings, ...contactFindings(contacts), ...(want === undefined ? [] : findingsOf(want, command))];
  const scanned = confined && against.length === 0 ? [] : await scan(command, services);
  const judgement = await withOwnersWord(command, cwd, services, [...against, ...scanned]);
  if (want === undefined || want.hosts.length === 0) return judgement;
  return { ...judgement, onAllowed: () => letReach(want, services) };
}

/** Who is asked only for want of a sandbox is told what is the matter with it. */
function withReason(findings: readonly Finding[], noSandbox: string | undefined): readonly Finding[] {
  if (noSandbox === undefined) return findings;
  return findings.map((finding) =>
    finding.containable === true
      ? { ...finding, description: `${finding.description}, without a sandbox (${noSandbox})` }
      : finding,
  );
}

async function scan(
  command: string,
  { state: { scanner }, config, insideContainer }: ToolServices,
): Promise<readonly Finding[]> {
  if (scanner === undefined || insideContainer || config.approvals.mode === 'off') return [];
  return await scanner.scan(command);
}

/** One a host. Where data goes to a host by its name, a file that was read may have chosen that too. */
function contactFindings(contacts: readonly Contact[]): readonly Finding[] {
  const hosts = new Map<string, 'files' | 'outside'>();
  for (const { host, sends } of contacts) {
    const name = host ?? 'a host that is not named';
    if (host !== undefined && sends === 'data') hosts.set(name, 'files');
    else if (!hosts.has(name)) hosts.set(name, 'outside');
  }
  return [...hosts].map(([host, after]) => contactWith(host, after));
}

function findingsOf({ words, hosts, lasts }: Want, command: string): readonly Finding[] {
  return hosts.length > 0 ? hosts.map(reachesHost) : [outsideSandbox(command, words, lasts)];
}

function letReach({ hosts }: Want, { state }: ToolServices): void {
  for (const host of hosts.map(parseHost)) if (host !== undefined) state.hosts.allow(host.host, host.port);
}

function isKnownHost({ host, port }: Contact, { state }: ToolServices): boolean {
  return host !== undefined && state.hosts.allows(host, port);
}

/** The judgement, or the refusal of what is never run. */
async function judgeText(command: string, cwd: string, services: ToolServices): Promise<CommandJudgement | Judgement> {
  // The parser is loaded with the first command, not with the first prompt.
  const { judgeCommand } = await import('../../safety/commands/judge.ts');
  const paths = commandPaths(cwd, services);
  const judged = judgeCommand(command, paths);
  if (judged.hardline !== undefined) {
    const { reason } = judged.hardline;
    return { shown: command, findings: [], refused: { reason, message: hardlineMessage(reason) } };
  }
  if (services.config.terminal.sudo_password === undefined && command.includes('sudo')) {
    const { readScript } = await import('../../safety/commands/read-script.ts');
    if (readScript(command, paths).feedsSudo) {
      const reason = 'sudo is given a password that nobody provided';
      return { shown: command, findings: [], refused: { reason, message: guessedPasswordMessage() } };
    }
  }
  const refused = await ownerRefusal(command, cwd, services);
  if (refused !== undefined) return { shown: command, findings: [], refused };
  return services.insideContainer ? { ...judged, findings: [] } : judged;
}

/** Adds what `approvals.allow`, `approvals.default` and `command_allowlist` say of the command. */
async function withOwnersWord(
  command: string,
  cwd: string,
  services: ToolServices,
  findings: readonly Finding[],
): Promise<Judgement> {
  const { approvals, command_allowlist } = services.config;
  const strict = approvals.default === 'ask' && !services.insideContainer;
  const { entries } = services.state.allowedCommands;
  // What is allowed need not be contained either.
  if (findings.length === 0 && !strict && entries.length === 0) return { shown: command, folder: cwd, findings };
  const runs = async () => await runFiles(command, cwd, services);
  const { allowedBy, isListed } = await import('../../safety/commands/allowed.ts');
  const paths = commandPaths(cwd, services);
  const allowed = allowedBy(command, entries, paths);
  if (allowed === undefined && isListed(command, command_allowlist, paths)) {
    return { shown: command, folder: cwd, findings, runs, allowedBy: [] };
  }
  const { scopesOf } = await import('../../safety/commands/allow-scopes.ts');
  return {
    shown: command,
    folder: cwd,
    runs,
    findings: strict && allowed === undefined ? [...findings, notAllowed(command)] : findings,
    ...(allowed === undefined ? {} : { allowedBy: allowed }),
    scopes: scopesOf(command, cwd, paths),
  };
}

/** What the owner forbids (`approvals.deny`), wherever the command comes from. */
async function ownerRefusal(
  command: string,
  cwd: string,
  services: Pick<ToolServices, 'config' | 'paths'>,
): Promise<Judgement['refused']> {
  const { deny } = services.config.approvals;
  if (deny.length === 0) return undefined;
  const { deniedBy } = await import('../../safety/commands/denied.ts');
  const pattern = deniedBy(command, deny, { ...services.paths, cwd });
  if (pattern === undefined) return undefined;
  return { reason: `approvals.deny forbids '${pattern}'`, message: ownerForbidsMessage(pattern), by: 'owner' };
}

/** What a command that is about to run is confined to; `undefined`: it runs with all rights of the person. */
export async function placeRun(
  command: string,
  cwd: string,
  { services, rights }: Pick<ToolContext<ToolServices>, 'services' | 'rights'>,
): Promise<Confinement | undefined> {
  const { judgeCommand } = await import('../../safety/commands/judge.ts');
  const placement = await placementOf(judgeCommand(command, commandPaths(cwd, services)), services, rights, cwd);
  if (placement.kind === 'nowhere') throw new UserError(placement.problem);
  if (placement.kind === 'confined') return placement.confinement;
  if (placement.noSandbox !== undefined) services.state.unconfined.fellBack(placement.noSandbox);
  services.state.withheld.forget(command, cwd);
  return undefined;
}

/** Where what a command prints comes from: a program that nobody can see into, or the files that it names. */
export async function commandSources(command: string, cwd: string, services: ToolServices): Promise<readonly Source[]> {
  const { commandOrigin } = await import('../../safety/commands/known-local.ts');
  const { program, files, shows } = commandOrigin(command, { ...services.paths, cwd });
  if (program !== undefined) return [{ from: 'program', name: basename(program) }];
  // A name is no text; what a program brought from outside may have named a file too.
  const read = shows === 'nothing' ? files : await existing(files, services);
  const found = await fileSources(read, services);
  const counted = shows === 'nothing' ? found.filter(isOutside) : found;
  const unnamed: readonly Source[] = shows === 'unnamed files' && counted.length === 0 ? [{ from: 'file' }] : [];
  return mergeSources([{ from: 'tool', name: 'terminal' }], counted, unnamed);
}

async function existing(paths: readonly string[], { files }: ToolServices): Promise<readonly string[]> {
  const found = await Promise.all(paths.slice(0, maxLooks).map(async (path) => (await files.stat(path)) !== undefined));
  return paths.filter((_, index) => found[index] === true);
}

/** Each look costs a little; a command that names more files is judged by the first ones. */
const maxLooks = 64;
