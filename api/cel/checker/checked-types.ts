/** What the checker is told, and what it finds out. */
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  formatType,
  INT,
  NULL,
  parameterOf,
  STRING,
  typeType,
  UINT,
  type CelType,
} from '../cel-type.ts';
import type { FunctionDeclaration, Overload, StructTypes } from '../declarations.ts';
import type { Expression } from '../syntax/expression.ts';
import { CelBytes, CelDouble, CelUint, isInt, type CelValue } from '../value.ts';

/** What the checker is told about the world. */
export interface CheckerEnvironment {
  readonly container: string;
  readonly structs: StructTypes;
  /** Items of one list, and values of one map, may be of different types. */
  readonly hasMixedLiterals: boolean;
  variable(name: string): Identifier | undefined;
  function(name: string): FunctionDeclaration | undefined;
}

/**
 * A name that the checker found: a variable, or a constant of the environment when `value` is
 * there.
 */
export interface Identifier {
  /** As it is looked up in an environment, with the container in front where that found it. */
  readonly name: string;
  /** As declared. */
  readonly type: CelType;
  /** The value of the constant. */
  readonly value?: CelValue;
}

export interface CheckedTypes {
  /** The expression that was checked. */
  readonly root: Expression;
  /** The type of one of its nodes; `dyn` where only the evaluation knows it. */
  typeOf(node: Expression): CelType;
  /** The overloads that a call may mean, in order; none for what is no call. */
  overloadsOf(node: Expression): readonly Overload[];
  /** The variables, and other names, that occur. */
  readonly names: ReadonlySet<string>;
  /** What the name of a node is, when it is one. */
  identifierOf(node: Expression): Identifier | undefined;
}

export function literalType(value: CelValue): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'string':
      return STRING;
    default:
  }
  if (value === null) return NULL;
  if (isInt(value)) return INT;
  if (value instanceof CelUint) return UINT;
  if (value instanceof CelDouble) return DOUBLE;
  return value instanceof CelBytes ? BYTES : typeType(DYN);
}

export function noOverloadMessage(
  name: string,
  types: readonly CelType[],
  hasTarget: boolean,
): string {
  const shown = types.map(formatType);
  const receiver = hasTarget ? `${shown.shift() ?? ''}.` : '';
  const signature = `${receiver}(${shown.join(', ')})`;
  return `found no matching overload for '${name}' applied to '${signature}'`;
}

export type IteratedTypes = readonly [first: CelType, second: CelType];

/** Of the variables of a loop over `range`; undefined: that cannot be iterated over. */
export function iteratedTypes(range: CelType, hasTwo: boolean): IteratedTypes | undefined {
  switch (range.kind) {
    case 'list':
      return hasTwo ? [INT, parameterOf(range, 0)] : [parameterOf(range, 0), DYN];
    case 'map':
      return [parameterOf(range, 0), parameterOf(range, 1)];
    case 'dyn':
    case 'error':
    case 'parameter':
      return [DYN, DYN];
    default:
      return undefined;
  }
}
