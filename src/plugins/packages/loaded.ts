/** What the plug-ins of a program come to. */
import type { Tool } from '../../agent/tool.ts';
import type { PluginConversations } from '../conversations.ts';
import type { PluginTask } from './auxiliary-task.ts';
import type { PluginCliCommand } from './cli-command.ts';
import type { PluginCommands } from './plugin-command.ts';
import type { PluginPlatform } from './plugin-platform.ts';
import type { PluginProvider } from './provider.ts';
import type { JudgedBy } from './plugin-tool.ts';

/** How much one plug-in has registered. */
export interface Registered {
  readonly tools: number;
  readonly hooks: number;
  readonly commands: number;
  /** Without the slash. */
  readonly commandNames: readonly string[];
  /** What of it is not there, as its name is taken: one line each. */
  readonly leftOut: readonly string[];
}

export interface LoadedPlugins {
  readonly tools: readonly Tool<JudgedBy>[];
  readonly commands: Pick<PluginCommands, 'offered'>;
  /** Of `hermes` itself, in the order in which they were registered. */
  readonly cliCommands: readonly PluginCliCommand[];
  /** Chat platforms. */
  readonly platforms: readonly PluginPlatform[];
  /** In the place of services of the program. */
  readonly providers: readonly PluginProvider[];
  /** By their whole names, `plugin:skill`: their folders. */
  readonly skills: ReadonlyMap<string, string>;
  /** By key. */
  readonly auxiliaryTasks: ReadonlyMap<string, PluginTask>;
  /** Undefined where no plug-in is loaded. */
  readonly conversations: PluginConversations | undefined;
  /** By key: those that were loaded, and why the others that are enabled were not. */
  readonly outcomes: ReadonlyMap<string, Registered | { readonly problem: string }>;
  /** Lets those that want to tidy up do so. Never rejects. */
  close(): Promise<void>;
}

/** There are none, or none are wanted. */
export const noPlugins: LoadedPlugins = {
  tools: [],
  commands: { offered: () => [] },
  cliCommands: [],
  providers: [],
  platforms: [],
  skills: new Map(),
  auxiliaryTasks: new Map(),
  conversations: undefined,
  outcomes: new Map(),
  close: () => Promise.resolve(),
};
