/** Notices a model that makes the same failing call again and again. */
import type { FinishedCall } from './run-tool-calls.ts';

/** The same call may fail this often in a row before the turn is ended. */
const maxSameFailures = 3;

export interface RepeatedFailures {
  note(call: FinishedCall): void;
  /** What to tell the user when the turn should end, else `undefined`. */
  verdict(): string | undefined;
}

export function createRepeatedFailures(): RepeatedFailures {
  let key = '';
  let name = '';
  let count = 0;
  return {
    note(call) {
      if (call.outcome === 'cancelled') return;
      const failed = call.outcome !== 'ok';
      // Without the result: durations and process ids make every failure read differently.
      const thisKey = failed ? `${call.name}\n${JSON.stringify(call.args)}` : '';
      count = failed && thisKey === key ? count + 1 : Number(failed);
      key = thisKey;
      name = call.name;
    },
    verdict() {
      if (count < maxSameFailures) return undefined;
      return `Stopped: the same \`${name}\` call failed ${count} times in a row. Tell me how to go on, or try another way.`;
    },
  };
}
