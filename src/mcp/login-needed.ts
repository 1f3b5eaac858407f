/** A server that cannot be used until a person logs in to it. */
import { UserError } from '../lib/errors.ts';

/** `why` ends without a full stop. The message names the command, as it is what lists and logs show. */
export class LoginNeeded extends UserError {
  readonly server: string;

  constructor(server: string, why: string) {
    super(`MCP server '${server}': ${why}; log in with: hermes mcp login ${server}`);
    this.server = server;
  }
}

/** The first one in a chain of causes: libraries wrap what their parts throw. */
export function loginNeededIn(error: unknown): LoginNeeded | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 8; current = current.cause, depth++) {
    if (current instanceof LoginNeeded) return current;
  }
  return undefined;
}
