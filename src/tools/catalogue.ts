/** Every built-in tool, one line each. To add a tool: one file, one line here. */
import type { Tool } from '../agent/tool.ts';
import type { ToolServices } from './services.ts';

export interface CatalogueEntry {
  readonly name: string;
  readonly toolset: string;
  load(): Promise<Tool<ToolServices>>;
}

export const toolCatalogue: readonly CatalogueEntry[] = [
  { name: 'terminal', toolset: 'terminal', load: async () => (await import('./terminal/terminal.ts')).terminalTool },
  { name: 'process', toolset: 'terminal', load: async () => (await import('./terminal/process.ts')).processTool },
];
