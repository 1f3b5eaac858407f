/** `hermes plugins enable` and `disable`: both lists of the configuration in one step. */
import { type Change, updateConfig } from '../../config/edit.ts';
import type { FoundPlugin } from '../../plugins/packages/discover.ts';
import type { CliContext } from '../command.ts';
import { confirm } from '../sessions/confirm.ts';
import { findPlugin } from './find-plugins.ts';

export interface EnableOptions {
  /** Absent: asked, where somebody can be. */
  readonly allowToolOverride?: boolean;
}

export async function enablePlugin(context: CliContext, name: string, options: EnableOptions): Promise<void> {
  const { io } = context;
  const found = await findPlugin(context, name);
  const asks = io.stdin.isTTY && io.stdout.isTTY;
  const question = `May ${found.key} replace tools that are there without it?`;
  const mayOverride = options.allowToolOverride ?? (asks ? await confirm(io, question) : undefined);
  await turnOn(context, found, mayOverride);
}

async function turnOn(context: CliContext, found: FoundPlugin, mayOverride: boolean | undefined): Promise<void> {
  const { io } = context;
  const { key, problem, state } = found;
  const grants = new Map(mayOverride === undefined ? [] : [[key, mayOverride]]);
  await switchPlugins(context, { on: [found], off: [], grants });
  io.stdout.write(`${key} is enabled. It is loaded with the next start, and runs with all your rights.\n`);
  if (problem !== undefined)
    io.stderr.write(`⚠ It will not be loaded${state === 'enabled' ? '' : ' yet'}: ${problem}\n`);
}

/** Without a word about replacing tools: what was said of that before stays. */
export async function switchOn(context: CliContext, name: string): Promise<void> {
  await turnOn(context, await findPlugin(context, name), undefined);
}

/** What the lists say of a name: nothing any more, so that whatever comes under it is off. */
export async function forgetPlugin(context: CliContext, name: string): Promise<void> {
  const { enabled, disabled } = (await context.config()).config.plugins;
  if (!enabled.includes(name) && !disabled.includes(name)) return;
  await save(context, { names: [name] });
}

export async function disablePlugin(context: CliContext, name: string): Promise<void> {
  const found = await findPlugin(context, name);
  await switchPlugins(context, { on: [], off: [found], grants: new Map() });
  context.io.stdout.write(`${found.key} is disabled. What runs now keeps it until its next start.\n`);
}

export interface PluginSwitch {
  readonly on: readonly FoundPlugin[];
  readonly off: readonly FoundPlugin[];
  /** By key, for those about which it was said: whether they may replace tools that are there without them. */
  readonly grants: ReadonlyMap<string, boolean>;
}

/** All in one step. */
export async function switchPlugins(context: CliContext, { on, off, grants }: PluginSwitch): Promise<void> {
  await save(context, {
    on: on.map(({ key }) => key),
    off: off.map(({ key }) => key),
    names: [...on, ...off].flatMap(({ key, manifest }) => [key, manifest?.name ?? key]),
    more: [...grants].map(([key, value]) => ({ path: ['plugins', 'entries', key, 'allow_tool_override'], value })),
  });
}

interface ListChange {
  readonly on?: readonly string[];
  readonly off?: readonly string[];
  /** All that the lists may know them by. */
  readonly names: readonly string[];
  readonly more?: readonly Change[];
}

async function save(
  { home, env, config }: CliContext,
  { on = [], off = [], names, more = [] }: ListChange,
): Promise<void> {
  const { enabled, disabled } = (await config()).config.plugins;
  const without = (all: readonly string[]): string[] => all.filter((name) => !names.includes(name));
  await updateConfig({ home, env }, [
    { path: ['plugins', 'enabled'], value: [...without(enabled), ...on] },
    { path: ['plugins', 'disabled'], value: [...without(disabled), ...off] },
    ...more,
  ]);
}
