#!/usr/bin/env node
// Runs a Node program in a thread, stops it at a line and prints expressions there. Opens no port.
// usage: inspect-at.mjs --at file.js:LINE --show EXPR [--show EXPR] [--hits N] [--timeout SECONDS] -- program.js [args]
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

if (isMainThread) await start();
else await watch(workerData);

async function start() {
  const split = process.argv.indexOf('--');
  const values = readArguments(process.argv.slice(2, split < 0 ? undefined : split));
  const program = split < 0 ? [] : process.argv.slice(split + 1);
  const [, file, line] = /^(.+):(\d+)$/.exec(values?.at ?? '') ?? [];
  if (file === undefined || program.length === 0) {
    console.error(
      'usage: inspect-at.mjs --at file.js:LINE --show EXPR [--hits N] [--timeout SECONDS] -- program.js [args]',
    );
    process.exit(2);
  }
  const wanted = {
    url: pathToFileURL(resolve(file)).href,
    line: Number(line) - 1,
    expressions: values.show,
    hits: Number(values.hits),
  };
  // This thread, which is never stopped, looks at the main thread, where the program runs.
  const watcher = new Worker(new URL(import.meta.url), { workerData: wanted });
  const limit = setTimeout(() => {
    console.error(`Not finished within ${values.timeout} seconds.`);
    process.exit(1);
  }, Number(values.timeout) * 1000);
  limit.unref();
  await new Promise((ready, fail) => watcher.once('message', ready).once('error', fail));
  watcher.unref();
  process.argv.splice(1, Infinity, resolve(program[0]), ...program.slice(1));
  await import(pathToFileURL(resolve(program[0])).href);
}

async function watch({ url, line, expressions, hits }) {
  // An inspector session alone would not keep this thread alive.
  parentPort.on('message', () => undefined);
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connectToMainThread();
  const send = (method, params) =>
    new Promise((done, fail) => session.post(method, params, (error, result) => (error ? fail(error) : done(result))));
  // The console of a thread is written by the main thread, which is stopped.
  const print = (line) => writeSync(2, `${line}\n`);
  let seen = 0;
  session.on('Debugger.paused', async ({ params }) => {
    const frame = params.callFrames[0];
    seen += 1;
    print(`# hit ${seen}: ${frame.functionName || '(top level)'} line ${frame.location.lineNumber + 1}`);
    for (const expression of expressions) {
      const { result, exceptionDetails } = await send('Debugger.evaluateOnCallFrame', {
        callFrameId: frame.callFrameId,
        expression,
        returnByValue: true,
        throwOnSideEffect: true,
      });
      const text = exceptionDetails
        ? `error: ${String(result.description ?? result.value).split('\n')[0]}`
        : JSON.stringify(result.value);
      print(`# ${expression} = ${text ?? result.description ?? 'undefined'}`);
    }
    if (seen >= hits) await send('Debugger.disable');
    else await send('Debugger.resume');
  });
  await send('Debugger.enable');
  await send('Debugger.setBreakpointByUrl', { url, lineNumber: line });
  parentPort.postMessage('ready', []);
}

/** Undefined when it is called wrongly. */
function readArguments(args) {
  try {
    const options = {
      at: { type: 'string' },
      show: { type: 'string', multiple: true, default: [] },
      hits: { type: 'string', default: '1' },
      timeout: { type: 'string', default: '20' },
    };
    return parseArgs({ args, options }).values;
  } catch {
    return undefined;
  }
}
