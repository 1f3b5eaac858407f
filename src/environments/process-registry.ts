/** Background processes of one agent: started here, watched here, ended here. */
import type { BackgroundProcess } from './environment.ts';

/** Contract only; see the terminal toolset for the shapes that models see. */
export interface TrackedProcess {
  /** `proc_<12 hex>` */
  readonly id: string;
  readonly command: string;
  readonly process: BackgroundProcess;
}

export interface ProcessRegistry {
  readonly size: number;
}
