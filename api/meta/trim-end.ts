/**
 * A text without certain characters at its end. A regular expression such as `/0+$/` would try each
 * of n zeros as the first one, which takes time that grows with the square of n.
 *
 * In Go: TrimRight, strings.
 */

/** @param characters each is one UTF-16 unit. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/** Without them at the beginning too. In Go: Trim, strings. */
export function trimBoth(text: string, characters: string): string {
  const trimmed = trimEnd(text, characters);
  let start = 0;
  while (start < trimmed.length && characters.includes(trimmed[start] ?? '')) start += 1;
  return trimmed.slice(start);
}
