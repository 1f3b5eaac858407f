/** Slash commands that plug-ins bring. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ConversationDoor } from '../../agent/conversation-door.ts';
import type { PluginConversations } from '../conversations.ts';
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

export interface CommandSession {
  readonly id: string;
  readonly door: ConversationDoor | undefined;
}

export interface PluginCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** Empty when nothing is wanted behind it. */
  readonly argumentHint: string;
  /** Key of the plug-in. */
  readonly plugin: string;
  /** What it says; undefined for nothing. Throws `UserError` when it fails or takes longer than half a minute. */
  run(args: string, session: CommandSession): Promise<string | undefined>;
}

const longestMs = 30_000;

export function pluginCommand(
  plugin: string,
  registration: CommandRegistration,
  conversations: PluginConversations,
): PluginCommand {
  const { name, handler, description, args_hint } = registration;
  return {
    name,
    description: description === '' ? `of the plug-in ${plugin}` : description,
    argumentHint: args_hint,
    plugin,
    async run(args, { id, door }) {
      const doing = new UnderWay();
      const work = () =>
        withDeadline(longestMs, (signal) => handler(args, { signal, session_id: id }), { held: () => doing.latest });
      try {
        const said = await (door === undefined ? work() : conversations.within(doing.through(door), work));
        if (said === undefined || said === null) return undefined;
        return typeof said === 'string' ? said : JSON.stringify(said);
      } catch (error) {
        throw new UserError(`/${name} of the plug-in ${plugin} failed: ${errorMessage(error)}`, { cause: error });
      }
    },
  };
}

/** What a command has asked its conversation for and that is not there yet: a person may be asked about it. */
class UnderWay {
  #latest: Promise<unknown> | undefined;

  get latest(): Promise<unknown> | undefined {
    return this.#latest;
  }

  through(door: ConversationDoor): ConversationDoor {
    const { models } = door;
    return {
      sessionId: door.sessionId,
      callTool: (call) => this.#watch(door.callTool(call)),
      models: {
        ask: (...asked) => this.#watch(models.ask(...asked)),
        contextLength: (task) => models.contextLength(task),
      },
    };
  }

  async #watch<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    this.#latest = settled;
    try {
      return await work;
    } finally {
      if (this.#latest === settled) this.#latest = undefined;
    }
  }
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
