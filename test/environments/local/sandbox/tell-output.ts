/** Run by itself, where a test has prepared something: says what a command prints, confined and outside. */
import { openMachine } from './support.ts';

const [home = '', command = ''] = process.argv.slice(2);
const { environment, run, outside } = openMachine(home, home);
const told = [(await run(command)).output, (await outside(command)).output];
await environment.close();
console.log(JSON.stringify(told));
