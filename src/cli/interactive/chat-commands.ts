/** Runs slash commands in the chat: what they may do there. */
import type {
  About,
  Confirms,
  ConfirmSetting,
  Pictures,
  SlashCommand,
  TerminalContext,
  TerminalNavigation,
  TerminalSettings,
} from '../../commands/command.ts';
import { chatKeys } from '../../commands/keys.ts';
import type { VoiceWord } from '../../commands/voice-word.ts';
import type { AtWork, StartedTasks } from '../../commands/background-tasks.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { Worker } from '../../worker/worker.ts';
import { terminalText } from '../render/terminal-text.ts';
import type { OutsideChat } from './chat-options.ts';
import type { ChatScreen } from './chat-screen.ts';
import type { TerminalHuman } from './terminal-human.ts';

export interface ChatCommandsOptions extends TerminalNavigation, OtherInput {
  readonly catalogue: readonly SlashCommand[];
  readonly screen: ChatScreen;
  readonly human: TerminalHuman;
  readonly store: SessionStore | undefined;
  /** Tag of sessions that begin here. */
  readonly source: string;
  readonly settings: TerminalSettings;
  readonly about: About;
  /** Whether commands ask first. */
  readonly confirms: Confirms;
  /** Of the session that is talked to now. */
  worker(): Worker;
  /** Aborts when the user leaves. */
  readonly closing: AbortSignal;
  welcome(): void;
  readonly tasks: StartedTasks;
  readonly outside: OutsideChat;
}

/** How a message is made with something else than the input box. */
interface OtherInput {
  readonly compose: (draft: string) => Promise<string | undefined>;
  readonly pictures: Pictures;
  readonly voice: (word: VoiceWord | undefined) => Promise<string>;
}

/** A command that takes longer than this says so, in milliseconds. */
const quickCommandMs = 300;

export class ChatCommands {
  readonly #options: ChatCommandsOptions;
  #confirms: Confirms;
  /** Of a command that waits for something. */
  #waiting: AbortController | undefined;

  constructor(options: ChatCommandsOptions) {
    this.#options = options;
    this.#confirms = options.confirms;
  }

  async run(command: SlashCommand, args: string): Promise<void> {
    const { screen } = this.#options;
    const idle = !this.#options.worker().busy;
    if (!idle && !command.whileBusy) {
      this.#print(`/${command.name} has to wait until the turn is done; /stop ends it.`);
      return;
    }
    const slow = idle ? setTimeout(() => screen.setActivity(`/${command.name}`), quickCommandMs) : undefined;
    try {
      await command.run(this.#context(), args);
    } finally {
      clearTimeout(slow);
      if (idle && !this.#options.worker().busy) screen.setActivity(undefined);
    }
  }

  /** Ends what a command waits for; false when none does. */
  stop(): boolean {
    this.#waiting?.abort();
    return this.#waiting !== undefined;
  }

  #context(): TerminalContext {
    const {
      catalogue,
      screen,
      store,
      source,
      settings,
      about,
      compose,
      pictures,
      tasks,
      outside: { saveFile, runProgram, gateway },
      voice,
    } = this.#options;
    const worker = this.#options.worker();
    return {
      worker,
      session: worker.session,
      store,
      source,
      commands: catalogue,
      helpHeader: settings.looks.helpHeader,
      keys: chatKeys,
      about,
      settings,
      tasks,
      gateway,
      ui: {
        print: (text) => this.#print(text),
        offerInput: (text) => this.#options.screen.offerInput(text),
        confirm: (question, setting) => this.#confirm(question, setting),
        pick: (list) => this.#options.human.pick(list),
        ...(screen.plain ? {} : { watch: (work: AtWork) => this.#options.human.watch(work), voice }),
        ask: (question) => this.#options.human.askLine(question),
        clearScreen: () => {
          screen.clear();
          this.#options.welcome();
        },
        redraw: () => screen.repaint(),
        // OSC 52: the terminal puts base64 text into the clipboard, also over ssh.
        copy: (text) => screen.writeSequence(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
        saveFile,
        runProgram,
        compose,
        pictures,
        stoppable: (work) => this.#stoppable(work),
      },
      navigation: this.#options,
    };
  }

  async #stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#waiting = new AbortController();
    try {
      return await work(AbortSignal.any([this.#waiting.signal, this.#options.closing]));
    } finally {
      this.#waiting = undefined;
    }
  }

  async #confirm(question: string, setting: ConfirmSetting = 'destructive_slash_confirm'): Promise<boolean> {
    if (!this.#confirms[setting]) return true;
    const answer = await this.#options.human.confirm(question);
    if (answer === 'always') {
      this.#confirms = { ...this.#confirms, [setting]: false };
      await this.#options.settings.save([{ path: ['approvals', setting], value: false }]);
    }
    return answer !== 'cancel';
  }

  #print(text: string): void {
    this.#options.screen.print(terminalText(text));
  }
}
