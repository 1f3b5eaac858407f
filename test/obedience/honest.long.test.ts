/** What people ask for every day, with a person there: it is done, and one question is the most that it costs. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { type Chat, chatAt, type Place, placeFor } from '../runtime/support.ts';
import { type Order, startObedientModel, written } from './obedient-model.ts';

const run = (command: string): Order => ({ name: 'terminal', arguments: { command } });
const remember = (content: string): Order => ({ name: 'memory', arguments: { action: 'add', content } });

interface Request {
  /** Comes before, as in a day's work: a file that was read, a program that ran. */
  readonly before?: readonly Order[];
  readonly words: string;
  readonly orders: readonly Order[];
  readonly isDone: (place: Place, chat: Chat) => boolean;
}

function requests(place: Place, site: Site): Readonly<Record<string, Request>> {
  const memory = (): string => {
    const path = join(place.homePath, 'memories', 'MEMORY.md');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const has = (name: string, text = ''): boolean =>
    existsSync(join(place.work, name)) && readFileSync(join(place.work, name), 'utf8').includes(text);
  const look: Order = { name: 'read_file', arguments: { path: 'notes.txt' } };
  return {
    'remember something': {
      words: 'Remember that I like tea.',
      orders: [remember('Likes tea.')],
      isDone: () => memory().includes('Likes tea.'),
    },
    'remember what stands in a file': {
      words: 'Read notes.txt and remember the deadline.',
      orders: [look, remember('The deadline is Friday.')],
      isDone: () => memory().includes('Friday'),
    },
    'remember something after a program ran': {
      before: [run('node -e "console.log(1)"')],
      words: 'Remember that I like coffee too.',
      orders: [remember('Likes coffee.')],
      isDone: () => memory().includes('coffee'),
    },
    'write the rules of the project': {
      before: [look],
      words: 'Write AGENTS.md: tests run with npm test.',
      orders: [{ name: 'write_file', arguments: { path: 'AGENTS.md', content: 'Run npm test.\n' } }],
      isDone: () => has('AGENTS.md', 'npm test'),
    },
    'make a skill of it': {
      before: [look],
      words: 'Make a skill of this.',
      orders: [
        {
          name: 'skill_manage',
          arguments: {
            action: 'create',
            name: 'brew-tea',
            content: '---\nname: brew-tea\ndescription: Brew tea when asked to.\n---\n# Brew tea\nBoil water.\n',
          },
        },
      ],
      isDone: () => existsSync(join(place.homePath, 'skills', 'brew-tea', 'SKILL.md')),
    },
    'change a file': {
      before: [look],
      words: 'Write hello.py and run it.',
      orders: [
        { name: 'write_file', arguments: { path: 'hello.py', content: "open('out.txt','w').write('hello')\n" } },
        run('python3 hello.py'),
      ],
      isDone: () => has('out.txt', 'hello'),
    },
    'run the tests': {
      before: [look],
      words: 'Run the tests.',
      orders: [run('npm test')],
      isDone: () => has('tested'),
    },
    'clean and build': {
      before: [look],
      words: 'Remove node_modules and build again.',
      orders: [run('rm -rf node_modules dist'), run('mkdir -p dist && cp src.js dist/')],
      isDone: () => !existsSync(join(place.work, 'node_modules')) && has('dist/src.js'),
    },
    'ask a server that was named': {
      before: [look],
      words: `What does ${site.host} say? Save it.`,
      orders: [run(`curl -s http://${site.host}/tea -o said.txt`)],
      isDone: () => has('said.txt', 'from the site'),
    },
    'send something to a server that was named': {
      before: [look],
      words: `Post notes.txt to http://${site.host}/in.`,
      orders: [run(`curl -s -d @notes.txt http://${site.host}/in`)],
      isDone: () => site.got.some((request) => request.includes('POST /in')),
    },
    'commit and push': {
      before: [look],
      words: 'Commit this and push it.',
      orders: [run('git add notes.txt && git commit -qm notes'), run('git push -q origin main')],
      isDone: () =>
        execFileSync('git', ['-C', join(place.work, '..', 'origin.git'), 'log', '--format=%s', 'main'], {
          encoding: 'utf8',
        }).includes('notes'),
    },
    'start a server and ask it': {
      before: [look],
      words: 'Start the server and see whether it answers.',
      orders: [
        { name: 'terminal', arguments: { command: 'node server.js', background: true } },
        run('for i in $(seq 100); do curl -s http://127.0.0.1:$(cat port)/ -o answer.txt && break; sleep 0.1; done'),
      ],
      isDone: () => has('answer.txt', 'it works'),
    },
  };
}

interface Site {
  readonly host: string;
  readonly got: readonly string[];
}

/** In a process of its own: what this process listens on is the agent's. */
async function startSite(t: TestContext): Promise<Site> {
  const program = `
    const server = require('node:http').createServer((request, response) => {
      console.log(request.method + ' ' + request.url);
      request.resume().on('end', () => response.end('from the site'));
    }).listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const [port] = (await once(lines, 'line')) as [string];
  const got: string[] = [];
  lines.on('line', (line) => got.push(line));
  return { host: `127.0.0.1:${port}`, got };
}

function project(place: Place): void {
  place.put('notes.txt', 'The deadline is Friday.\n');
  place.put('package.json', '{"name":"tea","version":"1.0.0","scripts":{"test":"node test.js"}}\n');
  place.put('test.js', "require('fs').writeFileSync('tested','yes')\n");
  place.put('src.js', '');
  place.put(
    'server.js',
    "const s=require('http').createServer((_,r)=>r.end('it works')).listen(0,'127.0.0.1',()=>require('fs').writeFileSync('port',String(s.address().port)))\n",
  );
  mkdirSync(join(place.work, 'node_modules', 'x'), { recursive: true });
  writeFileSync(join(place.work, 'node_modules', 'x', 'index.js'), '');
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: place.work, stdio: 'ignore' });
  };
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(place.work, '..', 'origin.git')]);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@tea.test');
  git('remote', 'add', 'origin', join(place.work, '..', 'origin.git'));
  git('add', 'src.js');
  git('commit', '-qm', 'start');
  git('push', '-q', 'origin', 'main');
}

const names = Object.keys(requests({} as Place, { host: '', got: [] }));

for (const name of names) {
  test(`${name}: it is done, with one question at most`, async (t) => {
    await using model = await startObedientModel();
    const place = placeFor(t, model, '', { env: { PATH: process.env['PATH'] ?? '' } });
    project(place);
    const request = requests(place, await startSite(t))[name];
    assert.ok(request !== undefined);
    const chat = await chatAt(place, { present: true });
    chat.choice = 'once';
    for (const order of request.before ?? []) await chat.say(`Look at this first.\n${written(order)}`);
    const before = chat.asked.length;
    await chat.say(`${request.words}\n${request.orders.map(written).join('\n')}`);
    const asked = chat.asked.slice(before).map(({ command, reasons }) => `${command}: ${reasons.join('; ')}`);
    const said = JSON.stringify(chat.session.agent.history.slice(-4));
    assert.ok(request.isDone(place, chat), `not done. ${said.slice(0, 1500)}`);
    assert.ok(asked.length <= 1, asked.join('\n'));
    await chat.leave();
  });
}
