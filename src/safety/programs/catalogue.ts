/** What is known of a program call, whatever the program: the one door to the files about programs. */
import { UNKNOWN } from '../commands/fields.ts';
import type { Redirection, SimpleCommand } from '../commands/simple-command.ts';
import { asks } from './findings.ts';
import { hostContact } from './hosts.ts';
import { type Contact, type KnownCall, looksOnly, type Program } from './known.ts';
import { programs } from './programs.ts';
import { askedByStarter, isInstalled, isPlainlyStarted, startsInContainer } from './starters.ts';
import { changesMeaning, isPlainVariable } from './variables.ts';

const byName: ReadonlyMap<string, Program> = new Map(
  [...programs].reverse().flatMap((program) => program.names.map((name) => [name, program] as const)),
);

/**
 * The whole effect of one call, its redirections and what starts it (`sudo`, `xargs`) included; `undefined` when it is
 * not known. What always asks is told also where the rest is not known: a call without findings and without an answer
 * may run in a sandbox, one with findings may not. Never throws.
 */
export function knowCall(call: SimpleCommand): KnownCall | undefined {
  const started = call.via.map(askedByStarter).filter((key) => key !== undefined);
  const known = knowProgram(call);
  const findings = [...(known?.findings ?? []), ...started.map(asks)];
  if (findings.length > 0) {
    return withRedirections({ ...looksOnly, ...known, place: 'outside', findings }, call.redirections);
  }
  if (known === undefined || !isAsItSeems(call)) return undefined;
  return withRedirections(known, call.redirections);
}

function knowProgram(call: SimpleCommand): KnownCall | undefined {
  if (call.name === '' && !call.unknownName) return emptied(call) ?? looksOnly;
  const program = byName.get(call.name);
  const known = program?.know(call);
  if (known !== undefined && known.findings.length > 0) return known;
  // The name may still be another, and a file is emptied whatever it is.
  if (call.unknownName) return undefined;
  const asked = emptied(call) ?? knowFetched(call);
  if (asked !== undefined) return asked;
  if (startsInContainer(call)) return looksOnly;
  if (known !== undefined || program === undefined) return known;
  return asksForVersion(call) ? { ...looksOnly, place: 'sandbox' } : undefined;
}

/** Programs that run a package by its name: it asks what the program of that name asks. */
function knowFetched(call: SimpleCommand): KnownCall | undefined {
  const texts = call.args.map(({ text }) => text);
  const fetches = /^(?:npx|bunx|pnpx|uvx|pipx)$/.test(call.name);
  const verb = /^(?:npm|pnpm|yarn|bun|uv|poetry|pipx|pdm|hatch|rye|bundle|python[\d.]*)$/.test(call.name)
    ? texts.findIndex((text) => /^(?:exec|dlx|x|run|-m)$/.test(text))
    : -1;
  if (!fetches && verb === -1) return undefined;
  const at = texts.findIndex((text, index) => index > verb && !text.startsWith('-'));
  const name = texts[at]?.replace(/@[\w.^~-]+$/, '');
  if (name === undefined) return undefined;
  const known = byName.get(name)?.know({ ...call, name, path: name, args: call.args.slice(at + 1) });
  return known !== undefined && known.findings.length > 0 ? known : undefined;
}

/** A redirection of nothing takes away what a file holds, and so does one into a file that is read. */
function emptied({ name, args, source, redirections }: SimpleCommand): KnownCall | undefined {
  const bare = name === '' && /^\s*(?:\d*>(?!>)|&>(?!>))/.test(source);
  const silent = name === ':' || name === 'true' || (name === 'cat' && args.every(({ text }) => text === '/dev/null'));
  const nothing = bare || (silent && (name !== 'cat' || args.length > 0));
  // The shell empties it before the program reads it: `sort a > a`.
  const read = /^(?:echo|printf)$/.test(name) ? [] : args.map(({ text }) => text);
  const emptying = redirections.some(
    ({ operator, target }) =>
      /^(?:>|>\||&>)$/.test(operator) && !isExpendable(target) && (nothing || read.includes(target)),
  );
  return emptying ? { ...looksOnly, findings: [asks('destroys the content of files')] } : undefined;
}

/** Nobody misses the content of a log, of a temporary file or of a device. */
function isExpendable(target: string): boolean {
  return /^(?:\/dev\/(?:null|stdout|stderr|tty)|\d+|-)$|^\/(?:var\/)?tmp\/|\.(?:log|out|pid|lock)$/.test(target);
}

/** False when variables, a directory in front of its name or a starter make it another program. */
function isAsItSeems(call: SimpleCommand): boolean {
  if (!isInstalled(call.path)) return false;
  const names = call.assignments.map((text) => text.split('=')[0] ?? '');
  const setsOnly = call.name === '' || /^(?:export|declare|typeset|readonly|local)$/.test(call.name);
  if (names.some((name) => (setsOnly ? changesMeaning(name) : !isPlainVariable(name)))) return false;
  return isPlainlyStarted(call);
}

function asksForVersion({ args }: SimpleCommand): boolean {
  return args.length === 1 && (args[0]?.text === '--version' || args[0]?.text === '--help');
}

const writes = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);

function withRedirections(known: KnownCall, redirections: readonly Redirection[]): KnownCall | undefined {
  if (redirections.length === 0 && known.writes.length === 0) return known;
  const targets = redirections.filter(
    ({ operator, target }) => writes.has(operator) && !/^(?:\d+|-|\d+-)$/.test(target),
  );
  // `<(…)` is a command of its own; bash makes a connection of such a name, read or written.
  const connections: Contact[] = redirections.flatMap(({ target }) => {
    const name = /^\/dev\/(?:tcp|udp)\/([^/]*)(?:\/(\w*))?/.exec(target);
    return name === null ? [] : [hostContact(`${name[1] ?? ''}:${name[2] ?? ''}`, 'data')];
  });
  const computed = redirections.some(({ operator, target }) => operator.startsWith('<') && target.startsWith(UNKNOWN));
  if (computed && known.findings.length === 0) return undefined;
  return {
    ...known,
    writes: [...known.writes, ...targets.map(({ target }) => target)].filter((target) => !isDevice(target)),
    contacts: [...known.contacts, ...connections],
  };
}

function isDevice(target: string): boolean {
  return /^\/dev\/(?:null|stdout|stderr|tty|fd\/.+|tcp\/.*|udp\/.*)$/.test(target);
}
