/**
 * What an expression may use: functions with their overloads, variables, and types with fields.
 *
 * In Kubernetes: common/decls of cel-go.
 */
import type { CelType } from './cel-type.ts';
import type { CelValue } from './value.ts';

/**
 * What a function does. Arguments that it has none of are absent; none of those it gets is an
 * error, unless it is not strict. Whether they are of the overload's types has been looked at.
 */
export type Implementation = (
  first: CelValue,
  second: CelValue,
  third: CelValue,
  fourth: CelValue,
) => CelValue;

/** One signature of a function, and what it does for arguments of these types. */
export interface Overload {
  /** Unique in an environment; as in cel-go where it has the same. */
  readonly id: string;
  /** Whether it is called as `target.name(…)`. */
  readonly isMember: boolean;
  /** Of the target, if there is one, and the arguments. */
  readonly parameters: readonly CelType[];
  /** The type of its result, with the parameters of the arguments' types. */
  readonly result: CelType;
  /** undefined: the function does the same for all of its overloads. */
  readonly run: Implementation | undefined;
}

/**
 * A function of an environment with all its overloads; `name` is an operator's for operators, as
 * `_+_`.
 */
export interface FunctionDeclaration {
  /** As an expression calls it. */
  readonly name: string;
  /** All signatures of the function. */
  readonly overloads: readonly Overload[];
  /** For all overloads at once, which look at the types of the arguments themselves. */
  readonly run: Implementation | undefined;
  /** Called with errors too; only `@not_strictly_false` is. */
  readonly isLenient: boolean;
  /** Arguments are not compared with the types of overloads at run time. */
  readonly isUnguarded: boolean;
}

export interface VariableDeclaration {
  readonly name: string;
  readonly type: CelType;
  /** A constant, such as a type. */
  readonly value?: CelValue;
}

/** The types with fields that an environment knows. */
export interface StructTypes {
  /** Whether there is a type of this full name. */
  has(name: string): boolean;
  /** undefined: no such field. */
  fieldType(name: string, field: string): CelType | undefined;
  /** The value of `name{…}`; undefined where such values cannot be made. */
  make?(name: string, fields: ReadonlyMap<string, CelValue>): CelValue;
}

export const NO_STRUCTS: StructTypes = {
  has: () => false,
  fieldType: () => undefined,
};

/** A group of functions that belong together. */
export type Library = readonly FunctionDeclaration[];

/** An overload that is called as `name(…)`; `member` makes those that are called on a target. */
export function overload(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  run?: Implementation,
): Overload {
  return { id, isMember: false, parameters, result, run };
}

/** The first of `parameters` is what the method is called on. */
export function method(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  run?: Implementation,
): Overload {
  return { id, isMember: true, parameters, result, run };
}

/** A function each of whose overloads brings what it does. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads, run: undefined, isLenient: false, isUnguarded: false };
}

/** A function that does the same thing for all of its overloads. */
export function declareSingle(
  name: string,
  run: Implementation,
  ...overloads: readonly Overload[]
): FunctionDeclaration {
  return { name, overloads, run, isLenient: false, isUnguarded: false };
}

/** The overloads of both; `more` may add to a function that is there. */
export function mergeFunctions(
  functions: ReadonlyMap<string, FunctionDeclaration>,
  more: Library,
): Map<string, FunctionDeclaration> {
  const merged = new Map(functions);
  for (const declaration of more) {
    const known = merged.get(declaration.name);
    const ids = new Set(known?.overloads.map(({ id }) => id));
    const added = declaration.overloads.filter(({ id }) => !ids.has(id));
    const whole =
      known === undefined
        ? declaration
        : {
            ...known,
            run: known.run ?? declaration.run,
            overloads: [...known.overloads, ...added],
          };
    merged.set(declaration.name, whole);
  }
  return merged;
}
