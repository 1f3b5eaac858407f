/** What `/suggestions catalog` proposes: some of the blueprints, filled in as they usually are. */
import { blueprints } from './blueprints/catalogue.ts';
import { fillBlueprint } from './blueprints/fill.ts';
import type { NewSuggestion } from './suggestion.ts';

const starters: readonly (readonly [dedupKey: string, blueprint: string])[] = [
  ['catalog:daily-briefing', 'morning-brief'],
  ['catalog:important-mail-monitor', 'important-mail'],
  ['catalog:weekly-review', 'weekly-review'],
  ['catalog:standup-reminder', 'workday-start'],
];

export function starterSuggestions(): readonly NewSuggestion[] {
  return starters.flatMap(([dedupKey, key]) => {
    const blueprint = blueprints.find((each) => each.key === key);
    if (blueprint === undefined) return [];
    const { title, description } = blueprint;
    const { prompt = '', schedule, deliver = 'origin' } = fillBlueprint(blueprint, new Map());
    const jobSpec = { prompt, schedule, name: title, deliver };
    return [{ title, description, source: 'catalog' as const, jobSpec, dedupKey }];
  });
}
