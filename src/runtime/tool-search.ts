/** Keeps tools of others out of the requests where they are too many: they are found by a search then. */
import type { Tool } from '../agent/tool.ts';
import type { Config } from '../config/load.ts';
import type { FoundTools } from '../tools/tool-search/found-tools.ts';
import { toolCatalogue } from '../tools/catalogue.ts';
import { bridgeTo } from '../tools/tool-search/bridge.ts';
import type { ToolServices } from '../tools/services.ts';

export interface ToolSearchOptions {
  readonly settings: Config['tools']['tool_search'];
  /** In tokens; undefined where the model's window is not known. */
  readonly window: () => number | undefined;
  readonly found: FoundTools;
  /** Whether it can be used now. */
  available(tool: Tool<unknown>): boolean;
}

type AnyTool = Tool<ToolServices>;

/** What their schemas may take in any window: a large one is no reason to fill it with what is not used. */
const maxTokens = 20_000;
/** More are refused by some providers. */
const maxTools = 128;
const charsPerToken = 4;

/** One session's. */
export class ToolSearch {
  readonly #options: ToolSearchOptions;
  readonly #hidden = new WeakMap<Tool<unknown>, AnyTool>();
  readonly #chars = new WeakMap<Tool<unknown>, number>();
  #bridge: readonly AnyTool[] | undefined;

  constructor(options: ToolSearchOptions) {
    this.#options = options;
  }

  /** The tools of a turn: what came with the program is always sent, tools of plug-ins and `more` as long as they are few. */
  arrange(tools: readonly AnyTool[], more: readonly Tool<unknown>[]): readonly AnyTool[] {
    const { found } = this.#options;
    const own = tools.filter(isOwn);
    const others = [...tools.filter((tool) => !isOwn(tool)), ...more];
    const isOn = others.length > 0 && this.#isOn(own.length, others);
    found.set(isOn ? others.filter((tool) => this.#options.available(tool)) : []);
    if (!isOn) return [...own, ...others];
    this.#bridge ??= bridgeTo(others.length);
    return [...own, ...this.#bridge, ...others.map((tool) => this.#hide(tool))];
  }

  #isOn(own: number, others: readonly Tool<unknown>[]): boolean {
    const { settings, window } = this.#options;
    if (settings.enabled !== 'auto') return settings.enabled === 'on';
    if (own + others.length > maxTools) return true;
    const tokens = window();
    const share = Math.min(100, Math.max(0, settings.threshold_pct)) / 100;
    const room = tokens === undefined ? maxTokens : Math.min(share * tokens, maxTokens);
    const chars = others.reduce((total, tool) => total + this.#charsOf(tool), 0);
    return chars / charsPerToken >= room;
  }

  #charsOf(tool: Tool<unknown>): number {
    const known = this.#chars.get(tool);
    if (known !== undefined) return known;
    const chars = tool.name.length + tool.description.length + JSON.stringify(tool.schema).length;
    this.#chars.set(tool, chars);
    return chars;
  }

  #hide(tool: Tool<unknown>): AnyTool {
    const made: AnyTool = this.#hidden.get(tool) ?? { ...tool, hidden: true };
    this.#hidden.set(tool, made);
    return made;
  }
}

/** One that a plug-in put in the place of ours is as needed as ours. */
function isOwn({ addedBy, name }: AnyTool): boolean {
  return addedBy === undefined || toolCatalogue.some((entry) => entry.name === name);
}
