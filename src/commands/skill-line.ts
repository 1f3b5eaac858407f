/** `/skill-name what to do`: the message that a skill or a bundle puts into the conversation. */
import type { Session } from '../runtime/session.ts';
import type { CommandAnswer } from '../skills/skill-commands.ts';

/** What can be typed behind a slash to load a skill or a bundle of the session; nothing is loaded for it. */
export async function skillNames({ knowledge: { skills } }: Session): Promise<readonly string[]> {
  return ((await skills?.commands()) ?? []).map(({ name }) => name);
}

/** Undefined for a line that names no skill of the session. */
export async function skillLine(
  session: Session,
  line: string,
  signal: AbortSignal,
): Promise<CommandAnswer | undefined> {
  const { skills } = session.knowledge;
  const [, name, text = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  if (name === undefined || skills === undefined) return undefined;
  return await skills.command(name, text.trim(), { signal, sessionId: session.id });
}
