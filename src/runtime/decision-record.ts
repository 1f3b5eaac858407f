/** Writes every decision of a session's policy into the audit log, and what became of the calls that it let run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApprovalChoice, choiceOf } from '../agent/human.ts';
import type { CallEnd, GoesOn, PolicyCall, PolicyDecision } from '../agent/policy.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DecisionEntry, EndedEntry } from '../audit/entry.ts';
import { auditLimits } from '../config/open-log.ts';
import { errorMessage } from '../lib/errors.ts';
import { isStrange, type Source } from '../llm/source.ts';
import type { Finding, Judgement } from '../safety/finding.ts';
import type { ToolServices } from '../tools/services.ts';
import { DecisionWords } from './decision-words.ts';
import type { SessionParts } from './session-parts.ts';

export interface DecisionRecordOptions {
  readonly parts: Pick<SessionParts, 'home' | 'env' | 'config' | 'surface' | 'log'>;
  readonly services: Pick<ToolServices, 'environment' | 'paths' | 'redact'>;
  /** Where everything that the conversation holds came from. */
  readonly sources: () => readonly Source[];
  /** The owner's setting by which what there is against a call does not count, if there is one. */
  readonly lettingSetting: (call: PolicyCall) => string | undefined;
  /** Told one line when decisions cannot be written down. */
  readonly warn: (line: string) => void;
}

/** What cannot be ended (it belongs to another user) must not keep a session from closing. */
const settleMs = 1000;

/** How a decision came about: what an entry says besides the call itself. */
type Outcome = Pick<DecisionEntry, 'decision' | 'answer' | 'reason' | 'by' | 'setting'>;

/** What is known of a call between its decision and its end. */
interface Known {
  judgement: Judgement | undefined;
  readonly sources: readonly Source[];
  /** Undefined as long as nothing is decided. */
  outcome?: Outcome;
  seq?: number;
}

/** Nothing is opened before the first decision. What goes wrong with the log never keeps a call from its decision. */
export class DecisionRecord {
  readonly #options: DecisionRecordOptions;
  readonly #words: DecisionWords;
  readonly #known = new WeakMap<PolicyCall, Known>();
  /** Ends of what goes on after its call. */
  readonly #later = new Set<Promise<void>>();
  #log: Promise<AuditLog> | undefined;

  constructor(options: DecisionRecordOptions) {
    this.#options = options;
    this.#words = new DecisionWords(options);
  }

  /** Lets `decide` decide, and returns when that is written down. Rejects only when `decide` does. */
  async decide(call: PolicyCall, decide: (call: PolicyCall) => Promise<PolicyDecision>): Promise<PolicyDecision> {
    const known: Known = { judgement: undefined, sources: this.#options.sources() };
    this.#known.set(call, known);
    const watched = { ...call, judge: async () => (known.judgement = await call.judge()) };
    const decision = await this.#orRefused(call, known, {}, () => decide(watched));
    if (decision.kind === 'ask') return this.#watched(call, known, decision);
    await this.#write(call, known, this.#outcomeOf(call, known, decision));
    return decision;
  }

  /** Every question of a call gets an entry with its answer: one that does not hold any more is followed by another. */
  #watched(call: PolicyCall, known: Known, decision: Extract<PolicyDecision, { kind: 'ask' }>): PolicyDecision {
    return {
      ...decision,
      settle: async (given) => {
        const choice = choiceOf(given);
        const answer = { answer: choice };
        const settled = await this.#orRefused(call, known, answer, () => decision.settle(given));
        await this.#write(call, known, settledOutcome(settled, choice));
        return settled.kind === 'ask' ? this.#watched(call, known, settled) : settled;
      },
    };
  }

  async ended(call: PolicyCall, end: CallEnd): Promise<void> {
    const known = this.#known.get(call);
    if (known === undefined) return;
    if (known.outcome === undefined) {
      const reason = 'no decision was reached';
      return await this.#write(call, known, { decision: 'refused', reason, by: 'nobody' });
    }
    if (known.outcome.decision === 'refused' || end.outcome === 'refused') return;
    if (!isWorthAnEntry(known, end)) return;
    await this.#writeEnd(call, known, this.#words.ofEnd(call, end));
    if (end.goesOn !== undefined) this.#watchEnd(call, known, end.goesOn);
  }

  /** Waits until the ends of all that has ended by now are written down, for a moment at most. */
  async settled(): Promise<void> {
    if (this.#later.size === 0) return;
    const over = new AbortController();
    const tooLate = sleep(settleMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all(this.#later), tooLate]);
    over.abort();
  }

  #watchEnd(call: PolicyCall, known: Known, { id, ended }: GoesOn): void {
    const later = ended.then(async ({ exitCode, endedBy }) => {
      const outcome = endedBy === undefined ? 'exited' : 'killed';
      const by = endedBy === undefined ? {} : { endedBy };
      await this.#writeEnd(call, known, { outcome, process: id, exit: exitCode, ...by });
      this.#later.delete(later);
    });
    this.#later.add(later);
  }

  async #writeEnd(
    { sessionId, tool }: PolicyCall,
    { seq }: Known,
    end: Omit<EndedEntry, 'kind' | 'session' | 'tool' | 'decision'>,
  ): Promise<void> {
    const of = seq === undefined ? {} : { decision: seq };
    await this.#keep(async (log) => void (await log.write({ kind: 'ended', session: sessionId, tool, ...of, ...end })));
  }

  /** What throws refuses the call; that is written down as well. */
  async #orRefused(
    call: PolicyCall,
    known: Known,
    more: Pick<Outcome, 'answer'>,
    work: () => Promise<PolicyDecision>,
  ): Promise<PolicyDecision> {
    try {
      return await work();
    } catch (error) {
      const reason = `the call could not be judged (${errorMessage(error)})`;
      await this.#write(call, known, { ...more, decision: 'refused', reason, by: 'rules' });
      throw error;
    }
  }

  #outcomeOf(
    call: PolicyCall,
    { judgement, sources }: Known,
    decision: Exclude<PolicyDecision, { kind: 'ask' }>,
  ): Outcome {
    if (decision.kind === 'refuse') {
      const by = decision.nobodyToAsk === true ? 'nobody' : (judgement?.refused?.by ?? 'rules');
      return { decision: 'refused', reason: decision.reason, by };
    }
    if (decision.staged) return { decision: 'staged', by: 'nobody' };
    if (decision.approvedBy !== undefined) {
      return { decision: 'allowed', by: decision.approvedBy, setting: 'approvals.mode: smart' };
    }
    const against = judgement?.findings ?? [];
    const isSkippable = (finding: Finding): boolean => !isStrict(finding, sources);
    const setting = against.some(isSkippable) ? this.#options.lettingSetting(call) : undefined;
    if (setting !== undefined) return { decision: 'allowed', by: 'owner', setting };
    const allowedBy = judgement?.allowedBy;
    if (allowedBy !== undefined && (decision.rights !== undefined || against.some(isSkippable))) {
      return {
        decision: 'allowed',
        by: 'owner',
        setting: allowedBy.length > 0 ? 'approvals.allow' : 'command_allowlist',
      };
    }
    // What counts and was not asked about has been answered before, in this session or for good.
    return against.some(countsAlways)
      ? { decision: 'allowed', answer: 'earlier', by: 'person' }
      : { decision: 'allowed', by: 'rules' };
  }

  /** Asks and refusals are on the disk before anything goes on. */
  async #write(call: PolicyCall, known: Known, outcome: Outcome): Promise<void> {
    known.outcome = outcome;
    await this.#keep(async (log) => {
      const { judgement, sources } = known;
      const said = await this.#words.ofCall(call, judgement);
      const entry: DecisionEntry = {
        kind: 'decision',
        session: call.sessionId,
        surface: this.#options.parts.surface,
        tool: call.tool,
        ...said,
        findings: (judgement?.findings ?? []).map(({ key }) => this.#words.text(key)),
        sources: sources.map(({ from, name }) =>
          name === undefined ? { from } : { from, name: this.#words.text(name) },
        ),
        ...outcome,
        ...(outcome.reason === undefined ? {} : { reason: this.#words.text(outcome.reason) }),
      };
      const seq = await log.write(entry, { durable: outcome.decision !== 'allowed' });
      if (seq !== undefined) known.seq = seq;
    });
  }

  async #keep(work: (log: AuditLog) => Promise<void>): Promise<void> {
    try {
      this.#log ??= this.#open();
      await work(await this.#log);
    } catch (error) {
      this.#tellProblem(error);
    }
  }

  async #open(): Promise<AuditLog> {
    const { home, config } = this.#options.parts;
    const { AuditLog: Log } = await import('../audit/audit-log.ts');
    return new Log({
      homePath: home.path,
      limits: auditLimits(config.config),
      onProblem: (error) => this.#tellProblem(error),
    });
  }

  #tellProblem(error: unknown): void {
    this.#options.parts.log.named('audit').error('a decision could not be written down', error);
    this.#options.warn(`Decisions cannot be written to the audit log: ${errorMessage(error)}`);
  }
}

function settledOutcome(settled: PolicyDecision, choice: ApprovalChoice): Outcome {
  const by = choice === 'timeout' ? 'nobody' : 'person';
  if (settled.kind === 'ask') {
    return { decision: 'asked', answer: choice, reason: 'what would run changed meanwhile, asked again', by };
  }
  return settled.kind === 'refuse'
    ? { decision: 'asked', answer: choice, reason: settled.reason, by }
    : { decision: 'asked', answer: choice, by };
}

/** No setting lets it pass. */
function isStrict({ evenWithoutApprovals, strictAfter }: Finding, sources: readonly Source[]): boolean {
  return (
    evenWithoutApprovals || (strictAfter !== undefined && sources.some((source) => isStrange(source, strictAfter)))
  );
}

function countsAlways({ onlyAfter }: Finding): boolean {
  return onlyAfter === undefined;
}

/** A look at a file that was found harmless has nothing to tell but its decision. */
function isWorthAnEntry({ judgement, outcome }: Known, end: CallEnd): boolean {
  const { exitCode, changedFiles = [], ran } = end;
  if (outcome?.decision !== 'allowed' || end.outcome !== 'ok' || judgement?.shown !== '') return true;
  return ran !== undefined || exitCode !== undefined || changedFiles.length > 0;
}
