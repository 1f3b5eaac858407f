/** What the tools of the browser do. */
import type { ToolContext, ToolOutcome } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import type { Context } from './browse.ts';
import type { Look } from './looking.ts';

/** Everything here answers, and throws on an interrupt alone. */
export interface BrowserActions {
  /** Opens a browser when none is open. */
  openPage(context: Context, address: URL | undefined): Promise<ToolOutcome>;
  snapshot(context: Context, full: boolean): Promise<ToolOutcome>;
  click(context: Context, ref: string): Promise<ToolOutcome>;
  type(context: Context, ref: string, text: string): Promise<ToolOutcome>;
  press(context: Context, key: string): Promise<ToolOutcome>;
  scroll(context: Context, direction: 'up' | 'down'): Promise<ToolOutcome>;
  back(context: Context): Promise<ToolOutcome>;
  listImages(context: Context): Promise<ToolOutcome>;
  look(args: Look, context: ToolContext<ToolServices>): Promise<ToolOutcome>;
  readConsole(context: Context, clear: boolean): Promise<ToolOutcome>;
  evaluate(context: Context, expression: string): Promise<ToolOutcome>;
}
