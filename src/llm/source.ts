/** Where text came from. Stored beside every message, inherited by what is made of it, never sent to a model. */

/**
 * - `user`: the person of this session, in their own words
 * - `agent`: the model or this program
 * - `tool`: what one of our tools knows by itself (a task list, a memory entry, the listing of a folder)
 * - `file`: a file of the person's machine; `name` is its path. Who wrote it is not known
 * - `skill`: a skill that did not come with the program; `name` is the skill
 * - `page`: a web page; `name` is its host
 * - `program`: a program that used the network, or that nobody can see into; `name` is the program
 * - `server`: a tool server; `name` is the server
 * - `chat`: somebody else's message; `name` is the person or the chat
 * - `unknown`: nobody wrote down where it came from
 */
export type SourceKind = (typeof sourceKinds)[number];

export const sourceKinds = [
  'user',
  'agent',
  'tool',
  'file',
  'skill',
  'page',
  'program',
  'server',
  'chat',
  'unknown',
] as const;

export interface Source {
  readonly from: SourceKind;
  /** Host, path, program, server, person; absent where the kind says it all. */
  readonly name?: string;
}

const outsideKinds: ReadonlySet<SourceKind> = new Set(['page', 'program', 'server', 'chat', 'unknown']);
const fileKinds: ReadonlySet<SourceKind> = new Set(['file', 'skill']);

/** More than this are not told apart any more; the first ones stay, and what came from outside goes before the rest. */
const maxSources = 32;
const maxNameChars = 200;

/** True for text that is neither the person's, nor the agent's, nor of the person's own machine. */
export function isOutside({ from }: Source): boolean {
  return outsideKinds.has(from);
}

/**
 * How far text may be a stranger's. `outside`: it came over the network or nobody knows from where. `files`: it lay on
 * this machine, where anybody may have written it (a cloned project, a download, an installed skill), or came from
 * outside. Undefined: the person's own words, and the agent's.
 */
export type Strangeness = 'files' | 'outside';

export function isStrange(source: Source, from: Strangeness): boolean {
  return isOutside(source) || (from === 'files' && fileKinds.has(source.from));
}

/** Each source once, in order of appearance, at most 32. Names are cut to 200 characters. */
export function mergeSources(...lists: readonly (readonly Source[])[]): readonly Source[] {
  const merged = new Map<string, Source>();
  for (const source of lists.flat()) {
    const name = source.name?.slice(0, maxNameChars).toWellFormed();
    const key = `${source.from} ${name ?? ''}`;
    if (!merged.has(key)) merged.set(key, name === undefined ? { from: source.from } : { from: source.from, name });
  }
  const all = [...merged.values()];
  if (all.length <= maxSources) return all;
  const rank = (source: Source): number => (isOutside(source) ? 0 : isStrange(source, 'files') ? 1 : 2);
  return all.toSorted((left, right) => rank(left) - rank(right)).slice(0, maxSources);
}

/** The sources whose text may be a stranger's, in words for a person, each once; empty when there are none. */
export function describeStrange(sources: readonly Source[], from: Strangeness): readonly string[] {
  return [...new Set(sources.filter((source) => isStrange(source, from)).map(describe))];
}

function describe({ from, name }: Source): string {
  switch (from) {
    case 'page':
      return name === undefined ? 'a web page' : `the web page ${name}`;
    case 'program':
      return name === undefined ? 'a program' : `the program ${name}`;
    case 'server':
      return name === undefined ? 'a tool server' : `the tool server ${name}`;
    case 'chat':
      return name === undefined ? "someone else's message" : `a message of ${name}`;
    case 'file':
      return name === undefined ? 'a file' : `the file ${name}`;
    case 'skill':
      return name === undefined ? 'a skill' : `the skill ${name}`;
    case 'unknown':
      return name === undefined ? 'an unknown source' : `an unknown source (${name})`;
    case 'user':
    case 'agent':
    case 'tool':
      return name ?? from;
  }
}
