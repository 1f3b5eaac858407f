/** `/skill-name what to do`: the message that a skill or a bundle puts into the conversation. */
import type { Session } from '../runtime/runtime.ts';
import type { CommandAnswer } from '../skills/skill-commands.ts';

/** Undefined for a line that names no skill of the session. */
export async function skillLine(
  session: Session,
  line: string,
  signal: AbortSignal,
): Promise<CommandAnswer | undefined> {
  const match = /^\/(\S+)\s*([\s\S]*)$/.exec(line.trim());
  const [, name = '', text = ''] = match ?? [];
  if (name === '' || session.skills === undefined) return undefined;
  return await session.skills.command(name, text.trim(), { signal, sessionId: session.id });
}
