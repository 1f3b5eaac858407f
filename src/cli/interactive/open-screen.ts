/** Opens the screen of a chat: drawn, or line by line. */
import { isLightColor } from '../../config/process-settings.ts';
import type { Session } from '../../runtime/session.ts';
import type { Room } from './above-input.ts';
import { chatCompletion } from './chat-completion.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatScreen } from './chat-screen.ts';
import { enterHint } from './enter-hint.ts';
import { PlainScreen } from './plain-screen.ts';
import { Screen } from './screen.ts';
import type { ScreenHandlers } from './screen-keys.ts';

/** What the screen asks for each time it is drawn. */
export interface Shown {
  /** The one that is talked to; undefined until there is one. */
  session(): Session | undefined;
  /** True for the name of a quick command of the user's. */
  isOwn(word: string): boolean;
  /** Lines above the input box. */
  above(room: Room): readonly string[];
  /** The line under it; empty = none. */
  statusBar(width: number): string;
}

export type ChatHandlers = Omit<ScreenHandlers, 'onPaste'> & {
  /** Nothing more can be typed. */
  onEnd(): void;
};

/** A plain one is for screen readers, and for terminals that can do nothing. */
export function openScreen(options: ChatOptions, shown: Shown, handlers: ChatHandlers): ChatScreen {
  const { about, looks, pastes, program, settings, view } = options;
  const prompt = (): string => looks.prompt(about.profile);
  if (view.plain) {
    const { stdin, stdout } = process;
    return new PlainScreen({ ...handlers, stdin, stdout, prompt });
  }
  return new Screen(
    {
      ...view,
      colors: looks.palette,
      prompt,
      pasteLineBreaks: pastes.guessedFrom,
      thinking: (ms) => looks.thinking(ms),
      completion: chatCompletion({
        program,
        about,
        settings,
        session: () => shown.session(),
        isOwn: (word) => shown.isOwn(word),
      }),
      history: options.history.entries,
      ...(view.askBackground ? { onBackground: (color) => looks.setLight(isLightColor(color)) } : {}),
      above: (room) => shown.above(room),
      statusBar: (width) => shown.statusBar(width),
      enterHint: () => enterHint(settings.display.busyMode),
    },
    { ...handlers, onPaste: (text, guessed) => pastes.collapse(text, guessed) },
  );
}
