/** The tools of one agent: what the model is offered, and how a name it wrote finds its tool. */
import type { ToolSchema } from '../llm/protocol.ts';
import type { Tool } from './tool.ts';

export interface Toolbox<Services> {
  /** The same object for as long as the tools are the same: a changed list would void the provider's cache. */
  readonly schemas: readonly ToolSchema[];
  readonly names: readonly string[];
  readonly tools: readonly Tool<Services>[];
  /** Those that are there and not sent. */
  readonly hidden: readonly Tool<Services>[];
  /** By exact name, else by the repaired one; hidden ones by their exact name alone. */
  find(name: string): Tool<Services> | undefined;
}

/** Keeps the tools that are available now, sorted by name. Of two tools with one name the first wins. */
export function createToolbox<Services>(tools: readonly Tool<Services>[], services: Services): Toolbox<Services> {
  const byName = availableByName(tools, services);
  return boxOf(shownNames(byName).sort(), byName, services);
}

/**
 * The toolbox for the next turn. Tools that were there keep their availability and their bytes, and their place also when
 * another object of the same name has come for them; new ones stand behind. The same box when nothing changed.
 */
export function nextToolbox<Services>(
  box: Toolbox<Services>,
  tools: readonly Tool<Services>[],
  services: Services,
): Toolbox<Services> {
  const before = [...box.tools, ...box.hidden];
  const wanted = new Set(tools);
  const kept = new Map(before.filter((tool) => wanted.has(tool)).map((tool) => [tool.name, tool]));
  const seen = new Set(before);
  const others = tools.filter((tool) => !seen.has(tool) && !kept.has(tool.name));
  const byName = new Map([...availableByName(others, services), ...kept]);
  if (kept.size === before.length && byName.size === kept.size) return box;
  const shown = shownNames(byName);
  const known = box.names.filter((name) => shown.includes(name));
  const added = shown.filter((name) => !box.names.includes(name)).sort();
  const next = boxOf([...known, ...added], byName, services);
  // Nothing changed of what is sent.
  const isSame = next.tools.length === box.tools.length && next.tools.every((tool, at) => tool === box.tools[at]);
  return isSame ? { ...next, schemas: box.schemas } : next;
}

function shownNames<Services>(byName: ReadonlyMap<string, Tool<Services>>): string[] {
  return [...byName.values()].flatMap(({ name, hidden }) => (hidden === true ? [] : name));
}

function availableByName<Services>(tools: readonly Tool<Services>[], services: Services): Map<string, Tool<Services>> {
  const byName = new Map<string, Tool<Services>>();
  for (const tool of tools) if (!byName.has(tool.name) && tool.available(services)) byName.set(tool.name, tool);
  return byName;
}

function boxOf<Services>(
  names: readonly string[],
  byName: ReadonlyMap<string, Tool<Services>>,
  services: Services,
): Toolbox<Services> {
  const tools = names.flatMap((name) => byName.get(name) ?? []);
  const all = new Set(names);
  return {
    schemas: tools.map((tool) => schemaOf(tool, tool.describe?.(all, services) ?? tool.description)),
    names,
    tools,
    hidden: [...byName.values()].filter(({ hidden }) => hidden === true),
    find(name) {
      const exact = byName.get(name);
      if (exact !== undefined) return exact;
      const repaired = repairToolName(name, names);
      return repaired === undefined ? undefined : byName.get(repaired);
    },
  };
}

/** Sessions share their tools, and a gateway has a thousand sessions: what they say of a tool is one object for all. */
const described = new WeakMap<object, ToolSchema>();

function schemaOf({ name, schema: parameters }: Tool<never>, description: string): ToolSchema {
  const known = described.get(parameters);
  if (known?.name === name && known.description === description) return known;
  const fresh = { name, description, parameters };
  described.set(parameters, fresh);
  return fresh;
}

/** The known name that was meant: exact, lower case, `-` and space as `_`, else the closest one at 0.7 or more. */
export function repairToolName(name: string, known: readonly string[]): string | undefined {
  const lower = name.trim().toLowerCase();
  const snake = lower.replace(/[-\s]+/g, '_');
  for (const candidate of [name, lower, snake]) if (known.includes(candidate)) return candidate;
  let best: { name: string; score: number } | undefined;
  for (const candidate of known) {
    const score = similarity(snake, candidate);
    if (score >= 0.7 && (best === undefined || score > best.score)) best = { name: candidate, score };
  }
  return best?.name;
}

/** Dice coefficient of letter pairs: 1 for equal words, 0 for words that share none. */
function similarity(left: string, right: string): number {
  const pairs = (word: string): string[] =>
    Array.from({ length: Math.max(0, word.length - 1) }, (_, i) => word.slice(i, i + 2));
  const rest = pairs(right);
  const total = rest.length + Math.max(0, left.length - 1);
  if (total === 0) return 0;
  let shared = 0;
  for (const pair of pairs(left)) {
    const at = rest.indexOf(pair);
    if (at === -1) continue;
    rest.splice(at, 1);
    shared += 1;
  }
  return (2 * shared) / total;
}
