/** Recognizes an answer that only says what the model is about to do, and when it is told to go on. */
import type { HistoryMessage } from '../llm/message.ts';
import { textOf } from '../llm/message.ts';
import type { ModelRoute } from '../llm/protocol.ts';

/** `agent.intent_ack_continuation`: auto (words of Codex about a workspace), all, none, or parts of model names. */
export type AnnouncementSetting = 'auto' | boolean | readonly string[];

/** How often in a turn a model is told to do what it announced. */
export const maxAnnouncements = 2;

/** Longer texts say more than what comes next. */
const maxChars = 1200;
const intent = /\b(?:i['’]ll|i will|i can (?:do that|help with that)|let me(?! know))\b/i;
const work =
  /\b(?:look (?:at|into)|inspect|scan|check|analy[sz]|review|explor|read|open|run|test|fix|debug|search|find|walk ?through|report back|summari[sz]e)/i;
const workspace =
  /\b(?:director(?:y|ies)|cwd|repo(?:sitory)?|codebase|project|folder|file ?system|file tree|files?|path)\b/i;

/** `history`: with what the person asked, without the answer `text`. What was done before this turn does not count. */
export function isAnnouncement(
  text: string,
  history: readonly HistoryMessage[],
  route: Pick<ModelRoute, 'model' | 'apiMode'>,
  setting: AnnouncementSetting,
): boolean {
  const everywhere = setting === true || (Array.isArray(setting) && isNamed(route.model, setting));
  const isCodex = setting === 'auto' && route.apiMode === 'codex_responses';
  if (!everywhere && !isCodex) return false;
  const said = text.trim();
  // A question is for the person to answer.
  if (said.length > maxChars || said.endsWith('?') || !intent.test(said) || !work.test(said)) return false;
  const asked = history.findLastIndex(({ role, kind }) => role === 'user' && kind !== 'note');
  if (history.slice(asked + 1).some(({ role }) => role === 'tool')) return false;
  if (everywhere) return true;
  const question = textOf(history[asked]?.content ?? '');
  return workspace.test(said) || workspace.test(question) || question.includes('/');
}

function isNamed(model: string, parts: readonly string[]): boolean {
  const name = model.toLowerCase();
  return parts.some((part) => part.trim() !== '' && name.includes(part.trim().toLowerCase()));
}

export const goOnNote =
  '[System: You said what you are about to do, and did not do it. Do it now with your tools, and answer when it is done.]';
