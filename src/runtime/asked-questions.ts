/** Writes down every question in words that is put to a person, so that one whose process ends is told to have lapsed. */
import { createHash } from 'node:crypto';
import type { ApprovalQuestion, ApprovalRecords } from '../sessions/approval-records.ts';
import type { AskedQuestions } from '../tools/services.ts';

export interface AskedQuestionsOptions {
  /** Absent where no session is stored. */
  readonly records: ApprovalRecords | undefined;
  readonly surface: string;
  /** Whose conversation it is; null: nobody's in particular. */
  readonly person: string | null;
  readonly redact: (text: string) => string;
}

/** What such a question is kept as. */
export const questionTool = 'clarify';

const maxShownChars = 500;

export function askedQuestions({ records, surface, person, redact }: AskedQuestionsOptions): AskedQuestions {
  return {
    async whileOpen({ sessionId, callId, text, choices }, ask) {
      if (records === undefined) return await ask();
      const question: ApprovalQuestion = {
        sessionId,
        callId,
        surface,
        person,
        digest: createHash('sha256')
          .update(JSON.stringify([text, ...choices]))
          .digest('hex'),
        tool: questionTool,
        shown: redact(text).slice(0, maxShownChars).toWellFormed(),
        findings: [],
        sources: [],
      };
      const id = await records.ask(question);
      const answered = await ask();
      const state = 'said' in answered ? 'answered' : answered.unanswered === 'timeout' ? 'timeout' : 'deny';
      await records.answer({ ...question, id, choice: state });
      return answered;
    },
  };
}
