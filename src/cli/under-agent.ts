/** Keeps an agent from changing what it may do through our own command line, whatever name or path it calls it by. */
import { readFileSync } from 'node:fs';
import type { Home } from '../config/home.ts';
import type { Variables } from '../config/variables.ts';
import { UserError } from '../lib/errors.ts';
import { hasMarkedLimit, isAgentMark, shellMark } from '../lib/shell-mark.ts';
import { loosensRules, onlyLooks } from '../safety/own-commands.ts';
import { isPolicySwitch } from '../safety/secret-variables.ts';

/** A longer line of ancestors has no honest use. */
const maxAncestors = 64;
/** Switches that only restrict may be set by anybody. */
const restricting: ReadonlySet<string> = new Set(['HERMES_SAFE_MODE']);

/** What a process was started with. */
export interface Ancestor {
  readonly mark: string | undefined;
  readonly home: string | undefined;
}

export interface OwnCall {
  readonly argv: readonly string[];
  /** The command's name; undefined for a conversation. */
  readonly name: string | undefined;
  readonly home: Home;
  /** As the process was started with it. */
  readonly env: Variables;
}

/**
 * Throws `UserError` when an agent runs this, below a shell of a session, and it is more than looking. Another conversation
 * may be started in the same home and with the same rules only. `ancestors` and `limits` are for tests.
 */
export function refuseUnderAgent(
  call: OwnCall,
  ancestors: () => Iterable<Ancestor> = ancestorsOfOurs,
  limits: () => string = () => readProc('/proc/self/limits'),
): void {
  if (onlyLooks(call.argv)) return;
  const agent = agentAbove(call.env, ancestors) ?? (hasMarkedLimit(limits()) ? leftBehind : undefined);
  if (agent === undefined) return;
  const talks = call.name === undefined || call.name === 'chat';
  if (talks && !loosensRules(call.argv) && !setsSwitch(call.env) && agent.home === call.home.path) return;
  const what = talks ? 'start a conversation with other rules or in another home' : `run 'hermes ${call.name}'`;
  throw new UserError(
    `An agent cannot ${what}: its settings, keys, approvals and records are changed by a person only.`,
    {
      hint: 'Run it yourself, in a terminal that no agent has opened.',
    },
  );
}

/** True below a shell of a session, whatever is run there. */
export function isUnderAgent(env: Variables): boolean {
  return agentAbove(env, ancestorsOfOurs) !== undefined || hasMarkedLimit(readProc('/proc/self/limits'));
}

/**
 * What an agent has started above this process, or this process itself; undefined when there is none. The agent's home is
 * known only of those above: ours is the one that this call has chosen.
 */
function agentAbove(env: Variables, ancestors: () => Iterable<Ancestor>): Ancestor | undefined {
  for (const above of ancestors()) if (isAgentMark(above.mark ?? '')) return above;
  const own = Object.entries(env).find(([name]) => name === shellMark)?.[1];
  return isAgentMark(own ?? '') ? { mark: own, home: undefined } : undefined;
}

/** What an agent started has left its shell, its session and its environment behind: all that is known is that it did. */
const leftBehind: Ancestor = { mark: undefined, home: undefined };

function setsSwitch(env: Variables): boolean {
  return Object.entries(env).some(
    ([name, value]) => value !== undefined && isPolicySwitch(name) && !restricting.has(name),
  );
}

/** What the processes above this one were started with: they cannot take it back. Only Linux tells. */
function* ancestorsOfOurs(): Iterable<Ancestor> {
  let pid = process.ppid;
  for (let count = 0; count < maxAncestors && pid > 1; count += 1) {
    const entries = readProc(`/proc/${pid}/environ`).split('\0');
    const valueOf = (name: string): string | undefined =>
      entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
    yield { mark: valueOf(shellMark), home: valueOf('HERMES_HOME') };
    pid = parentOf(pid);
  }
}

function parentOf(pid: number): number {
  const stat = readProc(`/proc/${pid}/stat`);
  // The name stands in brackets and may hold any character: `pid (name) state ppid`.
  return Number(
    stat
      .slice(stat.lastIndexOf(')') + 1)
      .trim()
      .split(' ')[1] ?? 0,
  );
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Another user's process, or one that has ended: it says nothing.
    return '';
  }
}
