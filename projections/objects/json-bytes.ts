/** Where lists and objects end in JSON that the server has written, found without parsing it. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What begins and what ends a list. */
export const LIST = { open: 0x5b, close: 0x5d };
/** What begins and what ends an object. */
export const OBJECT = { open: 0x7b, close: 0x7d };

/** Behind the bracket that closes it; -1: there is none. @param start behind the one that opens it. */
export function endOf(json: Buffer, start: number, { open, close }: typeof LIST): number {
  let depth = 1;
  for (let at = start; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at + 1);
    else if (byte === open) depth += 1;
    else if (byte === close) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** At its closing quote. */
function endOfString(json: Buffer, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
