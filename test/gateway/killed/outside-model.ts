/** The model behind a gateway that is killed: what it answers follows from the last thing that a person said. */
import { isReview, textOf } from '../../runtime/support.ts';
import type { ModelServer, RecordedRequest, Step, WireMessage } from '../../fakes/model-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';

/** How messages are numbered, so that answers can be told apart: `c1#7`. */
const number = /\bc\d+#\d+\b/g;

export function numbersIn(text: string): readonly string[] {
  return [...new Set(text.match(number))];
}

/** `effects`: a file to which a message with the word `do` has a line appended. */
export async function startOutsideModel(effects: string, onRequest: () => void): Promise<ModelServer> {
  return await startModelServer({ respond: (request) => answer(request, effects, onRequest) });
}

function answer(request: RecordedRequest, effects: string, onRequest: () => void): Step {
  onRequest();
  if (isReview(request)) return { text: 'Nothing.' };
  const { messages } = request.body;
  const said = messages.findLastIndex((message) => isNumbered(message));
  const numbers = numbersIn(textOf(messages[said]));
  const done = messages.slice(said + 1).some(({ role }) => role === 'tool');
  if (/\bdo\b/.test(textOf(messages[said])) && !done) {
    const command = `echo ${numbers.join(' ')} >> ${effects}`;
    return { toolCalls: [{ name: 'terminal', arguments: { command } }] };
  }
  const lines = /\blong\b/.test(textOf(messages[said])) ? longLines : 1;
  return { text: numbers.flatMap((each) => answerLines(each, lines)).join('\n'), pieceChars: 200 };
}

/** More than one message holds. */
export const longLines = 20;

/** Each line of an answer tells which one it is. */
export function answerLines(one: string, lines: number): readonly string[] {
  return Array.from({ length: lines }, (_, index) => `answer to ${one}, line ${index + 1} of ${lines}.`);
}

function isNumbered(message: WireMessage): boolean {
  return message.role === 'user' && numbersIn(textOf(message)).length > 0;
}
