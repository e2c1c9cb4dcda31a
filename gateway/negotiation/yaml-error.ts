/** What is wrong with a YAML text, or with a value that is to become one. */

/** The text is no YAML, or has no JSON form; `message` is fit to be shown to the client. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}
