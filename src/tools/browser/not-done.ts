/** Why a command failed, for the model. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}
