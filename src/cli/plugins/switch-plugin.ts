/** `hermes plugins enable` and `disable`: both lists of the configuration in one step. */
import { type Change, updateConfig } from '../../config/edit.ts';
import type { CliContext } from '../command.ts';
import { confirm } from '../sessions/confirm.ts';
import { findPlugin } from './find-plugins.ts';

export interface EnableOptions {
  /** Absent: asked, where somebody can be. */
  readonly allowToolOverride?: boolean;
}

export async function enablePlugin(context: CliContext, name: string, options: EnableOptions): Promise<void> {
  const { io } = context;
  const { key, manifest, problem, state } = await findPlugin(context, name);
  const asks = io.stdin.isTTY && io.stdout.isTTY;
  const question = `May ${key} replace tools that are there without it?`;
  const mayOverride = options.allowToolOverride ?? (asks ? await confirm(io, question) : undefined);
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
