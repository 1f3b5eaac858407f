/** `clarify`: asks the person a question and waits for the answer. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ClarifyAnswer } from '../../agent/human.ts';
import { answer, failure } from '../../agent/tool.ts';
import { harmless } from '../../safety/finding.ts';
import { firstWords } from '../display.ts';
import type { ToolServices } from '../services.ts';

const parameters = z.object({
  question: z.string().trim().min(1).describe('Without the options'),
  choices: z
    // Models send objects too, whatever the schema says.
    .array(z.unknown())
    .optional()
    .meta({ items: { type: 'string' } })
    .describe('Up to 4 options; words of their own are always possible. Leave out for an open question'),
});

const maxChoices = 4;
const maxQuestionChars = 3000;
const maxChoiceChars = 300;
/** What a model calls the words of a choice that is an object, best first. */
const labelKeys = ['label', 'description', 'text', 'title'];

export const clarifyTool = defineTool<ToolServices, typeof parameters>({
  name: 'clarify',
  toolset: 'clarify',
  description:
    'Ask the user and wait for the answer, when a task is ambiguous or a decision is theirs. Decide small things yourself. Never ask for permission to run something: that is asked by itself.',
  parameters,
  display: {
    emoji: '❓',
    preview: ({ question }) => firstWords(question),
  },
  available: ({ knowledge }) => knowledge.questions !== undefined,
  judge: () => harmless,
  sources: () => [{ from: 'user' }],
  parallel: 'never',
  async execute({ question: asked, choices: given = [] }, { human, signal, sessionId, callId, services }) {
    const { questions } = services.knowledge;
    if (!human.present || questions === undefined) return notHere();
    const question = cut(asked, maxQuestionChars);
    const choices = given.map(wordsOf).filter((words) => words !== '');
    const offered = [...new Set(choices)].slice(0, maxChoices).map((choice) => cut(choice, maxChoiceChars));
    const open = { sessionId, callId, text: question, choices: offered };
    const answered = await questions.whileOpen(open, () => human.clarify(question, offered, signal));
    const isSaid = 'said' in answered;
    const words = isSaid ? answered.said.trim() : signal.aborted ? interrupted : silence(answered.unanswered);
    if (words === undefined) return notHere();
    const result = { question, choices_offered: offered.length === 0 ? null : offered, user_response: words };
    return { ...answer(result), sources: [{ from: isSaid ? 'user' : 'agent' }] };
  },
});

function notHere() {
  return failure('Clarify tool is not available in this execution context.');
}

const interrupted = '[Interrupted before the user answered. Ask again if you still need to know.]';

/** In the place of an answer, in brackets so that nobody takes it for one; undefined where nobody could be asked. */
function silence(why: Unanswered): string | undefined {
  switch (why) {
    case 'timeout':
      return '[No answer came in time. Use your best judgement, go on with what can be undone, and say what you assumed. Silence is no consent.]';
    case 'cancelled':
      return '[The user closed the question without an answer. Do not ask it again; go on as far as you can without it.]';
    case 'unasked':
      return undefined;
  }
}

type Unanswered = Extract<ClarifyAnswer, { readonly unanswered: string }>['unanswered'];

/** Empty when there are none. */
function wordsOf(choice: unknown): string {
  if (typeof choice === 'string') return choice.trim();
  if (typeof choice === 'number' || typeof choice === 'boolean') return String(choice);
  if (typeof choice !== 'object' || choice === null) return '';
  const values = new Map<string, unknown>(Object.entries(choice));
  for (const key of labelKeys) {
    const value = values.get(key);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return '';
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
