/** What commands of a terminal know of the gateway to chat platforms, which is a process of its own. */
export interface GatewayDoor {
  /** How it and its platforms are, line by line. */
  lines(): Promise<readonly string[]>;
  /** What stands under answers in chats, as config.yaml has it now; empty: nothing. */
  footer(): Promise<readonly string[]>;
}
