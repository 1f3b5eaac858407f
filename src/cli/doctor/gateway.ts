/** Checks the gateway: what is set up of chat platforms, who may speak there, and how the process is. */
import { configuredPlatforms, platformReports } from '../../gateway/process/configured-platforms.ts';
import { openDoorWarning, placeholderWarnings } from '../../gateway/process/surroundings.ts';
import { gatewayLines } from '../gateway/show.ts';
import { platformTitle } from '../gateway/platform-title.ts';
import { pluggedPlatforms } from '../gateway/plugged-platforms.ts';
import type { Check, Finding } from './finding.ts';

export const gateway: Check = {
  title: 'Gateway',
  async run({ cli, loaded }) {
    const sources = { raw: loaded.raw, variables: cli.env, plugged: await pluggedPlatforms(cli) };
    const reports = await platformReports(sources);
    const platforms = reports.flatMap(({ platform, config, configured, problems }): Finding[] => [
      ...(configured
        ? [{ status: 'ok', text: `${platformTitle(platform)}: ${config.enabled ? 'set up' : 'switched off'}` } as const]
        : []),
      ...problems.map((text): Finding => ({ status: 'fail', text, remedy: 'Set it right in .env or config.yaml' })),
    ]);
    const placeholders = placeholderWarnings(cli.home.path).map(
      (text): Finding => ({ status: 'fail', text, remedy: 'Put the real one there, or take the line out' }),
    );
    const ready = await configuredPlatforms(sources, () => undefined);
    const open = openDoorWarning(ready, cli.env);
    if (platforms.length === 0 && placeholders.length === 0)
      return [{ status: 'info', text: 'no chat platform is set up' }];
    return [
      ...platforms,
      ...placeholders,
      ...(open === undefined ? [] : [{ status: 'warn', text: open } as const]),
      ...gatewayLines(cli.home, new Set(sources.plugged.map(({ name }) => name))),
    ];
  },
};
