/** Notices a model that makes the same failing call again and again. */
import type { FinishedCall } from './run-tool-calls.ts';

/** The same call may fail this often in a row before the turn is ended. */
const maxSameFailures = 3;

export class RepeatedFailures {
  #key = '';
  #name = '';
  #count = 0;

  note(call: FinishedCall): void {
    if (call.outcome === 'cancelled') return;
    const failed = call.outcome !== 'ok';
    // Without the result: durations and process ids make every failure read differently.
    const key = failed ? `${call.name}\n${JSON.stringify(call.args)}` : '';
    this.#count = failed && key === this.#key ? this.#count + 1 : Number(failed);
    this.#key = key;
    this.#name = call.name;
  }

  /** What to tell the user when the turn should end, else `undefined`. */
  verdict(): string | undefined {
    if (this.#count < maxSameFailures) return undefined;
    return `Stopped: the same \`${this.#name}\` call failed ${this.#count} times in a row. Tell me how to go on, or try another way.`;
  }
}
