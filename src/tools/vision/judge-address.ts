/** What there is against asking an address for a picture: what the model made of what it read may stand in it. */
import { escapeForDisplay } from '../../safety/display.ts';
import { contactWith, type Judgement } from '../../safety/finding.ts';
import { hostText } from '../../safety/hosts.ts';
import type { ToolServices } from '../services.ts';

/** A path of this length says where a picture is; more may say what was read before. */
const plainPathChars = 120;

/** Those that are no http(s) addresses are not asked, so nothing is found against them. */
export function judgeAddresses(addresses: readonly string[], { state }: Pick<ToolServices, 'state'>): Judgement {
  const findings = addresses.flatMap((address) => {
    const url = webAddress(address);
    if (url === undefined) return [];
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? undefined : Number(url.port);
    const carries = url.search !== '' || url.pathname.length > plainPathChars;
    const isKnown = state.hosts.allows(host, port ?? (url.protocol === 'https:' ? 443 : 80));
    if (isKnown && !carries) return [];
    const name = hostText({ host, ...(port === undefined ? {} : { port }) });
    return [contactWith(name, carries && !isKnown ? 'files' : 'outside')];
  });
  const once = new Map(findings.map((finding) => [`${finding.key} ${finding.onlyAfter}`, finding]));
  return { shown: escapeForDisplay(addresses.join('\n')).slice(0, 4000), findings: [...once.values()] };
}

export function webAddress(text: string): URL | undefined {
  const url = /^https?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  return url ?? undefined;
}
