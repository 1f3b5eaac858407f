/** The agent's list of steps for the work at hand. */
export class TodoList {}
