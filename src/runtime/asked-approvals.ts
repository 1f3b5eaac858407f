/** Writes down every question that is put to a person, and lets an answer count only for what was asked. */
import { createHash } from 'node:crypto';
import { choiceOf } from '../agent/human.ts';
import type { PolicyCall, PolicyDecision } from '../agent/policy.ts';
import type { ApprovalQuestion, ApprovalRecords, LostQuestion } from '../sessions/approval-records.ts';
import { formatTime } from '../lib/format-time.ts';
import type { HistoryMessage, ToolMessage } from '../llm/message.ts';
import { escapeForDisplay } from '../safety/display.ts';
import { questionTool } from './asked-questions.ts';

export interface AskedApprovalsOptions {
  readonly records: ApprovalRecords;
  readonly surface: string;
  /** Whose conversation it is; null: nobody's in particular. */
  readonly person: string | null;
  readonly redact: (text: string) => string;
}

const maxShownChars = 500;

export class AskedApprovals {
  readonly #options: AskedApprovalsOptions;

  constructor(options: AskedApprovalsOptions) {
    this.#options = options;
  }

  /** The decision; where it is a question, one that is written down until it is answered. */
  async keep(call: PolicyCall, decision: PolicyDecision): Promise<PolicyDecision> {
    if (decision.kind !== 'ask') return decision;
    const { records, surface, person, redact } = this.#options;
    const { request } = decision;
    const { tool, command, folder = '' } = request;
    const question: ApprovalQuestion = {
      sessionId: call.sessionId,
      callId: call.callId,
      surface,
      person,
      digest: createHash('sha256')
        .update(JSON.stringify([tool, command, folder]))
        .digest('hex'),
      tool,
      shown: redact(command).slice(0, maxShownChars).toWellFormed(),
      findings: request.reasons.map(redact),
      sources: request.sources,
    };
    const id = await records.ask(question);
    return {
      ...decision,
      settle: async (answer) => {
        if (!(await records.answer({ ...question, id, choice: choiceOf(answer) }))) return outdated;
        return await this.keep(call, await decision.settle(answer));
      },
    };
  }
}

const outdated: PolicyDecision = {
  kind: 'refuse',
  reason: 'the answer came for a question that is not open',
  message: 'BLOCKED: the answer came for a question that is not open any more. Ask the user how to go on.',
};

/** For a person: what did not run because nobody could answer. */
export function lostLine({ tool, shown, askedAt }: LostQuestion): string {
  const when = formatTime('%Y-%m-%d %H:%M', new Date(askedAt));
  if (tool === questionTool) {
    return `Not answered before the program stopped (${when}): ${escapeForDisplay(shown, { singleLine: true })}`;
  }
  return `Not run, because the program stopped before you answered (${when}): ${escapeForDisplay(shown, { singleLine: true })}`;
}

/** For the model: results of the calls that waited for an answer and have none in the history. */
export function lostResults(history: readonly HistoryMessage[], lost: readonly LostQuestion[]): readonly ToolMessage[] {
  return lost.flatMap(({ callId, tool }) => {
    if (callId === undefined || !isOpen(history, callId)) return [];
    return [
      {
        role: 'tool' as const,
        tool_call_id: callId,
        tool_name: tool,
        content: tool === questionTool ? lostQuestion : lostApproval(tool),
        effect: 'none' as const,
        sources: [{ from: 'agent' as const }],
      },
    ];
  });
}

const lostQuestion =
  '[Not answered — the program stopped before the user answered this question. Ask again if you still need to know.]';

function lostApproval(tool: string): string {
  return `[Tool not run — ${tool} waited for the user's approval, and nobody answered before the program stopped. Nothing has happened. Ask the user before you try it again.]`;
}

/** The newest call of that id, as long as no result stands behind it. */
function isOpen(history: readonly HistoryMessage[], callId: string): boolean {
  const calledAt = history.findLastIndex(
    (message) => message.role === 'assistant' && message.tool_calls?.some(({ id }) => id === callId) === true,
  );
  if (calledAt === -1) return false;
  return !history.slice(calledAt).some((message) => message.role === 'tool' && message.tool_call_id === callId);
}
