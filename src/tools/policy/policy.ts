/** The one policy: which tool calls run, which need a person, and which never run. */
import type { ApprovalChoice, ApprovalScopes } from '../../agent/human.ts';
import type { Policy, PolicyCall, PolicyDecision, Rights } from '../../agent/policy.ts';
import type { SideModels } from '../../llm/side-task.ts';
import { describeStrange, isOutside, type Source } from '../../llm/source.ts';
import { type AllowEntry, isExactCommand } from '../../safety/allow-entry.ts';
import { type Finding, type Judgement, unclear } from '../../safety/finding.ts';
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
    const entered = this.#options.entered();
    const { pending, rights } = await this.#pending(call, judgement, entered);
    if (pending.length === 0) return allow(judgement, rights);
    const reasons = pending.map((finding) => finding.description);
    if (!call.humanPresent && pending.every(({ mayWait }) => mayWait === true)) return { kind: 'allow', staged: true };
    const advice = await this.#advice(judgement, pending, signal);
    if (advice === 'approve') return { ...allow(judgement, 'approved'), approved: reasons, approvedBy: 'model' };
    if (!call.humanPresent) {
      const message = advice === 'deny' ? smartDeniedMessage(reasons) : nobodyToAskMessage(reasons);
      return { kind: 'refuse', reason: reasons.join('; '), message, nobodyToAsk: true };
    }
    const smartDenied = advice === 'deny';
    return {
      kind: 'ask',
      request: {
        tool: call.tool,
        command: judgement.shown,
        reasons,
        keys: pending.map((finding) => finding.key),
        mayRemember: !smartDenied && pending.every((finding) => finding.mayRemember),
        ...(smartDenied ? { smartDenied } : scopesOf(judgement, pending)),
        sources: describeStrange(entered, pending.some(({ onlyAfter }) => onlyAfter === 'files') ? 'files' : 'outside'),
      },
      settle: async (choice) => await this.#settle(smartDenied ? onlyOnce(choice) : choice, call, judgement, pending),
    };
  }

  /** What the model of smart mode says; undefined where it has no say. */
  async #advice(
    { shown, folder }: Judgement,
    pending: readonly Finding[],
    signal: AbortSignal,
  ): Promise<SmartVerdict | undefined> {
    const { mode, side } = this.#options;
    if (mode !== 'smart' || side === undefined || folder === undefined) return undefined;
    // What asks in every mode, and what the owner or the system kept back by name, is for a person.
    if (pending.some(({ evenWithoutApprovals, perCommand }) => evenWithoutApprovals || perCommand === true)) {
      return undefined;
    }
    // A model that obeys what it reads must not be its own judge.
    if (this.#options.entered().some(isOutside)) return undefined;
    const { askModel } = await import('./smart-approval.ts');
    return await askModel(side, { command: shown, folder, reasons: pending.map((one) => one.description) }, signal);
  }

  /** The findings that still need a person, and what those that do not give the call. */
  async #pending(
    call: PolicyCall,
    { findings, allowedBy }: Judgement,
    entered: readonly Source[],
  ): Promise<{ readonly pending: readonly Finding[]; readonly rights: Rights | undefined }> {
    const { mode, headless } = this.#options;
    const skipped = this.#options.yolo() || mode === 'off' || (!call.humanPresent && headless === 'approve');
    const allowed = allowedBy !== undefined && (await this.#approvals.stand(allowedBy));
    let approved = allowed && allowedBy.some(isExactCommand);
    const pending: Finding[] = [];
    for (const finding of findings) {
      if (!finding.evenWithoutApprovals && (skipped || allowed)) continue;
      const asked = afterStrangeText(finding, entered);
      if (asked === undefined) continue;
      if (!(await this.#approvals.covers(call.sessionId, asked))) pending.push(asked);
      // An answer about a kind says nothing about what else is in this command.
      else if (asked.perCommand === true) approved = true;
    }
    const unquestioned = (skipped || allowed) && !entered.some(isOutside);
    return { pending, rights: approved ? 'approved' : unquestioned ? 'unquestioned' : undefined };
  }

  async #settle(
    choice: ApprovalChoice,
    call: PolicyCall,
    judgement: Judgement,
    pending: readonly Finding[],
  ): Promise<PolicyDecision> {
    const reasons = pending.map((finding) => finding.description);
    if (choice === 'deny' || choice === 'timeout') {
      return { kind: 'refuse', reason: reasons.join('; '), message: deniedMessage(reasons, choice === 'timeout') };
    }
    await this.#approvals.remember(call.sessionId, pending, choice, judgement.scopes);
    const lifts = pending.some(({ staysConfined }) => staysConfined !== true);
    return { ...allow(judgement, lifts ? 'approved' : undefined), approved: reasons };
  }
}

function allow({ onAllowed }: Judgement, rights: Rights | undefined): Extract<PolicyDecision, { kind: 'allow' }> {
  onAllowed?.();
  return { kind: 'allow', staged: false, ...(rights === undefined ? {} : { rights }) };
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
