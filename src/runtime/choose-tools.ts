/** The tools of a session: named sets, minus what the configuration takes away, in the words of its prompt profile. */
import { homedir } from 'node:os';
import type { Tool } from '../agent/tool.ts';
import type { Config } from '../config/load.ts';
import { UserError } from '../lib/errors.ts';
import { type CatalogueEntry, toolCatalogue } from '../tools/catalogue.ts';
import type { ToolServices } from '../tools/services.ts';
import { disabledNames, isWholeSet } from '../tools/toolset-names.ts';
import { nearestToolset, selectTools } from '../tools/toolsets.ts';
import { chooseServerTools, noServerTools, type ServerToolChoice } from './choose-server-tools.ts';
import { codingWorkspace, isFocused } from './session-coding.ts';
import type { SessionSpec } from './session-spec.ts';
import { wordedTools } from './tool-wording.ts';

/** A scheduled job makes no others, and has nobody to ask. */
const neverInJobs: ReadonlySet<string> = new Set(['cronjob', 'clarify']);

const board = 'kanban';
/** Whoever works on one task looks after no others. */
const neverForWorkers: ReadonlySet<string> = new Set(['kanban_list', 'kanban_unblock']);
/** Surfaces whose lists leave the board out: a stranger writes there, or a program that has its own. */
const withoutBoard: ReadonlySet<string> = new Set(['webhook', 'api_server', 'acp']);

export interface ChosenTools {
  readonly tools: readonly Tool<ToolServices>[];
  /** Which tools of servers are offered besides. */
  readonly servers: ServerToolChoice;
  /** One line for each name that means nothing here. */
  readonly warnings: readonly string[];
}

export interface ToolSources {
  /** Tools of plug-ins. */
  readonly plugged?: readonly Tool<ToolServices>[];
  /** Toolsets that are added where nobody chose any for the surface. */
  readonly joining?: readonly string[];
  /** Toolsets of this program whose tools cannot be had here: they are not loaded. */
  readonly absent?: readonly string[];
  /** This process was started for a task of a board, whose tools it needs whatever was chosen. */
  readonly worksOnTask?: boolean;
}

/**
 * Loads what was chosen and nothing else.
 * Throws `UserError` when the spec names toolsets and none of them is known.
 */
export async function chooseTools(
  config: Config,
  { surface, toolsets, mode, cwd }: Pick<SessionSpec, 'surface' | 'toolsets' | 'mode' | 'cwd'>,
  { plugged = [], joining = [], absent = [], worksOnTask = false }: ToolSources = {},
): Promise<ChosenTools> {
  const catalogue = withPlugins(plugged);
  if (mode?.subAgent !== undefined) {
    const { tools: only, servers = noServerTools } = mode.subAgent;
    const named = singleTools(config, catalogue, only);
    return { tools: await load(config, withoutAbsent(named, absent)), servers, warnings: [] };
  }
  const custom = Object.fromEntries(
    Object.entries(config.custom_toolsets).map(([name, set]) => [name, [...set.tools, ...set.includes]]),
  );
  const usual = (await focusedTools(config, surface, cwd)) ??
    withBoard(config, surface) ?? [...config.toolsets, ...joining];
  // Who enabled a plug-in wants its tools.
  const chosen = toolsets ?? [...usual, ...new Set(plugged.map(({ toolset }) => toolset))];
  const handsOut = config.toolsets.includes(board) && toolsets?.some(isWholeSet) === true;
  const wanted = worksOnTask || handsOut ? [...chosen, board] : chosen;
  const disabled = config.agent.disabled_toolsets;
  const named = { disabled, custom, servers: Object.keys(config.mcp_servers) };
  const choice = chooseServerTools({ ...named, wanted, isWhole: toolsets !== undefined });
  const selected = selectTools(catalogue, { wanted, custom, disabled });
  const { empty } = selected;
  const bound = mode?.within === undefined ? undefined : config.platform_toolsets[mode.within];
  const servers =
    bound === undefined ? choice : both(choice, chooseServerTools({ ...named, wanted: bound, isWhole: false }));
  const within = bound === undefined ? undefined : selectTools(catalogue, { wanted: bound, custom, disabled }).tools;
  const tools = selected.tools.filter(
    (entry) =>
      (surface !== 'cron' || !neverInJobs.has(entry.name)) &&
      (!worksOnTask || !neverForWorkers.has(entry.name)) &&
      (within === undefined || within.includes(entry)),
  );
  const unknown = selected.unknown.filter((name) => !servers.isKnown(name));
  const shared = disabled.filter((name) => !disabledNames(name).includes(name));
  const strangers = await Promise.all(unknown.map(async (name) => `'${name}'${await meant(name, custom)}`));
  if (toolsets !== undefined && chosen.length > 0 && unknown.length >= chosen.length) {
    throw new UserError(`no known toolset was named: ${strangers.join(', ')}.`, {
      exitCode: 2,
      hint: "'hermes chat --list-toolsets' shows what there is.",
    });
  }
  return {
    servers,
    tools: await load(config, withoutAbsent(tools, absent)),
    warnings: [
      ...strangers.map((name) => `toolsets: ${name} is not known to this build; ignored`),
      ...shared.map((name) => `agent.disabled_toolsets: '${name}' leaves the tools that all platforms share`),
      // A list in the configuration may name what is yet to come; who names it now means it now.
      ...(toolsets === undefined ? [] : empty.map((name) => `toolsets: '${name}' brings no tools in this build`)),
    ],
  };
}

/** Who hands out work does so from every chat: the one list names the board for all lists. */
function withBoard({ toolsets, platform_toolsets }: Config, surface: string): readonly string[] | undefined {
  const saved = platform_toolsets[surface];
  if (saved === undefined || !toolsets.includes(board) || withoutBoard.has(surface)) return saved;
  return [...saved, board];
}

function both(one: ServerToolChoice, other: ServerToolChoice): ServerToolChoice {
  return { ...one, wants: (tool) => one.wants(tool) && other.wants(tool) };
}

function singleTools(
  { agent: { disabled_toolsets: disabled } }: Config,
  catalogue: readonly CatalogueEntry[],
  names: readonly string[],
) {
  const wanted = catalogue.filter(({ name }) => names.includes(name));
  return selectTools(wanted, { wanted: ['all'], custom: {}, disabled }).tools;
}

async function load(config: Config, entries: readonly CatalogueEntry[]): Promise<readonly Tool<ToolServices>[]> {
  return wordedTools(await Promise.all(entries.map(loadOnce)), config.agent.prompt_profile);
}

function withoutAbsent(entries: readonly CatalogueEntry[], absent: readonly string[]): readonly CatalogueEntry[] {
  return entries.filter((entry) => !absent.includes(entry.toolset) || !toolCatalogue.includes(entry));
}

/** Finding a module that is there already takes Node as long as a small query: a gateway opens sessions all day. */
const loaded = new WeakMap<CatalogueEntry, Tool<ToolServices>>();

async function loadOnce(entry: CatalogueEntry): Promise<Tool<ToolServices>> {
  const known = loaded.get(entry);
  if (known !== undefined) return known;
  const tool = await entry.load();
  loaded.set(entry, tool);
  return tool;
}

/** Tools of plug-ins stand in the place of those of the same name, which they may replace only when the owner says so. */
function withPlugins(plugged: readonly Tool<ToolServices>[]) {
  if (plugged.length === 0) return toolCatalogue;
  const names = new Set(plugged.map(({ name }) => name));
  const own = plugged.map((tool) => ({ name: tool.name, toolset: tool.toolset, load: () => Promise.resolve(tool) }));
  return [...toolCatalogue.filter(({ name }) => !names.has(name)), ...own];
}

async function meant(name: string, custom: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const nearest = await nearestToolset(toolCatalogue, custom, name);
  return nearest === undefined ? '' : ` (did you mean '${nearest}'?)`;
}

/** The tools for code alone, where the configuration wants that and code is worked on. */
async function focusedTools(
  config: Config,
  surface: string,
  cwd: string | undefined,
): Promise<readonly string[] | undefined> {
  if (!isFocused(config) || cwd === undefined) return undefined;
  const workspace = await codingWorkspace({ config, surface, cwd }, homedir());
  return workspace === undefined ? undefined : ['coding'];
}
