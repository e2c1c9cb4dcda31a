/**
 * Whether the rules of a schema may stand in a CustomResourceDefinition: whether they compile, are
 * of the right types, and cannot cost too much. It takes for granted that nothing else is wrong
 * with the schema.
 *
 * In Kubernetes: ValidateCustomResourceDefinitionOpenAPISchema and CELSchemaContext,
 * apiextensions-apiserver/pkg/apis/apiextensions/validation.
 */
import { forEachItem, remembered, stepped, undivided } from '../../json/work-in-slices.ts';
import type { JsonObject } from '../../json/json.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidValue,
} from '../../field/field-errors.ts';
import { childPath, indexPath, keyPath } from '../../field/field-path.ts';
import { schemaTraits } from '../../structural-schema/schema-traits.ts';
import type {
  StructuralSchema,
  ValidationRule,
} from '../../structural-schema/structural-schema.ts';
import type { CheckedTypes } from '../checker/checked-types.ts';
import { compileRule, ruleEnvironments, type CompiledRule } from './compiled-rule.ts';
import { UNBOUNDED } from '../costs/cost-range.ts';
import { escapeName } from './escaping.ts';
import { schemaKnowledge } from './kubernetes-estimates.ts';
import { declarationOf, type SchemaDeclaration } from './schema-declarations.ts';
import { estimateCost } from '../costs/static-cost.ts';

const RULE_COST_MAX = 10_000_000;
const TOTAL_COST_MAX = 100_000_000;
const REQUEST_BYTES_MAX = 3 * 1024 * 1024;

/** To compile a rule and to tell what it may cost takes some tens of microseconds. */
const RULE_STEPS = 200;

/** How many of the rules that cost the most are named. */
const EXPENSIVE_MAX = 4;

export interface RuleCheckOptions {
  /** For rules that were there before, which may stay however much they can cost. */
  readonly ignoresRuleCost?: boolean;
  /** Whether something else is wrong with the schema at that path or below: then its rules wait. */
  readonly isWrong?: (path: string) => boolean;
}

/** @param path of the schema, as `spec.versions[0].schema.openAPIV3Schema`. */
export function checkSchemaRules(
  schema: StructuralSchema,
  path: string,
  options: RuleCheckOptions = {},
): FieldErrors {
  const { rules } = remembered(() => schemaTraits(schema));
  if (rules.size === 0) return [];
  const check = remembered(() => new RuleCheck(options, rules));
  check.visit({
    schema,
    path,
    declaration: () => declarationOf(schema, true),
    isWithinRules: false,
    count: 1,
    uncorrelated: undefined,
  });
  return check.result(path);
}

interface SchemaNode {
  readonly schema: StructuralSchema;
  readonly path: string;
  readonly declaration: () => SchemaDeclaration | undefined;
  /** Whether a schema around it has rules, which is then what says how this one is declared. */
  readonly isWithinRules: boolean;
  /** Of how many values there can be; undefined: nothing says. */
  readonly count: number | undefined;
  /** The nearest place above whose values cannot be told apart over time. */
  readonly uncorrelated: string | undefined;
}

interface Expensive {
  readonly path: string;
  readonly cost: number;
}

class RuleCheck {
  readonly #options: RuleCheckOptions;
  /** The schemas that have rules in them. */
  readonly #ruled: ReadonlySet<StructuralSchema>;
  readonly #errors: FieldError[] = [];
  #total = 0;
  #expensive: Expensive[] = [];

  constructor(options: RuleCheckOptions, ruled: ReadonlySet<StructuralSchema>) {
    this.#options = options;
    this.#ruled = ruled;
  }

  result(path: string): FieldErrors {
    if (this.#total <= TOTAL_COST_MAX) return this.#errors;
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    const contributed =
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    return [
      ...this.#errors,
      ...this.#expensive.map((rule) => forbiddenField(rule.path, contributed)),
      forbiddenField(path, tooExpensive(what, this.#total, TOTAL_COST_MAX)),
    ];
  }

  visit(place: SchemaNode): void {
    const parts = remembered(() => partsOf(place).filter((part) => this.#ruled.has(part.schema)));
    forEachItem(parts, (part) => {
      this.visit(part);
    });
    const { schema, path } = place;
    const rules = schema.extensions.validations;
    if (rules.length === 0 || this.#options.isWrong?.(path) === true) return;
    const declaration = remembered(() => undivided(place.declaration));
    if (declaration === undefined) {
      remembered(() => {
        this.#tellUndeclared(place);
      });
      return;
    }
    const environments = remembered(() => undivided(() => ruleEnvironments(declaration)));
    forEachItem(rules, (rule, index) => {
      const at = indexPath(childPath(path, 'x-kubernetes-validations'), index);
      stepped(RULE_STEPS);
      undivided(() => {
        this.#checkRule(compileRule(rule, environments, schema), at, place, declaration);
      });
    });
  }

  #tellUndeclared({ path, isWithinRules }: SchemaNode): void {
    const why = 'unable to convert structural schema to CEL declarations';
    const what = 'failed to construct type information for x-kubernetes-validations rules';
    const told = isWithinRules
      ? 'failed to convert to declType for CEL validation rules'
      : `internal error: ${what}: ${why}`;
    this.#errors.push({
      type: 'InternalError',
      field: childPath(path, 'x-kubernetes-validations'),
      body: `Internal error: ${told}`,
    });
  }

  #checkRule(
    { rule, outcome }: CompiledRule,
    path: string,
    place: SchemaNode,
    declaration: SchemaDeclaration,
  ): void {
    const rulePath = childPath(path, 'rule');
    if (outcome.kind === 'empty') return;
    if (outcome.kind === 'wrong') {
      this.#errors.push(invalidValue(rulePath, shownRule(rule), outcome.detail));
    } else {
      const cost = estimate(outcome.program.types, declaration) * countOf(place, declaration);
      this.#observe('estimated rule cost', rulePath, Math.min(cost, UNBOUNDED));
      this.#checkMessage(rule, outcome.message, path, declaration);
    }
    this.#checkOldSelf(rule, outcome.usesOldSelf, path, place);
  }

  #checkMessage(
    rule: ValidationRule,
    message: (CompiledRule['outcome'] & { kind: 'right' })['message'],
    path: string,
    declaration: SchemaDeclaration,
  ): void {
    const messagePath = childPath(path, 'messageExpression');
    if (message.kind === 'wrong') {
      this.#errors.push(invalidValue(messagePath, shownRule(rule), message.detail));
    }
    if (message.kind !== 'right') return;
    const cost = estimate(message.program.types, declaration);
    this.#observe('estimated messageExpression cost', messagePath, cost);
  }

  #checkOldSelf(
    { rule, optionalOldSelf }: ValidationRule,
    usesOldSelf: boolean,
    path: string,
    { uncorrelated }: SchemaNode,
  ): void {
    if (usesOldSelf && uncorrelated !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      this.#errors.push(invalidValue(childPath(path, 'rule'), rule, detail));
    }
    if (usesOldSelf || optionalOldSelf === undefined) return;
    const detail = 'may not be set if oldSelf is not used in rule';
    this.#errors.push(invalidValue(childPath(path, 'optionalOldSelf'), optionalOldSelf, detail));
  }

  #observe(what: string, path: string, cost: number): void {
    if (cost > RULE_COST_MAX && this.#options.ignoresRuleCost !== true) {
      this.#errors.push(forbiddenField(path, tooExpensive(what, cost, RULE_COST_MAX)));
    }
    this.#total = Math.min(this.#total + cost, UNBOUNDED);
    if (cost < TOTAL_COST_MAX / 100) return;
    const expensive = [...this.#expensive, { path, cost }];
    this.#expensive = expensive.sort((one, other) => other.cost - one.cost).slice(0, EXPENSIVE_MAX);
  }
}

/** The schemas in a schema, in the order in which upstream looks at them. */
function partsOf(place: SchemaNode): SchemaNode[] {
  const { schema, path, declaration } = place;
  const { additionalProperties, properties, items, extensions } = schema;
  const count = childCount(place);
  const parts: SchemaNode[] = [];
  const isWithinRules = place.isWithinRules || extensions.validations.length > 0;
  const elementOf = (part: StructuralSchema) => (): SchemaDeclaration | undefined =>
    isWithinRules ? declaration()?.element : declarationOf(part, part.extensions.embeddedResource);
  if (additionalProperties !== undefined && additionalProperties !== true) {
    const at = childPath(path, 'additionalProperties');
    const element = elementOf(additionalProperties);
    const part = { schema: additionalProperties, path: at, declaration: element };
    parts.push({ ...place, ...part, isWithinRules, count });
  }
  for (const [name, property] of properties) {
    const at = keyPath(childPath(path, 'properties'), name);
    const find = (): SchemaDeclaration | undefined =>
      propertyDeclaration(isWithinRules ? declaration() : undefined, name, property);
    const part = { schema: property, path: at, declaration: find };
    parts.push({ ...place, ...part, isWithinRules, count });
  }
  if (items !== undefined) {
    const uncorrelated =
      extensions.listType === 'map' ? place.uncorrelated : (place.uncorrelated ?? path);
    const at = childPath(path, 'items');
    const declared = { declaration: elementOf(items), isWithinRules };
    parts.push({ schema: items, path: at, ...declared, count, uncorrelated });
  }
  return parts;
}

function propertyDeclaration(
  parent: SchemaDeclaration | undefined,
  name: string,
  property: StructuralSchema,
): SchemaDeclaration | undefined {
  const escaped = escapeName(name);
  const field = escaped === undefined ? undefined : parent?.fields?.get(escaped);
  return field ?? declarationOf(property, property.extensions.embeddedResource);
}

function childCount({ schema, count }: SchemaNode): number | undefined {
  const factor = elementsMax(schema);
  return count === undefined || factor === undefined
    ? undefined
    : Math.min(count * factor, UNBOUNDED);
}

/** undefined: as many as one likes. */
function elementsMax({ type, additionalProperties, values }: StructuralSchema): number | undefined {
  const atLeastZero = (max: number | undefined): number | undefined => max && Math.max(0, max);
  if (type === 'array') return atLeastZero(values?.maxItems);
  return type === 'object' && additionalProperties !== undefined
    ? atLeastZero(values?.maxProperties)
    : 1;
}

/** Where nothing else says, as many as fit into a request. */
function countOf({ count }: SchemaNode, { bytesMin }: SchemaDeclaration): number {
  return count ?? Math.floor(REQUEST_BYTES_MAX / (bytesMin + 1));
}

function estimate(types: CheckedTypes, declaration: SchemaDeclaration): number {
  return estimateCost(types, schemaKnowledge(declaration)).max;
}

/** In the form in which Go shows the rule. */
function shownRule({ rule, message, messageExpression, ...rest }: ValidationRule): JsonObject {
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: rest.reason ?? null,
    FieldPath: rest.fieldPath,
    OptionalOldSelf: rest.optionalOldSelf ?? null,
  };
}

function tooExpensive(what: string, cost: number, costMax: number): string {
  const times = cost / costMax;
  const factor =
    times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, ' +
    'maps, and strings are declared';
  return `${what} exceeds budget by factor of ${factor} (${advice})`;
}
