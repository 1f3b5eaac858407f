/** The whole key tree of `config.yaml`: one lazily built Zod schema per top-level key. */
import type * as z from 'zod';
import { agentSections } from './schema/agent.ts';
import { automationSections } from './schema/automation.ts';
import { auxiliary } from './schema/auxiliary.ts';
import { displaySections } from './schema/display.ts';
import { gatewaySections } from './schema/gateway.ts';
import { knowledgeSections } from './schema/knowledge.ts';
import { mcpSections } from './schema/mcp.ts';
import { modelSections } from './schema/model.ts';
import { secretSections } from './schema/secrets.ts';
import { securitySections } from './schema/security.ts';
import { speechSections } from './schema/speech.ts';
import { terminal } from './schema/terminal.ts';
import { webSections } from './schema/web.ts';

/**
 * The number this build writes as `_config_version`: that of hermes-agent 0.19.0, on whose files it works. It may never be
 * higher, or that program would skip steps of its own on the same file.
 */
export const CONFIG_VERSION = 33;

/** What early builds of this program wrote; `hermes config migrate` brings it back to `CONFIG_VERSION`. */
export const OWN_OLD_VERSION = 40;

/** Top-level keys and how each is read. A schema is built when its key is first looked at, since most never are. */
export const SECTIONS = {
  ...modelSections,
  ...agentSections,
  ...mcpSections,
  auxiliary,
  terminal,
  ...displaySections,
  ...knowledgeSections,
  ...webSections,
  ...speechSections,
  ...securitySections,
  ...secretSections,
  ...gatewaySections,
  ...automationSections,
} satisfies Readonly<Record<string, () => z.ZodType>>;

export type SectionName = keyof typeof SECTIONS;

/** The effective configuration, with every default filled in. */
export type Config = { readonly [Name in SectionName]: z.output<ReturnType<(typeof SECTIONS)[Name]>> };

export function isSectionName(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}
