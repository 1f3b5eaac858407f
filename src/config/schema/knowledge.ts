/** Configuration: memory, skills and plugins. */
import * as z from 'zod';
import { anyMap, bool, int, list, mapOf, nested, number, optionalList, section, text } from './fields.ts';

const memory = () =>
  section({
    memory_enabled: bool(true, 'Keep MEMORY.md'),
    user_profile_enabled: bool(true, 'Keep USER.md'),
    memory_char_limit: int(2200, 'Size of MEMORY.md in characters'),
    user_char_limit: int(1375, 'Size of USER.md in characters'),
    write_approval: bool(false, 'Ask before memory is written'),
    provider: text('', 'External memory provider'),
    nudge_interval: int(10, 'Turns without memory after which a review runs; 0 turns it off'),
  });

const skills = () =>
  section({
    external_dirs: list('More directories with skills'),
    disabled: list('Skills that are not offered'),
    platform_disabled: mapOf(list('Skills'), 'Skills that are not offered on a platform'),
    config: anyMap('Settings of single skills'),
    guard_agent_created: bool(false, 'Scan skills the agent writes'),
    write_approval: bool(false, 'Ask before a skill is written'),
    template_vars: bool(true, 'Fill in variables in SKILL.md'),
    inline_shell: bool(false, 'Run inline commands in SKILL.md'),
    inline_shell_timeout: int(10, 'Seconds of an inline command'),
    creation_nudge_interval: int(15, 'Tool rounds after which a review may write a skill; 0 turns it off'),
  });

const curator = () =>
  section({
    enabled: bool(true, 'Tidy up skills now and then'),
    interval_hours: number(168, 'Hours between two runs'),
    min_idle_hours: number(2, 'Idle hours before a run'),
    stale_after_days: number(30, 'Days without use until a skill is stale'),
    archive_after_days: number(90, 'Days without use until a skill is archived'),
    consolidate: bool(false, 'Merge similar skills'),
    prune_builtins: bool(true, 'Archive unused bundled skills too'),
    backup: nested(
      { enabled: bool(true, 'Back up before a run'), keep: int(5, 'Backups kept') },
      'Backups of the skills directory',
    ).prefault({}),
  });

const plugins = () =>
  section({
    enabled: list('Plugins that are loaded'),
    disabled: list('Plugins that are never loaded'),
    entries: mapOf(
      z.looseObject({
        allow_tool_override: bool(false, 'May replace tools that are there without it'),
        llm: nested(
          {
            allow_model_override: bool(false, 'May choose the model'),
            allow_provider_override: bool(false, 'May choose the provider'),
            allow_profile_override: bool(false, 'May choose the profile'),
            allow_agent_id_override: bool(false, 'May choose the agent id'),
            allowed_models: optionalList('Models it may choose; `*` means any'),
            allowed_providers: optionalList('Providers it may choose; `*` means any'),
          },
          'What the plugin may ask of the model',
        ).prefault({}),
      }),
      'Settings of single plugins',
    ),
  });

const honcho = () => anyMap('Honcho memory provider');

/** Top-level keys of this file. */
export const knowledgeSections = {
  memory,
  skills,
  curator,
  plugins,
  honcho,
};
