/** What keeps the sentences that clients read from harm. */

/** So that no message can be taken for HTML by a browser that sniffs. Quotes stay. */
export function htmlSafe(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
