/** What the web tools answer with, and what they refuse alike. */
import type { ToolOutcome } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import { blockedMessage } from './blocked-sites.ts';

/** JSON as the original indents it. */
export function indented(value: object, isError: boolean): ToolOutcome {
  return { content: JSON.stringify(value, null, 2), isError };
}

/** Says why the owner's list does not let an address be read. */
export function refuseBlocked({ state: { web } }: Pick<ToolServices, 'state'>): (url: URL) => string | undefined {
  return (url) => {
    const site = web.blocked.find(url);
    return site === undefined ? undefined : blockedMessage(site);
  };
}
