/** What a script would do as a whole: harmless, or in part unknown; where it may run, what it writes, whom it talks to. */
import { knowCall } from '../programs/catalogue.ts';
import { type Contact, type KnownCall, looksOnly } from '../programs/known.ts';
import { isPlainlyStarted } from '../programs/starters.ts';
import { containable, finding, type Finding } from '../finding.ts';
import { UNKNOWN } from './fields.ts';
import { type CommandPaths, resolvePath } from './paths.ts';
import { looksAtPrivatePlaces } from './private-reads.ts';
import type { ScriptFacts } from './read-script.ts';
import { findsRemakeable } from './remakeable.ts';
import { shellInput } from './shells.ts';
import { hasLong, hasShort, type SimpleCommand } from './simple-command.ts';
import { writePlace } from './write-places.ts';
import { writtenPaths } from './written-paths.ts';

export interface Verdict {
  /** `harmless`: every part is known, it writes only what it may write freely, talks to nobody, and nothing is asked. */
  readonly verdict: 'harmless' | 'unknown';
  /** Where it may run: see {@link KnownCall.place}. */
  readonly place: KnownCall['place'];
  /** Files and folders as the commands name them. */
  readonly writes: readonly string[];
  readonly contacts: readonly Contact[];
  /** Programs, and ways of writing, that nothing is known of. */
  readonly unknown: readonly string[];
  readonly findings: readonly Finding[];
}

/** Never throws. What is not known to be harmless is unknown. */
export function verdictOf(facts: ScriptFacts, paths: CommandPaths): Verdict {
  const unknown = new Set([...facts.hidden, ...facts.unread, ...facts.unchecked]);
  const places = new Set<KnownCall['place']>();
  const writes: string[] = [];
  const contacts: Contact[] = [];
  const findings: Finding[] = [];
  for (const command of facts.commands) {
    const known = knowCommand(command, paths);
    if (known?.place === 'outside' && !isTrusted(command, paths))
      unknown.add('a repository that may be set up to run programs');
    if (known === undefined) unknown.add(command.unknownName ? 'a program whose name is computed' : command.name);
    if (command.redirections.some(({ target }) => connection.test(target))) unknown.add('a connection of the shell');
    // There is nothing to see of it in a sandbox.
    if (known?.place === 'anywhere' && looksAtPrivatePlaces(command, paths)) unknown.add('a look at private places');
    places.add(known?.place ?? 'sandbox');
    contacts.push(...(known?.contacts ?? []));
    findings.push(...(known?.findings ?? []));
    const written = known?.writes ?? writtenPaths(command);
    writes.push(...written);
    for (const path of written) {
      const place = writePlace(path, command.cwd, paths);
      if (place === 'unknown') unknown.add('a path that is computed');
      else if (place !== 'free') places.add('outside');
      findings.push(...writeFindings(place, paths));
    }
  }
  const place = unknown.size > 0 ? 'sandbox' : furthest(places);
  const harmless = place === 'anywhere' && contacts.length === 0 && findings.length === 0;
  return { verdict: harmless ? 'harmless' : 'unknown', place, writes, contacts, unknown: [...unknown], findings };
}

function furthest(places: ReadonlySet<KnownCall['place']>): KnownCall['place'] {
  return places.has('outside') ? 'outside' : places.has('sandbox') ? 'sandbox' : 'anywhere';
}

/**
 * git runs what the settings of a repository name, and with all rights it would run it outside. Those of the workspace stay
 * as they are while commands are confined; what was set up since, or lies elsewhere, is another matter.
 */
function isTrusted({ name, args, cwd }: SimpleCommand, { isTrustedRepository }: CommandPaths): boolean {
  if (isTrustedRepository === undefined || !/^(?:git|gh|glab|hub|jj)$/.test(name)) return true;
  const folders = args.flatMap(({ text }, index) => (args[index - 1]?.text === '-C' ? [resolvePath(text, cwd)] : []));
  return [cwd, ...folders].every((folder) => folder !== undefined && isTrustedRepository(folder));
}

/** bash opens one for such a name, which is no file. */
const connection = /^\/dev\/(?:tcp|udp)\//;

/** What is known of one call. The text that a shell is given is read as commands of its own. */
function knowCommand(command: SimpleCommand, paths: CommandPaths): KnownCall | undefined {
  if (isReadText(command) && isPlainlyStarted(command)) return looksOnly;
  if (deletesRemakeable(command, paths)) return contained;
  const known = stoppingInside(knowCall(command));
  // What they look at is described in files of the workspace, which may name programs to run.
  const runsWork = known?.place === 'outside' && known.findings.length === 0 && runsDescriptions.test(command.name);
  if (known?.place === 'anywhere' && copiesUnseen(command)) return { ...known, place: 'sandbox' };
  return runsWork ? { ...known, place: 'sandbox' } : known;
}

/** What is in a tree, or begins with a dot, may be settings of a repository, which stay as they are in a sandbox. */
function copiesUnseen(command: SimpleCommand): boolean {
  const { name, args } = command;
  if (name === 'rsync' || name === 'ditto') return true;
  if (!/^(?:g?cp|g?mv|g?install)$/.test(name)) return false;
  const trees = hasShort(command, 'rRa') || hasLong(command, 'recursive') || hasLong(command, 'archive');
  return trees ? name.endsWith('cp') : args.some(({ text }) => /(?:^|\/)\.[^/]*[*?[]/.test(text));
}

const runsDescriptions = /^(?:terraform|tofu|terragrunt|pulumi|cdk|cdktf|serverless|sls|sst)$/;

const stopsProcesses = 'stops processes it did not start';

/** In a sandbox there are no other processes than those that the agent started there: such a call is at home inside. */
function stoppingInside(known: KnownCall | undefined): KnownCall | undefined {
  if (known === undefined || known.findings.length === 0) return known;
  if (!known.findings.every(({ key }) => key === stopsProcesses)) return known;
  return { ...known, place: 'sandbox', findings: known.findings.map(containable) };
}

const contained: KnownCall = { ...looksOnly, place: 'sandbox' };

/** `find . -name __pycache__ -exec rm -r {} +`: what the `rm` gets is said by the words of the `find`. */
function deletesRemakeable(command: SimpleCommand, paths: CommandPaths): boolean {
  if (command.name !== 'rm' || command.via.at(-1) !== 'find' || !isPlainlyStarted(command)) return false;
  return findsRemakeable(command.source.split(/\s+/), command.cwd, paths);
}

export function isReadText({ name, args, path, redirections, assignments, stdin }: SimpleCommand): boolean {
  if (redirections.length + assignments.length > 0) return false;
  if (name === 'eval') return path === 'eval' && !args.some(({ text }) => text.includes(UNKNOWN));
  if (!/^(?:\/(?:usr\/)?bin\/)?(?:ba|da)?sh$/.test(path)) return false;
  const { kind, index } = shellInput({ args });
  if (kind === 'file') return false;
  const text = kind === 'text' ? args[index]?.text : stdin;
  const options = kind === 'text' ? args.slice(0, index) : args;
  return (
    text !== undefined && !text.includes(UNKNOWN) && options.every((option) => /^-(?:[ceuxs]+|)$/.test(option.text))
  );
}

function writeFindings(place: ReturnType<typeof writePlace>, { workspace }: CommandPaths): Finding[] {
  if (place === 'runs later') return [finding('write to a file that runs commands later')];
  return place === 'outside' && workspace !== undefined ? [finding('write outside the workspace')] : [];
}
