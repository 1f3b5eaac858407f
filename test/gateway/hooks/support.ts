/** Event hooks in a home, and a gateway that has loaded them. */
import { chmodSync, mkdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import type { GatewayHooks } from '../../../src/gateway/hooks/gateway-hooks.ts';
import { openHooks } from '../../../src/gateway/hooks/open-hooks.ts';
import { noLog } from '../../../src/lib/log.ts';

export interface HookPlace {
  /** Writes a file below `hooks/`; one named `handler` or `handler.sh` may be run. */
  readonly write: (path: string, text: string) => void;
  /** What handlers wrote with the functions below, in order. */
  seen(): readonly { readonly type: string; readonly context: Record<string, unknown> }[];
  open(): Promise<GatewayHooks>;
  /** What the operator was told, and what is in the log. */
  readonly warnings: readonly string[];
}

/** A handler in JavaScript that writes down what it hears. */
export const writesDown = `import { appendFileSync } from 'node:fs';
export function handle(type, context) {
  appendFileSync(process.env.SEEN, JSON.stringify({ type, context }) + '\\n');
}
`;

/** The same in Python, as handlers of the original are. */
export const writesDownInPython = `import json, os
async def handle(event_type, context):
    with open(os.environ["SEEN"], "a") as file:
        file.write(json.dumps({"type": event_type, "context": context}) + "\\n")
`;

export function hookPlace(t: TestContext, home: string): HookPlace {
  const file = join(home, 'seen.jsonl');
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  return {
    warnings,
    write(path, text) {
      const full = join(home, 'hooks', path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      if (/\/handler(?:\.sh)?$/.test(full)) chmodSync(full, 0o755);
    },
    seen: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    async open() {
      const log = { ...noLog, warning: warn, error: warn };
      const hooks = await openHooks({ homePath: home, env: { ...process.env, SEEN: file }, log, warn });
      t.after(() => hooks.close());
      return hooks;
    },
  };
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}
