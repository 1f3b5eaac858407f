/** What a local model can run out of. */

/** The conversation does not fit into the window. */
export class WindowFullError extends Error {
  override readonly name = 'WindowFullError';

  constructor(contextSize: number) {
    super(`the conversation does not fit into the context window of ${contextSize} tokens`);
  }
}

/** The model, or the window that was asked for, does not fit into the memory. */
export class OutOfMemoryError extends Error {
  override readonly name = 'OutOfMemoryError';

  constructor(contextLength: number | undefined, cause?: unknown) {
    const window = contextLength === undefined ? '' : ` with a context of ${contextLength} tokens`;
    super(
      `there is not enough memory for this model${window}; choose a smaller model or quantization, or set model.context_length lower`,
      { cause },
    );
  }
}
