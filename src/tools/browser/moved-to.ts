/** Where an action led. */
import type { OpenTabs } from './browser-command.ts';

/** To be called before it; what that returns says the new address, and nothing when it is the old one. */
export function movedTo({ tabs, tab }: OpenTabs): () => object {
  const before = tab.page.url();
  return () => {
    const now = (tabs.current ?? tab).page.url();
    return now === before ? {} : { url: now };
  };
}
