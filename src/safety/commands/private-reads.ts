/** Whether a call that only looks would look at what people keep to themselves: keys, logins, browsers, other processes. */
import { homeFileKind } from '../home-files.ts';
import { privateInHome, privateOnMachine } from '../private-places.ts';
import { type Field, UNKNOWN } from './fields.ts';
import { type CommandPaths, resolvePath } from './paths.ts';
import type { SimpleCommand } from './simple-command.ts';

/** What is in a file is not shown by these, or is no secret: names, sizes, times. */
const showsNoContent = new Set(
  [
    ': echo printf cd pushd popd dirs pwd ls ll dir test [ [[ stat file du df basename dirname realpath readlink which type',
    'command mkdir rmdir touch rm unlink chmod chown date sleep true false kill wait jobs exit return export unset set',
    'mktemp ln tree',
  ]
    .join(' ')
    .split(' '),
);
/** Facts of the machine, not of a process. */
const machineFacts =
  /^\/proc\/(?:\d+\/)?(?:cpuinfo|meminfo|version|uptime|loadavg|stat|mounts|filesystems|partitions|net\/.*|sys\/.*)$/;

/** Also true for what only the running shell knows. */
export function looksAtPrivatePlaces(command: SimpleCommand, paths: CommandPaths): boolean {
  return looksAt(command, (text) => isPrivate(text, command.cwd, paths));
}

/** True only where the words themselves name such a place. */
export function namesPrivatePlaces(command: SimpleCommand, paths: CommandPaths): boolean {
  return looksAt(command, (text) => !text.includes(UNKNOWN) && isPrivate(text, command.cwd, paths));
}

function looksAt(command: SimpleCommand, isMeant: (text: string) => boolean): boolean {
  if (command.name === 'ps') return command.args.some(({ text }) => /^[a-z]*e/i.test(text));
  const read = command.redirections.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const named = showsNoContent.has(command.name) ? [] : command.args.flatMap(pathsIn);
  return [...read, ...named].some(isMeant);
}

/** The argument, and what follows an `=` in it. Options and sentences are no paths. */
function pathsIn({ text }: Field): string[] {
  const after = /^-{1,2}[\w-]+=(.+)$/s.exec(text)?.[1];
  return [text, after].filter((path) => path !== undefined).filter((path) => /^[^\s-][^\s]*$/.test(path));
}

function isPrivate(text: string, cwd: string | undefined, paths: CommandPaths): boolean {
  // A name that is put together may be any.
  if (text.startsWith(UNKNOWN)) return true;
  const path = resolvePath(text, cwd);
  if (path === undefined) return text.includes('/') || text.startsWith('.');
  const wild = path.search(/[*?[{\ue000]/);
  const known = wild === -1 ? path : path.slice(0, path.lastIndexOf('/', wild));
  return [known, paths.follow?.(known) ?? known].some((place) => isPrivatePlace(place, wild !== -1, paths));
}

/** `open`: more names follow that are not known. */
function isPrivatePlace(path: string, open: boolean, paths: CommandPaths): boolean {
  if (isMachine(path)) return true;
  const { userHome, homePath, root } = paths;
  for (const home of [homePath, root, `${userHome}/.hermes`]) {
    if (isWithin(home, path)) return isWithin(path, home) ? open || path === home : !isWorkspace(path, paths);
    if (isWithin(path, home)) return open || homeFileKind(path.slice(home.length + 1)) === 'credential';
  }
  if (isWorkspace(path, paths)) return false;
  const places = [...privateInHome.map((name) => `${userHome}/${name}`), ...privateOnMachine];
  return places.some((place) => isWithin(path, place) || isWithin(place, path));
}

/** What is in it is what is worked on; a home that is worked in holds both. */
function isWorkspace(path: string, { workspace, userHome }: CommandPaths): boolean {
  return workspace !== undefined && !isWithin(userHome, workspace) && isWithin(path, workspace);
}

/** Devices that hold nothing of anybody: others are disks, memory and what is typed. */
const emptyDevices = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|shm(?:\/.*)?)$/;

function isMachine(path: string): boolean {
  return /^\/(?:proc|dev)(?:$|\/)/.test(path) && !machineFacts.test(path) && !emptyDevices.test(path);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
