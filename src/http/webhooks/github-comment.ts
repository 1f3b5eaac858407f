/** The answer to a delivery as a comment on a pull request, through GitHub's own program. */
import { errorCode, errorMessage } from '../../lib/errors.ts';
import { runHelper } from '../../environments/run-helper.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { DeliveryOutcome } from './delivery.ts';

export interface GitHubComment {
  readonly repo: string;
  readonly number: string;
  readonly text: string;
}

const timeoutMs = 30_000;
const maxOutput = 64_000;
/** GitHub takes no longer ones. */
const maxChars = 65_536;

/** Both values may come from a stranger's payload: what is not plainly a repository and a number starts nothing. */
export async function commentOnGitHub(
  { repo, number, text }: GitHubComment,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  if (!/^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,100}$/.test(repo) || /^-|(?:^|\/)\.{1,2}(?:\/|$)/.test(repo)) {
    return failed('deliver_extra.repo is no owner/name of a repository');
  }
  if (!/^[1-9]\d{0,9}$/.test(number)) return failed('deliver_extra.pr_number is no number of a pull request');
  try {
    const run = await runHelper('gh', ['pr', 'comment', number, '--repo', repo, '--body', text.slice(0, maxChars)], {
      env: environmentOf(env),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      maxBytes: maxOutput,
    });
    return run.code === 0
      ? { as: 'delivered' }
      : failed(`gh ended with ${run.code}: ${run.stderr.trim().slice(0, 300)}`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return failed(errorMessage(error));
    return failed('the program gh is not installed; see https://cli.github.com');
  }
}

/** Its own login, and no other secret. */
function environmentOf(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const own = Object.entries(env).filter(([name]) => /^(?:GH_[A-Z_]+|GITHUB_TOKEN)$/.test(name));
  return {
    ...childEnvironment(env),
    ...Object.fromEntries(own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    GH_PROMPT_DISABLED: '1',
  };
}

function failed(error: string): DeliveryOutcome {
  return { as: 'failed', error };
}
