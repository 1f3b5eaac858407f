/** Ctrl+T: all that was said and done in this conversation, searched by typing. */
import { visibleText } from '../../agent/visible-text.ts';
import { type HistoryMessage, kindOf, textOf } from '../../llm/message.ts';
import type { Colors } from '../render/colors.ts';
import { terminalText } from '../render/terminal-text.ts';
import { resultLines } from '../render/tool-output.ts';
import type { ChatScreen } from './chat-screen.ts';
import type { TerminalHuman } from './terminal-human.ts';

/** Of each message, so much is searched. */
const maxSearched = 4000;
const maxShownLines = 2000;

/** What is chosen is shown once more, whole. */
export async function searchTranscript(
  screen: ChatScreen,
  human: TerminalHuman,
  colors: Colors,
  history: readonly HistoryMessage[],
): Promise<void> {
  const entries = history.flatMap((message) => entryOf(message) ?? []).reverse();
  if (entries.length === 0) return screen.hint('nothing was said yet', 2000);
  const rows = entries.map(({ who, text }, at) => ({
    value: String(at),
    label: `${who}: ${text.slice(0, maxSearched)}`,
  }));
  const picked = await human.pick({ title: 'What was said and done, the newest first', rows });
  const chosen = picked === undefined ? undefined : entries[Number(picked.value)];
  if (chosen === undefined) return;
  screen.gap();
  screen.print(colors.bold(`${chosen.who}:`));
  if (chosen.isAnswer) screen.markdown({ text: terminalText(chosen.text), continued: false });
  else screen.print(terminalText(chosen.text).split('\n').slice(0, maxShownLines).join('\n'));
  screen.gap();
}

interface Entry {
  readonly who: string;
  readonly text: string;
  readonly isAnswer: boolean;
}

function entryOf(message: HistoryMessage): Entry | undefined {
  const kind = kindOf(message);
  if (message.role === 'tool') {
    const text = resultLines(textOf(message.content)).join('\n');
    return { who: message.tool_name ?? 'tool', text, isAnswer: false };
  }
  const isAnswer = kind === 'answer' || kind === 'interrupted';
  if (!isAnswer && kind !== 'said' && kind !== 'steer') return undefined;
  const text = (message.role === 'assistant' ? visibleText(message.content) : textOf(message.content)).trim();
  return text === '' ? undefined : { who: isAnswer ? 'Hermes' : 'You', text, isAnswer };
}
