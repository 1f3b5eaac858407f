/** One line for a stored session in a list. */
import type { SessionSummary } from '../../sessions/sessions.ts';

/** Title or first words, how long ago it was used, and the id. */
export function sessionLine(session: SessionSummary, now: number): string {
  const name = session.title ?? (session.preview === '' ? '(empty)' : session.preview);
  return `${name}  ·  ${ago(now / 1000 - session.last_active)}  ·  ${session.id}`;
}

/** How long ago it was used, and its first words when it has a title of its own. */
export function sessionDetail({ title, preview, last_active: lastActive }: SessionSummary, now: number): string {
  const age = ago(now / 1000 - lastActive);
  return title === null || preview === '' ? age : `${age} · ${preview}`;
}

/** How long ago something was, such as `5m ago`. */
export function ago(seconds: number): string {
  if (seconds < 90) return 'just now';
  if (seconds < 5400) return `${Math.round(seconds / 60)}m ago`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)}h ago`;
  return `${Math.round(seconds / 86_400)}d ago`;
}
