/** Slash commands that plug-ins bring. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { withDeadline } from '../deadline.ts';
import { callable } from './values.ts';

/** What `registerCommand` takes. */
export const commandRegistration = z.looseObject({
  name: z
    .string()
    .transform((name) =>
      name
        .trim()
        .replace(/^\/+/, '')
        .toLowerCase()
        .replaceAll(/[\s_]+/g, '-'),
    )
    .refine((name) => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name), 'must be a name of letters, digits, _ and -'),
  handler: callable,
  description: z.string().default(''),
  args_hint: z.string().default(''),
});
export type CommandRegistration = z.infer<typeof commandRegistration>;

export interface PluginCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** Empty when nothing is wanted behind it. */
  readonly argumentHint: string;
  /** Key of the plug-in. */
  readonly plugin: string;
  /** What it says; undefined for nothing. Throws `UserError` when it fails or takes longer than half a minute. */
  run(args: string, sessionId: string): Promise<string | undefined>;
}

const longestMs = 30_000;

export function pluginCommand(plugin: string, registration: CommandRegistration): PluginCommand {
  const { name, handler, description, args_hint } = registration;
  return {
    name,
    description: description === '' ? `of the plug-in ${plugin}` : description,
    argumentHint: args_hint,
    plugin,
    async run(args, sessionId) {
      try {
        const said = await withDeadline(longestMs, (signal) => handler(args, { signal, session_id: sessionId }));
        if (said === undefined || said === null) return undefined;
        return typeof said === 'string' ? said : JSON.stringify(said);
      } catch (error) {
        throw new UserError(`/${name} of the plug-in ${plugin} failed: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}

/** Those of all plug-ins; of two with one name the first counts, and none stands in the way of the program's own. */
export class PluginCommands {
  readonly #all: readonly PluginCommand[];
  readonly #log: Log;
  readonly #told = new Set<string>();

  constructor(all: readonly PluginCommand[], log: Log) {
    this.#all = all;
    this.#log = log;
  }

  /** Those whose name is free; of the others the log is told once. */
  offered(isTaken: (name: string) => boolean): readonly PluginCommand[] {
    return this.#all.filter(({ name, plugin }, index) => {
      const isFirst = this.#all.findIndex((other) => other.name === name) === index;
      if (isFirst && !isTaken(name)) return true;
      const told = `${plugin}/${name}`;
      if (!this.#told.has(told)) {
        this.#log.warning(`plug-in ${plugin}: /${name} is a command already; it is left as it is`);
      }
      this.#told.add(told);
      return false;
    });
  }
}
