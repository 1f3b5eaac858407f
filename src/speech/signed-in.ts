/** Asks a service with its login where there is one, else with its key. */
import { errorMessage, UserError } from '../lib/errors.ts';
import { maskKeys } from '../lib/secrets.ts';
import { SpeakerRefusal } from './ask-speaker.ts';
import { RecogniserRefusal } from './recognition/ask-with-sound.ts';
import type { SpeechAccess } from './speech-access.ts';

export interface Place {
  readonly baseUrl: string;
  readonly key: string;
}

/** Who speaks, or hears. */
interface SignedIn {
  readonly login?: true;
  readonly baseUrl: string;
  readonly key?: string;
}

/** A login that is refused is renewed once. Rejects as `ask` does, the login masked. */
export async function signedIn<Made>(
  { login: hasLogin, baseUrl, key }: SignedIn,
  access: Pick<SpeechAccess, 'login'>,
  signal: AbortSignal,
  ask: (place: Place) => Promise<Made>,
): Promise<Made> {
  for (let attempt = 0; ; attempt += 1) {
    const login = hasLogin === true ? await access.login(signal) : undefined;
    if (login === undefined) {
      if (key === undefined) throw new UserError('its login has ended; log in anew with `hermes auth add xai-oauth`');
      return await ask({ baseUrl, key });
    }
    try {
      const made = await ask(login);
      await login.report('ok', signal);
      return made;
    } catch (error) {
      signal.throwIfAborted();
      const reason = maskKeys(errorMessage(error), [login.key]);
      const isRefusal = error instanceof SpeakerRefusal || error instanceof RecogniserRefusal;
      const status = isRefusal ? error.status : undefined;
      const isAnother = await login.report({ reason, ...(status === undefined ? {} : { status }) }, signal);
      if (!isAnother || status !== 401 || attempt > 0) throw new UserError(reason, { cause: error });
    }
  }
}
