/** What the keys of the input box do beside writing. */
import type { KeyId } from '@earendil-works/pi-tui';
import type { HistoryMessage } from '../../llm/message.ts';
import type { Colors } from '../render/colors.ts';
import type { AttachedPictures } from './attached-pictures.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatScreen } from './chat-screen.ts';
import type { Drafts } from './drafts.ts';
import { searchHistory } from './history-search.ts';
import type { TerminalHuman } from './terminal-human.ts';
import { searchTranscript } from './transcript-search.ts';

/** The screen is made with its keys, so all else is there only once one is pressed. */
export interface BoxKeyParts {
  readonly screen: ChatScreen;
  readonly human: TerminalHuman;
  readonly drafts: Drafts;
  readonly pictures: AttachedPictures;
  readonly colors: Colors;
  readonly history: ChatOptions['history'];
  /** Of the conversation that is talked to. */
  readonly messages: readonly HistoryMessage[];
}

/** `inOrder` runs what has to wait for the lines that were typed before. */
export function boxKeys(
  parts: () => BoxKeyParts,
  inOrder: (work: () => Promise<void>) => Promise<void>,
): Map<KeyId, () => void> {
  const waiting = (work: (parts: BoxKeyParts) => Promise<void>) => () => void inOrder(() => work(parts()));
  const edit = waiting(({ drafts }) => drafts.edit());
  const pastePicture = waiting(async ({ pictures, screen }) => {
    if (!(await pictures.paste())) screen.hint('there is no picture in the clipboard', 2000);
  });
  const search = (): void => {
    const { screen, human, history } = parts();
    void searchHistory(screen, human, history);
  };
  return new Map<KeyId, () => void>([
    ['ctrl+r', search],
    ['ctrl+t', waiting(({ screen, human, colors, messages }) => searchTranscript(screen, human, colors, messages))],
    ['alt+v', pastePicture],
    ['ctrl+v', pastePicture],
    ['ctrl+s', () => parts().drafts.stash()],
    ['ctrl+g', edit],
    ['alt+g', edit],
    ['alt+q', () => parts().drafts.send('queue')],
    ['alt+s', () => parts().drafts.send('steer')],
    ['alt+up', waiting(({ drafts }) => drafts.takeBack())],
  ]);
}
