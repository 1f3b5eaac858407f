/** What the model of a soak says: it follows from the last numbered message, so that answers can be told apart. */
import { answerLines, longLines, numbersIn } from '../../test/gateway/killed/outside-model.ts';

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

interface SoakAnswer {
  readonly command?: string;
  readonly text?: string;
  readonly afterMs: number;
}

/** In the folder of the gateway: a line for each thing that was done. */
export const effectsFile = 'effects';
const slowestMs = 2000;

/** Some answers take their time, so that gateways are killed in the middle of turns too. */
export function soakAnswer(messages: readonly Message[]): SoakAnswer {
  const afterMs = Math.random() ** 4 * slowestMs;
  const texts = messages.map(({ content }) => textOf(content));
  const isBeside =
    texts.some((text) => text.includes('This is a quiet look back')) || texts[0]?.startsWith('Write a title') === true;
  if (isBeside) return { text: 'Nothing.', afterMs };
  const said = messages.findLastIndex(({ role }, index) => role === 'user' && numbersIn(texts[index] ?? '').length > 0);
  const words = texts[said] ?? '';
  const numbers = numbersIn(words);
  const isDone = messages.slice(said + 1).some(({ role }) => role === 'tool');
  if (/\bdo\b/.test(words) && !isDone) return { command: `echo ${numbers.join(' ')} >> ${effectsFile}`, afterMs };
  const lines = /\blong\b/.test(words) ? longLines : 1;
  return { text: numbers.flatMap((each) => answerLines(each, lines)).join('\n'), afterMs };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return content === undefined ? '' : JSON.stringify(content);
}
