/** Ctrl+R: looks for something that was typed before. */
import type { InputHistory } from './input-history.ts';
import type { ChatScreen } from './chat-screen.ts';
import type { TerminalHuman } from './terminal-human.ts';

/** What is chosen takes the place of the draft, which goes to the history. */
export async function searchHistory(screen: ChatScreen, human: TerminalHuman, history: InputHistory): Promise<void> {
  const entries = [...new Set([...history.entries].reverse())];
  if (entries.length === 0) return screen.hint('nothing was typed before', 2000);
  const rows = entries.map((entry, at) => ({ value: String(at), label: entry }));
  const picked = await human.pick({ title: 'What you typed before', rows });
  const chosen = picked === undefined ? undefined : entries[Number(picked.value)];
  if (chosen === undefined) return;
  const draft = screen.inputText.trim();
  if (draft !== '') {
    history.add(draft);
    screen.remember(draft);
  }
  screen.clearInput();
  screen.offerInput(chosen);
}
