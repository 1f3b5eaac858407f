/** What commands of a terminal know of the gateway to chat platforms, which is a process of its own. */
export interface GatewayDoor {
  /** How it and its platforms are, line by line. */
  lines(): Promise<readonly string[]>;
  /**
   * A platform by its name and the chat that a conversation would go to, for the person to read. Throws `UserError` for one
   * that the running gateway is not connected to, or that has no home chat.
   */
  home(platform: string): Promise<string>;
  /** What stands under answers in chats, as config.yaml has it now; empty: nothing. */
  footer(): Promise<readonly string[]>;
}
