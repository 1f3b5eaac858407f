/** A person at a surface, a clock and a server, for tests of logins. */
import assert from 'node:assert/strict';
import { modelVariables } from '../../../src/config/model-variables.ts';
import { openLogin, type LoginProvider } from '../../../src/credentials/oauth/catalogue.ts';
import type { LoginContext, LoginOptions, LoginPrompt } from '../../../src/credentials/oauth/login.ts';
import { type LoginServer, startLoginServer } from '../../fakes/oauth-server.ts';

export interface Surface {
  readonly shown: { url: string; userCode: string; expiresInSeconds: number }[];
  readonly opened: string[];
  readonly lines: string[];
  readonly prompt: LoginPrompt;
}

/** Records what a login shows; opens every browser. */
export function surface(more: Partial<LoginPrompt> = {}): Surface {
  const shown: Surface['shown'] = [];
  const opened: string[] = [];
  const lines: string[] = [];
  const prompt: LoginPrompt = {
    showCode: (code) => void shown.push(code),
    openBrowser: async (url) => {
      opened.push(url);
      return true;
    },
    askForPaste: async () => {
      throw new Error('nobody is there to paste');
    },
    status: (line) => void lines.push(line),
    ...more,
  };
  return { shown, opened, lines, prompt };
}

/** Half past 2027, in milliseconds. */
export const start = 1_800_000_000_000;

/** A server, a clock that waiting moves on, and the lines of the trace. */
export async function setUp(env: Record<string, string> = {}) {
  const server = await startLoginServer();
  const clock = { at: start };
  const waits: number[] = [];
  const trace: string[] = [];
  const context: LoginContext = {
    variables: modelVariables({ HERMES_OAUTH_TRACE: '1', ...env }).logins,
    now: () => clock.at,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      clock.at += milliseconds;
    },
    fetch: server.fetch,
    trace: (line) => void trace.push(line),
  };
  return {
    server,
    clock,
    waits,
    trace,
    context,
    open: async (provider: LoginProvider) => await openLogin(provider, context),
    async [Symbol.asyncDispose]() {
      assertHidden(server, trace.join('\n'));
      await server[Symbol.asyncDispose]();
    },
  };
}

export const never = new AbortController().signal;

export function options(prompt: LoginPrompt = surface().prompt, more: Partial<LoginOptions> = {}): LoginOptions {
  return { prompt, signal: never, ...more };
}

/** Runs to its failure, which must not tell a secret in any of its parts. */
export async function failureOf(server: LoginServer, work: Promise<unknown>): Promise<Error & { hint?: string }> {
  const error = await work.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error);
  for (let part: unknown = error; part instanceof Error; part = part.cause) {
    assertHidden(server, `${part.message} ${part.stack} ${JSON.stringify(part)}`);
  }
  return error;
}

function assertHidden(server: LoginServer, text: string): void {
  for (const secret of server.secrets) assert.ok(!text.includes(secret), `a secret is shown in: ${text}`);
}
