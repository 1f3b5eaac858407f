/** The one policy: which tool calls run, which need a person, and which never run. */
import type { ApprovalChoice } from '../../agent/human.ts';
import type { Policy, PolicyCall, PolicyDecision } from '../../agent/policy.ts';
import { describeOutside, type Source } from '../../llm/source.ts';
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
  outside(): readonly Source[];
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
    const sources = describeOutside(this.#options.outside());
    const pending = await this.#pending(call, judgement.findings, sources);
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
        sources,
      },
      settle: async (choice) => await this.#settle(choice, call, judgement, pending),
    };
  }

  /** The findings that still need a person. */
  async #pending(
    call: PolicyCall,
    findings: readonly Finding[],
    sources: readonly string[],
  ): Promise<readonly Finding[]> {
    const { mode, headless } = this.#options;
    const skipped = this.#options.yolo() || mode === 'off' || (!call.humanPresent && headless === 'approve');
    const pending: Finding[] = [];
    for (const finding of findings) {
      if (!finding.evenWithoutApprovals && skipped) continue;
      if (finding.onlyAfterOutsideText === true && sources.length === 0) continue;
      const asked = finding.onlyAfterOutsideText === true ? afterOutside(finding, sources) : finding;
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

/** An answer about it is one about what had entered by then. */
function afterOutside(finding: Finding, sources: readonly string[]): Finding {
  return {
    ...finding,
    key: finding.evenWithoutApprovals ? `${finding.key} after ${sources.join(', ')}` : finding.key,
    description: `${finding.description}, after text from outside entered (${named(sources)})`,
  };
}

const maxNamed = 5;

function named(sources: readonly string[]): string {
  const more = sources.length - maxNamed;
  return [...sources.slice(0, maxNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
