/** What a session is stored as, and what it comes of. */
import { statSync } from 'node:fs';
import type { JsonObject } from '../lib/json.ts';
import { effortOverride } from '../llm/reasoning-effort.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { NewSession, SessionRow, Workspace } from '../sessions/sessions.ts';
import { OpenSession } from './open-session-view.ts';
import type { Session } from './session.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionSpec } from './session-spec.ts';

/** Its row. */
export function newSession(id: string, parts: SessionParts, spec: SessionSpec, workspace?: Workspace): NewSession {
  const user = spec.userId === undefined ? {} : { userId: spec.userId };
  const parent = spec.parent === undefined ? {} : { parentSessionId: spec.parent.id };
  return {
    id,
    source: sourceOf(parts, spec),
    model: parts.route.model,
    modelConfig: modelConfig(parts, spec),
    ...(workspace === undefined ? {} : { workspace }),
    ...user,
    ...parent,
    ...(spec.stored?.chat === undefined ? {} : { chat: spec.stored.chat }),
  };
}

/** In the words of the original, so that both programs read it. */
function modelConfig({ config, route }: SessionParts, spec: SessionSpec): JsonObject {
  const { max_turns: maxTurns, reasoning_effort: general, reasoning_overrides: overrides } = config.config.agent;
  const effort = effortOverride(overrides, route.model) ?? general;
  return {
    max_iterations: spec.maxSteps ?? maxTurns,
    reasoning_config: effort === '' ? null : { enabled: effort !== 'none', effort },
    max_tokens: route.maxTokens ?? null,
    ...(spec.parent === undefined ? {} : { _delegate_from: spec.parent.id }),
  };
}

/** Where a session works: where it was asked to, where it left off, or where the program is. */
export function folderOf(
  programCwd: string,
  { cwd, mode: { keepCwd = false } = {}, resume }: Pick<SessionSpec, 'cwd' | 'mode' | 'resume'>,
): Folder {
  const stored = resume?.cwd ?? null;
  if (cwd !== undefined || keepCwd || stored === null || stored === programCwd) return { cwd: cwd ?? programCwd };
  if (statSync(stored, { throwIfNoEntry: false })?.isDirectory() === true) return { cwd: stored };
  return { cwd: programCwd, warning: `⚠ The folder of this session is not there any more: ${stored}` };
}

interface Folder {
  readonly cwd: string;
  readonly warning?: string;
}

/** The session that it works for. */
export function parentOf({ parent }: SessionSpec): OpenSession | undefined {
  return parent === undefined ? undefined : fromProgram(parent);
}

/** A session as this room knows it. */
export function fromProgram(session: Session): OpenSession {
  if (session instanceof OpenSession) return session;
  throw new Error('the parent of a session must be a session of the same program');
}

/** The tag under which it is stored. */
export function sourceOf({ surface }: Pick<SessionParts, 'surface'>, { resume, source }: SessionSpec): string {
  return resume?.source ?? source ?? surface;
}

/** A session that came of a compaction goes on with the conversation of the first of its lineage. */
export async function conversationStart(store: SessionStore | undefined, session: SessionRow): Promise<Date> {
  const [first] = (await store?.sessions.lineage(session.id)) ?? [];
  const row = first === undefined ? undefined : await store?.sessions.get(first);
  return new Date((row ?? session).started_at * 1000);
}
