/**
 * `x-kubernetes-validations`: what the rules of a schema say about an object. Each is compiled
 * when the first value is there that it is about; schemas without rules cost nothing.
 *
 * An object pays for all of its rules out of one budget. When it is used up, that is an error, and
 * nothing more is asked.
 *
 * In Kubernetes: Validator, apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
import { formatJson } from '../../json/json-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import { ownKeys, ownValue } from '../../json/own-property.ts';
import {
  forEachItem,
  remembered,
  someItem,
  stepped,
  undivided,
} from '../../json/work-in-slices.ts';
import type { FieldError, FieldErrors } from '../../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../../field/field-path.ts';
import { CorrelatedValue } from '../../structural-schema/correlated-value.ts';
import type {
  NestedValueValidation,
  StructuralSchema,
  ValidationRule,
} from '../../structural-schema/structural-schema.ts';
import { compileRule, ruleEnvironments, type CompiledRule } from './compiled-rule.ts';
import { escapeName } from './escaping.ts';
import { COST_PER_OBJECT_MAX } from '../kubernetes-environment.ts';
import { evaluateRules, undeclared, type CostBudget, type RuleCall } from './rule-evaluation.ts';
import { declarationOf, type SchemaDeclaration, withMetadata } from './schema-declarations.ts';

export type { CostBudget } from './rule-evaluation.ts';

export interface RuleContext {
  /** Where the object is; '' is the whole object, whose errors upstream shows at `<nil>`. */
  readonly path?: string;
  /** Shared by all that is validated for one object. */
  readonly budget?: CostBudget;
  /** Units for one expression; for tests of the limits. */
  readonly costMax?: number;
  /** No: what is wrong counts, whether it was so before or not. */
  readonly forgivesUnchanged?: boolean;
  /** Around the compiling of rules, for its measurement. */
  readonly compiling?: Around;
}

/** Does a work, and gives what came of it. */
export type Around = <Result>(work: () => Result) => Result;

export interface SchemaRules {
  /** Whether nothing is asked of any object. */
  readonly isEmpty: boolean;
  /** @param old undefined: the object is new, and rules about what was before are not asked. */
  validate(value: JsonObject, old?: JsonObject, context?: RuleContext): FieldErrors;
}

const NO_RULES: SchemaRules = { isEmpty: true, validate: () => [] };

function doing<Result>(work: () => Result): Result {
  return work();
}

/** The rules of the schema of a whole custom resource. */
export function compileSchemaRules(schema: StructuralSchema): SchemaRules {
  const root = validatorOf(schema, schema, {
    isResource: true,
    declaration: () => declarationOf(schema, true),
    isOmitted: () => false,
  });
  return root === undefined ? NO_RULES : new CompiledSchemaRules(root, schema);
}

/** A budget for one object. */
export function newCostBudget(): CostBudget {
  return { remaining: COST_PER_OBJECT_MAX };
}

const NOWHERE = '<nil>';
/** A unit of cost takes about as long as two steps of work in slices. */
const STEPS_A_COST_UNIT = 2;

class CompiledSchemaRules implements SchemaRules {
  readonly isEmpty = false;
  readonly #root: RuleValidator;
  readonly #schema: StructuralSchema;

  constructor(root: RuleValidator, schema: StructuralSchema) {
    this.#root = root;
    this.#schema = schema;
  }

  validate(value: JsonObject, old?: JsonObject, context: RuleContext = {}): FieldErrors {
    const errors = remembered((): FieldError[] => []);
    const { path = '', costMax, forgivesUnchanged = true } = context;
    const budget = remembered(() => context.budget ?? newCostBudget());
    const run = {
      budget,
      costMax,
      compiling: context.compiling ?? doing,
      report: (error: FieldError) =>
        void errors.push(error.field === '' ? { ...error, field: NOWHERE } : error),
    };
    const correlated = remembered(() =>
      old === undefined || !forgivesUnchanged
        ? undefined
        : new CorrelatedValue(value, old, this.#schema),
    );
    this.#root.validate({ value, old, path, correlation: new Correlation(correlated) }, run);
    return errors;
  }
}

/** What is the same while an object is validated. */
interface RuleRun {
  readonly budget: CostBudget;
  readonly costMax: number | undefined;
  readonly compiling: Around;
  readonly report: (error: FieldError) => void;
}

interface RulePlace {
  readonly value: JsonValue;
  readonly old: JsonValue | undefined;
  readonly path: string;
  readonly correlation: Correlation;
}

/** What was at a place before, or at the nearest place above it for which that can be said. */
class Correlation {
  readonly #here: CorrelatedValue | undefined;
  readonly #above: CorrelatedValue | undefined;

  constructor(here: CorrelatedValue | undefined, above?: CorrelatedValue) {
    this.#here = here;
    this.#above = above;
  }

  isUnchanged(): boolean {
    return (this.#here ?? this.#above)?.isUnchanged() ?? false;
  }

  field(name: string): Correlation {
    if (this.#here === undefined) return this;
    // Both versions of the object are of the version of the request, whatever was stored.
    const isType = name === 'apiVersion' || name === 'kind';
    if (this.#above === undefined && isType) return new Correlation(undefined);
    return new Correlation(this.#here.field(name), this.#here);
  }

  item(index: number): Correlation {
    return this.#here === undefined ? this : new Correlation(this.#here.item(index), this.#here);
  }

  /** For what `allOf` says, which is not told apart by what was there before. */
  withoutHere(): Correlation {
    return new Correlation(undefined, this.#above);
  }
}

/** Where rules stand: a schema, or a part of an `allOf`, which is about the same values. */
interface RuleSource {
  readonly validations: readonly ValidationRule[];
  readonly properties: ReadonlyMap<string, RuleSource>;
  readonly items: RuleSource | undefined;
  readonly additionalProperties: RuleSource | undefined;
  readonly allOf: readonly RuleSource[];
}

function sourceOf(schema: StructuralSchema | NestedValueValidation): RuleSource {
  const { items, additionalProperties } = schema;
  const isSchema = 'extensions' in schema;
  return {
    validations: isSchema ? schema.extensions.validations : schema.validations,
    properties: new Map(
      [...schema.properties].map(([name, property]) => [name, sourceOf(property)] as const),
    ),
    items: items && sourceOf(items),
    additionalProperties:
      additionalProperties === undefined || additionalProperties === true
        ? undefined
        : sourceOf(additionalProperties),
    allOf: (schema.values?.allOf ?? []).map(sourceOf),
  };
}

interface Declared {
  readonly isResource: boolean;
  /** Called when a rule is compiled: declarations of large schemas are large. */
  readonly declaration: () => SchemaDeclaration | undefined;
  /** Whether it lies in a property that expressions do not see, which nothing is asked of. */
  readonly isOmitted: () => boolean;
}

/** undefined: there are no rules here or below. */
function validatorOf(
  source: StructuralSchema,
  schema: StructuralSchema,
  declared: Declared,
): RuleValidator | undefined {
  return hasRules(source) ? makeValidator(sourceOf(source), schema, declared) : undefined;
}

function hasRules(schema: StructuralSchema): boolean {
  const { extensions, items, additionalProperties, properties } = schema;
  if (extensions.validations.length > 0) return true;
  if (items !== undefined && hasRules(items)) return true;
  const isMap = additionalProperties !== undefined && additionalProperties !== true;
  if (isMap && hasRules(additionalProperties)) return true;
  return [...properties.values()].some(hasRules);
}

function makeValidator(
  source: RuleSource,
  schema: StructuralSchema,
  declared: Declared,
): RuleValidator | undefined {
  const { declaration } = declared;
  const inside = (
    part: RuleSource | undefined,
    of: StructuralSchema | true | undefined,
    found: Pick<Declared, 'declaration' | 'isOmitted'>,
  ): RuleValidator | undefined => {
    if (part === undefined || of === undefined || of === true) return undefined;
    return makeValidator(part, of, { isResource: of.extensions.embeddedResource, ...found });
  };
  const { isOmitted } = declared;
  const element = { declaration: () => declaration()?.element, isOmitted };
  const properties = new Map<string, RuleValidator>();
  for (const [name, part] of source.properties) {
    const property = schema.properties.get(name);
    const find = () => propertyDeclaration(declared, name, property);
    const found = { declaration: find, isOmitted: () => isOmitted() || find() === undefined };
    const validator = inside(part, property, found);
    if (validator !== undefined) properties.set(name, validator);
  }
  const parts = {
    schema,
    declared,
    rules: source.validations,
    items: inside(source.items, schema.items, element),
    values: inside(source.additionalProperties, schema.additionalProperties, element),
    properties,
    allOf: source.allOf.flatMap((part) => makeValidator(part, schema, declared) ?? []),
  };
  const isNeeded =
    parts.rules.length > 0 ||
    parts.items !== undefined ||
    parts.values !== undefined ||
    parts.allOf.length > 0 ||
    properties.size > 0;
  return isNeeded ? new RuleValidator(parts) : undefined;
}

/** A property without a name in expressions is declared for itself. */
function propertyDeclaration(
  { declaration }: Declared,
  name: string,
  property: StructuralSchema | undefined,
): SchemaDeclaration | undefined {
  const escaped = escapeName(name);
  if (escaped !== undefined) return declaration()?.fields?.get(escaped);
  return property && declarationOf(property, property.extensions.embeddedResource);
}

interface ValidatorParts {
  readonly schema: StructuralSchema;
  readonly declared: Declared;
  readonly rules: readonly ValidationRule[];
  readonly items: RuleValidator | undefined;
  readonly values: RuleValidator | undefined;
  readonly properties: ReadonlyMap<string, RuleValidator>;
  readonly allOf: readonly RuleValidator[];
}

class RuleValidator {
  readonly #parts: ValidatorParts;
  /** undefined until the first value comes. */
  #compiled: readonly CompiledRule[] | undefined;
  #isUndeclared = false;

  constructor(parts: ValidatorParts) {
    this.#parts = parts;
  }

  validate(place: RulePlace, run: RuleRun): void {
    const { value, path, correlation } = place;
    if (value === null) return;
    this.#askRules(place, run);
    if (run.budget.remaining < 0) return;
    for (const validator of this.#parts.allOf) {
      validator.validate({ ...place, correlation: correlation.withoutHere() }, run);
      if (run.budget.remaining < 0) return;
    }
    if (Array.isArray(value)) this.#validateItems(value, place, run);
    else if (isJsonObject(value)) this.#validateFields(value, place, run, path);
  }

  #askRules({ value, old, path, correlation }: RulePlace, run: RuleRun): void {
    const { rules, schema, declared } = this.#parts;
    if (rules.length === 0) return;
    this.#compiled ??= undivided(() => run.compiling(() => this.#compile()));
    if (this.#isUndeclared) {
      if (!declared.isOmitted()) run.report(undeclared(schema, path));
      return;
    }
    const compiled = this.#compiled;
    const call: RuleCall = {
      schema: declared.isResource ? withMetadata(schema) : schema,
      value,
      old,
      path,
      budget: run.budget,
      isUnchanged: () => correlation.isUnchanged(),
      report: run.report,
      ...(run.costMax === undefined ? {} : { costMax: run.costMax }),
    };
    // Once, as rules are paid for out of one budget, and an expression pauses nowhere.
    remembered(() => {
      const { remaining } = run.budget;
      undivided(() => {
        evaluateRules(compiled, call);
      });
      stepped((remaining - run.budget.remaining) * STEPS_A_COST_UNIT);
    });
  }

  /** Values that expressions do not see have no rules that could be asked: items of what is no list are refused. */
  #compile(): readonly CompiledRule[] {
    const { rules, schema, declared } = this.#parts;
    const declaration = declared.declaration();
    if (declaration === undefined) {
      this.#isUndeclared = true;
      return [];
    }
    const environments = ruleEnvironments(declaration);
    return rules.map((rule) => compileRule(rule, environments, schema));
  }

  #validateItems(value: readonly JsonValue[], place: RulePlace, run: RuleRun): void {
    const { items, schema } = this.#parts;
    if (items === undefined) return;
    const correlate = remembered(() => oldItems(schema, place.old));
    someItem(value, (item, index) => {
      const old = correlate(item);
      const path = indexPath(place.path, index);
      items.validate({ value: item, old, path, correlation: place.correlation.item(index) }, run);
      return run.budget.remaining < 0;
    });
  }

  #validateFields(value: JsonObject, place: RulePlace, run: RuleRun, path: string): void {
    const { values, properties } = this.#parts;
    const old = isJsonObject(place.old) ? place.old : {};
    const visit = (name: string, validator: RuleValidator, at: string): void => {
      const field = ownValue(value, name);
      if (field === undefined || run.budget.remaining < 0) return;
      const correlation = place.correlation.field(name);
      validator.validate({ value: field, old: ownValue(old, name), path: at, correlation }, run);
    };
    if (values !== undefined) {
      forEachItem(ownKeys(value), (name) => {
        visit(name, values, keyPath(path, name));
      });
    }
    for (const [name, validator] of properties) visit(name, validator, childPath(path, name));
  }
}

/** What an item of a list was before, which only lists with keys can tell. */
function oldItems(
  { extensions }: StructuralSchema,
  old: JsonValue | undefined,
): (item: JsonValue) => JsonValue | undefined {
  const { listType, listMapKeys } = extensions;
  if (listType !== 'map' || listMapKeys.length === 0 || !Array.isArray(old)) return () => undefined;
  let byKey: Map<string, JsonValue> | undefined;
  return (item) => {
    byKey ??= new Map(
      old.toReversed().flatMap((before) => {
        const key = itemKey(before, listMapKeys);
        return key === undefined ? [] : [[key, before] as const];
      }),
    );
    const key = itemKey(item, listMapKeys);
    return key === undefined ? undefined : byKey.get(key);
  };
}

/** undefined: something in it is not there, or is neither a string nor a number nor a boolean. */
function itemKey(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => ownValue(item, key));
  const isKey = values.every((value) => value !== undefined && typeof value !== 'object');
  return isKey ? formatJson(values) : undefined;
}
