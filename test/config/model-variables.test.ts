/** What the environment says about models, and what is reported when a value is no number. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnvProblem } from '../../src/config/env-values.ts';
import { modelVariables } from '../../src/config/model-variables.ts';
import { processSettings } from '../../src/config/process-settings.ts';

test('limits are numbers of seconds; 0 sets none, and what is no number is reported by name', () => {
  const problems: EnvProblem[] = [];
  const env = {
    HERMES_API_TIMEOUT: ' 12.5 ',
    HERMES_API_CALL_STALE_TIMEOUT: '0',
    HERMES_STREAM_READ_TIMEOUT: '-1',
    HERMES_STREAM_STALE_TIMEOUT: 'soon',
    HERMES_NOUS_MIN_KEY_TTL_SECONDS: 'long',
    HERMES_STREAM_RETRIES: '0',
  };
  const { timeouts, logins } = modelVariables(env, problems);
  const { total, read, stale, staleWhole } = timeouts;
  assert.deepEqual([total, read, stale, staleWhole], [12.5, undefined, undefined, undefined]);
  assert.equal(logins.nousMinKeySeconds, undefined);
  assert.equal(processSettings(env, problems).requests.streamRetries, 0);
  assert.deepEqual(
    problems.map(({ variable }) => variable),
    ['HERMES_STREAM_READ_TIMEOUT', 'HERMES_STREAM_STALE_TIMEOUT', 'HERMES_NOUS_MIN_KEY_TTL_SECONDS'],
  );
});
