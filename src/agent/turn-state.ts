/** What the loop remembers between the steps of one turn. */
import { Heard } from './model-call.ts';
import { OutputLimit } from './output-limit.ts';
import type { TurnCounters } from './unusable-answer.ts';

export class TurnState implements TurnCounters {
  apiCalls = 0;
  unknownTools = 0;
  brokenArguments = 0;
  cutCalls = 0;
  emptyAnswers = 0;
  unfinishedThoughts = 0;
  continuations = 0;
  /** Answers that only said what comes next. */
  announcements = 0;
  /** Pieces of an answer that was cut and continued. */
  pieces: string[] = [];
  housekeepingText = '';
  /** An answer that was given before what it is about was checked. */
  held: string | undefined;
  lastReasoning: string | undefined;
  readonly heard = new Heard();
  readonly outputLimit = new OutputLimit();
  /** For the next request alone. */
  note: string | undefined;

  takeNote(): string | undefined {
    const { note } = this;
    this.note = undefined;
    return note;
  }
}
