/** What a person's own words stand for: a skill that they name, files and pages that they refer to with `@`. */
import { skillLine } from '../../commands/skill-line.ts';
import { UserError } from '../../lib/errors.ts';
import type { Source } from '../../llm/source.ts';
import type { Session } from '../../runtime/session.ts';
import type { MessageEvent } from '../platform/message-event.ts';

export interface Meant {
  /** For the model. */
  readonly text: string;
  readonly sources: readonly Source[];
  /** For the person. */
  readonly warnings: readonly string[];
}

/** What may read for the person on request may do so when they refer to something. */
const reader = 'read_file';

/** Undefined where the words stand for themselves. Throws `UserError` for a skill that cannot be used. */
export async function meantBy(event: MessageEvent, session: Session, signal: AbortSignal): Promise<Meant | undefined> {
  const { text } = event;
  // Words of others stand for nothing: nobody reads files by having somebody forward a message.
  if (event.internal === true || event.forwarded_from !== undefined) return undefined;
  // In groups the name of the bot may stand behind that of the skill.
  const line = text.replace(/^(\/[^\s@/]+)@\S+/, '$1');
  const skill = text.startsWith('/') ? await skillLine(session, line, signal) : undefined;
  if (skill !== undefined) {
    if ('error' in skill) throw new UserError(skill.error);
    return { text: skill.message, sources: [{ from: 'skill' }], warnings: [] };
  }
  if (!text.includes('@') || !session.tools.some(({ name }) => name === reader)) return undefined;
  const { blocked: _unchanged, ...expanded } = await session.prompt.expand(text, signal);
  return expanded.text === text && expanded.warnings.length === 0 ? undefined : expanded;
}
