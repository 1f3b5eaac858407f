/** What was approved so far: for one session in memory, for good in the configuration's allowlist. */
import type { ApprovalChoice } from '../../agent/human.ts';
import { isAllowlisted } from '../../safety/commands/allowlist.ts';
import type { Finding } from '../../safety/finding.ts';

export interface ApprovalsOptions {
  /** `command_allowlist` as it was loaded. */
  readonly allowlist: readonly string[];
  /** Stores keys for good; gets every key approved for good since the start, not only the newest. */
  persist(keys: readonly string[]): Promise<void>;
}

/** The oldest session is forgotten first; its next command asks again. */
const maxSessions = 500;

export class Approvals {
  readonly #options: ApprovalsOptions;
  readonly #sessions = new Map<string, Set<string>>();
  readonly #always = new Set<string>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  covers(sessionId: string, finding: Finding): boolean {
    if (finding.evenWithoutApprovals) {
      return finding.mayHoldForSession === true && this.#sessions.get(sessionId)?.has(finding.key) === true;
    }
    if (this.#sessions.get(sessionId)?.has(finding.key) === true || this.#always.has(finding.key)) return true;
    return isAllowlisted(finding, this.#options.allowlist);
  }

  /** Keeps the answer as far as the choice and the findings allow. Rejects when it cannot be stored for good. */
  async remember(sessionId: string, findings: readonly Finding[], choice: ApprovalChoice): Promise<void> {
    if (choice !== 'session' && choice !== 'always') return;
    const lasting = findings.filter((finding) => !finding.evenWithoutApprovals);
    const keys = this.#keysOf(sessionId);
    for (const finding of findings) {
      if (!finding.evenWithoutApprovals || finding.mayHoldForSession === true) keys.add(finding.key);
    }
    // One finding that must not be kept for good makes the whole answer one for the session.
    if (choice === 'session' || findings.some((finding) => !finding.mayRemember)) return;
    for (const finding of lasting) this.#always.add(finding.key);
    await this.#options.persist([...this.#always]);
  }

  #keysOf(sessionId: string): Set<string> {
    const keys = this.#sessions.get(sessionId) ?? new Set<string>();
    this.#sessions.delete(sessionId);
    this.#sessions.set(sessionId, keys);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
    return keys;
  }
}
