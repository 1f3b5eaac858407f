/** A typed message as it goes to the agent: a skill it names, or what it refers to (`@file:`, `@diff` …). */
import type { TurnInput } from '../../agent/agent.ts';
import { skillLine } from '../../commands/skill-line.ts';
import { mergeSources, type Source } from '../../llm/source.ts';
import { type Content, textOf } from '../../llm/message.ts';
import type { Session } from '../../runtime/session.ts';
import type { Prepared } from '../../worker/session-worker.ts';

const fromSkill: Source = { from: 'skill' };
const fromAgent: Source = { from: 'agent' };

/** Rejects only when `signal` aborts. */
export async function expandTyped(session: Session, input: TurnInput, signal: AbortSignal): Promise<Prepared> {
  const typed = textOf(input.content);
  const { text, isSkill, sources, warnings } = await expandLine(session, input.sent ?? typed, signal);
  if (text === undefined) return { input: undefined, warnings };
  const preloaded = session.prompt.takePreloaded();
  const whole = preloaded === undefined ? text : `${preloaded.text}\n\n${text}`;
  const known = mergeSources(input.sources ?? [], sources, preloaded === undefined ? [] : [sourceOf(preloaded)]);
  // What a command or a loaded skill stands for is the model's to read; the person goes on seeing what was typed.
  const shown = input.sent !== undefined || isSkill ? typed : text;
  if (typeof input.content === 'string' && shown !== whole) {
    return { input: { ...input, content: shown, sent: whole, sources: known }, warnings };
  }
  return { input: { ...input, content: withText(input.content, whole), sources: known }, warnings };
}

/** The same pictures behind another text. */
function withText(content: Content, text: string): Content {
  if (typeof content === 'string') return text;
  return [{ type: 'text', text }, ...content.filter((part) => part.type !== 'text')];
}

function sourceOf({ isOwnWords }: { readonly isOwnWords: boolean }): Source {
  return isOwnWords ? fromAgent : fromSkill;
}

interface Expanded {
  readonly text: string | undefined;
  readonly isSkill: boolean;
  readonly sources: readonly Source[];
  readonly warnings: readonly string[];
}

async function expandLine(session: Session, line: string, signal: AbortSignal): Promise<Expanded> {
  const skill = await skillLine(session, line, signal);
  if (skill !== undefined) {
    if ('error' in skill) return { text: undefined, isSkill: true, sources: [], warnings: [skill.error] };
    return { text: skill.message, isSkill: true, sources: [{ from: 'user' }, sourceOf(skill)], warnings: [] };
  }
  const { text, sources, warnings, blocked } = await session.prompt.expand(line, signal);
  return { text: blocked ? undefined : text, isSkill: false, sources, warnings };
}
