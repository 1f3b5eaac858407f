/** The one policy: which tool calls run, which need a person, and which never run. */
import { type ApprovalAnswer, type ApprovalChoice, type ApprovalScopes, choiceOf } from '../../agent/human.ts';
import type { Policy, PolicyCall, PolicyDecision, Rights } from '../../agent/policy.ts';
import type { SideModels } from '../../llm/side-task.ts';
import { describeStrange, isOutside, isStrange, type Source } from '../../llm/source.ts';
import { type AllowEntry, changedFor, isExactCommand } from '../../safety/allow-entry.ts';
import { changedSinceAllowed, type Finding, type Judgement, unclear } from '../../safety/finding.ts';
import { changedFiles, filesDigest, type RunFile } from '../../safety/run-file.ts';
import { Approvals, type ApprovalsOptions } from './approvals.ts';
import { deniedMessage, nobodyToAskMessage, smartDeniedMessage } from './messages.ts';
import type { SmartVerdict } from './smart-approval.ts';

export interface PolicyOptions extends ApprovalsOptions {
  /** `approvals.mode` */
  readonly mode: 'manual' | 'smart' | 'off';
  /** True while approvals are skipped. What is never run, and changes to the agent's own rules, are not affected. */
  yolo(): boolean;
  /** `approvals.headless`: what happens to calls that need approval when nobody can be asked. */
  readonly headless: 'deny' | 'approve';
  /** Where the text came from that the conversation holds. */
  entered(): readonly Source[];
  /** Who is asked before the person in `smart` mode; without it that is `manual`. */
  readonly side?: Pick<SideModels, 'ask'>;
}

/** Decides by what a tool finds about a call of itself; a tool that says nothing is asked about. */
export class ToolPolicy implements Policy {
  readonly #options: PolicyOptions;
  readonly #approvals: Approvals;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#approvals = new Approvals(options);
  }

  async decide(call: PolicyCall, signal: AbortSignal): Promise<PolicyDecision> {
    const judgement = (await call.judge()) ?? nothingKnown(call);
    if (judgement.refused !== undefined) return { kind: 'refuse', ...judgement.refused };
    const open = await this.#openCase(call, judgement);
    const { pending } = open;
    if (pending.length === 0) return allow(open, open.rights);
    if (!call.humanPresent && pending.every(({ mayWait }) => mayWait === true)) return { kind: 'allow', staged: true };
    const runs = open.runs ?? (await judgement.runs?.()) ?? [];
    const advice = await this.#advice(open, signal);
    if (advice === 'approve' && changedFiles(runs, (await judgement.runs?.()) ?? []).length === 0) {
      // It has seen no more than words: what is not known to be harmless stays contained.
      return { ...allow({ ...open, runs }, open.rights), approved: reasonsOf(pending), approvedBy: 'model' };
    }
    if (call.humanPresent) return this.#ask({ ...open, runs, smartDenied: advice === 'deny' });
    const reasons = reasonsOf(pending);
    const message = advice === 'deny' ? smartDeniedMessage(reasons) : nobodyToAskMessage(reasons);
    return { kind: 'refuse', reason: reasons.join('; '), message, nobodyToAsk: true };
  }

  /** `changed`: files that became others while the person was asked before. */
  #ask(question: Question, changed: readonly string[] = []): PolicyDecision {
    const { call, judgement, pending, entered, smartDenied } = question;
    const news = changed.length === 0 ? [] : [`${changed.join(', ')} changed while you were asked`];
    return {
      kind: 'ask',
      request: {
        tool: call.tool,
        command: judgement.shown,
        ...(judgement.folder === undefined ? {} : { folder: judgement.folder }),
        reasons: [...pending.map(shownReason), ...news],
        keys: pending.map((finding) => finding.key),
        mayRemember: !smartDenied && pending.every((finding) => finding.mayRemember),
        ...(smartDenied ? { smartDenied } : scopesOf(judgement, pending)),
        sources: describeStrange(entered, pending.some(({ onlyAfter }) => onlyAfter === 'files') ? 'files' : 'outside'),
      },
      settle: async (answer) => await this.#settle(question, answer),
    };
  }

  /** What the model of smart mode says; undefined where it has no say. */
  async #advice({ judgement, pending, entered }: Case, signal: AbortSignal): Promise<SmartVerdict | undefined> {
    const { mode, side } = this.#options;
    const { shown, folder } = judgement;
    if (mode !== 'smart' || side === undefined || folder === undefined) return undefined;
    // What asks in every mode, and what the owner or the system kept back by name, is for a person.
    if (pending.some(({ evenWithoutApprovals, perCommand }) => evenWithoutApprovals || perCommand === true)) {
      return undefined;
    }
    // A model that obeys what it reads must not be its own judge.
    if (entered.some(isOutside)) return undefined;
    const { askModel } = await import('./smart-approval.ts');
    return await askModel(side, { command: shown, folder, reasons: reasonsOf(pending) }, signal);
  }

  /** The findings that still need a person, and what those that do not give the call. */
  async #openCase(call: PolicyCall, judgement: Judgement): Promise<Case> {
    const { mode, headless } = this.#options;
    const entered = this.#options.entered();
    const skipped = this.#options.yolo() || mode === 'off' || (!call.humanPresent && headless === 'approve');
    const { allowed, changed, runs } = await this.#ownersWord(judgement, skipped);
    let approved = allowed && judgement.allowedBy?.some(isExactCommand) === true;
    const pending: Finding[] = [];
    let unasked = false;
    let leaves = false;
    for (const found of [...judgement.findings, ...changed]) {
      const finding = asStrictAs(found, entered);
      // To leave the sandbox after text from outside a person has to say so, whatever is switched off.
      const counts = finding.perCommand === true && entered.some(isOutside);
      if (!finding.evenWithoutApprovals && (allowed || (skipped && !counts))) {
        unasked ||= !allowed;
        leaves ||= finding.leavesSandbox === true;
        continue;
      }
      const asked = afterStrangeText(finding, entered);
      if (asked === undefined) continue;
      const about = asked.perCommand === true ? withRuns(asked, runs) : asked;
      if (!(await this.#approvals.covers(call.sessionId, about))) pending.push(about);
      // An answer about a kind says nothing about what else is in this command.
      else if (about.perCommand === true) approved = true;
    }
    const rights = approved ? 'approved' : rightsOf({ skipped, allowed, unasked, leaves, entered });
    return { call, judgement, entered, pending, rights, runs };
  }

  /** Whether the owner wrote the call down, and what of it is another program since. */
  async #ownersWord(judgement: Judgement, skipped: boolean) {
    const { shown, allowedBy, findings } = judgement;
    const stands = allowedBy !== undefined && (await this.#approvals.stand(allowedBy));
    const asks = findings.some(({ perCommand }) => perCommand === true) || (stands && allowedBy.some(hasFiles));
    const runs = asks && !skipped ? await judgement.runs?.() : undefined;
    const paths = stands && runs !== undefined ? allowedBy.flatMap((entry) => changedFor(entry, runs)) : [];
    const changed = paths.length === 0 ? [] : [changedSinceAllowed(shown, [...new Set(paths)])];
    return { allowed: stands && changed.length === 0, changed, runs };
  }

  async #settle(question: Question, answer: ApprovalAnswer): Promise<PolicyDecision> {
    const { call, judgement, pending, runs, smartDenied } = question;
    const choice = smartDenied ? onlyOnce(choiceOf(answer)) : choiceOf(answer);
    const reasons = reasonsOf(pending);
    if (choice === 'deny' || choice === 'timeout') {
      return { kind: 'refuse', reason: reasons.join('; '), message: deniedMessage(reasons, answer) };
    }
    const now = (await judgement.runs?.()) ?? [];
    const changed = changedFiles(runs, now);
    if (changed.length > 0)
      return this.#ask({ ...question, ...(await this.#openCase(call, judgement)), runs: now }, changed);
    await this.#approvals.remember(call.sessionId, pending, choice, { scopes: judgement.scopes, runs });
    const lifts = pending.some(({ staysConfined }) => staysConfined !== true);
    return { ...allow(question, lifts ? 'approved' : undefined), approved: reasons };
  }
}

/** A call with what there is for and against it. */
interface Case {
  readonly call: PolicyCall;
  readonly judgement: Judgement;
  readonly entered: readonly Source[];
  readonly pending: readonly Finding[];
  readonly rights: Rights | undefined;
  /** The files that it would run; undefined where nobody had to look at them. */
  readonly runs: readonly RunFile[] | undefined;
}

interface Question extends Case {
  readonly runs: readonly RunFile[];
  readonly smartDenied: boolean;
}

/**
 * What a call has that no person looked at. `skipped`: a setting lets everything; `allowed`: the owner wrote it down;
 * `unasked`: without the setting a person would be asked; `leaves`: it was confined before, and kept from something.
 */
function rightsOf(call: {
  readonly skipped: boolean;
  readonly allowed: boolean;
  readonly unasked: boolean;
  readonly leaves: boolean;
  readonly entered: readonly Source[];
}): Rights | undefined {
  if (call.entered.some(isOutside)) return call.unasked ? 'contained' : undefined;
  if (call.allowed || call.leaves) return 'unquestioned';
  if (!call.skipped) return undefined;
  return call.entered.some((source) => isStrange(source, 'files')) ? 'known' : 'unquestioned';
}

function allow(
  { judgement, runs = [] }: Pick<Case, 'judgement' | 'runs'>,
  rights: Rights | undefined,
): Extract<PolicyDecision, { kind: 'allow' }> {
  judgement.onAllowed?.();
  return {
    kind: 'allow',
    staged: false,
    ...(rights === undefined ? {} : { rights }),
    ...(runs.length === 0 ? {} : { runs }),
  };
}

/** As the model and the record are told. */
function reasonsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ description }) => description);
}

/** As a person is told. */
function shownReason({ description, quotes }: Finding): string {
  return quotes === undefined ? description : `${description}${quotes}`;
}

/** An answer about this one command is one about what it runs. */
function withRuns(finding: Finding, runs: readonly RunFile[] = []): Finding {
  return runs.length === 0 ? finding : { ...finding, key: `${finding.key} [${filesDigest(runs)}]` };
}

function hasFiles(entry: AllowEntry): boolean {
  return typeof entry !== 'string' && entry.files !== undefined;
}

function onlyOnce(choice: ApprovalChoice): ApprovalChoice {
  return choice === 'deny' || choice === 'timeout' ? choice : 'once';
}

/** Nothing narrower is offered where an answer about the same words would say nothing about what they do. */
function scopesOf({ scopes }: Judgement, pending: readonly Finding[]): { readonly scopes?: ApprovalScopes } {
  if (scopes === undefined || !pending.every((finding) => finding.mayRemember || finding.perCommand)) return {};
  const program = scopes.program === undefined ? {} : { program: inWords(scopes.program) };
  return { scopes: { command: inWords(scopes.command), ...program } };
}

function inWords(entry: AllowEntry): string {
  const { folder } = typeof entry === 'string' ? { folder: undefined } : entry;
  const what = typeof entry === 'string' ? entry : 'pattern' in entry ? entry.pattern : 'this very command';
  return folder === undefined ? what : `${what} in ${folder}`;
}

function nothingKnown({ tool, args }: PolicyCall): Judgement {
  return { shown: `${tool} ${JSON.stringify(args)}`, findings: [unclear(`nothing is known about the tool ${tool}`)] };
}

/** What lasts must not be brought about by what somebody else may have written. */
function asStrictAs(finding: Finding, entered: readonly Source[]): Finding {
  const { strictAfter } = finding;
  if (strictAfter === undefined || !entered.some((source) => isStrange(source, strictAfter))) return finding;
  return {
    ...finding,
    onlyAfter: strictAfter,
    mayRemember: false,
    evenWithoutApprovals: true,
    mayHoldForSession: true,
  };
}

/** The finding as it counts with what has entered; undefined: it does not. An answer is one about what had entered by then. */
function afterStrangeText(finding: Finding, entered: readonly Source[]): Finding | undefined {
  const { onlyAfter } = finding;
  if (onlyAfter === undefined) return finding;
  const sources = describeStrange(entered, onlyAfter);
  if (sources.length === 0) return undefined;
  return {
    ...finding,
    key: finding.evenWithoutApprovals ? `${finding.key} after ${kindsOf(entered)}` : finding.key,
    description: `${finding.description}, after ${whatEntered(entered)} (${named(sources)})`,
  };
}

function whatEntered(entered: readonly Source[]): string {
  return entered.some(isOutside) ? 'text from outside entered' : 'text that somebody else may have written entered';
}

/** One more file is no new reason to ask, one more page is. */
function kindsOf(entered: readonly Source[]): string {
  return describeStrange(entered, 'outside').join(', ') || 'files';
}

const maxNamed = 5;

function named(sources: readonly string[]): string {
  const more = sources.length - maxNamed;
  return [...sources.slice(0, maxNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
