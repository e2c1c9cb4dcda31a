/** Why bytes are no certificate, or a certificate is not believed: in the words of Go's crypto/x509. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** @throws {CertificateError} with these words, where there is no value. */
export function required<T>(value: T | undefined, words: string): T {
  if (value === undefined) throw new CertificateError(words);
  return value;
}
