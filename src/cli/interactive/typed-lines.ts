/** What a typed line means: a message, a command of the chat, or something that the person runs here themselves. */
import { existsSync } from 'node:fs';
import type { SlashCommand } from '../../commands/command.ts';
import { type Resolved, resolveCommand } from '../../commands/resolve.ts';
import { skillNames } from '../../commands/skill-line.ts';
import type { BusyMode } from '../../worker/worker.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import { missingSlashLine } from '../not-in-this-build.ts';
import type { Colors } from '../render/colors.ts';
import { oneLine, terminalText } from '../render/terminal-text.ts';
import type { AttachedPictures } from './attached-pictures.ts';
import type { ChatCommands } from './chat-commands.ts';
import type { ChatScreen } from './chat-screen.ts';
import { type OwnCommand, OwnCommands } from './own-commands.ts';
import type { Pastes } from './pastes.ts';
import type { QuickCommands } from '../../commands/quick-commands.ts';
import type { SessionView } from './session-view.ts';

export interface TypedLinesOptions {
  readonly screen: ChatScreen;
  readonly colors: Colors;
  readonly commands: ChatCommands;
  /** What can be typed. */
  readonly catalogue: readonly SlashCommand[];
  readonly pictures: AttachedPictures;
  readonly quick: QuickCommands;
  readonly own: OwnCommands;
  readonly pastes: Pastes;
  readonly view: () => SessionView;
  readonly worker: () => SessionWorker;
  /** Ends what a line runs. */
  readonly signal: AbortSignal;
}

export class TypedLines {
  readonly #options: TypedLinesOptions;

  constructor(options: TypedLinesOptions) {
    this.#options = options;
  }

  /** Resolves when the line is on its way, or its command has ended. Throws what the command throws. */
  async take(line: string, mode: BusyMode): Promise<void> {
    const { commands, pastes, pictures, quick, signal } = this.#options;
    const own = OwnCommands.parse(line);
    if (own !== undefined) return await this.#runOwn(line, own);
    const text = quick.expand(pastes.expand(line));
    const program = quick.programOf(text);
    if (program !== undefined) {
      this.#echo(line);
      return this.#print(await quick.run(program, signal));
    }
    const resolved = await this.#resolve(text);
    const absent = resolved.kind === 'message' || isNamed(resolved, text) ? undefined : missingSlashLine(text);
    if (absent === undefined && (resolved.kind === 'message' || resolved.kind === 'skill')) {
      const typed =
        resolved.kind === 'skill' ? `/${resolved.name} ${resolved.args}`.trim() : pictures.takeDropped(text);
      return await this.send(typed, mode);
    }
    this.#echo(line);
    if (absent !== undefined) this.#print(absent);
    else if (resolved.kind === 'command') await commands.run(resolved.command, resolved.args);
    else if (resolved.kind === 'unknown') {
      this.#print(`Unknown command: ${resolved.name}\nType /help for available commands`);
    } else if (resolved.kind === 'ambiguous')
      this.#print(`Ambiguous command: ${resolved.name}\nDid you mean: ${resolved.meant.join(', ')}?`);
  }

  /** A message, whatever it begins with. */
  async send(text: string, mode: BusyMode): Promise<void> {
    const { pictures, view, worker } = this.#options;
    const content = pictures.takeAlong(text);
    view().showSubmitted(await worker().submit({ content }, mode), text);
  }

  async #resolve(text: string): Promise<Resolved> {
    if (!text.startsWith('/')) return { kind: 'message' };
    const { catalogue, worker } = this.#options;
    const skills = await skillNames(worker().session);
    return resolveCommand(text, catalogue, { isExistingPath: existsSync, skills });
  }

  async #runOwn(line: string, command: OwnCommand): Promise<void> {
    const { screen, colors, own, worker } = this.#options;
    const idle = !worker().busy;
    this.#echo(line);
    if (idle) screen.setActivity(`running ${oneLine(command.command, 60)}`);
    try {
      this.#print(await own.run(command));
      if (command.along) screen.print(colors.dim('  This goes along with your next message; after !! it does not.'));
    } finally {
      if (idle && !worker().busy) screen.setActivity(undefined);
    }
  }

  #echo(line: string): void {
    const { screen, colors } = this.#options;
    screen.gap();
    if (!screen.plain) screen.print(colors.dim(`❯ ${terminalText(line)}`));
  }

  #print(text: string): void {
    this.#options.screen.print(terminalText(text));
  }
}

/** True when the whole name was typed, not the beginning of it. */
function isNamed(resolved: Resolved, text: string): boolean {
  if (resolved.kind === 'command') return resolved.exact;
  const word = /^\/(\S*)/.exec(text)?.[1]?.toLowerCase().replaceAll('_', '-');
  return resolved.kind === 'skill' && resolved.name === word;
}
