/** Bundles as lines for people. */
import { UserError } from '../../lib/errors.ts';
import type { FoundBundles } from '../../skills/bundles.ts';
import { shown } from './skills-surface.ts';

export function bundleLines({ bundles, warnings }: FoundBundles): string[] {
  if (bundles.length === 0)
    return ['No bundles. Make one with: hermes bundles create <name> --skill <skill>', ...warnings];
  const lines = bundles.map(({ slug, description, skills }) => {
    const about = description === '' ? '' : `  ${shown(description, 80)}`;
    return `/${slug}  (${shown(skills.join(', '))})${about}`;
  });
  return [...lines, ...warnings.map((warning) => shown(warning, 300))];
}

/** Throws `UserError` for a name that no bundle has. */
export function describeBundle({ bundles }: FoundBundles, name: string): string[] {
  const bundle = bundles.find((entry) => entry.slug === name.replace(/^\//, '') || entry.name === name);
  if (bundle === undefined) {
    throw new UserError(`There is no bundle '${shown(name, 80)}'.`, { hint: 'See them with: hermes bundles list' });
  }
  return [
    `/${bundle.slug}  ${shown(bundle.description)}`.trimEnd(),
    ...bundle.skills.map((skill) => `  ${shown(skill)}`),
    ...(bundle.instruction === '' ? [] : [`Instruction: ${shown(bundle.instruction, 1_000)}`]),
    `File: ${bundle.file}`,
  ];
}
