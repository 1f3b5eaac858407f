/** What there is against having something made: words, and pictures, go to the service that the owner chose. */
import { escapeForDisplay } from '../../safety/display.ts';
import { afterOutsideText, type Judgement } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { judgePictures } from '../vision/judge-address.ts';

export interface Making {
  /** A picture or a video. */
  readonly what: string;
  /** As people call the service. */
  readonly service: string;
  readonly prompt: string;
  /** Pictures that go along, as the model named them. */
  readonly named: readonly string[];
}

/** The owner chose the service, so it is asked about once text from outside has entered, which may have chosen what is sent. */
export function judgeMaking({ what, service, prompt, named }: Making, services: ToolServices): Judgement {
  const { findings } = judgePictures(named, services);
  const shown = escapeForDisplay([`${service}: ${prompt}`, ...named].join('\n')).slice(0, 4000);
  return { shown, findings: [afterOutsideText(`has ${what} made by ${service}`), ...findings] };
}
