/**
 * The clauses of a format, `%s` or `%.2f`, and for which types each is.
 *
 * In Kubernetes: ext/formatting.go of cel-go.
 */
import { isDynamic, type CelKind, type CelType } from '../cel-type.ts';

/** Everything that begins with a percent sign. */
export const CLAUSE = /%(?:%|(?:\.(\d+))?([a-zA-Z])|(.?))/gs;

interface ClauseTypes {
  readonly kinds: readonly CelKind[];
  readonly refusal: string;
}

const STRING_KINDS: readonly CelKind[] = [
  'list',
  'map',
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'timestamp',
  'bytes',
  'duration',
  'type',
  'null',
];

const INTEGERS: readonly CelKind[] = ['int', 'uint'];
const HEX: ClauseTypes = {
  kinds: [...INTEGERS, 'string', 'bytes'],
  refusal: 'only integers, byte buffers, and strings can be formatted as hex',
};

export const CLAUSES: Readonly<Record<string, ClauseTypes>> = {
  s: {
    kinds: STRING_KINDS,
    refusal:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, ' +
      'types, durations, and timestamps',
  },
  d: { kinds: INTEGERS, refusal: 'decimal clause can only be used on integers' },
  f: {
    kinds: ['double', 'string'],
    refusal: 'fixed-point clause can only be used on doubles',
  },
  e: {
    kinds: ['double', 'string'],
    refusal: 'scientific clause can only be used on doubles',
  },
  b: {
    kinds: [...INTEGERS, 'bool'],
    refusal: 'only integers and bools can be formatted as binary',
  },
  x: HEX,
  X: HEX,
  o: { kinds: INTEGERS, refusal: 'octal clause can only be used on integers' },
};

export interface FormatProblem {
  readonly message: string;
  /** undefined: the call as a whole. */
  readonly argument: number | undefined;
}

/** What is wrong with a format for arguments of these types; undefined: nothing. */
export function formatProblem(text: string, types: readonly CelType[]): FormatProblem | undefined {
  let next = 0;
  for (const [clause, , verb] of text.matchAll(CLAUSE)) {
    if (clause === '%%') continue;
    const type = types[next];
    if (type === undefined) {
      return { message: `index ${String(next)} out of range`, argument: undefined };
    }
    const message = clauseProblem(clause, verb, type);
    if (message !== undefined) return { message, argument: verb === undefined ? undefined : next };
    next++;
  }
  if (types.length <= next) return undefined;
  const counts = `expected ${String(next)}, got ${String(types.length)}`;
  const message = `too many arguments supplied to string.format (${counts})`;
  return { message, argument: undefined };
}

function clauseProblem(
  clause: string,
  verb: string | undefined,
  type: CelType,
): string | undefined {
  if (verb === undefined) return unreadableClause(clause);
  const types = CLAUSES[verb];
  if (types === undefined) return unknownClause(verb);
  if (isDynamic(type) || types.kinds.includes(type.kind)) return undefined;
  return refusal(verb, type.name);
}

export function refusal(verb: string, typeName: string): string {
  return `error during formatting: ${CLAUSES[verb]?.refusal ?? ''}, was given ${typeName}`;
}

export function unreadableClause(clause: string): string {
  if (clause === '%') return 'unexpected end of string';
  return unknownClause(clause.slice(1));
}

export function unknownClause(verb: string): string {
  return `could not parse formatting clause: unrecognized formatting clause "${verb}"`;
}
