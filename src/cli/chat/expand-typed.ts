/** A typed message as it goes to the agent: a skill it names, or what it refers to (`@file:`, `@diff` …). */
import { skillLine } from '../../commands/skill-line.ts';
import type { Content } from '../../llm/message.ts';
import type { Session } from '../../runtime/runtime.ts';

export interface Typed {
  /** Undefined when the message must not be sent as it is; a warning says why. */
  readonly content: Content | undefined;
  readonly warnings: readonly string[];
}

/** Rejects only when `signal` aborts. */
export async function expandTyped(session: Session, text: string, signal: AbortSignal): Promise<Typed> {
  const typed = await expandLine(session, text, signal);
  if (typed.content === undefined) return typed;
  const preloaded = session.takePreloaded();
  if (preloaded === '') return typed;
  const { content } = typed;
  const joined =
    typeof content === 'string'
      ? `${preloaded}\n\n${content}`
      : [{ type: 'text' as const, text: `${preloaded}\n\n` }, ...content];
  return { content: joined, warnings: typed.warnings };
}

async function expandLine(session: Session, text: string, signal: AbortSignal): Promise<Typed> {
  const skill = await skillLine(session, text, signal);
  if (skill !== undefined) {
    return 'error' in skill
      ? { content: undefined, warnings: [skill.error] }
      : { content: skill.message, warnings: [] };
  }
  const { text: expanded, warnings, blocked, foreign } = await session.expand(text, signal);
  if (blocked) return { content: undefined, warnings };
  // What a page says is not what the user said: writes that follow are looked at twice.
  return { content: foreign ? [{ type: 'text', text: expanded, origin: 'page' }] : expanded, warnings };
}
