/** Configuration: the small side tasks that may use another model. */
import * as z from 'zod';
import { effortField } from '../reasoning-effort.ts';
import { anyMap, bool, int, listOf, number, optionalNumber, section, text } from './fields.ts';

export const auxiliary = () =>
  section({
    transient_retries: int(2, 'Further tries at a model that could not be reached, before the next one is asked', {
      min: 0,
      max: 6,
    }),
    vision: task(120)
      .extend({ download_timeout: number(30, 'Seconds to fetch an image') })
      .prefault({}),
    video: z
      .object({
        model: text(
          '',
          'Model id for videos, of the provider of auxiliary.vision; empty: the model of auxiliary.vision',
        ),
      })
      .prefault({}),
    web_extract: task(360).prefault({}),
    compression: task(120).prefault({}),
    title_generation: task(30)
      .extend({ enabled: bool(true, 'Give sessions a title'), language: text('', 'Language of titles') })
      .prefault({}),
    approval: task(30).prefault({}),
    tts_audio_tags: task(30).prefault({}),
    skills_hub: task(30).prefault({}),
    mcp: task(30).prefault({}),
    triage_specifier: task(120).prefault({}),
    curator: task(600).prefault({}),
    kanban_decomposer: task(180).prefault({}),
    profile_describer: task(60).prefault({}),
    goal_judge: task(60).prefault({}),
    background_review: task(120).prefault({}),
    session_search: task(30).prefault({}),
    plugin: task(120).prefault({}),
    moa_reference: slot(900).prefault({}),
    moa_aggregator: slot(900).prefault({}),
  });

/** A side task. */
export function task(seconds: number) {
  return slot(seconds).extend({
    temperature: optionalNumber('Temperature'),
    reasoning_effort: effortField('How hard the model thinks; empty leaves it to the provider'),
    fallback_chain: listOf(
      z.looseObject({ provider: text('', 'Provider id'), model: text('', 'Model id') }),
      'Tried next when the model fails',
    ),
  });
}

/** Which model is asked, and how. Of a mixture it is what an entry of a preset leaves open. */
function slot(seconds: number) {
  return z.object({
    provider: text('auto', 'Provider id, auto, or main'),
    model: text('', 'Model id; empty lets the provider decide'),
    base_url: text('', 'Endpoint; wins over the provider'),
    api_key: text('', 'Key for the endpoint'),
    timeout: number(seconds, 'Seconds'),
    extra_body: anyMap('Merged into every request'),
  });
}
