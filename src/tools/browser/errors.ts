/** What went wrong in a browser, in one line. */
import { errorMessage } from '../../lib/errors.ts';

/** Of what Playwright says only the reason: its lines about calls and colours are for programmers. */
export function browserError(error: unknown): string {
  const plain = errorMessage(error).replaceAll(/\u001B\[[\d;]*m/g, '');
  const [first = ''] = plain.split('\n', 1);
  const reason = first.replace(/^\w+\.\w+: (?:Error: )?/, '').trim();
  const why =
    /(<.{1,200}> (?:from .{1,100} subtree )?intercepts pointer events|element is not (?:visible|enabled|stable|editable))/.exec(
      plain,
    )?.[1];
  return why === undefined ? reason : `${reason.replace(/\.$/, '')}: ${why}`;
}
