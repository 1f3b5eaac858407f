/**
 * Builds one answer from the lines of Ollama's `/api/chat`.
 * https://docs.ollama.com/api/chat
 */
import { isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { ModelEvent, StopReason } from '../../protocol.ts';
import { Answer } from '../answer.ts';
import { failure, type RequestContext, reportedFailure } from '../model-failure.ts';
import type { WireEvent } from '../read-events.ts';
import { countOf, listOf, objectOf, stringOf } from '../read-json.ts';
import type { WireAnswer } from '../stream-answer.ts';

export class OllamaAnswer implements WireAnswer<WireEvent> {
  readonly answer: Answer;
  finished = false;
  readonly #context: RequestContext;
  #doneReason = '';
  #anything = false;

  constructor(context: RequestContext) {
    this.#context = context;
    this.answer = new Answer(context);
  }

  /** Nothing follows the line that says `done`. */
  get ended(): boolean {
    return this.finished;
  }

  add({ data }: WireEvent): void {
    const error = data['error'];
    if (error !== undefined && error !== null) throw reportedFailure(this.#context, error);
    const message = objectOf(data['message']);
    if (message !== undefined) this.#addMessage(message);
    if (data['done'] !== true) return;
    this.finished = true;
    this.#doneReason = stringOf(data['done_reason']);
    const input = countOf(data['prompt_eval_count']);
    const output = countOf(data['eval_count']);
    if (input + output > 0) this.answer.usage = { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  }

  finish(): readonly ModelEvent[] {
    if (!this.#anything) throw failure(this.#context, 'malformed', 'the answer holds no message');
    return this.answer.done({ reason: this.#stopReason(), word: this.#doneReason });
  }

  #addMessage(message: JsonObject): void {
    this.#anything = true;
    this.answer.addReasoning(stringOf(message['thinking']));
    this.answer.addText(stringOf(message['content']));
    for (const entry of listOf(message['tool_calls']).filter(isJsonObject)) {
      const written = objectOf(entry['function']) ?? {};
      const call = this.answer.startCall(stringOf(entry['id']), stringOf(written['name']));
      call.arguments = JSON.stringify(objectOf(written['arguments']) ?? {});
    }
  }

  /** It says `stop` although it calls tools. */
  #stopReason(): StopReason {
    if (this.#doneReason === 'length') return 'length';
    if (this.answer.calls.length > 0) return 'tool_calls';
    return this.#doneReason === '' || this.#doneReason === 'stop' ? 'stop' : 'other';
  }
}
