/** What was approved so far: for one session in memory, for good in the configuration's lists. */
import type { ApprovalChoice } from '../../agent/human.ts';
import { type AllowEntry, withFiles } from '../../safety/allow-entry.ts';
import { isAllowlisted } from '../../safety/commands/allowlist.ts';
import type { AllowScopes, Finding } from '../../safety/finding.ts';
import type { RunFile } from '../../safety/run-file.ts';
import type { AllowedCommands } from './allowed-commands.ts';

export interface ApprovalsOptions {
  /** `command_allowlist` as it was loaded. */
  readonly allowlist: readonly string[];
  /** Shared with the tools, which judge by it. */
  readonly allowed: AllowedCommands;
  /** Both lists as they stand now: what was taken back there counts no more. Default: as they were loaded. */
  stored?(): Promise<StoredApprovals>;
  /** Stores kinds for good; gets every key approved for good since the start, not only the newest. */
  persist(keys: readonly string[]): Promise<void>;
  /** Stores one more line of `approvals.allow`, in the place of one that differs in its files alone. */
  persistAllowed(entry: AllowEntry): Promise<void>;
}

export interface StoredApprovals {
  /** `command_allowlist` */
  readonly kinds: readonly string[];
  /** `approvals.allow` */
  readonly commands: readonly AllowEntry[];
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

  async covers(sessionId: string, finding: Finding): Promise<boolean> {
    if (finding.evenWithoutApprovals) {
      return finding.mayHoldForSession === true && this.#sessions.get(sessionId)?.has(finding.key) === true;
    }
    if (this.#sessions.get(sessionId)?.has(finding.key) === true) return true;
    if (!this.#always.has(finding.key) && !isAllowlisted(finding, this.#options.allowlist)) return false;
    const stored = await this.#options.stored?.();
    if (stored === undefined || isAllowlisted(finding, stored.kinds)) return true;
    this.#always.delete(finding.key);
    return false;
  }

  /** True when each of these lines of `approvals.allow` is still there. */
  async stand(entries: readonly AllowEntry[]): Promise<boolean> {
    const { allowed } = this.#options;
    const now = await this.#options.stored?.();
    if (now !== undefined) allowed.replace(now.commands);
    return entries.every((entry) => allowed.includes(entry));
  }

  /** Keeps the answer as far as the choice and the findings allow. Rejects when it cannot be stored for good. */
  async remember(
    sessionId: string,
    findings: readonly Finding[],
    choice: ApprovalChoice,
    { scopes, runs }: { readonly scopes: AllowScopes | undefined; readonly runs: readonly RunFile[] },
  ): Promise<void> {
    if (choice === 'always command' || choice === 'always program') {
      const entry = choice === 'always program' ? scopes?.program : scopes?.command;
      if (entry !== undefined) await this.#keepCommand(withFiles(entry, runs));
      return;
    }
    if (choice !== 'session' && choice !== 'always') return;
    const lasting = findings.filter((finding) => !finding.evenWithoutApprovals);
    // One finding that must not be kept for good makes the whole answer one for the session.
    if (choice === 'session' || findings.some((finding) => !finding.mayRemember)) {
      return this.#keepForSession(sessionId, findings);
    }
    for (const finding of lasting) this.#always.add(finding.key);
    try {
      await this.#options.persist([...this.#always]);
    } catch (error) {
      this.#keepForSession(sessionId, findings);
      throw error;
    }
  }

  async #keepCommand(entry: AllowEntry): Promise<void> {
    await this.#options.persistAllowed(entry);
    this.#options.allowed.add(entry);
  }

  #keepForSession(sessionId: string, findings: readonly Finding[]): void {
    const keys = this.#keysOf(sessionId);
    for (const finding of findings) {
      if (!finding.evenWithoutApprovals || finding.mayHoldForSession === true) keys.add(finding.key);
    }
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
