/** Toolsets whose tools cannot be had here, as what they need is not set up: a session does not even load them. */
import { homeAssistantVariables } from '../config/home-assistant-variables.ts';
import type { Config } from '../config/load.ts';
import { type MadeThing, type MakerChoice, makerNamed, mediaVariables, wayToMaker } from '../config/media-variables.ts';
import { speechOutput, type SpeechLogins } from '../config/speech-output.ts';
import type { Variables } from '../config/variables.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { speechProblem } from '../speech/can-speak.ts';
import type { AddedProviders } from './plugin-providers/added-providers.ts';
import { canUseComputer } from './session-computer.ts';

/** Only what cannot come to be while a session runs: the tools of a browser stay, as `/browser connect` brings one. */
export function absentToolsets(
  config: Config,
  env: Variables,
  logins: SpeechLogins = {},
  added?: AddedProviders,
): readonly string[] {
  const makers = mediaVariables(env);
  const isMade = (
    thing: MadeThing,
    settings: MakerChoice,
    plugged: AddedProviders['images' | 'videos'] = [],
  ): boolean =>
    wayToMaker(thing, settings, makers, logins).kind !== 'none' ||
    plugged.some(({ id }) => id === makerNamed(settings.provider));
  return [
    ...(homeAssistantVariables(env) === undefined ? ['homeassistant'] : []),
    ...(canUseComputer(env) ? [] : ['computer_use']),
    ...(isMade('image', config.image_gen, added?.images) ? [] : ['image_gen']),
    ...(isMade('video', config.video_gen, added?.videos) ? [] : ['video_gen']),
    ...(speechProblem(speechOutput(config.tts, env, logins), searchPathOf(env)) === undefined ? [] : ['tts']),
  ];
}
