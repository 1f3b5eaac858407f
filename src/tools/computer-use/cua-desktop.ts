/** The desktop that `cua-driver` sees and operates. It remembers what was looked at last: input goes there. */
import { UserError } from '../../lib/errors.ts';
import type { Capture, CaptureRequest, Delivery, Desktop, DesktopTarget, Done, Input, TargetName } from './desktop.ts';
import { doneOf } from './done.ts';
import type { Abilities, DesktopDriver } from './driver.ts';
import type { Element } from './elements.ts';
import { callOf, type DriverCall, raiseCall, raiseOf, refused, type Target, type WindowTarget } from './input-call.ts';
import { lookAtScreen, lookAtWindow } from './look.ts';
import { type DriverAnswer, readAnswer } from './read-answer.ts';
import { appsIn, type DesktopApp, type DesktopWindow, windowsIn, windowsOf } from './windows.ts';

/** The target with what it is called. */
type NamedTarget = Target & TargetName;

/** Names of the whole screen in the place of an app. */
const screenNames: ReadonlySet<string> = new Set(['screen', 'desktop', 'fullscreen', 'full screen', 'all']);
/** What the desktop itself is, for drivers that take no picture of the whole screen: Windows and macOS make windows of it. */
const shellNames = ['progman', 'workerw', 'program manager', 'finder', 'desktop', 'shell_traywnd', 'taskbar', 'dock'];

export interface CuaDesktopOptions {
  readonly driver: DesktopDriver;
  /** Of the machine that the desktop is of. */
  readonly platform: string;
  /** Under which our work is known to the driver: its cursor, and what it cleans up. */
  readonly session: string;
}

export class CuaDesktop implements Desktop {
  readonly #options: CuaDesktopOptions;
  #target: NamedTarget | undefined;
  #elements: ReadonlyMap<number, Element> = new Map();
  #last: Omit<CaptureRequest, 'app' | 'window'> = { mode: 'som', maxElements: 100 };

  constructor(options: CuaDesktopOptions) {
    this.#options = options;
  }

  get target(): DesktopTarget | undefined {
    return this.#target;
  }

  element(index: number): Element | undefined {
    return this.#elements.get(index);
  }

  async capture(request: CaptureRequest, signal: AbortSignal): Promise<Capture> {
    // Whatever goes wrong from here on: nothing may be sent to what was chosen before.
    this.#aim(undefined);
    const target = await this.#find(request, signal);
    this.#last = { mode: request.mode, maxElements: request.maxElements };
    return await this.#look(target, signal);
  }

  async captureAgain(signal: AbortSignal): Promise<Capture> {
    const target = this.#target;
    if (target === undefined) throw nothingChosen();
    return await this.#look(target, signal);
  }

  async focus(app: string, raise: boolean, signal: AbortSignal): Promise<Done> {
    this.#aim(undefined);
    const target = await this.#windowNamed(app, signal);
    this.#aim(target);
    const where = `${target.app} (pid ${target.pid}, window ${target.windowId})`;
    if (!raise) return { ok: true, message: `Further input goes to ${where}; it was not raised.` };
    const call = raiseCall(target, await this.#options.driver.abilities(signal));
    if (call === undefined)
      return refused('unsupported', `Further input goes to ${where}; this cua-driver raises no windows.`);
    return doneOf(await this.#ask(call, signal), undefined);
  }

  async perform(input: Input, delivery: Delivery, signal: AbortSignal): Promise<Done> {
    const target = this.#target;
    if (target === undefined) return refused('no_target', nothingChosen().message);
    const abilities = await this.#options.driver.abilities(signal);
    const { platform } = this.#options;
    const call = callOf(input, delivery, { target, abilities, platform, element: (index) => this.element(index) });
    if ('ok' in call) return call;
    const raise = raiseOf(delivery, target, abilities);
    if (raise !== undefined) {
      const raised = await this.#ask(raise, signal);
      if (raised.isError) return doneOf(raised, delivery.mode);
    }
    return doneOf(await this.#ask(call, signal), delivery.mode);
  }

  async apps(signal: AbortSignal): Promise<readonly DesktopApp[]> {
    return appsIn(await this.#get('list_apps', {}, signal));
  }

  async windows(signal: AbortSignal): Promise<readonly DesktopWindow[]> {
    return windowsIn(await this.#get('list_windows', { on_screen_only: true }, signal));
  }

  async close(): Promise<void> {
    this.#aim(undefined);
    await this.#options.driver.close();
  }

  #aim(target: NamedTarget | undefined): void {
    this.#target = target;
    this.#elements = new Map();
  }

  async #find({ app, window }: CaptureRequest, signal: AbortSignal): Promise<NamedTarget> {
    if (window !== undefined) return { kind: 'window', ...window, app: app ?? '', title: '' };
    const named = app?.trim() ?? '';
    if (screenNames.has(named.toLowerCase())) return await this.#screen(signal);
    if (named !== '') return await this.#windowNamed(named, signal);
    const windows = await this.windows(signal);
    const front = windows.find(({ isOnScreen }) => isOnScreen) ?? windows[0];
    if (front === undefined) throw new UserError('There is no window on this desktop.');
    return windowTarget(front);
  }

  async #screen(signal: AbortSignal): Promise<NamedTarget> {
    const abilities = await this.#options.driver.abilities(signal);
    if (abilities.has('get_desktop_state')) return { kind: 'screen', app: 'the whole screen', title: '' };
    const windows = await this.windows(signal);
    const called = ({ app, title }: DesktopWindow): string => `${app} ${title}`.toLowerCase();
    const shell = shellNames.flatMap((name) => windows.filter((window) => called(window).includes(name)))[0];
    if (shell === undefined) {
      throw new UserError('This cua-driver shows single windows alone, and none of them is the desktop. Name an app.');
    }
    return windowTarget(shell);
  }

  async #windowNamed(app: string, signal: AbortSignal): Promise<WindowTarget & TargetName> {
    const windows = await this.windows(signal);
    const exact = windows.filter((window) => window.app.toLowerCase() === app.trim().toLowerCase());
    const found = exact.length > 0 ? exact : windowsOf(app, windows, await this.apps(signal));
    const window = found.find(({ isOnScreen }) => isOnScreen) ?? found[0];
    if (window === undefined) {
      throw new UserError(`No window on the screen is of '${app}'. list_windows and list_apps say what there is.`);
    }
    return windowTarget(window);
  }

  async #look(target: NamedTarget, signal: AbortSignal): Promise<Capture> {
    this.#aim(undefined);
    const abilities = await this.#options.driver.abilities(signal);
    const ask = async (tool: string, args: DriverCall['args']): Promise<DriverAnswer> =>
      await this.#get(tool, args, signal);
    const seen =
      target.kind === 'screen'
        ? await lookAtScreen(this.#last, { abilities, ask })
        : await lookAtWindow(target, this.#last, { abilities, ask });
    this.#target = { ...target, app: seen.app === '' ? target.app : seen.app, title: seen.title };
    this.#elements = new Map(seen.elements.map((element) => [element.index, element]));
    return { ...seen, app: this.#target.app };
  }

  /** What must succeed to be of use. */
  async #get(tool: string, args: DriverCall['args'], signal: AbortSignal): Promise<DriverAnswer> {
    const answer = await this.#ask({ tool, args }, signal);
    if (!answer.isError) return answer;
    throw new UserError(`cua-driver ${tool} failed: ${answer.text.slice(0, 500) || 'it does not say why'}`);
  }

  async #ask({ tool, args }: DriverCall, signal: AbortSignal): Promise<DriverAnswer> {
    const { driver, session } = this.#options;
    const abilities: Abilities = await driver.abilities(signal);
    const known = abilities.has(tool, 'session') ? { session } : {};
    return readAnswer(await driver.call(tool, { ...args, ...known }, signal));
  }
}

function windowTarget({ pid, windowId, app, title }: DesktopWindow): WindowTarget & TargetName {
  return { kind: 'window', pid, windowId, app, title };
}

function nothingChosen(): UserError {
  return new UserError('Nothing was looked at yet: call capture first, with app or without.');
}
