/** Which tools a session gets: named sets, sets of sets, and what the configuration takes away. */

import { allToolsetNames, composites, disabledNames, knownNames, legacyNames } from './toolset-names.ts';

/** Sets that no wildcard includes. */
const neverByWildcard = new Set(['kanban']);

export interface ToolsetChoice {
  /** Names as the user wrote them: sets, composites, custom sets, single tools, `all` or `*`. */
  readonly wanted: readonly string[];
  /** `custom_toolsets` */
  readonly custom: Readonly<Record<string, readonly string[]>>;
  /** `agent.disabled_toolsets`: taken away last, always. */
  readonly disabled: readonly string[];
}

interface NamedTool {
  readonly name: string;
  readonly toolset: string;
}

export interface ToolSelection<Entry> {
  /** In catalogue order. */
  readonly tools: Entry[];
  /** Names that mean nothing. */
  readonly unknown: string[];
  /** Names as they were written that are known and bring no tool in this build. */
  readonly empty: string[];
}

/** The chosen tools, and the names that brought none. */
export function selectTools<Entry extends NamedTool>(
  catalogue: readonly Entry[],
  choice: ToolsetChoice,
): ToolSelection<Entry> {
  const expansion = new Expansion(catalogue, choice.custom);
  for (const name of choice.wanted) expansion.add(name);
  const disabled = new Expansion(catalogue, choice.custom);
  for (const name of choice.disabled.flatMap(disabledNames)) disabled.add(name);
  return {
    tools: catalogue.filter((tool) => expansion.has(tool) && !disabled.has(tool)),
    unknown: expansion.unknown,
    empty: choice.wanted.filter((name) => {
      const alone = new Expansion(catalogue, choice.custom);
      alone.add(name);
      return alone.unknown.length === 0 && !catalogue.some((tool) => alone.has(tool));
    }),
  };
}

/** The name that was probably meant; undefined when none is near. */
export async function nearestToolset(
  catalogue: readonly NamedTool[],
  custom: ToolsetChoice['custom'],
  written: string,
): Promise<string | undefined> {
  const { closest, distance } = await import('fastest-levenshtein');
  const own = catalogue.flatMap(({ name, toolset }) => [toolset, name]);
  const nearest = closest(written, [...allToolsetNames([...own, ...Object.keys(custom)])]);
  return distance(written, nearest) <= Math.max(1, Math.floor(written.length / 3)) ? nearest : undefined;
}

/** Expands names into sets and single tools; a set that contains itself is met once. */
class Expansion {
  readonly unknown: string[] = [];
  readonly #sets = new Set<string>();
  readonly #tools = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #catalogue: readonly NamedTool[];
  readonly #custom: Readonly<Record<string, readonly string[]>>;

  constructor(catalogue: readonly NamedTool[], custom: Readonly<Record<string, readonly string[]>>) {
    this.#catalogue = catalogue;
    this.#custom = custom;
  }

  has(tool: NamedTool): boolean {
    return this.#sets.has(tool.toolset) || this.#tools.has(tool.name);
  }

  add(written: string): void {
    const name = ownValue(legacyNames, written) ?? written;
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    const members = ownValue(this.#custom, name) ?? ownValue(composites, name);
    if (members !== undefined) for (const member of members) this.add(member);
    else if (name === 'all' || name === '*') this.#addAll();
    else this.#addOne(name);
  }

  #addAll(): void {
    for (const tool of this.#catalogue) if (!neverByWildcard.has(tool.toolset)) this.#sets.add(tool.toolset);
  }

  #addOne(name: string): void {
    if (this.#catalogue.some((tool) => tool.toolset === name)) this.#sets.add(name);
    else if (this.#catalogue.some((tool) => tool.name === name)) this.#tools.add(name);
    else if (!knownNames.has(name)) this.unknown.push(name);
  }
}

/** Names are written by people: `constructor` must not find what every object has. */
function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
