/** The plug-ins of a program, with what they bring in the place of services. */
import type { LoadedPlugins } from '../plugins/packages/loaded.ts';
import type { AddedProviders } from './plugin-providers/added-providers.ts';

export interface ProgramPlugins extends LoadedPlugins {
  /** Absent where none brings anything of that kind. */
  readonly added?: AddedProviders;
}
