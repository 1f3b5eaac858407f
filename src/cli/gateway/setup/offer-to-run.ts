/** The end of the questions: the gateway takes up what was stored, or begins to run. */
import { runningGateway } from '../../../gateway/process/running-gateway.ts';
import { servingGateway } from '../../../gateway/process/serving-gateway.ts';
import type { ServiceStatus } from '../../../gateway/service/service.ts';
import { UserError } from '../../../lib/errors.ts';
import type { CliContext } from '../../command.ts';
import type { Prompts } from '../../model/prompts.ts';
import { serviceOf } from '../home-service.ts';
import { install, restart, start } from '../service-actions.ts';

/** The last line for the person. */
export async function offerToRun(context: CliContext, prompts: Prompts): Promise<string> {
  const serving = servingGateway(context.home);
  if (serving !== undefined)
    return `The gateway of the default profile (pid ${serving.pid}) serves this one too; with the new settings it starts by: hermes -p default gateway restart`;
  const service = await serviceStatus(context);
  const running = runningGateway(context.home.path);
  if (running !== undefined && service?.active !== true)
    return `A gateway that was started by hand runs (pid ${running.pid}); with the new settings it starts by: hermes gateway run --replace`;
  const byHand = 'Start it in this terminal with: hermes gateway';
  if (service === undefined) return byHand;
  const [question, act] = service.active
    ? (['Start the gateway anew, so that it takes effect?', () => restart(context, {})] as const)
    : service.installed
      ? (['Start the gateway now?', () => start(context, {})] as const)
      : ([
          'Install the gateway as a service that starts now, and by itself when you log in?',
          () => install(context, { startNow: true, startOnLogin: true }),
        ] as const);
  if (!(await prompts.confirm(question, true)))
    return service.installed ? 'Start it with: hermes gateway restart' : byHand;
  try {
    await act();
    return 'How it is doing: hermes gateway status';
  } catch (error) {
    // A container, for instance, has nobody who would start services.
    if (!(error instanceof UserError)) throw error;
    return `${error.message} ${byHand}`;
  }
}

async function serviceStatus(context: CliContext): Promise<ServiceStatus | undefined> {
  try {
    return await (await serviceOf(context, context.home, {})).status();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
