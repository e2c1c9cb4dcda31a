/**
 * The one name a field selector asks for, so that a list of one object can be authorized
 * like a get of it.
 *
 * In Kubernetes: RequiresExactMatch, apimachinery/pkg/fields.
 */

/** The value behind `metadata.name=`; '' when there is none, or the selector is malformed. */
export function exactNameOf(selector: string): string {
  let name: string | undefined;
  for (const term of splitTerms(selector)) {
    if (term === '') continue;
    const parsed = parseTerm(term);
    if (parsed === undefined) return '';
    if (parsed.isExact && parsed.field === 'metadata.name') name ??= parsed.value;
  }
  return name !== undefined && isPathSegment(name) ? name : '';
}

/** Splits at commas; a backslash takes the comma behind it out of the splitting. */
export function splitTerms(selector: string): string[] {
  if (!selector.includes('\\')) return selector.split(',');
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < selector.length; at += 1) {
    if (selector[at] === '\\') at += 1;
    else if (selector[at] === ',') {
      terms.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(selector.slice(start));
  return terms;
}

interface Term {
  readonly field: string;
  readonly isExact: boolean;
  readonly value: string;
}

function parseTerm(term: string): Term | undefined {
  const equals = term.indexOf('=');
  if (equals < 0) return undefined;
  const isExact = term[equals - 1] !== '!';
  const doubled = isExact && term[equals + 1] === '=';
  const value = unescape(term.slice(equals + (doubled ? 2 : 1)));
  if (value === undefined) return undefined;
  return { field: term.slice(0, isExact ? equals : equals - 1), isExact, value };
}

/** undefined where a comma or an equals sign stands bare, or a backslash before something else. */
function unescape(value: string): string | undefined {
  let plain = '';
  for (let at = 0; at < value.length; at += 1) {
    const char = value[at] ?? '';
    if (char === ',' || char === '=') return undefined;
    if (char !== '\\') {
      plain += char;
      continue;
    }
    at += 1;
    const escaped = value[at];
    if (escaped !== '\\' && escaped !== ',' && escaped !== '=') return undefined;
    plain += escaped;
  }
  return plain;
}

function isPathSegment(name: string): boolean {
  return name !== '.' && name !== '..' && !name.includes('/') && !name.includes('%');
}
