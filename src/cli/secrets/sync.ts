/** `hermes secrets … sync`: asks a secret manager now. */
import { UserError } from '../../lib/errors.ts';
import { fetchSecrets } from '../../secret-sources/fetch-secrets.ts';
import { openSources } from '../../secret-sources/open-sources.ts';
import { judgePlaces } from '../../secret-sources/place.ts';
import type { SourceName } from '../../secret-sources/source.ts';
import { warningsOf } from '../../secret-sources/warnings.ts';
import type { CliContext } from '../command.ts';
import { rulesOf } from './at-start.ts';
import { fateLines, keptValues } from './show.ts';

/** With `apply` the next starts use what was fetched; otherwise nothing is changed. */
export async function syncSource(context: CliContext, name: SourceName, apply: boolean): Promise<void> {
  const loaded = await context.config();
  const { home, env, io } = context;
  const settings = { homePath: home.path, env, config: loaded.config };
  const { sources } = openSources(settings);
  const source = sources.find((one) => one.name === name);
  if (source === undefined) {
    throw new UserError(`secrets.${name} is switched off.`, { hint: `Switch it on: hermes secrets ${name} setup` });
  }
  const before = keptValues(settings);
  const [asked] = await fetchSecrets([source], { homePath: home.path, fresh: true, keep: apply });
  if (asked === undefined) return;
  if (asked.failure !== undefined) {
    const { message, kind, hint } = asked.failure;
    throw new UserError(`${source.label} gave nothing: ${message} (${kind})`, hint === undefined ? {} : { hint });
  }
  const all = sources.flatMap((one) =>
    one === source ? asked : (before.find((kept) => kept.source.name === one.name) ?? []),
  );
  const placed = judgePlaces(env, all, rulesOf(loaded));
  for (const line of warningsOf([asked], placed)) io.stderr.write(`${line}\n`);
  const own = placed.filter((one) => one.source.name === name);
  const lines = own.length === 0 ? ['  no value'] : fateLines(own);
  io.stdout.write(`${source.label}, at the next start:\n${lines.join('\n')}\n\n${endOf(apply, source.cacheSeconds)}\n`);
  if (asked.problems.length > 0) context.exitCode = 1;
}

function endOf(apply: boolean, cacheSeconds: number): string {
  if (cacheSeconds === 0) return 'Nothing is kept: every start asks (cache_ttl_seconds is 0).';
  if (apply) return `The starts of the next ${cacheSeconds} s use these values.`;
  return `Nothing was changed: starts use what they keep for up to ${cacheSeconds} s. --apply makes these values count at once.`;
}
