/** What was approved so far: for one session in memory, for good in the configuration's allowlist. */
import { isAllowlisted } from '../../safety/commands/allowlist.ts';
import type { Finding } from '../../safety/finding.ts';
import type { ApprovalChoice } from '../../agent/human.ts';

export interface Approvals {
  covers(sessionId: string, finding: Finding): boolean;
  /** Keeps the answer as far as the choice and the findings allow. Rejects when it cannot be stored for good. */
  remember(sessionId: string, findings: readonly Finding[], choice: ApprovalChoice): Promise<void>;
}

export interface ApprovalsOptions {
  /** `command_allowlist` as it was loaded. */
  readonly allowlist: readonly string[];
  /** Stores keys for good; gets every key approved for good since the start, not only the newest. */
  persist(keys: readonly string[]): Promise<void>;
}

/** The oldest session is forgotten first; its next command asks again. */
const mostSessions = 500;

export function createApprovals(options: ApprovalsOptions): Approvals {
  const sessions = new Map<string, Set<string>>();
  const always = new Set<string>();

  function keysOf(sessionId: string): Set<string> {
    const keys = sessions.get(sessionId) ?? new Set<string>();
    sessions.delete(sessionId);
    sessions.set(sessionId, keys);
    const [oldest] = sessions.keys();
    if (sessions.size > mostSessions && oldest !== undefined) sessions.delete(oldest);
    return keys;
  }

  return {
    covers(sessionId, finding) {
      if (finding.evenWithoutApprovals) return false;
      if (sessions.get(sessionId)?.has(finding.key) === true || always.has(finding.key)) return true;
      return isAllowlisted(finding, options.allowlist);
    },
    async remember(sessionId, findings, choice) {
      const lasting = findings.filter((finding) => !finding.evenWithoutApprovals);
      if (choice !== 'session' && choice !== 'always') return;
      const keys = keysOf(sessionId);
      for (const finding of lasting) keys.add(finding.key);
      // One finding that must not be kept for good makes the whole answer one for the session.
      if (choice === 'session' || findings.some((finding) => !finding.mayRemember)) return;
      for (const finding of lasting) always.add(finding.key);
      await options.persist([...always]);
    },
  };
}
