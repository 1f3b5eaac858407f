/** The one policy: which tool calls run, which need a person, and which never run. */
import type { ApprovalChoice } from '../../agent/human.ts';
import type { Policy, PolicyCall, PolicyDecision } from '../../agent/policy.ts';
import { describeStrange, isOutside, type Source } from '../../llm/source.ts';
import { type Finding, type Judgement, unclear } from '../../safety/finding.ts';
import { Approvals, type ApprovalsOptions } from './approvals.ts';
import { deniedMessage, nobodyToAskMessage } from './messages.ts';

export interface PolicyOptions extends ApprovalsOptions {
  /** `approvals.mode`. `smart` asks the person like `manual`. */
  readonly mode: 'manual' | 'smart' | 'off';
  /** True while approvals are skipped. What is never run, and changes to the agent's own rules, are not affected. */
  yolo(): boolean;
  /** `approvals.headless`: what happens to calls that need approval when nobody can be asked. */
  readonly headless: 'deny' | 'approve';
  /** Where the text came from that the conversation holds. */
  entered(): readonly Source[];
}

/** Decides by what a tool finds about a call of itself; a tool that says nothing is asked about. */
export class ToolPolicy implements Policy {
  readonly #options: PolicyOptions;
  readonly #approvals: Approvals;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#approvals = new Approvals(options);
  }

  async decide(call: PolicyCall): Promise<PolicyDecision> {
    const judgement = (await call.judge()) ?? nothingKnown(call);
    if (judgement.refused !== undefined) return { kind: 'refuse', ...judgement.refused };
    const entered = this.#options.entered();
    const pending = await this.#pending(call, judgement.findings, entered);
    if (pending.length === 0) return allow(judgement);
    const reasons = pending.map((finding) => finding.description);
    if (!call.humanPresent) {
      if (pending.every(({ mayWait }) => mayWait === true)) return { kind: 'allow', staged: true };
      return {
        kind: 'refuse',
        reason: reasons.join('; '),
        message: nobodyToAskMessage(reasons),
        nobodyToAsk: true,
      };
    }
    return {
      kind: 'ask',
      request: {
        tool: call.tool,
        command: judgement.shown,
        reasons,
        keys: pending.map((finding) => finding.key),
        mayRemember: pending.every((finding) => finding.mayRemember),
        sources: describeStrange(entered, pending.some(({ onlyAfter }) => onlyAfter === 'files') ? 'files' : 'outside'),
      },
      settle: async (choice) => await this.#settle(choice, call, judgement, pending),
    };
  }

  /** The findings that still need a person. */
  async #pending(
    call: PolicyCall,
    findings: readonly Finding[],
    entered: readonly Source[],
  ): Promise<readonly Finding[]> {
    const { mode, headless } = this.#options;
    const skipped = this.#options.yolo() || mode === 'off' || (!call.humanPresent && headless === 'approve');
    const pending: Finding[] = [];
    for (const finding of findings) {
      if (!finding.evenWithoutApprovals && skipped) continue;
      const asked = afterStrangeText(finding, entered);
      if (asked === undefined) continue;
      if (!(await this.#approvals.covers(call.sessionId, asked))) pending.push(asked);
    }
    return pending;
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
    await this.#approvals.remember(call.sessionId, pending, choice);
    return { ...allow(judgement), approved: reasons };
  }
}

function allow({ onAllowed }: Judgement): Extract<PolicyDecision, { kind: 'allow' }> {
  onAllowed?.();
  return { kind: 'allow', staged: false };
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
