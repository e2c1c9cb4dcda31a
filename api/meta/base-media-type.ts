/** The type that a `Content-Type` header names, without its parameters and in lower case; '' for none. */
export function baseMediaType(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}
