/**
 * What expressions can be written in, and the door for everything that has some: an environment
 * compiles them, and a program can be evaluated as often as one likes.
 *
 *     const environment = KUBERNETES.extend({ variables: [{ name: 'x', type: INT }] });
 *     const compiled = environment.compile('x > 1');
 *     if (compiled.ok) compiled.program.evaluate(new Map([['x', 2]]));
 *
 * In Kubernetes: cel.Env and cel.Program of cel-go.
 */
import { checkLiterals } from './checker/ast-validators.ts';
import type { CallCostOf } from './costs/call-costs.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  parameter,
  STRING,
  structType,
  TIMESTAMP,
  TYPE,
  typeType,
  UINT,
  type CelType,
} from './cel-type.ts';
import { check } from './checker/checker.ts';
import type { CheckedTypes, Identifier } from './checker/checked-types.ts';
import {
  mergeFunctions,
  NO_STRUCTS,
  type FunctionDeclaration,
  type Library,
  type StructTypes,
  type VariableDeclaration,
} from './declarations.ts';
import { CostLimitExceeded, type Frame, type Run, type Variables } from './evaluation/frame.ts';
import { STANDARD } from './library/standard.ts';
import { STANDARD_MACROS, type Macro } from './syntax/macros.ts';
import { parse } from './syntax/parser.ts';
import { plan } from './evaluation/plan.ts';
import { SourceErrors } from './syntax/source.ts';
import { CelError, CelTypeValue, type CelValue } from './value.ts';

export interface EnvironmentParts {
  readonly variables?: readonly VariableDeclaration[];
  readonly functions?: Library;
  readonly structs?: StructTypes;
  readonly macros?: readonly Macro[];
  /** Opaque types that expressions may name. */
  readonly types?: readonly CelType[];
  readonly container?: string;
  readonly hasOptionals?: boolean;
  readonly hasEscapedFields?: boolean;
  /** Items of one list may be of different types; Kubernetes does not allow it. */
  readonly hasMixedLiterals?: boolean;
  /** Literals that can only fail are refused while compiling. */
  readonly checksLiterals?: boolean;
  readonly callCostOf?: CallCostOf;
}

export type Compiled =
  | { readonly ok: true; readonly program: Program }
  /** What is wrong, with lines and carets; or, planning, why no program can be made. */
  | {
      readonly ok: false;
      readonly during: 'check' | 'plan';
      readonly message: string;
      /** Where only the plan could not be made. */
      readonly types?: CheckedTypes;
    };

export type Checked =
  | { readonly ok: true; readonly types: CheckedTypes }
  | { readonly ok: false; readonly message: string };

export interface EvaluationOptions {
  /** Units; nothing is given back when they do not suffice. */
  readonly costMax?: number;
}

export interface Evaluation {
  /** An error when the expression has no value; see `isError`. */
  readonly value: CelValue;
  readonly cost: number;
  readonly isCostExceeded: boolean;
}

/** An expression that parsed and type checked, ready to be evaluated any number of times. */
export interface Program {
  /** Of each node, for estimates of costs. */
  readonly types: CheckedTypes;
  /** What the expression gives, so that a caller may refuse it before it is run. */
  readonly resultType: CelType;
  /** Whether the variable `name` occurs. */
  uses(name: string): boolean;
  /** Runs it over these variables; an error of the expression is part of the result. */
  evaluate(variables: Variables, options?: EvaluationOptions): Evaluation;
}

const NO_COSTS: CallCostOf = () => undefined;

export class Environment {
  readonly #parts: EnvironmentParts;
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #identifiers: ReadonlyMap<string, Identifier>;

  private constructor(
    parts: EnvironmentParts,
    functions: ReadonlyMap<string, FunctionDeclaration>,
    identifiers: ReadonlyMap<string, Identifier>,
  ) {
    this.#parts = parts;
    this.#functions = functions;
    this.#identifiers = identifiers;
  }

  /** With the language itself and nothing else. */
  static standard(): Environment {
    const functions = mergeFunctions(new Map(), STANDARD);
    const parts = { macros: STANDARD_MACROS };
    return new Environment(parts, functions, typeIdentifiers(STANDARD_TYPES));
  }

  /** This environment and `more`; costs little when `more` has no functions. */
  extend(more: EnvironmentParts): Environment {
    const { variables = [], functions = [], macros = [], types = [], ...rest } = more;
    const merged: EnvironmentParts = {
      ...this.#parts,
      ...rest,
      macros: macros.length === 0 ? this.#macros : [...this.#macros, ...macros],
    };
    const all =
      functions.length === 0 ? this.#functions : mergeFunctions(this.#functions, functions);
    const identifiers = new Map([...this.#identifiers, ...typeIdentifiers(types)]);
    for (const variable of variables) identifiers.set(variable.name, variable);
    return new Environment(merged, all, identifiers);
  }

  get callCostOf(): CallCostOf {
    return this.#parts.callCostOf ?? NO_COSTS;
  }

  /** The types of `text`, or what is wrong with it. */
  check(text: string): Checked {
    const parsed = parse(text, {
      macros: this.#macros,
      hasOptionals: this.#parts.hasOptionals ?? false,
      hasEscapedFields: this.#parts.hasEscapedFields ?? false,
    });
    if (!parsed.ok) return { ok: false, message: parsed.errors.toString() };
    const errors = new SourceErrors(text);
    const types = check(parsed.root, this.#checkerEnvironment(), errors);
    if (errors.count === 0 && this.#parts.checksLiterals === true) checkLiterals(types, errors);
    return errors.count === 0 ? { ok: true, types } : { ok: false, message: errors.toString() };
  }

  compile(text: string): Compiled {
    const checked = this.check(text);
    if (!checked.ok) return { ...checked, during: 'check' };
    const planned = plan(checked.types, {
      structs: this.#structs,
      callCostOf: this.callCostOf,
      function: (name) => this.#functions.get(name),
    });
    if (!planned.ok) return { ...planned, during: 'plan', types: checked.types };
    const { run, localCount } = planned;
    return { ok: true, program: new CompiledProgram(checked.types, run, localCount) };
  }

  get #macros(): readonly Macro[] {
    return this.#parts.macros ?? [];
  }

  get #structs(): StructTypes {
    return this.#parts.structs ?? NO_STRUCTS;
  }

  #checkerEnvironment(): Parameters<typeof check>[1] {
    const { container = '', hasMixedLiterals = false } = this.#parts;
    return {
      container,
      hasMixedLiterals,
      structs: this.#structs,
      variable: (name) =>
        firstOf(candidates(container, name), (candidate) => this.#identifier(candidate)),
      function: (name) =>
        firstOf(candidates(container, name), (candidate) => this.#functions.get(candidate)),
    };
  }

  #identifier(name: string): Identifier | undefined {
    const known = this.#identifiers.get(name);
    if (known !== undefined || !this.#structs.has(name)) return known;
    return typeIdentifier(structType(name));
  }
}

/** In a container `a.b`, `x` may be `a.b.x`, `a.x` or `x`; with a dot in front it is `x`. */
function candidates(container: string, name: string): readonly string[] {
  if (name.startsWith('.')) return [name.slice(1)];
  if (container === '') return [name];
  const parts = container.split('.');
  const prefixes = parts.map((_, index) => parts.slice(0, parts.length - index).join('.'));
  return [...prefixes.map((prefix) => `${prefix}.${name}`), name];
}

function firstOf<T>(
  names: readonly string[],
  find: (name: string) => T | undefined,
): T | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const STANDARD_TYPES: readonly CelType[] = [
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  // What the values of these types are of is not known: they have parameters.
  listOf(parameter('A')),
  mapOf(parameter('A'), parameter('B')),
  NULL,
  optionalOf(DYN),
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
];

function typeIdentifiers(types: readonly CelType[]): Map<string, Identifier> {
  return new Map(types.map((type) => [type.name, typeIdentifier(type)] as const));
}

function typeIdentifier(type: CelType): Identifier {
  return { name: type.name, type: typeType(type), value: new CelTypeValue(type) };
}

const COST_EXCEEDED = new CelError(new CostLimitExceeded().message);

class CompiledProgram implements Program {
  readonly types: CheckedTypes;
  readonly #run: Run;
  readonly #localCount: number;

  constructor(types: CheckedTypes, run: Run, localCount: number) {
    this.types = types;
    this.#run = run;
    this.#localCount = localCount;
  }

  get resultType(): CelType {
    return this.types.typeOf(this.types.root);
  }

  uses(name: string): boolean {
    return this.types.names.has(name);
  }

  evaluate(variables: Variables, options: EvaluationOptions = {}): Evaluation {
    const { costMax = Number.POSITIVE_INFINITY } = options;
    const locals = new Array<CelValue | undefined>(this.#localCount);
    const frame: Frame = { variables, locals, cost: 0, costMax };
    try {
      const value = this.#run(frame);
      return { value, cost: frame.cost, isCostExceeded: false };
    } catch (error) {
      if (!(error instanceof CostLimitExceeded)) throw error;
      return { value: COST_EXCEEDED, cost: frame.cost, isCostExceeded: true };
    }
  }
}
