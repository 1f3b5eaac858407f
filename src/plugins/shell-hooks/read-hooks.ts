/** The shell hooks of `config.yaml`: which command hears of which point. */
import { type HookPoint, hookPoints } from '../../agent/hooks.ts';
import { repairToolName } from '../../agent/toolbox.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';

export interface ShellHook {
  readonly point: HookPoint;
  /** As it is written, `~` and all: this text is what was approved. */
  readonly command: string;
  /** As it is written; absent: every tool. */
  readonly matcher?: string;
  readonly timeoutSeconds: number;
}

const defaultSeconds = 60;
const maxSeconds = 300;
/** What the original knows besides, with the part that this build does not have. */
const missingPoints: ReadonlyMap<string, string> = new Map([
  ['kanban_task_claimed', 'the dispatcher of boards of tasks'],
]);
/** Keys below `hooks:` that are no points. */
const reserved: ReadonlySet<string> = new Set(['output_spill']);
const aboutTools: ReadonlySet<HookPoint> = new Set(['pre_tool_call', 'post_tool_call']);

/** Never throws: what cannot be used is told, one line each, and left out. */
export function readShellHooks(block: JsonValue | undefined, warn: (line: string) => void): readonly ShellHook[] {
  if (block === undefined || block === null) return [];
  if (!isJsonObject(block)) {
    warn('hooks: must name points, each with a list of commands; no hook is used');
    return [];
  }
  const found = new Map<string, ShellHook>();
  for (const [name, entries] of Object.entries(block)) {
    if (reserved.has(name)) continue;
    const point = pointOf(name, warn);
    if (point === undefined) continue;
    if (!Array.isArray(entries)) {
      warn(`hooks.${name}: must be a list of commands; left out`);
      continue;
    }
    for (const [index, entry] of entries.entries()) {
      const hook = readHook(point, entry, (problem) => warn(`hooks.${name}.${index}: ${problem}`));
      if (hook !== undefined) found.set(JSON.stringify([hook.point, hook.matcher, hook.command]), hook);
    }
  }
  return [...found.values()];
}

function pointOf(name: string, warn: (line: string) => void): HookPoint | undefined {
  const point = hookPoints.find((known) => known === name);
  if (point !== undefined) return point;
  const part = missingPoints.get(name);
  const near = repairToolName(name, hookPoints);
  if (part !== undefined) warn(`hooks.${name}: is not available in this build: it belongs to ${part}; left out`);
  else warn(`hooks.${name}: there is no such point${near === undefined ? '' : ` (did you mean ${near}?)`}; left out`);
  return undefined;
}

function readHook(point: HookPoint, entry: JsonValue, warn: (problem: string) => void): ShellHook | undefined {
  const command = isJsonObject(entry) ? entry['command'] : undefined;
  if (!isJsonObject(entry) || typeof command !== 'string' || command.trim() === '') {
    warn('needs a command; left out');
    return undefined;
  }
  const matcher = matcherOf(point, entry, warn);
  return {
    point,
    command: command.trim(),
    ...(matcher === undefined ? {} : { matcher }),
    timeoutSeconds: timeoutOf(entry, warn),
  };
}

function matcherOf(point: HookPoint, { matcher }: JsonObject, warn: (problem: string) => void): string | undefined {
  if (matcher === undefined || matcher === null || matcher === '') return undefined;
  if (typeof matcher !== 'string') {
    warn('its matcher must be a text; every tool is meant');
    return undefined;
  }
  if (aboutTools.has(point)) return matcher;
  warn(`a matcher has no meaning for ${point}; it is ignored`);
  return undefined;
}

function timeoutOf({ timeout }: JsonObject, warn: (problem: string) => void): number {
  if (timeout === undefined || timeout === null) return defaultSeconds;
  const seconds = typeof timeout === 'string' && timeout.trim() !== '' ? Number(timeout) : timeout;
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 1) {
    warn(`its timeout must be 1 to ${maxSeconds} seconds; ${defaultSeconds} is used`);
    return defaultSeconds;
  }
  if (seconds <= maxSeconds) return seconds;
  warn(`its timeout of ${seconds} seconds is too long; ${maxSeconds} is used`);
  return maxSeconds;
}

/** Whether the matcher, a pattern for the whole name, takes a tool; what is no pattern is the name itself. */
export function matches({ matcher }: Pick<ShellHook, 'matcher'>, tool: string): boolean {
  if (matcher === undefined) return true;
  try {
    return new RegExp(`^(?:${matcher})$`, 'u').test(tool);
  } catch {
    return matcher === tool;
  }
}
