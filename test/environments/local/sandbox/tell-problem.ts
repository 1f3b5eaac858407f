/** Run by itself, where a test has taken something away: says why commands cannot be confined, and what a command comes to. */
import { openMachine } from './support.ts';

const [home = ''] = process.argv.slice(2);
const { environment, run } = openMachine(home, home);
const told = [await environment.confinementProblem()];
await run('echo ran').catch((error: unknown) => told.push(error instanceof Error ? error.message : 'no error'));
await environment.close();
console.log(JSON.stringify(told));
