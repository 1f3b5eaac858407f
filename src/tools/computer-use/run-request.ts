/** Does what a call of `computer_use` asks for. */
import { setTimeout as delay } from 'node:timers/promises';
import { answer, failure, type ToolOutcome } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import type { Desktop, Done } from './desktop.ts';
import { deliveryOf, inputOf } from './input-of.ts';
import type { Request } from './parameters.ts';
import { showCapture, sourcesOf } from './show-capture.ts';
import type { DesktopApp, DesktopWindow } from './windows.ts';

const maxWaitSeconds = 30;
/** A machine that runs more programs is told in part. */
const maxApps = 150;

/** Rejects with `UserError`, and with the signal's reason. */
export async function runRequest(
  request: Request,
  desktop: Desktop,
  services: ToolServices,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { action } = request;
  switch (action) {
    case 'capture':
      return await capture(request, desktop, services, signal);
    case 'list_apps':
      return listed({ apps: (await desktop.apps(signal)).toSorted(byUse).slice(0, maxApps).map(appRow) }, services);
    case 'list_windows':
      return listed({ windows: (await desktop.windows(signal)).map(windowRow) }, services);
    case 'wait': {
      const seconds = Math.max(0, Math.min(maxWaitSeconds, request.seconds ?? 1));
      await delay(seconds * 1000, undefined, { signal });
      return await finish({ ok: true, message: `Waited ${seconds} s.` }, request, desktop, services, signal);
    }
    case 'focus_app': {
      const { app = '', raise_window: raises = false } = request;
      if (app.trim() === '') return failure({ error: 'focus_app needs app.' });
      return await finish(await desktop.focus(app, raises, signal), request, desktop, services, signal);
    }
    default: {
      const input = inputOf(request);
      if (typeof input === 'string') return failure({ error: input });
      return await finish(
        await desktop.perform(input, deliveryOf(request), signal),
        request,
        desktop,
        services,
        signal,
      );
    }
  }
}

async function capture(
  { mode = 'som', app, pid, window_id, max_elements: maxElements }: Request,
  desktop: Desktop,
  services: ToolServices,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if ((pid === undefined) !== (window_id === undefined)) {
    return failure({ error: 'capture needs pid and window_id together, or app, or neither.' });
  }
  const window = pid === undefined || window_id === undefined ? undefined : { pid, windowId: window_id };
  const seen = await desktop.capture({ mode, app, window, maxElements }, signal);
  return await showCapture(seen, { maxElements }, services, signal);
}

/** The result of an act, with a look at what it led to where that was asked for and it worked. */
async function finish(
  done: Done,
  { action, capture_after: looks, max_elements: maxElements }: Request,
  desktop: Desktop,
  services: ToolServices,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { ok, ...rest } = done;
  const told = { ok, action, ...rest };
  const sources = sourcesOf(desktop.target?.app);
  if (looks === true && ok && desktop.target !== undefined) {
    return await showCapture(await desktop.captureAgain(signal), { done: told, maxElements }, services, signal);
  }
  return { ...answer(told), content: services.redact(JSON.stringify(told)), isError: !ok, sources };
}

function listed(list: Readonly<Record<string, readonly object[]>>, services: ToolServices): ToolOutcome {
  const [rows = []] = Object.values(list);
  const content = services.redact(JSON.stringify({ ...list, count: rows.length }));
  return { content, isError: false, sources: sourcesOf(undefined) };
}

/** What has windows is what a person calls an app; on Linux the others are services and threads. */
function byUse(left: DesktopApp, right: DesktopApp): number {
  return right.windows - left.windows || Number(right.running) - Number(left.running);
}

function appRow({ name, pid, running, bundleId, windows }: DesktopApp): object {
  return {
    name,
    ...(pid === undefined ? {} : { pid }),
    running,
    ...(bundleId === undefined ? {} : { bundle_id: bundleId }),
    ...(windows === 0 ? {} : { windows }),
  };
}

function windowRow({ app, title, pid, windowId, isOnScreen, depth }: DesktopWindow): object {
  return { app_name: app, title, pid, window_id: windowId, off_screen: !isOnScreen, z_index: depth };
}
