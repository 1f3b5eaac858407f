/** What only the operands of `git` tell: which paths it would overwrite, where it pushes, what it configures. */
import type { Field } from '../commands/fields.ts';
import { UNKNOWN } from '../commands/fields.ts';
import type { SimpleCommand } from '../commands/simple-command.ts';
import { asks, type ProgramFindingKey } from './findings.ts';
import { hostContact } from './hosts.ts';
import type { Contact, KnownCall } from './known.ts';
import type { Arguments } from './options.ts';

/** Files that are named may be put back; `.`, folders and patterns are the work of a whole session. */
export function knowCheckout(known: KnownCall, { operands }: Arguments, { args }: SimpleCommand): KnownCall {
  const marked = args.findIndex(({ text }) => text === '--');
  if (marked !== -1) return putBack(known, args.slice(marked + 1));
  const [first, ...paths] = operands;
  // A single word is a branch, unless it cannot be one.
  return first !== undefined && isPattern(first) ? lost(known) : putBack(known, paths);
}

export function knowRestore(known: KnownCall, { operands, given }: Arguments): KnownCall {
  const names = given.map(({ option }) => option.name);
  const onlyIndex = names.some((name) => name === '-S' || name === '--staged');
  const work = names.some((name) => name === '-W' || name === '--worktree');
  return onlyIndex && !work ? known : putBack(known, operands);
}

function putBack(known: KnownCall, paths: readonly Field[]): KnownCall {
  return paths.some((path) => isPattern(path) || isFolder(path)) ? lost(known) : known;
}

function isPattern({ text, globs }: Field): boolean {
  return globs || text.includes(UNKNOWN) || /^\.\.?$|\/$|^:|[*?]/.test(text);
}

/** Without an ending it is most likely a folder. */
function isFolder({ text }: Field): boolean {
  return (
    /(?:^|\/)[^./]+$/.test(text) &&
    !/(?:^|\/)(?:Makefile|Dockerfile|Gemfile|Rakefile|Procfile|LICENSE|README|CHANGELOG)$/.test(text)
  );
}

function lost(known: KnownCall): KnownCall {
  return asking(known, 'lost work in a git repository');
}

/** Names that people give to the places where they push; another may have been added a moment ago. */
const usualRemote = /^(?:origin|upstream|fork)$/;

/** The current branch to the configured place is everyday; an address, a `+` or an emptied branch is not. */
export function knowPush(known: KnownCall, { operands }: Arguments, call: SimpleCommand): KnownCall | undefined {
  const [remote, ...refs] = operands;
  const forced = refs.some(({ text }) => /^[+:]/.test(text));
  const address = remote !== undefined && (isAddress(remote.text) || !usualRemote.test(remote.text));
  const contact: Contact =
    remote !== undefined && isAddress(remote.text)
      ? hostContact(remote.text, 'data')
      : { host: undefined, sends: 'data' };
  const told = { ...known, contacts: [contact] };
  if (forced || address) {
    const asked = forced ? asking(told, 'git force push') : told;
    return address ? asking(asked, 'git push to another place') : asked;
  }
  return usesOtherRepository(call) ? undefined : told;
}

/** `ext::` and its like run a program; what needs no keys may be had from a sandbox. */
export function knowTransfer(
  known: KnownCall,
  { operands, given }: Arguments,
  call: SimpleCommand,
): KnownCall | undefined {
  const clones = call.args.some(({ text }) => text === 'clone');
  // Where those lie stands in a file of the repository.
  const recurses = given.some(({ option }) => option.name === '--recurse-submodules');
  const submodules: Contact[] = recurses ? [{ host: undefined, sends: 'request' }] : [];
  const [from, to] = operands;
  if (from?.text.includes('::') === true || usesOtherRepository(call)) return undefined;
  if (from === undefined || (!clones && !isAddress(from.text))) {
    return { ...known, contacts: [{ host: undefined, sends: 'request' }] };
  }
  const needsNoKey = /^(?:https?|git|file):\/\//.test(from.text) || !/[:@]/.test(from.text);
  const local = /^(?:file:|[./~])/.test(from.text);
  const folder = to?.text ?? (from.text.replace(/\/$/, '').split(/[/:]/).at(-1) ?? '').replace(/\.git$/, '');
  return {
    ...known,
    place: needsNoKey ? 'sandbox' : known.place,
    writes: clones ? [...known.writes, folder] : known.writes,
    contacts: [...(local ? [] : [hostContact(from.text, 'request')]), ...submodules],
  };
}

export function knowRemote(known: KnownCall, { operands }: Arguments): KnownCall | undefined {
  const address = operands[1]?.text;
  if (address === undefined) return known;
  if (address.includes('::')) return asking(known, 'git settings that run programs');
  return isAddress(address) ? { ...known, contacts: [hostContact(address, 'request')] } : known;
}

/** Keys that neither run a program nor send anything elsewhere. */
const inertKey =
  /^(?:user\.(?:name|email)|init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|core\.(?:autocrlf|eol|ignorecase|filemode|quotepath|longpaths|symlinks)|color\..+|merge\.(?:conflictstyle|ff)|rebase\.(?:autostash|autosquash|updaterefs)|fetch\.prune(?:tags)?|diff\.(?:algorithm|colormoved|renames)|rerere\.enabled|advice\..+|log\.(?:date|decorate)|branch\.[^.]+\.(?:description|rebase)|commit\.verbose|status\..+)$/i;

export function knowConfig(known: KnownCall, { operands, given }: Arguments): KnownCall {
  const names = given.map(({ option }) => option.name);
  const [first, ...others] = operands.map(({ text }) => text);
  const verb = /^(?:get|list|set|unset|edit|rename-section|remove-section)$/.test(first ?? '') ? first : undefined;
  const words = verb === undefined ? operands.map(({ text }) => text) : others;
  const reads = names.some((name) => /^(?:-l|--list|--get|--get-.+)$/.test(name)) || verb === 'get' || verb === 'list';
  const changes = names.some((name) => /^(?:-e|--edit|--unset.*|--re.+|--add)$/.test(name)) || verb !== undefined;
  if (reads || (!changes && words.length < 2)) return known;
  if (names.some((name) => name === '--global' || name === '--system')) {
    return asking(known, 'changes settings for all projects');
  }
  if (!inertKey.test(words[0] ?? '')) return asking(known, 'git settings that run programs');
  // The settings of a repository cannot be written from a sandbox.
  return { ...known, place: 'outside' };
}

/** An address or a folder instead of the name of a remote. */
function isAddress(text: string): boolean {
  return /[:/@]|^\.|^~/.test(text) || text.includes(UNKNOWN);
}

function usesOtherRepository({ args }: SimpleCommand): boolean {
  const verb = args.findIndex(({ text }, index) => !text.startsWith('-') && args[index - 1]?.text !== '-C');
  return args.slice(0, verb).some(({ text }) => text.startsWith('-C'));
}

function asking(known: KnownCall, key: ProgramFindingKey): KnownCall {
  return { ...known, place: 'outside', findings: [...known.findings, asks(key)] };
}
