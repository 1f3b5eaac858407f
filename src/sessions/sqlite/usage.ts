/** The table `model_calls` and the counters of `sessions`, in transactions. */
import type { CallTotals, SpentScope, UsageDelta, UsageLog, UsageReport } from '../usage-log.ts';
import { READING, SAVING } from './attempts.ts';
import type { Connection } from './connection.ts';
import { insertCall, spentIn } from './model-calls.ts';
import { addModelUsage } from './model-usage.ts';
import { addUsage } from './session-row.ts';
import { usageReport } from './usage-report.ts';

export class SqliteUsage implements UsageLog {
  readonly #db: Connection;
  readonly #now: () => number;

  /** `now` in Unix seconds. */
  constructor(db: Connection, now: () => number) {
    this.#db = db;
    this.#now = now;
  }

  add(sessionId: string | undefined, delta: UsageDelta): Promise<void> {
    return this.#db.write(SAVING, () => {
      if (sessionId !== undefined && delta.task === undefined) addUsage(this.#db, sessionId, delta);
      if (sessionId !== undefined) addModelUsage(this.#db, sessionId, delta, this.#now());
      insertCall(this.#db, sessionId, delta, this.#now());
    });
  }

  spent(scope: SpentScope): Promise<CallTotals> {
    return this.#db.read(READING, () => spentIn(this.#db, scope));
  }

  report(options: { since: number; source?: string }): Promise<UsageReport> {
    return this.#db.read(READING, () => usageReport(this.#db, options));
  }
}
