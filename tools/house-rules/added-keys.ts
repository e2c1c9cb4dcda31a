/**
 * A law of the hot paths: `{ ...value, key }` is refused where the type of the value does not have the key. Node 20 copies
 * the value by its shape and then adds each key by a call into the engine: 0.8 µs for one key and 5.7 for three. Keys in
 * front of the spread cost 0.1 to 0.2 µs together; keys that the value has are replaced at no cost.
 *
 * The surprise: keys in front are no longer those that count where the value has more than its type says. A value that was
 * not made beside the literal is taken apart, and its keys are written out, which costs least of all.
 *
 * Where a type is open, as that of JSON, or says that the value may have the key, nothing is refused; nor behind a
 * condition, where the value may be empty.
 */
import {
  isConditionalExpression,
  isIdentifier,
  isParenthesizedExpression,
  isSpreadAssignment,
  isStringLiteral,
  type Node,
  type ObjectLiteralExpression,
} from 'typescript-native/unstable/ast';
import { TypeFlags, type Checker, type Type } from 'typescript-native/unstable/sync';

/** What a request or an event of a watch crosses. */
const HOT =
  /^(?:gateway\/(?:http2|inbound|responses|watch)|actors\/(?:filters|registry\/(?:commit|paths|reads|stages)|request|slots)|projections\/(?:fold|list|objects|watch)|streams\/embedded|api\/(?:json|managed-fields|merge|options))\//;

/** Whether the law holds in the file, and there may be something to say. */
export function mayAddKeys(path: string, text: string): boolean {
  return HOT.test(path) && /\{\s*\.\.\./.test(text);
}

/** What is wrong with the literal; undefined: nothing. */
export function addedKeys(
  { properties: [first, ...behind] }: ObjectLiteralExpression,
  checker: Checker,
): string | undefined {
  if (first === undefined || !isSpreadAssignment(first) || isConditional(first.expression)) {
    return undefined;
  }
  const type = checker.getTypeAtLocation(first.expression);
  if (type === undefined) return undefined;
  const known = keysOf(type, checker);
  if (known === undefined) return undefined;
  const added = behind.map(nameOf).filter((name) => name !== undefined && !known.has(name));
  return added.length === 0
    ? undefined
    : `${added.join(', ')} behind a spread without: write all keys out, or put these in front`;
}

function isConditional(node: Node): boolean {
  return isParenthesizedExpression(node)
    ? isConditional(node.expression)
    : isConditionalExpression(node);
}

/** Of the property; undefined: it is a spread, or its name is computed. */
function nameOf(property: Node): string | undefined {
  const { name } = property as Node & { readonly name?: Node };
  return name !== undefined && (isIdentifier(name) || isStringLiteral(name))
    ? name.text
    : undefined;
}

/** Those that a value of the type may have; undefined: it may have any. */
function keysOf(type: Type, checker: Checker): ReadonlySet<string> | undefined {
  const keys = new Set<string>();
  for (const part of type.isUnionType() ? type.getTypes() : [type]) {
    if ((part.flags & OPEN) !== 0 || checker.getIndexInfosOfType(part).length > 0) return undefined;
    for (const { name } of checker.getPropertiesOfType(part)) keys.add(name);
  }
  return keys;
}

const OPEN = TypeFlags.Any | TypeFlags.Unknown | TypeFlags.TypeParameter;
