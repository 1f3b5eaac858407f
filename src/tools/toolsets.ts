/** Which tools a session gets: named sets, sets of sets, and what the configuration takes away. */

/** Sets made of other sets. Names of sets that this build has no tools for are harmless: they add nothing. */
const composites: Readonly<Record<string, readonly string[]>> = {
  'hermes-cli': [
    'web',
    'terminal',
    'file',
    'browser',
    'vision',
    'image_gen',
    'tts',
    'skills',
    'todo',
    'memory',
    'session_search',
    'clarify',
    'delegation',
    'cronjob',
    'code_execution',
    'messaging',
    'homeassistant',
    'computer_use',
  ],
  debugging: ['terminal', 'web', 'file'],
  safe: ['web', 'vision', 'image_gen'],
};

/** Names that older configurations use. */
const legacyNames: Readonly<Record<string, string>> = {
  web_tools: 'web',
  terminal_tools: 'terminal',
  vision_tools: 'vision',
  image_tools: 'image_gen',
  skills_tools: 'skills',
  browser_tools: 'browser',
  cronjob_tools: 'cronjob',
  file_tools: 'file',
  tts_tools: 'tts',
};

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

/** The chosen tools, in catalogue order, and the names that mean nothing to this build. */
export function selectTools<Entry extends NamedTool>(
  catalogue: readonly Entry[],
  choice: ToolsetChoice,
): { readonly tools: Entry[]; readonly unknown: string[] } {
  const expansion = new Expansion(catalogue, choice.custom);
  for (const name of choice.wanted) expansion.add(name);
  const disabled = new Expansion(catalogue, choice.custom);
  for (const name of choice.disabled) disabled.add(name);
  return {
    tools: catalogue.filter((tool) => expansion.has(tool) && !disabled.has(tool)),
    unknown: expansion.unknown,
  };
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
    else if (!knownSets.has(name)) this.unknown.push(name);
  }
}

/** Names are written by people: `constructor` must not find what every object has. */
function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Sets of the original whose tools this build may not have; naming one is not a mistake. */
const knownSets = new Set([
  ...Object.values(composites).flat(),
  'search',
  'video',
  'video_gen',
  'x_search',
  'kanban',
  'moa',
]);
