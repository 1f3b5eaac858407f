/** A desktop without anything on it: whatever is done there succeeds (`HERMES_COMPUTER_USE_BACKEND=noop`). */
import type { Capture, Desktop, DesktopTarget, Done } from './desktop.ts';

export function noopDesktop(): Desktop {
  let app = '';
  let last: Pick<Capture, 'mode'> = { mode: 'som' };
  const look = (): Capture => ({
    ...last,
    app,
    title: '',
    elements: [],
    picture: undefined,
    width: 1024,
    height: 768,
    note: undefined,
  });
  const done: Done = { ok: true };
  return {
    get target(): DesktopTarget {
      return { kind: 'window', app, title: '' };
    },
    element: () => undefined,
    capture({ mode, app: named = '' }) {
      app = named;
      last = { mode };
      return Promise.resolve(look());
    },
    captureAgain: () => Promise.resolve(look()),
    focus(named) {
      app = named;
      return Promise.resolve(done);
    },
    perform: () => Promise.resolve(done),
    apps: () => Promise.resolve([]),
    windows: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
}
