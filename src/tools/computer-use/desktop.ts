/** What can be done with a desktop. */
import type { JsonObject } from '../../lib/json.ts';
import type { Element } from './elements.ts';
import type { DesktopApp, DesktopWindow } from './windows.ts';

/** All methods reject with `UserError`, and with the signal's reason. One call at a time. */
export interface Desktop {
  /** Where the next input goes; undefined before the first look. */
  readonly target: DesktopTarget | undefined;
  /** An element of the last look, for the same; undefined when there is none of this number. */
  element(index: number): Element | undefined;
  /** Chooses what further input goes to, and looks at it. */
  capture(request: CaptureRequest, signal: AbortSignal): Promise<Capture>;
  /** Looks at the same again. */
  captureAgain(signal: AbortSignal): Promise<Capture>;
  /** Chooses what further input goes to. */
  focus(app: string, raise: boolean, signal: AbortSignal): Promise<Done>;
  perform(input: Input, delivery: Delivery, signal: AbortSignal): Promise<Done>;
  apps(signal: AbortSignal): Promise<readonly DesktopApp[]>;
  windows(signal: AbortSignal): Promise<readonly DesktopWindow[]>;
  /** Must not reject. */
  close(): Promise<void>;
}

export interface TargetName {
  readonly app: string;
  readonly title: string;
}

export interface DesktopTarget extends TargetName {
  /** Input to the screen moves the pointer of the person, and goes to what has the focus. */
  readonly kind: 'window' | 'screen';
}

/** `som`: picture and elements, `vision`: the picture alone, `ax`: elements alone. */
export type CaptureMode = 'som' | 'vision' | 'ax';

export interface CaptureRequest {
  readonly mode: CaptureMode;
  readonly app?: string | undefined;
  readonly window?: { readonly pid: number; readonly windowId: number } | undefined;
  readonly maxElements: number;
}

export interface Capture extends TargetName {
  readonly mode: CaptureMode;
  readonly elements: readonly Element[];
  readonly picture: Buffer | undefined;
  /** Of the picture, in pixels; of the window where there is none; 0: unknown. */
  readonly width: number;
  readonly height: number;
  /** What the driver says was left out. */
  readonly note: string | undefined;
}

export type Spot = { readonly element: number } | { readonly x: number; readonly y: number };

export type Input =
  | { readonly kind: 'click'; readonly at: Spot; readonly button: 'left' | 'right' | 'middle'; readonly count: 1 | 2 }
  | { readonly kind: 'drag'; readonly from: Spot; readonly to: Spot; readonly button: 'left' | 'right' | 'middle' }
  | {
      readonly kind: 'scroll';
      readonly at: Spot | undefined;
      readonly direction: 'up' | 'down' | 'left' | 'right';
      readonly amount: number;
    }
  | { readonly kind: 'type'; readonly text: string; readonly at: Spot | undefined }
  | { readonly kind: 'key'; readonly keys: readonly string[]; readonly at: Spot | undefined }
  | { readonly kind: 'set_value'; readonly value: string; readonly element: number };

export interface Delivery {
  readonly mode: 'background' | 'foreground' | undefined;
  /** With `foreground`: the window stays there. */
  readonly staysInFront: boolean;
  /** Held meanwhile. */
  readonly modifiers: readonly string[];
}

/** What became of an input. `ok` says that it was delivered, `effect` whether it did something. */
export interface Done {
  readonly ok: boolean;
  readonly message?: string;
  readonly verified?: boolean;
  readonly effect?: string;
  readonly escalation?: JsonObject;
  readonly path?: string;
  readonly degraded?: boolean;
  readonly delivery_mode?: 'background' | 'foreground';
  readonly code?: string;
  readonly meta?: JsonObject;
}
