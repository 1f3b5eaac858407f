/** What the API server tells of the process around it. */

export interface PlatformState {
  readonly state: string;
  readonly error_code?: string | null;
  readonly error_message?: string | null;
  readonly updated_at?: string;
}

/** Must answer at once. */
export interface GatewayView {
  /** `starting`, `running`, `degraded`, `draining`, … */
  readonly state: string;
  readonly platforms: Readonly<Record<string, PlatformState>>;
  readonly exitReason: string | null;
  /** Turns of chats that run. */
  readonly activeAgents: number;
  /** True while nothing new is taken: turns are then refused. */
  readonly draining: boolean;
}

/** Of a process that has no chats. */
export const noGateway: GatewayView = {
  state: 'running',
  platforms: {},
  exitReason: null,
  activeAgents: 0,
  draining: false,
};
