/** One call to a server for a conversation: its turn, its end, and what is said when it fails. */
import { failure, type ToolContext, type ToolOutcome } from '../agent/tool.ts';
import type { Callers, McpSession } from './callers.ts';
import { errorText } from './error-text.ts';
import { LoginNeeded } from './login-needed.ts';
import type { McpServer } from './server.ts';
import { NotConnected } from './server.ts';

export interface CallParts {
  readonly server: McpServer;
  readonly callers: Callers;
  readonly session: McpSession;
}

export interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds, where it is to have less time than the server has for a call. */
  readonly timeoutMs?: number;
  /** What the model reads of an answer. */
  read(answer: Readonly<Record<string, unknown>>): ToolOutcome;
}

/** Rejects only when the call is interrupted. */
export async function callServer(
  { server, callers, session }: CallParts,
  call: Call,
  context: ToolContext<unknown>,
): Promise<ToolOutcome> {
  const { breaker, settings } = server;
  const failures = breaker.failures;
  if (failures !== undefined) {
    return failure(
      `MCP server '${settings.name}' is unreachable after ${failures} consecutive failures. It may be tried again in ${breaker.secondsLeft} s; until then go on without it, or ask the user to look at the server.`,
    );
  }
  try {
    const onStart = (): (() => void) => callers.begin({ session, context });
    const limits = { signal: context.signal, onStart, timeoutMs: call.timeoutMs };
    const answer = await server.request(call.method, call.params, limits);
    const outcome = call.read(answer);
    if (outcome.isError) breaker.failed();
    else breaker.succeeded();
    return outcome;
  } catch (error) {
    context.signal.throwIfAborted();
    breaker.failed();
    if (error instanceof NotConnected) return failure(session.redact(error.message));
    if (error instanceof LoginNeeded) return loginFailure(error, session);
    const type = error instanceof Error ? error.name : 'Error';
    return failure(session.redact(`MCP call failed: ${type}: ${errorText(error)}`));
  }
}

/** The keys are those of the original; nothing that the model does mends it. */
function loginFailure({ server, message }: LoginNeeded, { redact }: McpSession): ToolOutcome {
  return failure({
    error: redact(`${message}. Do not call this tool again; ask the user to log in.`),
    needs_reauth: true,
    server,
  });
}
