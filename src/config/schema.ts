/** The whole key tree of `config.yaml`: one lazily built Zod schema per top-level key. */
import type * as z from 'zod';
import * as agent from './schema/agent.ts';
import { auxiliary } from './schema/auxiliary.ts';
import * as automation from './schema/automation.ts';
import * as display from './schema/display.ts';
import * as gateway from './schema/gateway.ts';
import * as knowledge from './schema/knowledge.ts';
import * as model from './schema/model.ts';
import * as security from './schema/security.ts';
import * as speech from './schema/speech.ts';
import { terminal } from './schema/terminal.ts';
import * as web from './schema/web.ts';

/** The number this build writes as `_config_version`. */
export const CONFIG_VERSION = 40;

const { platformBlock, ...gatewaySections } = gateway;

/** Top-level keys and how each is read. A schema is built when its key is first looked at, since most never are. */
export const SECTIONS = {
  ...model,
  ...agent,
  auxiliary,
  terminal,
  ...display,
  ...knowledge,
  ...web,
  ...speech,
  ...security,
  ...gatewaySections,
  telegram: platformBlock,
  discord: platformBlock,
  slack: platformBlock,
  whatsapp: platformBlock,
  signal: platformBlock,
  matrix: platformBlock,
  mattermost: platformBlock,
  email: platformBlock,
  ...automation,
} as const satisfies Readonly<Record<string, () => z.ZodType>>;

export type SectionName = keyof typeof SECTIONS;

/** The effective configuration, with every default filled in. */
export type Config = { readonly [Name in SectionName]: z.output<ReturnType<(typeof SECTIONS)[Name]>> };

export function isSectionName(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}
