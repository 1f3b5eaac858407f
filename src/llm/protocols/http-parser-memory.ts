/** Keeps V8 from spending memory on the HTTP parser of Node's fetch. */
import { setFlagsFromString } from 'node:v8';

const flag = '--wasm-tiering-budget';
const never = 2_000_000_000;
/** V8's own default, in Node 24. */
const usual = 13_000_000;

/**
 * Node's fetch parses HTTP in WebAssembly. A long answer makes V8 compile that once more with its optimiser, which
 * takes 20 MB for a few milliseconds of work; the simply compiled code is fast enough. What counts is the budget at the
 * time when the parser is made, with the first connection: call this before a request and the result when its head has
 * come. The flag must not stay, because V8 drops cached code that was compiled under other flags. Does nothing where
 * the flag is not known to exist, since V8 complains aloud about flags it does not have.
 */
export function keepHttpParserSimple(): () => void {
  if (!process.versions.node.startsWith('24.')) return () => undefined;
  setFlagsFromString(`${flag}=${never}`);
  return () => setFlagsFromString(`${flag}=${usual}`);
}
