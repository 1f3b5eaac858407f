/** Run by itself, as some user: tries every way out of the sandbox for a home (the first argument) and says what came of it. */
import { join } from 'node:path';
import { escapes } from './escapes.ts';
import { makeHome, openMachine } from './support.ts';

const [home = '', pid = ''] = process.argv.slice(2);
const workspace = makeHome(home);
const machine = openMachine(home, workspace);
const names = {
  HOME: home,
  WS: workspace,
  NODE: process.execPath,
  PID: pid,
  SOCK: join(home, 'no'),
  LATE: '',
  MINE: '',
};
const setting = Object.entries(names).map(([name, value]) => `${name}='${value}'`);
const problem = await machine.environment.confinementProblem();
const tried: (readonly [string, string])[] = [];
if (problem === undefined) {
  const rights = await machine.run('id -u; grep -h -E "Cap(Eff|Prm|Amb)|NoNewPrivs" /proc/self/status');
  tried.push(['rights', rights.output]);
  for (const command of Object.values(escapes).flat()) {
    const { output } = await machine.run(`export ${setting.join(' ')}\n${command}`, { timeoutMs: 20_000 });
    tried.push([command, output]);
  }
}
await machine.environment.close();
console.log(JSON.stringify({ problem, tried }));
