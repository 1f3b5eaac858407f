/** Templates and filters of webhooks give what the original gives; where not, the reason stands here. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as z from 'zod';
import { passesFilters } from '../../../src/http/webhooks/filter.ts';
import { defaultPrompt, renderTemplate } from '../../../src/http/webhooks/template.ts';

const { webhook: golden } = z
  .object({
    webhook: z.object({
      payload: z.json(),
      headers: z.record(z.string(), z.string()),
      event_type: z.string(),
      route: z.string(),
      render: z.record(z.string(), z.string()),
      filters: z.array(z.object({ spec: z.json(), match: z.boolean() })),
    }),
  })
  .parse(JSON.parse(readFileSync(new URL('golden/webhook.json', import.meta.url), 'utf8')));

const values = { payload: golden.payload, eventType: golden.event_type };

const otherTemplates: Record<string, { text: string; why: string }> = {
  '{pr.draft} {pr.body}': { text: 'false null', why: 'values are spelled as in the payload' },
  '{items.0.n}': { text: '1', why: 'a place in a list can be named, as in filters' },
};

const otherFilters: readonly { spec: unknown; match: boolean; why: string }[] = [
  { spec: { field: 'headers.x-a', equals: '1' }, match: true, why: 'names of headers have no case' },
];

for (const [template, theirs] of Object.entries(golden.render)) {
  test(`a template stands for what the original makes of it: ${JSON.stringify(template)}`, () => {
    const ours = template === '' ? defaultPrompt(golden.route, values) : renderTemplate(template, values);
    assert.equal(ours, otherTemplates[template]?.text ?? theirs);
  });
}

test('filters match what they match in the original', () => {
  const headers = new Headers(golden.headers);
  for (const { spec, match } of golden.filters) {
    const other = otherFilters.find((one) => JSON.stringify(one.spec) === JSON.stringify(spec));
    const passes = passesFilters(spec, { ...values, headers, listIn: () => undefined });
    assert.equal(passes, other?.match ?? match, JSON.stringify(spec));
  }
});
