/**
 * Whole numbers that JavaScript cannot keep: beyond 2^53 most of 64 bits become others, and nobody
 * would be told. Go keeps them all, so who sends one is refused rather than given back another.
 *
 * The surprise is that what is no number of 64 bits is let through: Go makes a double of it too.
 */

const INT64_MAX = 2n ** 63n - 1n;
/** Fewer are always kept. */
const DIGITS_MIN = 16;
/**
 * Many digits, or an exponent of three. Where there is no such thing, and nearly nowhere there is
 * one, nothing is looked at.
 */
const GREAT = /\d{16}|(?:^|[:,[\s])-?\d[\d.]*[eE]\+?\d{3}/;
/** What may stand in a number, from its first digit on. */
const NUMBER = /[-+.\deE]+/y;

/** Whether the digits of a whole number would be others when it is written again. */
export function losesDigits(digits: string): boolean {
  if (digits.length < DIGITS_MIN || !/^-?\d{16,19}$/.test(digits)) return false;
  const value = BigInt(digits);
  const isInt64 = value <= INT64_MAX && value >= -INT64_MAX - 1n;
  return isInt64 && String(Number(digits)) !== String(value);
}

/** The first number in a JSON text that is not kept; undefined where all are. */
export function lossyInteger(json: string): string | undefined {
  if (!GREAT.test(json)) return undefined;
  for (let at = 0; at < json.length; at += 1) {
    const unit = json[at] ?? '';
    if (unit === '"') at = endOfString(json, at);
    else if (unit === '-' || (unit >= '0' && unit <= '9')) {
      NUMBER.lastIndex = at;
      const number = NUMBER.exec(json)?.[0] ?? unit;
      if (losesDigits(number) || isBeyondDoubles(number)) return number;
      at += number.length - 1;
    }
  }
  return undefined;
}

/** What the client is told. */
export function cannotKeep(number: string): string {
  if (isBeyondDoubles(number)) {
    return `json: cannot unmarshal number ${number} into Go value of type float64`;
  }
  return (
    `the number ${number} cannot be kept as it is: of whole numbers beyond ` +
    `${String(Number.MAX_SAFE_INTEGER)} the last digits would change; write it as a string`
  );
}

/** As `1e400`, of which JSON.parse makes Infinity. */
function isBeyondDoubles(number: string): boolean {
  return !Number.isFinite(Number(number));
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; ;) {
    const quote = json.indexOf('"', at);
    if (quote < 0) return json.length;
    let escapes = 0;
    while (json[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}
