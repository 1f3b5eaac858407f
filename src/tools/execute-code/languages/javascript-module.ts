/** The module that a script in JavaScript imports: one function for each tool that it may call. */
import { callableTools } from '../script-tools.ts';

export function javascriptModule(names: ReadonlySet<string>): string {
  const functions = callableTools(names).map(({ name }) => `export const ${name} = (args) => call('${name}', args);\n`);
  return [beginning, ...functions, helpers].join('\n');
}

const beginning = `// The tools of this conversation as functions. Each takes one object and promises what the tool answers.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

let connection;
let last = Promise.resolve();

function open() {
  const socket = connect(process.env.HERMES_RPC_SOCKET);
  const waiting = [];
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk) => {
    text += chunk;
    for (let end = text.indexOf('\\n'); end !== -1; end = text.indexOf('\\n')) {
      waiting.shift()?.resolve(text.slice(0, end));
      text = text.slice(end + 1);
    }
  });
  const closed = (error) => {
    connection = undefined;
    for (const { reject } of waiting.splice(0)) reject(error ?? new Error('the connection to the agent was closed'));
  };
  socket.on('error', closed);
  socket.on('close', () => closed());
  return { socket, waiting };
}

// One call after the other, however they are made.
function call(tool, args = {}) {
  const answer = last.then(() => ask({ tool, args, token: process.env.HERMES_RPC_TOKEN }));
  last = answer.catch(() => undefined);
  return answer;
}

async function ask(request) {
  const text = JSON.stringify(request) + '\\n';
  const result = unpack(JSON.parse(await (process.env.HERMES_RPC_DIR ? byFile(text) : bySocket(text))));
  return typeof result === 'object' && result !== null ? result : { output: result };
}

async function bySocket(text) {
  connection ??= open();
  const { socket, waiting } = connection;
  socket.ref();
  try {
    return await new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      socket.write(text);
    });
  } finally {
    // A connection that nobody waits for keeps no script from its end.
    socket.unref();
  }
}

let count = 0;

async function byFile(text) {
  count += 1;
  const place = (kind) => join(process.env.HERMES_RPC_DIR, kind + '-' + process.pid + '-' + count);
  const [part, wanted, reply] = [place('part'), place('req'), place('res')];
  writeFileSync(part, text);
  renameSync(part, wanted);
  for (let wait = 10; !existsSync(reply); wait = Math.min(wait * 1.5, 200)) await sleep(wait);
  const line = readFileSync(reply, 'utf8');
  rmSync(reply);
  return line;
}

function unpack(result) {
  if (typeof result !== 'string') return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}
`;

const helpers = `// Like JSON.parse, also where strings hold line breaks and other control characters.
export function json_parse(text) {
  const escape = (control) => JSON.stringify(control).slice(1, -1);
  return JSON.parse(text.replace(/"(?:[^"\\\\]|\\\\.)*"/gs, (string) => string.replace(/[\\u0000-\\u001f]/g, escape)));
}

// The text as one word of a shell command.
export function shell_quote(text) {
  return "'" + String(text).replaceAll("'", "'\\\\''") + "'";
}

// Calls fn until it does not throw; waits between attempts, each time twice as long.
export async function retry(fn, max_attempts = 3, delay = 2) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await fn();
    } catch (error) {
      if (attempt >= max_attempts) throw error;
      await sleep(delay * 1000 * 2 ** (attempt - 1));
    }
  }
}
`;
