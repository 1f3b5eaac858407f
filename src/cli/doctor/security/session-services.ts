/** What the tools of a session would get, for as long as something is tried with it. */
import { noLog } from '../../../lib/log.ts';
import { createToolServices } from '../../../runtime/tool-services.ts';
import type { ToolServices } from '../../../tools/services.ts';
import type { CheckContext } from '../finding.ts';

/** `more`: variables besides those of this process. */
export async function withToolServices<T>(
  { cli, loaded }: Pick<CheckContext, 'cli' | 'loaded'>,
  use: (services: ToolServices) => Promise<T>,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  const services = createToolServices(
    {
      home: cli.home,
      env: { ...cli.env, ...more },
      config: loaded,
      cwd: process.cwd(),
      store: undefined,
      log: noLog,
    },
    'doctor',
  );
  try {
    return await use(services);
  } finally {
    await services.processes.close();
    await services.environment.close();
  }
}
