/** What a start says of secret managers, a line each; no value is in it. */
import { escapeForDisplay } from '../safety/display.ts';
import type { SourceFailure } from './failure.ts';
import type { Fetched } from './fetch-secrets.ts';
import type { Placed } from './place.ts';

export function warningsOf(fetched: readonly Fetched[], placed: readonly Placed[]): readonly string[] {
  return [...fetched.flatMap(ofSource), ...conflicts(placed), ...refused(placed)];
}

/** Why, of which kind, and what to do. */
export function failureText({ message, kind, hint }: SourceFailure): string {
  return `${message} (${kind})${hint === undefined ? '' : `. ${hint}`}`;
}

function ofSource({ source: { label }, problems, failure, notKept }: Fetched): string[] {
  return [
    ...(failure === undefined ? [] : [`secrets: ${label} gave nothing: ${failureText(failure)}`]),
    ...[...Map.groupBy(problems, (problem) => failureText(problem.failure))].map(
      ([why, all]) => `secrets: ${label} did not give ${all.map(({ variable }) => name(variable)).join(', ')}: ${why}`,
    ),
    ...(notKept === undefined ? [] : [`secrets: the values of ${label} cannot be kept for the next start: ${notKept}`]),
  ];
}

function conflicts(placed: readonly Placed[]): string[] {
  const lost = placed.filter(({ fate }) => fate === 'conflict');
  return [...Map.groupBy(lost, ({ source }) => source.label)].map(([label, all]) => {
    const variables = all.map(({ variable }) => variable);
    const winners = placed.filter(({ fate, variable }) => fate !== 'conflict' && variables.includes(variable));
    const by = [...new Set(winners.map(({ source }) => source.label))].join(', ');
    return `secrets: ${variables.map(name).join(', ')}: taken from ${by}; ${label} has it too, which is not used`;
  });
}

/** What the user named himself; a project may hold what it likes. */
function refused(placed: readonly Placed[]): string[] {
  const named = placed.filter(({ fate, source }) => fate === 'protected' && source.shape === 'mapped');
  return named.map(
    ({ variable, source }) =>
      `secrets: ${name(variable)} cannot come from ${source.label}: it is needed before anything is asked`,
  );
}

function name(variable: string): string {
  return escapeForDisplay(variable, { singleLine: true });
}
