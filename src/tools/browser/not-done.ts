/** Why a command failed, for the model. */
export class NotDone extends Error {
  override readonly name: string = 'NotDone';
}

/** A page took too long; another browser may be able to open it. */
export class NotOpened extends NotDone {
  override readonly name = 'NotOpened';
}
