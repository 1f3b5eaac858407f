/**
 * What runs a handler in a process of its own, so that nothing that it does can hold up or end the gateway. It is loaded
 * once and stays. Host and gateway talk in lines of JSON: `{id, event, context}` comes in, `{id, result}` or `{id, error}`
 * goes out, after one line `{ready: true}` or `{failed: …}`. What a handler prints goes to the error output.
 */
import type { HookHandler } from './hook-folders.ts';

/** The command that hosts the handler. */
export function hostCommand({ kind, path }: HookHandler): readonly [string, ...string[]] {
  return kind === 'python'
    ? ['python3', '-u', '-c', pythonHost, path]
    : [process.execPath, '--input-type=module', '--eval', moduleHost, path];
}

const moduleHost = `
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const tell = (line, done) => write(JSON.stringify(line) + '\\n', done);
const wordsOf = (error) => String(error?.message ?? error);
process.on('unhandledRejection', (error) => console.error(error));
try {
  const handler = await import(pathToFileURL(process.argv[1]).href);
  const handle = handler.handle ?? handler.default?.handle;
  if (typeof handle !== 'function') throw new Error('it exports no function named handle');
  tell({ ready: true });
  const answer = async ({ id, event, context }) => {
    try {
      tell({ id, result: await handle(event, context) });
    } catch (error) {
      tell({ id, error: wordsOf(error) });
    }
  };
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => void answer(JSON.parse(line)));
  lines.on('close', () => process.exit(0));
} catch (error) {
  tell({ failed: wordsOf(error) }, () => process.exit(1));
}
`;

// The working directory comes first where Python looks for modules; whoever writes there must not choose what is loaded.
const pythonHost = `
import sys
del sys.path[0]
import asyncio, importlib.util, inspect, json, os, threading
out = os.fdopen(os.dup(1), 'w', encoding='utf-8')
os.dup2(2, 1)
def tell(line):
    out.write(json.dumps(line, default=str, allow_nan=False) + '\\n')
    out.flush()
def words(error):
    return f'{type(error).__name__}: {error}'
def load(path):
    spec = importlib.util.spec_from_file_location('hermes_hook', path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if not callable(getattr(module, 'handle', None)):
        raise TypeError('it has no function named handle')
    return module.handle
async def answer(handle, asked):
    try:
        result = handle(asked['event'], asked['context'])
        if inspect.isawaitable(result):
            result = await result
        tell({'id': asked['id'], 'result': result})
    except BaseException as error:
        tell({'id': asked['id'], 'error': words(error)})
running = set()
def begin(handle, asked):
    task = asyncio.ensure_future(answer(handle, asked))
    running.add(task)
    task.add_done_callback(running.discard)
def listen(loop, handle):
    for line in sys.stdin.buffer:
        loop.call_soon_threadsafe(begin, handle, json.loads(line))
    os._exit(0)
async def main():
    try:
        handle = load(sys.argv[1])
    except BaseException as error:
        tell({'failed': words(error)})
        os._exit(1)
    tell({'ready': True})
    threading.Thread(target=listen, args=(asyncio.get_running_loop(), handle), daemon=True).start()
    await asyncio.Event().wait()
asyncio.run(main())
`;
