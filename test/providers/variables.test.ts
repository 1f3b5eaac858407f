/** A provider's variables are known wherever names decide: what a command may see, and what belongs into `.env`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownVariables } from '../../src/config/env-names.ts';
import { providerCatalogue } from '../../src/providers/catalogue.ts';
import { isNeverPassedOn, isPrivateVariable } from '../../src/safety/secret-variables.ts';

/** Programs of the owner use it as well, so it is private but can be passed through. */
const shared = new Set(['CLAUDE_CODE_OAUTH_TOKEN']);

test('no command gets the key or the address of any provider, and both are written to .env', () => {
  const known = knownVariables();
  for (const { id, keyVariables, baseUrlVariable } of providerCatalogue) {
    const names = [...keyVariables, ...(baseUrlVariable === undefined ? [] : [baseUrlVariable])];
    for (const name of names) {
      const isKept = shared.has(name) ? isPrivateVariable(name) : isNeverPassedOn(name);
      assert.ok(isKept, `${name} of ${id} belongs into safety/secret-variables.ts`);
      assert.ok(known.has(name), `${name} of ${id} belongs into config/env-names.ts`);
    }
  }
});
