/** Finds the entry of a thread: a source file beside its caller, in the build a file beside all others. */
import { extname, join } from 'node:path';

/** @param caller `import.meta` of the file that starts the thread. */
export function workerFile(caller: { readonly dirname: string; readonly filename: string }, name: string): string {
  return join(caller.dirname, `${name}${extname(caller.filename) === '.ts' ? '.ts' : '.js'}`);
}
