/** The model behind a gateway that is killed: what it answers follows from the last thing that a person said. */
import { isReview, textOf } from '../../runtime/support.ts';
import type { ModelServer, RecordedRequest, Step, WireMessage } from '../../fakes/model-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';

/** How messages are numbered, so that answers can be told apart: `c1#7`. */
const number = /\bc\d+#\d+\b/g;

export function numbersIn(text: string): readonly string[] {
  return [...new Set(text.match(number))];
}

/** The messages that a text answers; a notice names messages without answering them. */
export function answeredIn(text: string): readonly string[] {
  return numbersIn((text.match(/answer to c\d+#\d+\b/g) ?? []).join('\n'));
}

export interface OutsideModelOptions {
  readonly onRequest: () => void;
  /** It answers everything that was said since its last answer, and not the last message alone. */
  readonly answersAll: boolean;
}

/** `effects`: a file to which a message with the word `do` has a line appended, where tools are offered. */
export async function startOutsideModel(effects: string, options: OutsideModelOptions): Promise<ModelServer> {
  return await startModelServer({ respond: (request) => answer(request, effects, options) });
}

function answer(request: RecordedRequest, effects: string, { onRequest, answersAll }: OutsideModelOptions): Step {
  onRequest();
  if (isReview(request)) return { text: 'Nothing.' };
  const { messages, tools = [] } = request.body;
  const said = messages.findLastIndex((message) => isNumbered(message));
  const numbers = answersAll ? unanswered(messages) : numbersIn(textOf(messages[said]));
  const done = messages.slice(said + 1).some(({ role }) => role === 'tool');
  if (/\bdo\b/.test(textOf(messages[said])) && !done && tools.length > 0) {
    const command = `echo ${numbersIn(textOf(messages[said])).join(' ')} >> ${effects}`;
    return { toolCalls: [{ name: 'terminal', arguments: { command } }] };
  }
  const all = messages.map((message) => textOf(message)).join('\n');
  const lines = numbers.flatMap((each) => answerLines(each, all.includes(`long ${each}`) ? longLines : 1));
  return { text: lines.join('\n'), pieceChars: 200 };
}

/** More than one message holds. */
export const longLines = 20;

/** Each line of an answer tells which one it is. */
export function answerLines(one: string, lines: number): readonly string[] {
  return Array.from({ length: lines }, (_, index) => `answer to ${one}, line ${index + 1} of ${lines}.`);
}

/** What is said while it works stands behind the result of a tool. */
function unanswered(messages: readonly WireMessage[]): readonly string[] {
  const answered = messages.findLastIndex(
    (message) => message.role === 'assistant' && /answer to(?![^]*\[interrupted\])/.test(textOf(message)),
  );
  const asked = messages.slice(answered + 1).filter(({ role }) => role === 'user' || role === 'tool');
  const texts = asked.map((message) =>
    message.role === 'tool' ? (textOf(message).split(guidance)[1] ?? '') : textOf(message),
  );
  return numbersIn(texts.join('\n'));
}

const guidance = '[User guidance while you work:';

function isNumbered(message: WireMessage): boolean {
  return message.role === 'user' && numbersIn(textOf(message)).length > 0;
}
