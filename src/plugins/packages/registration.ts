/** What one plug-in has registered: kept apart until its `register` has ended well, so that a failure leaves nothing. */
import * as z from 'zod';
import { hookPoints, middlewareKinds, type MiddlewareKind, type HookPoint } from '../../agent/hooks.ts';
import type { Tool } from '../../agent/tool.ts';
import type { Log } from '../../lib/log.ts';
import type { PluginConversations } from '../conversations.ts';
import type { HookListener } from '../hook-listener.ts';
import { dispatchTool, injectMessage } from './conversation-calls.ts';
import { auxiliaryTask, auxiliaryTaskRegistration, ownerOf, type PluginTask } from './auxiliary-task.ts';
import { cliCommandRegistration, type PluginCliCommand } from './cli-command.ts';
import { commandRegistration, type PluginCommand, pluginCommand } from './plugin-command.ts';
import { type LlmGrants, pluginLlm, requireChoice } from './plugin-llm.ts';
import { skillFolder, skillRegistration } from './plugin-skill.ts';
import type { AskedVariables } from './manifest.ts';
import { platformRegistration, type PluginPlatform, withManifest } from './plugin-platform.ts';
import { knownKinds, type PluginProvider, pluginProvider, type ProviderKind, providerKinds } from './provider.ts';
import { type JudgedBy, pluginTool, toolRegistration } from './plugin-tool.ts';
import { ToolChecks } from './tool-checks.ts';
import { callable } from './values.ts';

export interface RegistrationOptions {
  readonly key: string;
  /** As its manifest has it: what its skills stand under. */
  readonly name: string;
  readonly profileName: string;
  /** `kind` of its manifest. */
  readonly kind: string;
  /** Names of the variables that its manifest names. */
  readonly variables: readonly string[];
  readonly asked: AskedVariables;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of the tools that are there without it, with their toolsets. */
  readonly tools: ReadonlyMap<string, string>;
  /** `plugins.entries.<key>.allow_tool_override` */
  readonly mayOverride: boolean;
  readonly log: Log;
  readonly conversations: PluginConversations;
  readonly llm: LlmGrants;
  /** Names of `auxiliary` that the program has. */
  readonly sideTasks: readonly string[];
  /** Of the plug-ins before it, by key. */
  readonly auxiliaryTasks: ReadonlyMap<string, PluginTask>;
}

/** A hook of a plug-in that has not answered by then is left out. */
const deadlineMs = 30_000;

/** What the original offers and this build has no place for. */
const missing = [
  'registerMemoryProvider registerContextEngine registerSecretSource',
  'registerDashboardAuthProvider registerSlackActionHandler registerProvider',
]
  .join(' ')
  .split(' ');

export class PluginRegistration {
  readonly tools: Tool<JudgedBy>[] = [];
  readonly listeners: HookListener[] = [];
  readonly commands: PluginCommand[] = [];
  readonly cliCommands: PluginCliCommand[] = [];
  /** By their whole names, `plugin:skill`: their folders. */
  readonly skills = new Map<string, string>();
  readonly auxiliaryTasks = new Map<string, PluginTask>();
  readonly providers: PluginProvider[] = [];
  readonly platforms: PluginPlatform[] = [];
  readonly by: string;
  readonly #options: RegistrationOptions;
  readonly #checks = new ToolChecks();
  #isClosed = false;

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.by = `plug-in ${options.key}`;
  }

  /** Nothing more is taken: the plug-in is in use, or was thrown out. */
  close(): void {
    this.#isClosed = true;
  }

  /** What `register` is given. */
  context(): object {
    const { conversations } = this.#options;
    const refused = missing.map((name) => [
      name,
      () => {
        throw new Error(`${name} is not available in this build`);
      },
    ]);
    const providers = providerKinds.map((kind) => [
      knownKinds[kind].register,
      (given: unknown) => this.#registerProvider(kind, given),
    ]);
    return {
      ...Object.fromEntries(refused),
      ...Object.fromEntries(providers),
      profileName: this.#options.profileName,
      env: variablesOf(this.#options),
      registerPlatform: (given: unknown) => this.#registerPlatform(given),
      log: plainLog(this.#options.log),
      llm: pluginLlm({
        plugin: this.#options.key,
        grants: this.#options.llm,
        models: () => conversations.current?.models,
        hasTask: (key) => this.auxiliaryTasks.has(key),
        log: this.#options.log,
      }),
      registerTool: (registration: unknown) => this.#registerTool(registration),
      registerHook: (point: unknown, listen: unknown) => this.#registerHook(point, listen),
      registerMiddleware: (kind: unknown, listen: unknown) => this.#registerMiddleware(kind, listen),
      dispatchTool: (name: unknown, args: unknown) => dispatchTool(this.by, name, args, conversations),
      injectMessage: (text: unknown, role: unknown) => injectMessage(this.by, text, role, conversations),
      registerSkill: (...given: readonly unknown[]) => this.#registerSkill(given),
      registerCommand: (...given: readonly unknown[]) => this.#registerCommand(given),
      registerCliCommand: (...given: readonly unknown[]) => this.#registerCliCommand(given),
      registerAuxiliaryTask: (...given: readonly unknown[]) => this.#registerAuxiliaryTask(given),
    };
  }

  #registerTool(given: unknown): void {
    this.#requireOpen('registerTool');
    const { success, data, error } = toolRegistration.safeParse(given);
    if (!success) throw new TypeError(`registerTool: ${z.prettifyError(error)}`);
    const { log, tools, mayOverride, key } = this.#options;
    const toolset = tools.get(data.name);
    if (toolset !== undefined && !data.override) {
      log.error(`${this.by}: the tool ${data.name} is there already, in ${toolset}; it is left as it is`);
      return;
    }
    if (toolset !== undefined && !mayOverride) {
      throw new Error(
        `it may not replace the tool ${data.name}: plugins.entries.${key}.allow_tool_override is not set`,
      );
    }
    if (toolset !== undefined) log.info(`${this.by} replaces the tool ${data.name}`);
    this.tools.push({
      ...pluginTool(this.by, data, { conversations: this.#options.conversations, checks: this.#checks }),
      addedBy: { kind: 'plugin', name: key },
    });
  }

  /** In one object, or as name, handler, description and hint of the arguments. */
  #registerCommand(given: readonly unknown[]): void {
    this.#requireOpen('registerCommand');
    const [first, handler, description, args_hint] = given;
    const { success, data, error } = commandRegistration.safeParse(
      typeof first === 'string' ? { name: first, handler, description, args_hint } : first,
    );
    if (!success) throw new TypeError(`registerCommand: ${z.prettifyError(error)}`);
    this.commands.push(pluginCommand(this.#options.key, data, this.#options.conversations));
  }

  /** In one object, or as name, help, what sets it up, what runs it, and description. */
  #registerCliCommand(given: readonly unknown[]): void {
    this.#requireOpen('registerCliCommand');
    const [first, help, setup_fn, handler_fn, description] = given;
    const { success, data, error } = cliCommandRegistration.safeParse(
      typeof first === 'string'
        ? { name: first, help, setup_fn: setup_fn ?? undefined, handler_fn, description }
        : first,
    );
    if (!success) throw new TypeError(`registerCliCommand: ${z.prettifyError(error)}`);
    this.cliCommands.push({ ...data, plugin: this.#options.key });
  }

  /** In one object, or as key, name to show, description and defaults. */
  #registerAuxiliaryTask(given: readonly unknown[]): void {
    this.#requireOpen('registerAuxiliaryTask');
    const [first, display_name, description, defaults] = given;
    const { success, data, error } = auxiliaryTaskRegistration.safeParse(
      typeof first === 'string' ? { key: first, display_name, description, defaults } : first,
    );
    if (!success) throw new TypeError(`registerAuxiliaryTask: ${z.prettifyError(error)}`);
    const { key: plugin, llm, sideTasks, auxiliaryTasks } = this.#options;
    const taken = ownerOf(data.key, sideTasks, new Map([...auxiliaryTasks, ...this.auxiliaryTasks]));
    if (taken !== undefined) throw new Error(`the task ${data.key} is not free: ${taken} has it`);
    const task = auxiliaryTask(plugin, data);
    requireChoice(plugin, llm, data.defaults);
    this.auxiliaryTasks.set(task.key, task);
  }

  /** In one object, or as name and path. */
  #registerSkill(given: readonly unknown[]): void {
    this.#requireOpen('registerSkill');
    const [first, path] = given;
    const { success, data, error } = skillRegistration.safeParse(
      typeof first === 'string' ? { name: first, path } : first,
    );
    if (!success) throw new TypeError(`registerSkill: ${z.prettifyError(error)}`);
    this.skills.set(`${this.#options.name}:${data.name}`, skillFolder(data));
  }

  #registerProvider(kind: ProviderKind, given: unknown): void {
    this.#requireOpen(knownKinds[kind].register);
    this.providers.push(pluginProvider(this.#options.key, kind, given, this.#options.log));
  }

  #registerPlatform(given: unknown): void {
    this.#requireOpen('registerPlatform');
    // Who only lists or writes to platforms loads no other plug-in.
    if (this.#options.kind !== 'platform')
      throw new Error("registerPlatform: its plugin.yaml must say 'kind: platform'");
    const { success, data, error } = platformRegistration.safeParse(given);
    if (!success) throw new TypeError(`registerPlatform: ${z.prettifyError(error)}`);
    const { key: plugin, log, asked } = this.#options;
    this.platforms.push({ ...withManifest(data, asked), plugin, log });
  }

  #registerHook(given: unknown, listen: unknown): void {
    const point = hookPoints.find((known) => known === given);
    this.#listen(point, given, listen);
  }

  #registerMiddleware(given: unknown, listen: unknown): void {
    const kind = middlewareKinds.find((known) => known === given);
    this.#listen(kind, given, listen);
  }

  #listen(point: HookPoint | MiddlewareKind | undefined, given: unknown, listen: unknown): void {
    this.#requireOpen('a hook');
    const { success, data } = callable.safeParse(listen);
    if (!success) throw new TypeError(`${String(given)}: what hears of it must be a function`);
    if (point === undefined) {
      this.#options.log.warning(`${this.by} wants to hear ${String(given)}, which does not happen in this build`);
      return;
    }
    this.listeners.push({ point, by: this.by, deadlineMs, listen: (payload, signal) => data(payload, { signal }) });
  }

  #requireOpen(what: string): void {
    if (this.#isClosed) throw new Error(`${what} comes too late: a plug-in registers while its register runs`);
  }
}

/** The variables that its manifest names, as they are when it looks. */
function variablesOf({ variables, env: all }: Pick<RegistrationOptions, 'variables' | 'env'>): object {
  const own = {};
  for (const name of variables) Object.defineProperty(own, name, { enumerable: true, get: () => all[name] });
  return Object.freeze(own);
}

/** What a plug-in may do with its log; every line carries its name. */
function plainLog(log: Log): object {
  const line = (write: (text: string, error?: unknown) => void) => (text: unknown, error?: unknown) =>
    write(String(text).slice(0, maxLogChars), error);
  return {
    debug: line((text, error) => log.debug(text, error)),
    info: line((text, error) => log.info(text, error)),
    warning: line((text, error) => log.warning(text, error)),
    error: line((text, error) => log.error(text, error)),
  };
}

const maxLogChars = 8000;
