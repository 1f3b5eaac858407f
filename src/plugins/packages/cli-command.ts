/** Commands of `hermes` itself that plug-ins bring: `hermes <name> …`. */
import * as z from 'zod';
import { callable } from './values.ts';

/** What `registerCliCommand` takes. */
export const cliCommandRegistration = z.looseObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be a name of small letters, digits, _ and -'),
  help: z.string().default(''),
  description: z.string().default(''),
  /** Is given what takes options, arguments and sub-commands. */
  setup_fn: callable.optional(),
  handler_fn: callable,
});

export interface PluginCliCommand extends z.infer<typeof cliCommandRegistration> {
  /** Key of the plug-in. */
  readonly plugin: string;
}

/** Those of all plug-ins: each name is there once. */
export class CliCommands {
  readonly #owners: Map<string, string>;
  readonly #all: PluginCliCommand[] = [];

  /** `own`: names of the program. */
  constructor(own: readonly string[]) {
    this.#owners = new Map(own.map((name) => [name, 'the program']));
  }

  get all(): readonly PluginCliCommand[] {
    return this.#all;
  }

  /** Why it is left out, in one line; undefined when its name was free. */
  add(command: PluginCliCommand): string | undefined {
    const { name, plugin } = command;
    const owner = this.#owners.get(name);
    if (owner !== undefined) return `its command 'hermes ${name}' is left out: ${owner} has one of that name`;
    this.#owners.set(name, `the plug-in ${plugin}`);
    this.#all.push(command);
    return undefined;
  }
}
