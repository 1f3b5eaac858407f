/** Whose words what is read in the browser is. */
import type { Source } from '../../llm/source.ts';
import type { ToolServices } from '../services.ts';

/** The page that is shown wrote what is read. */
export function pageSources({ state: { browser } }: ToolServices): readonly Source[] {
  const address = browser?.address;
  return address === undefined ? [] : [{ from: 'page', name: address.host }];
}
