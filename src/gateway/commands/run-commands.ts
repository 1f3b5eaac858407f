/** Runs slash commands in chats: those of chats alone, those of every surface, the owner's own, and skills. */
import { slashCommands } from '../../commands/catalogue.ts';
import type { CommandContext } from '../../commands/command.ts';
import { isBuiltIn } from '../../commands/resolve.ts';
import { QuickCommands } from '../../commands/quick-commands.ts';
import { skillNames } from '../../commands/skill-line.ts';
import { updateConfig, type Change } from '../../config/edit.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { OwnRuns } from '../../runtime/own-runs.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import type { Worker } from '../../worker/worker.ts';
import type { OpenChat } from '../chats/chat-deps.ts';
import type { Gateway, GatewayCommands } from '../gateway.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { besideHint } from '../topics/topic-words.ts';
import type { ChatCommandContext, OfferedCommand } from './chat-command.ts';
import { ChatWorker } from './chat-worker.ts';
import { confirmInChat } from './confirm-in-chat.ts';
import {
  allCommands,
  isUseless,
  mayRun,
  offeredTo,
  ownCommand,
  pressedStart,
  sharedCommand,
} from './offered-commands.ts';
import type { OwnProgram } from './own-program.ts';
import { parseCommand, type TypedCommand } from './parse-command.ts';

export interface RunCommandsOptions extends Pick<ChatCommandContext, 'saveVariables' | 'restart'> {
  readonly version: string;
  readonly startedAt: number;
  /** Absent where the gateway is not run by the program's own command line. */
  readonly hermes?: OwnProgram;
  /** What is said to a command of a part that this build does not have; undefined for every other line. */
  missing?(line: string): string | undefined;
}

const quickMs = 30_000;
const ownersKeys = 'allow_admin_from for private chats, group_allow_admin_from for groups';
/** They begin another conversation, so what runs in this one ends. */
const startsAnew: ReadonlySet<string> = new Set(['new', 'reset']);

export class RunCommands implements GatewayCommands {
  readonly #options: RunCommandsOptions;

  constructor(options: RunCommandsOptions) {
    this.#options = options;
  }

  menu(gateway: Gateway): Promise<readonly OfferedCommand[]> {
    return Promise.resolve(allCommands(gateway));
  }

  async run(chat: OpenChat, event: MessageEvent, gateway: Gateway): Promise<boolean> {
    const typed = parseCommand(event.text);
    if (typed === undefined) return false;
    return await this.#dispatch(typed, { chat, event, gateway });
  }

  /** A recognised command never waits behind a turn: it runs, or is refused aloud. */
  async immediate(chat: OpenChat, event: MessageEvent, gateway: Gateway): Promise<boolean> {
    const typed = parseCommand(event.text);
    if (typed === undefined) return false;
    const own = ownCommand(typed.name, gateway);
    const place = { chat, event, gateway };
    const atOnce =
      own === undefined ? isUseless(typed.name) : own.atOnce && (own.opens !== true || chat.worker !== undefined);
    if (atOnce) return await this.#atOnce(typed, place);
    if (!chat.busy) return false;
    if (startsAnew.has(typed.name)) {
      const meant = own ?? sharedCommand(typed.name, gateway);
      // Whoever may not run it stops nothing either.
      if (meant !== undefined && !mayRun(meant, place)) return await this.#atOnce(typed, place);
      chat.take(event, 'waits');
      await chat.stop();
      return false;
    }
    // What a command asks may wait for long, and what only looks need not wait for it.
    if (!chat.answering && !gateway.desk.waitsIn(chat.sessionKey)) return false;
    const shared = sharedCommand(typed.name, gateway);
    if (shared === undefined && own === undefined) {
      const isMissing = chat.worker !== undefined && this.#refusalOf(typed.name) !== undefined;
      return isMissing && (await this.#atOnce(typed, place));
    }
    if (shared?.whileBusy === true && chat.worker !== undefined) return await this.#atOnce(typed, place);
    if (!chat.answering) return false;
    chat.take(event);
    await chat.say(event, `/${typed.name} has to wait until the turn is done; /stop ends it.`);
    return true;
  }

  /** What may be no command after all waits like any message then. */
  async #atOnce(typed: TypedCommand, place: Place): Promise<boolean> {
    const { chat, event, gateway } = place;
    const isKnown = ownCommand(typed.name, gateway) !== undefined || sharedCommand(typed.name, gateway) !== undefined;
    chat.take(event, isKnown ? 'ends' : 'waits');
    return await this.#dispatch(typed, place);
  }

  /** `heard`: its hooks have spoken already. */
  async #dispatch(typed: TypedCommand, place: Place, { heard = false } = {}): Promise<boolean> {
    const { chat, event, gateway } = place;
    const own = ownCommand(typed.name, gateway);
    const shared = own === undefined ? sharedCommand(typed.name, gateway) : undefined;
    const meant = own ?? shared;
    if (meant === undefined) return await this.#runQuick(typed, place);
    if (!mayRun(meant, place)) return await this.#refuseTo(typed.name, place, meant);
    if (!heard) {
      const command = { name: meant.name, typed: typed.name, args: typed.args };
      const decision = await gateway.hooks.commandTyped(event, { ...command, atOnce: own?.atOnce === true });
      if (decision.as === 'rewrite') {
        if (await this.#dispatch(decision, place, { heard: true })) return true;
        await chat.say(
          event,
          `A hook of this gateway turns /${typed.name} into /${decision.name}, which is no command.`,
        );
        return true;
      }
      if (decision.as !== 'allow') {
        const refusal = decision.as === 'deny' ? `/${typed.name} was refused by a hook of this gateway.` : undefined;
        const reply = decision.message ?? refusal;
        if (reply !== undefined) await chat.say(event, reply);
        return true;
      }
    }
    const lines: string[] = [];
    const print = (text: string): void => void lines.push(text);
    try {
      if (startsAnew.has(meant.name)) await gateway.topics.mayGoOnIn(event.source);
      if (own !== undefined) await own.run(this.#ownContext(place, print), typed.args);
      else if (shared !== undefined) await shared.run(await this.#sharedContext(place, print), typed.args);
    } catch (error) {
      if (!(error instanceof UserError)) gateway.program.log.named('commands').error(`/${typed.name} failed`, error);
      print(
        error instanceof UserError && error.hint !== undefined
          ? `${error.message}\n${error.hint}`
          : errorMessage(error),
      );
    }
    const text = lines.join('\n');
    if (text !== '') await chat.say(event, text);
    return true;
  }

  #ownContext({ chat, event, gateway }: Place, print: (text: string) => void): ChatCommandContext {
    const { saveVariables, restart, hermes = noProgram } = this.#options;
    const [saveSettings, offered] = [saverFor(gateway), offeredTo(gateway, event)];
    return { chat, event, gateway, print, saveVariables, saveSettings, restart, hermes, offered };
  }

  async #sharedContext({ chat, event, gateway }: Place, print: (text: string) => void): Promise<CommandContext> {
    const worker = await workerOf(chat, event);
    const { program } = gateway;
    const { home, cwd } = program.options;
    const save = saverFor(gateway);
    return {
      worker: new ChatWorker(worker, (asked) => chat.ask(event, asked)),
      session: worker.session,
      store: program.store,
      source: event.source.platform,
      commands: offeredTo(gateway, event),
      about: {
        version: this.#options.version,
        profile: home.profile,
        homePath: home.path,
        cwd,
        startedAt: this.#options.startedAt,
      },
      settings: {
        save,
        keepModel: async ({ model, provider }) =>
          await gateway.routing.change(chat.sessionKey, { model_override: { model, provider } }),
      },
      titled: (sessionId, title) => void this.#named({ chat, gateway }, sessionId, title),
      ui: { print, confirm: (question, setting) => confirmInChat(question, setting, { chat, event, gateway, save }) },
      navigation: {
        switchSession: async (next, reason) => {
          await gateway.topics.mayGoOnIn(event.source, next.resume?.id);
          if (next.resume === undefined) await this.#reset({ chat, event, gateway }, reason, print);
          else await chat.resume(next.resume, reason);
          return (await chat.open(event)).session;
        },
      },
    };
  }

  async #reset({ chat, event, gateway }: Place, reason: string, print: (text: string) => void): Promise<void> {
    await chat.reset(event, reason);
    if (await gateway.topics.isTopic(event.source)) print(besideHint);
  }

  /** A session that was stored by its title only is not yet known to be of this chat. */
  async #named({ chat, gateway }: Pick<Place, 'chat' | 'gateway'>, sessionId: string, title: string): Promise<void> {
    try {
      await gateway.routing.change(chat.sessionKey, {});
      await gateway.topics.named(sessionId, title);
    } catch (error) {
      gateway.program.log.named('commands').warning('a chat was not named after its conversation', error);
    }
  }

  /**
   * Commands of the owner's own, then what chats have no use for, then skills; whatever else begins with a slash is a
   * message like any other.
   */
  async #runQuick(typed: TypedCommand, { chat, event, gateway }: Place): Promise<boolean> {
    const quick = this.#quickOf(gateway, () => chat.worker?.session.id ?? chat.sessionKey);
    if (!quick.has(typed.name)) return await this.#refuse(typed.name, { chat, event });
    try {
      const line = quick.expand(`/${typed.name} ${typed.args}`.trim());
      const program = quick.programOf(line);
      // A command that it stands for is asked about itself.
      if (program === undefined) return await this.run(chat, { ...event, text: line }, gateway);
      const name = parseCommand(line)?.name ?? typed.name;
      if (!gateway.authorization.mayRun(name, event)) return await this.#refuseTo(name, { chat, event, gateway });
      await chat.say(event, await quick.run(program, AbortSignal.timeout(quickMs)));
    } catch (error) {
      await chat.say(event, errorMessage(error));
    }
    return true;
  }

  /** Said aloud: the model would otherwise be asked to do what they may not. */
  async #refuseTo(name: string, { chat, event, gateway }: Place, meant?: OfferedCommand): Promise<true> {
    const nobody = meant?.ofOwner === true && gateway.authorization.tierOf(event.source).tier === 'unrestricted';
    await chat.say(
      event,
      nobody
        ? `/${name} is for administrators, and none are named: ${ownersKeys}, in the settings of this platform.`
        : `/${name} is for administrators here. See what you may run: /whoami`,
    );
    return true;
  }

  /** A command that the program knows is never given to the model as a question. */
  async #refuse(name: string, { chat, event }: Pick<Place, 'chat' | 'event'>): Promise<boolean> {
    const refusal = this.#refusalOf(name);
    if (refusal === undefined) return false;
    if (!isUseless(name) && (await skillNames((await workerOf(chat, event)).session)).includes(name)) return false;
    if (refusal !== '') await chat.say(event, refusal);
    return true;
  }

  /** Empty: there is nothing to say to it. Undefined: chats may have a use for it. */
  #refusalOf(name: string): string | undefined {
    if (name === pressedStart) return '';
    return isUseless(name) ? `/${name} works in a terminal only.` : this.#options.missing?.(`/${name}`);
  }

  #quickOf({ program }: Gateway, sessionId: () => string): QuickCommands {
    const { config, env, cwd } = program.options;
    const runs = new OwnRuns(program, sessionId);
    return new QuickCommands({
      commands: config.raw['quick_commands'],
      env,
      cwd,
      mask: secretMask(program.options),
      record: (run) => runs.begin(run),
      isBuiltIn: (word) => word === pressedStart || isBuiltIn(word, slashCommands) || ownCommand(word) !== undefined,
    });
  }
}

const withoutProgram = (): never => {
  throw new UserError('That works in a terminal only.');
};
const noProgram: OwnProgram = { run: withoutProgram, update: withoutProgram };

interface Place {
  readonly chat: OpenChat;
  readonly event: MessageEvent;
  readonly gateway: Gateway;
}

function saverFor({ program, display }: Gateway): (changes: readonly Change[]) => Promise<void> {
  const { home, env } = program.options;
  return async (changes) => {
    await updateConfig({ home, env }, changes);
    for (const { path, value } of changes) if (path[0] === 'display') display.set(path.slice(1).map(String), value);
  };
}

/** Beside a running command it is the conversation that is open; else it is opened. */
async function workerOf(chat: OpenChat, event: MessageEvent): Promise<Worker> {
  return chat.busy && chat.worker !== undefined ? chat.worker : await chat.open(event);
}
