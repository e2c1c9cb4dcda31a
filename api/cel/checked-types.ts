/** What the checker is told, and what it finds out. */
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  NULL,
  STRING,
  typeType,
  UINT,
  type CelType,
} from './cel-type.ts';
import type { FunctionDeclaration, Overload, StructTypes } from './declarations.ts';
import type { Expression } from './expression.ts';
import { CelBytes, CelDouble, CelUint, isInt, type CelValue } from './value.ts';

/** What the checker is told about the world. */
export interface CheckerEnvironment {
  readonly container: string;
  readonly structs: StructTypes;
  /** Items of one list, and values of one map, may be of different types. */
  readonly hasMixedLiterals: boolean;
  variable(name: string): Identifier | undefined;
  function(name: string): FunctionDeclaration | undefined;
}

export interface Identifier {
  readonly name: string;
  readonly type: CelType;
  readonly value?: CelValue;
}

export interface CheckedTypes {
  readonly root: Expression;
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
