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
  const { key, manifest, problem, state } = found;
  await save(context, {
    on: key,
    names: [key, manifest?.name ?? key],
    more:
      mayOverride === undefined
        ? []
        : [{ path: ['plugins', 'entries', key, 'allow_tool_override'], value: mayOverride }],
  });
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
  await save(context, { names: [name], more: [] });
}

export async function disablePlugin(context: CliContext, name: string): Promise<void> {
  const { key, manifest } = await findPlugin(context, name);
  await save(context, { off: key, names: [key, manifest?.name ?? key], more: [] });
  context.io.stdout.write(`${key} is disabled. What runs now keeps it until its next start.\n`);
}

interface Switch {
  readonly on?: string;
  readonly off?: string;
  /** All that the lists may know it by. */
  readonly names: readonly string[];
  readonly more: readonly Change[];
}

async function save({ home, env, config }: CliContext, { on, off, names, more }: Switch): Promise<void> {
  const { enabled, disabled } = (await config()).config.plugins;
  const without = (all: readonly string[]): string[] => all.filter((name) => !names.includes(name));
  await updateConfig({ home, env }, [
    { path: ['plugins', 'enabled'], value: [...without(enabled), ...(on === undefined ? [] : [on])] },
    { path: ['plugins', 'disabled'], value: [...without(disabled), ...(off === undefined ? [] : [off])] },
    ...more,
  ]);
}
