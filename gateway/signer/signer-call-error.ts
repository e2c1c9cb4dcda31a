/** A signer of tokens could not be asked, or refused. */
export class SignerCallError extends Error {
  override readonly name = 'SignerCallError';
  /** As Go calls the status codes of gRPC: `DeadlineExceeded`. */
  readonly code: string;

  constructor(code: string, details: string, options: ErrorOptions = {}) {
    super(`rpc error: code = ${code} desc = ${details}`, options);
    this.code = code;
  }
}
