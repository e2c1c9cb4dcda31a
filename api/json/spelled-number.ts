/**
 * A number whose spelling counts: in JSON that Go keeps as it was sent (RawExtension), and in patches, which
 * upstream applies to raw text. It is a string that no JSON can hold, half of a surrogate pair with the number's
 * text behind it, so it is copied and compared as any string is. {@link formatJson} writes the number.
 */

const MARK = '\ud800';
const MARK_CODE = 0xd800;
/**
 * What JSON.stringify makes of one, and what stands in front, so that the quote begins a string. Only digits and
 * what else stands in numbers can take the place of a string.
 */
const WRITTEN = /(^|[:,[\s])"\\ud800(-?\d[-+.\deE]*)"/g;
/**
 * Looked for first, which costs next to nothing. With its quote it is long enough for the engine to skip what
 * cannot be its beginning: a text of backslashes alone took ten times as long without.
 */
const WRITTEN_MARK = String.raw`"\ud800`;

/** @param literal a number as JSON has it. */
export function spelledNumber(literal: string): string {
  return MARK + literal;
}

/** How the number is spelled that a string stands for; undefined for every other string. */
export function spellingOf(text: string): string | undefined {
  return text.charCodeAt(0) === MARK_CODE && text.length > 1 ? text.slice(1) : undefined;
}

/** @param json as JSON.stringify writes it. @returns the same with numbers as they are spelled. */
export function withNumbersWritten(json: string): string {
  return json.includes(WRITTEN_MARK) ? json.replaceAll(WRITTEN, '$1$2') : json;
}
