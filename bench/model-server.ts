/**
 * A model that answers at once, in a process of its own so that it takes no time from the one that is measured.
 * Prints its address. The first part of the path says what it plays:
 *
 *   /word/...       one word
 *   /stream-N/...   an answer in N events
 *   /tools-N/...    N times a call of the terminal, then one word
 *   /served-N/...   N calls at once of the tool `sleep` of the server `s`, the last one a second long, then one word
 *   /browse-N/...   opens `/page` of this server in the browser, does N things on it one after another, then one word
 *   /page           a page that does nothing by itself
 *   /turns/...      for each message of the user one call that prints a few kB, then one word; and summaries
 *   /wait/...       nothing, ever
 *   /chat/...       one word; or as the last words of the user say: nothing to `wait`, a call of the terminal to `work`
 *   /soak/...       what numbered messages of a soak want; see `bench/parts/soak-answers.ts`
 *   /waiting        how many of those there were
 *   /gaps           times between a tool-call answer and the request that followed, and forgets them
 *   /arrivals       when the requests came whose user spoke of `q<number>`, by the number, and forgets them
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { soakAnswer } from './parts/soak-answers.ts';

interface Request {
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
}

const answers = new Map<string, Buffer>();
let gaps: number[] = [];
/** In milliseconds of the clock that all processes of a machine share. */
let arrivals: Record<string, number> = {};
let waiting = 0;
let toolCallSentAt: number | undefined;

const server = createServer((request, response) => {
  const receivedAt = performance.now();
  const sharedTime = Number(process.hrtime.bigint()) / 1e6;
  answer(request, response, { receivedAt, sharedTime }).catch((error: unknown) => {
    response.writeHead(500).end(String(error));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
// The bench that started this holds our stdin: when it goes, so do we.
process.stdin.on('end', () => process.exit()).resume();

interface Times {
  readonly receivedAt: number;
  readonly sharedTime: number;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { receivedAt, sharedTime }: Times,
): Promise<void> {
  const [, scene = '', ...rest] = (request.url ?? '').split('/');
  if (scene === 'gaps') {
    response.end(JSON.stringify(gaps));
    gaps = [];
    return;
  }
  if (scene === 'waiting') {
    response.end(String(waiting));
    return;
  }
  if (scene === 'arrivals') {
    response.end(JSON.stringify(arrivals));
    arrivals = {};
    return;
  }
  if (scene === 'page') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(page);
    return;
  }
  if (request.method === 'GET') {
    const models = rest.at(-1) === 'models' ? { object: 'list', data: [{ id: 'fake-model', object: 'model' }] } : {};
    response.writeHead(rest.at(-1) === 'models' ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(models));
    return;
  }
  const sent = (await json(request)) as Request;
  const { messages = [] } = sent;
  const continues = messages.at(-1)?.role === 'tool';
  if (continues && toolCallSentAt !== undefined) gaps.push(receivedAt - toolCallSentAt);
  toolCallSentAt = undefined;

  const asked = lastOf(messages, 'user');
  const number = /\bq(\d+)\b/.exec(asked)?.[1];
  if (number !== undefined) arrivals[number] ??= sharedTime;

  const [kind, count = '0'] = scene.split('-');
  const isAnswered = messages.at(-1)?.role === 'tool';
  if (kind === 'wait' || (kind === 'chat' && asked.endsWith('wait'))) {
    waiting += 1;
    return;
  }
  if (kind === 'chat' && asked.endsWith('work') && !isAnswered) {
    waiting += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(toolCall(0, 'sleep 60'));
    return;
  }
  if (kind === 'soak') {
    const { command, text: words = '', afterMs } = soakAnswer(messages);
    await sleep(afterMs);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (command !== undefined) return void response.end(toolCall(Date.now(), command));
    response.write(event({ role: 'assistant', content: '' }));
    for (const piece of words.match(/[^]{1,200}/g) ?? []) {
      response.write(event({ content: piece }));
      await sleep(afterMs / 20);
    }
    response.end(ending('stop'));
    return;
  }
  if (kind === 'turns') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(turnStep(sent));
    return;
  }
  const done = messages.filter(({ role }) => role === 'tool').length;
  const callsTool = kind === 'tools' && done < Number(count);
  // Each call is another one: who repeats itself is stopped.
  const callsServer = kind === 'served' && done === 0;
  if (kind === 'browse' && isAnswered && !lastOf(messages, 'tool').includes('"success":true')) {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `not done: ${lastOf(messages, 'tool').slice(0, 300)}` } }));
    return;
  }
  const browses = kind === 'browse' && done <= Number(count);
  const body = callsServer
    ? serverCalls(Number(count))
    : callsTool
      ? toolCall(done, `echo hi ${done}`)
      : browses
        ? browserCall(done, `http://${request.headers.host}/page`)
        : text(kind === 'stream' ? Number(count) : 1);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(body);
  if (callsTool || callsServer || browses) toolCallSentAt = performance.now();
}

function lastOf(messages: readonly { readonly role: string; readonly content?: unknown }[], role: string): string {
  const content = messages.findLast((message) => message.role === role)?.content;
  return typeof content === 'string' ? content : '';
}

/** Counts what it was sent as a provider does, so that long conversations are shortened. */
function turnStep(request: Request): string {
  const tokens = Math.round(JSON.stringify(request).length / 4);
  const last = request.messages?.at(-1);
  const asksSummary = typeof last?.content === 'string' && last.content.includes('CONVERSATION-TEXT');
  const words = asksSummary
    ? '## Goal\nGo on with the turns as it was agreed.\n## Completed Actions\nAll turns so far were done.\n## Historical Remaining Work\nThe next turn.'
    : 'Done.';
  return last?.role === 'tool' || asksSummary
    ? [event({ role: 'assistant', content: words }), ending('stop', tokens)].join('')
    : toolCall(tokens, 'seq 1 1000', tokens);
}

/** Prepared once for each length, so that making it costs the measured program nothing. */
function text(pieces: number): Buffer {
  const known = answers.get(String(pieces));
  if (known !== undefined) return known;
  const words = Array.from({ length: pieces }, (_, index) =>
    event({ content: index === 0 ? 'hello' : ` word${index}` }),
  );
  const body = Buffer.from([event({ role: 'assistant', content: '' }), ...words, ending('stop')].join(''));
  answers.set(String(pieces), body);
  return body;
}

function toolCall(index: number, command: string, tokens = usualTokens): string {
  return oneCall(index, 'terminal', { command }, tokens);
}

function oneCall(index: number, name: string, args: object, tokens = usualTokens): string {
  const call = { index: 0, id: `call_${index}`, type: 'function', function: { name, arguments: '' } };
  return [
    event({ role: 'assistant', content: null, tool_calls: [call] }),
    event({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(args) } }] }),
    ending('tool_calls', tokens),
  ].join('');
}

const page = `<!doctype html><title>Herons</title><h1>Herons</h1><button onclick="out.textContent = ++times">Count</button>
  <p id="out"></p><script>let times = 0</script>${'<p>The heron stands in the <a href="/page">shallow water</a>.</p>'.repeat(100)}`;

/** The first one opens the page, the others take turns. */
function browserCall(index: number, url: string): string {
  if (index === 0) return oneCall(index, 'browser_navigate', { url });
  const direction = index % 8 < 4 ? 'down' : 'up';
  // The heading has no name, so the button has the first one after it.
  const turns = [
    ['browser_click', { ref: '@e3' }],
    ['browser_snapshot', {}],
    ['browser_scroll', { direction }],
    ['browser_press', { key: 'Tab' }],
  ] as const;
  const [name, args] = turns[(index - 1) % turns.length] ?? turns[0];
  return oneCall(index, name, args);
}

function serverCalls(count: number): string {
  const calls = Array.from({ length: count }, (_, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'mcp__s__sleep', arguments: JSON.stringify({ ms: (1000 * (index + 1)) / count }) },
  }));
  return [event({ role: 'assistant', content: null, tool_calls: calls }), ending('tool_calls')].join('');
}

function event(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'fake-model', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const usualTokens = 1000;

function ending(finish: string, tokens = usualTokens): string {
  const usage = { prompt_tokens: tokens, completion_tokens: 10, total_tokens: tokens + 10 };
  return `${event({}, finish)}data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'fake-model', choices: [], usage })}\n\ndata: [DONE]\n\n`;
}
