/** Asks about what listens for other programs: the API server and webhooks. */
import { randomBytes } from 'node:crypto';
import { apiServerSettings, keyProblem } from '../../../config/api-server.ts';
import { listenerBlock } from '../../../config/listener-block.ts';
import { webhookSettings } from '../../../config/webhooks.ts';
import type { Answers, Asking } from './answers.ts';

export interface ServerSetup {
  readonly name: 'api_server' | 'webhook';
  readonly label: string;
  isOn(asking: Pick<Asking, 'context' | 'loaded'>): boolean;
  ask(asking: Asking): Promise<Answers>;
}

const apiServer: ServerSetup = {
  name: 'api_server',
  label: 'API server',
  isOn: (asking) => apiSettings(asking).enabled,
  async ask(asking) {
    const { prompts, context } = asking;
    const settings = apiSettings(asking);
    prompts.say(
      'Programs that speak to OpenAI can speak to the agent then, with a key, at an address of this machine.',
    );
    const wanted = await prompts.confirm('Serve the API?', true);
    if (!wanted) return switched(asking, 'api_server', 'API_SERVER_ENABLED', false);
    const on = switched(asking, 'api_server', 'API_SERVER_ENABLED', true);
    const key = await askForKey(asking, settings.key);
    const port = await askForPort(asking, 'api_server', settings.port);
    return {
      ...on,
      variables: new Map([
        ...on.variables,
        ...(key === undefined ? [] : [['API_SERVER_KEY', key] as const]),
        ...(port === undefined ? [] : [['API_SERVER_PORT', port] as const]),
      ]),
      next: [
        `Programs reach it at http://${settings.host}:${port ?? settings.port}/v1 once the gateway runs, with the key that stands in ${context.home.path}/.env as API_SERVER_KEY.`,
      ],
    };
  },
};

const webhook: ServerSetup = {
  name: 'webhook',
  label: 'Webhooks',
  isOn: ({ context, loaded }) => webhookSettings(loaded, context.env).enabled,
  async ask(asking) {
    const { prompts, context, loaded } = asking;
    const settings = webhookSettings(loaded, context.env);
    prompts.say(
      'Other programs can tell the agent of events then (a push to a repository, an alarm), each signed with a secret.',
    );
    if (!(await prompts.confirm('Take webhooks?', true))) return switched(asking, 'webhook', 'WEBHOOK_ENABLED', false);
    const on = switched(asking, 'webhook', 'WEBHOOK_ENABLED', true);
    const port = await askForPort(asking, 'webhook', settings.port);
    return {
      ...on,
      variables: new Map([...on.variables, ...(port === undefined ? [] : [['WEBHOOK_PORT', port] as const])]),
      next: ['Make an address and its secret for one kind of event with: hermes webhook subscribe NAME'],
    };
  },
};

export const serverSetups: readonly ServerSetup[] = [apiServer, webhook];

function apiSettings({ context, loaded }: Pick<Asking, 'context' | 'loaded'>) {
  return apiServerSettings(loaded, context.env, context.home.profile);
}

/** What config.yaml says of it beats the variable, so that is where it is changed then. */
function switched({ loaded }: Asking, name: ServerSetup['name'], variable: string, on: boolean): Answers {
  const inFile = listenerBlock(loaded.raw, name).enabled !== undefined;
  return {
    variables: inFile ? new Map() : new Map([[variable, on ? 'true' : undefined]]),
    changes: inFile ? [{ path: ['platforms', name, 'enabled'], value: on }] : [],
    next: [],
  };
}

/** Undefined when it stays as it is. */
async function askForKey({ prompts, loaded }: Asking, now: string): Promise<string | undefined> {
  const isGood = keyProblem(now) === undefined;
  if (listenerBlock(loaded.raw, 'api_server').extra['key'] !== undefined) {
    prompts.say(
      isGood ? 'Its key stands in config.yaml.' : `Its key in config.yaml cannot be used: ${keyProblem(now)}.`,
    );
    return undefined;
  }
  const answer = await prompts.secret({
    message: `Key that programs have to send (${isGood ? 'Enter keeps it' : 'Enter makes one'})`,
    check: (text) => (text === '' || keyProblem(text) === undefined ? undefined : 'At least 16 characters, please.'),
  });
  if (answer !== '') return answer;
  return isGood ? undefined : randomBytes(32).toString('base64url');
}

/** Undefined when it stays as it is. */
async function askForPort(
  { prompts, loaded }: Asking,
  name: ServerSetup['name'],
  now: number,
): Promise<string | undefined> {
  if (listenerBlock(loaded.raw, name).extra['port'] !== undefined) {
    prompts.say(`Its port stands in config.yaml: ${now}.`);
    return undefined;
  }
  const answer = await prompts.text({
    message: 'Port',
    initial: String(now),
    check: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? undefined : 'A number up to 65535, please.'),
  });
  return Number(answer) === now ? undefined : answer;
}
