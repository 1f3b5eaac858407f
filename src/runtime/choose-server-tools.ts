/** Which tools of MCP servers a session has, by the names that its toolsets name. */
import type { ServerToolName } from '../mcp/session-tools.ts';
import { allToolsetNames } from '../tools/toolset-names.ts';

export interface ServerToolChoice {
  wants(tool: Pick<ServerToolName, 'names'>): boolean;
  /** The name is that of a server, or of a tool of one. */
  isKnown(name: string): boolean;
}

export const noServerTools: ServerToolChoice = { wants: () => false, isKnown: () => false };

export interface NamedSets {
  /** As they are written: toolsets, servers, tools. */
  readonly wanted: readonly string[];
  /** The list was given for this session, and is meant to be all. */
  readonly isWhole: boolean;
  readonly disabled: readonly string[];
  readonly custom: Readonly<Record<string, readonly string[]>>;
  /** Names of the configured servers. */
  readonly servers: readonly string[];
}

/** A server is called by its own name too, unless a toolset is called so. */
export function chooseServerTools({ wanted, isWhole, disabled, custom, servers }: NamedSets): ServerToolChoice {
  const taken = new Set(allToolsetNames(Object.keys(custom)));
  const own = servers.filter((name) => !taken.has(name));
  const isKnown = (name: string): boolean =>
    own.includes(name) ||
    servers.some((server) => name === `mcp-${server}` || name.startsWith(`${server}:`)) ||
    (servers.length > 0 && /^mcp__?\w/.test(name));
  const names = new Set(expand(wanted, custom));
  const without = new Set(expand(disabled, custom).filter(isKnown));
  const named = new Set([...names].filter(isKnown));
  const all = [...names].some((name) => name === 'all' || name === '*' || name.startsWith('hermes-'));
  const rest = named.size === 0 && !names.has('no_mcp') && (!isWhole || all);
  return {
    wants: (tool) => {
      const meant = tool.names.filter((name) => !taken.has(name));
      if (meant.some((name) => without.has(name))) return false;
      return rest || meant.some((name) => named.has(name));
    },
    isKnown,
  };
}

/** With what the sets of the configuration hold, each once. */
function expand(names: readonly string[], custom: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const all = new Set<string>();
  const add = (name: string): void => {
    if (all.has(name)) return;
    all.add(name);
    if (Object.hasOwn(custom, name)) for (const member of custom[name] ?? []) add(member);
  };
  for (const name of names) add(name);
  return [...all];
}
