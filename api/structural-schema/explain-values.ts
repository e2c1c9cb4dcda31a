/**
 * Says what is wrong with a value, in upstream's words and order. It is asked only when the
 * compiled check (accept-values.ts) has found that something is, so it reads the schema as it is.
 *
 * Of several alternatives that all fail, the one that came furthest is told, by a count of the
 * checks that a value met; a check counts whether it fails or not, as upstream counts it. Where
 * upstream's order is chance, that of a map, it is here the order of the object.
 *
 * In Kubernetes: SchemaValidator of kube-openapi, pkg/validation/validate, with the ratcheting
 * of apiextensions-apiserver/pkg/apiserver/validation around it.
 */
import { isJsonObject, isNumber, type JsonObject, type JsonValue } from '../json/json.ts';
import { compileRegularExpression } from '../meta/regular-expression.ts';
import { goQuote } from '../json/go-format.ts';
import { ownKeys, ownValue } from '../json/own-property.ts';
import { mapItems, remembered, rememberedOf, someItem } from '../json/work-in-slices.ts';
import { checkedSchema, type AnySchema, type CheckedSchema } from './checked-schema.ts';
import type { CorrelatedValue } from './correlated-value.ts';
import {
  Findings,
  invalidAt,
  notInEnumAt,
  problemOfWhole,
  requiredAt,
  tooLongAt,
  tooManyAt,
  wrongTypeAt,
} from './findings.ts';
import { formatCheck } from './formats.ts';
import { canonicalText, equalsAllowed, kindOfJson, lengthInCharacters } from './json-kind.ts';
import { findInNumber, isNearlyWhole } from './number-checks.ts';

export interface ToExplain {
  readonly schema: AnySchema;
  readonly value: JsonValue;
  /** As `spec.ports[0]`; '' at the top. */
  readonly path: string;
  /** What was there before; undefined: what is wrong counts, whether it is new or not. */
  readonly correlated: CorrelatedValue | undefined;
}

/**
 * Everything that is wrong with a value, in kube-apiserver's words; nothing where an unchanged
 * value may stay invalid.
 */
export function explainValue(asked: ToExplain): Findings {
  const findings = explainAnew(asked);
  const isForgiven = !findings.isEmpty && asked.correlated?.isUnchanged() === true;
  return isForgiven ? findings.forgive() : findings;
}

interface Step extends ToExplain {
  readonly checked: CheckedSchema;
}

function explainAnew(asked: ToExplain): Findings {
  const { value, schema } = asked;
  const step = { ...asked, checked: checkedSchema(schema) };
  const findings = new Findings();
  const meet = (found: Findings): void => {
    findings.merge(found);
    findings.matchCount++;
  };
  if (value === null) {
    findings.merge(explainType(step));
    findings.merge(explainEnum(step));
    return findings;
  }
  if (step.checked.types.length > 0 || step.checked.format !== '') meet(explainType(step));
  meet(explainJunctors(step));
  if (typeof value === 'string') {
    meet(explainText(step, value));
    if (formatCheck(step.checked.format) !== undefined) meet(explainFormat(step, value));
  }
  if (isNumber(value)) meet(findInNumber(step.checked, value, step.path));
  if (Array.isArray(value)) meet(explainList(step, value));
  meet(explainEnum(step));
  if (isJsonObject(value)) meet(explainObject(step, value));
  findings.matchCount++;
  return findings;
}

function explainType({ checked, value, path }: Step): Findings {
  const findings = new Findings();
  const { types, format } = checked;
  const kind = kindOfJson(value);
  if (fitsType(checked, value)) findings.matchCount++;
  else if (kind === 'null') findings.add(wrongTypeAt(path, types.join(','), 'null'));
  else if (format !== '' && typeof value !== 'string' && !Array.isArray(value)) {
    findings.add(wrongTypeAt(path, format, goFormatOf(value)));
  } else findings.add(wrongTypeAt(path, types.join(','), kind));
  return findings;
}

/** The format that Go has for the value itself, which is what it tells when a format is wanted. */
function goFormatOf(value: JsonValue): string {
  const kind = kindOfJson(value);
  if (kind === 'integer') return 'int64';
  return kind === 'number' ? 'float64' : '';
}

/** A text with a format may be a list as well, as upstream does not look then. */
export function fitsType({ types, nullable, format }: CheckedSchema, value: JsonValue): boolean {
  if (value === null) return types.length === 0 || nullable;
  const kind = kindOfJson(value);
  const wantsNumber = types.includes('integer') || types.includes('number');
  const isTextual = kind === 'string' || kind === 'array';
  if (format !== '' && !wantsNumber && isTextual) return true;
  if (types.length === 0) return format === '';
  if (kind === 'integer' && types.includes('number')) return true;
  if (kind === 'number' && types.includes('integer') && isNearlyWhole(value as number)) return true;
  return kind !== 'null' && types.includes(kind);
}

/** Inside junctors nothing is forgiven, as upstream forgets there what was before. */
function explainJunctors({ checked, value, path }: Step): Findings {
  const { anyOf, oneOf, allOf, not } = checked.values;
  const explain = (schema: AnySchema): Findings =>
    explainAnew({ schema, value, path, correlated: undefined });
  const findings = new Findings();
  if (anyOf.length > 0) explainAnyOf(findings, path, anyOf, explain);
  if (oneOf.length > 0) explainOneOf(findings, path, oneOf, explain);
  if (allOf.length > 0) explainAllOf(findings, path, allOf, explain);
  if (not !== undefined && explain(not).isEmpty) {
    findings.add(problemOfWhole(`${goQuote(path)} must not validate the schema (not)`));
  }
  findings.matchCount++;
  return findings;
}

type Explain = (schema: AnySchema) => Findings;

function explainAnyOf(
  findings: Findings,
  path: string,
  schemas: readonly AnySchema[],
  explain: Explain,
): void {
  let best: Findings | undefined;
  for (const schema of schemas) {
    const found = explain(schema);
    if (found.isEmpty) {
      findings.merge(found);
      return;
    }
    if (best === undefined || found.matchCount > best.matchCount) best = found;
  }
  findings.add(problemOfWhole(`${goQuote(path)} must validate at least one schema (anyOf)`));
  if (best !== undefined) findings.merge(best);
}

function explainOneOf(
  findings: Findings,
  path: string,
  schemas: readonly AnySchema[],
  explain: Explain,
): void {
  let best: Findings | undefined;
  const valid: Findings[] = [];
  for (const schema of schemas) {
    const found = explain(schema);
    if (found.isEmpty) valid.push(found);
    else if (best === undefined || found.matchCount > best.matchCount) best = found;
  }
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) {
    findings.merge(first);
    return;
  }
  const how =
    valid.length === 0 ? 'Found none valid' : `Found ${String(valid.length)} valid alternatives`;
  findings.add(
    problemOfWhole(`${goQuote(path)} must validate one and only one schema (oneOf). ${how}`),
  );
  if (valid.length === 0 && best !== undefined) findings.merge(best);
}

function explainAllOf(
  findings: Findings,
  path: string,
  schemas: readonly AnySchema[],
  explain: Explain,
): void {
  let valid = 0;
  for (const schema of schemas) {
    const found = explain(schema);
    if (found.isEmpty) valid++;
    findings.merge(found);
  }
  if (valid === schemas.length) return;
  const how = valid === 0 ? '. None validated' : '';
  findings.add(problemOfWhole(`${goQuote(path)} must validate all the schemas (allOf)${how}`));
}

/** Of length and pattern the first that is wrong is told. */
function explainText({ checked, path }: Step, value: string): Findings {
  const { maxLength, minLength, pattern } = checked.values;
  const findings = new Findings();
  if (maxLength !== undefined && lengthInCharacters(value) > maxLength) {
    findings.add(tooLongAt(path, maxLength));
  } else if (minLength !== undefined && lengthInCharacters(value) < minLength) {
    findings.add(invalidAt(path, value, `should be at least ${String(minLength)} chars long`));
  } else if (pattern !== '') {
    const compiled = compileRegularExpression(pattern);
    if (!compiled.ok) {
      const shown = `${pattern}, but pattern is invalid: ${compiled.message}`;
      findings.add(invalidAt(path, value, `should match '${shown}'`));
    } else if (!compiled.expression.test(value)) {
      findings.add(invalidAt(path, value, `should match '${pattern}'`));
    }
  }
  return findings;
}

function explainFormat({ checked, path }: Step, value: string): Findings {
  const findings = new Findings();
  const { format } = checked;
  if (formatCheck(format)?.(value) === false) findings.add(wrongTypeAt(path, format, value));
  return findings;
}

function explainList({ checked, path, correlated }: Step, value: readonly JsonValue[]): Findings {
  const { items } = checked;
  const { minItems, maxItems, uniqueItems } = checked.values;
  const findings = new Findings();
  if (items !== undefined) {
    findings.merge(
      findInEach(value, (item, index) => {
        const at = `${path}[${String(index)}]`;
        const before = correlated?.item(index);
        return explainValue({ schema: items, value: item, path: at, correlated: before });
      }),
    );
  }
  const actual = value.length;
  if (minItems !== undefined && actual < minItems) {
    findings.add(invalidAt(path, actual, `should have at least ${String(minItems)} items`));
  }
  if (maxItems !== undefined && actual > maxItems) {
    findings.add(tooManyAt(path, 'items', { actual, max: maxItems }));
  }
  if (uniqueItems && hasDuplicates(value)) {
    findings.add(invalidAt(path, '', "shouldn't contain duplicates"));
  }
  findings.matchCount++;
  return findings;
}

/** Until nothing more would be told. */
function findInEach<Item>(
  items: readonly Item[],
  explain: (item: Item, index: number) => Findings | undefined,
): Findings {
  const findings = remembered(() => new Findings());
  someItem(items, (item, index) => {
    if (findings.isFull) return true;
    const found = explain(item, index);
    if (found !== undefined) findings.merge(found);
    return false;
  });
  return findings;
}

/** Whether two of the items are equal. */
export function hasDuplicates(items: readonly JsonValue[]): boolean {
  const texts = mapItems(items, canonicalText);
  return rememberedOf([texts], () => new Set(texts).size < items.length);
}

function explainEnum({ checked, value, path }: Step): Findings {
  const findings = new Findings();
  const allowed = checked.values.enum;
  if (allowed !== undefined && !allowed.some((one) => equalsAllowed(value, one))) {
    findings.add(notInEnumAt(path, value, allowed));
  }
  return findings;
}

function explainObject(step: Step, value: JsonObject): Findings {
  const { checked, path } = step;
  const { minProperties, maxProperties, required } = checked.values;
  const findings = new Findings();
  const names = ownKeys(value);
  const actual = names.length;
  if (minProperties !== undefined && actual < minProperties) {
    const sentence = `should have at least ${String(minProperties)} properties`;
    findings.add(invalidAt(path, actual, sentence));
  }
  if (maxProperties !== undefined && actual > maxProperties) {
    findings.add(tooManyAt(path, 'properties', { actual, max: maxProperties }));
  }
  const ofFields = findInEach(names, (name) => {
    const asked = fieldToExplain(step, name, value[name] ?? null);
    return asked === undefined ? undefined : explainValue(asked);
  });
  findings.merge(ofFields);
  for (const name of required) {
    if (ownValue(value, name) === undefined) findings.add(requiredAt(`${path}.${name}`));
  }
  return findings;
}

function fieldToExplain(
  { checked, path, correlated }: Step,
  name: string,
  value: JsonValue,
): ToExplain | undefined {
  const known = checked.properties.get(name);
  const schema = known ?? checked.additionalProperties;
  if (schema === undefined) return undefined;
  const at = path === '' && known !== undefined ? name : `${path}.${name}`;
  // Both objects were brought to one version, so that a change of it could not be seen.
  const isVersion = path === '' && (name === 'apiVersion' || name === 'kind');
  return { schema, value, path: at, correlated: isVersion ? undefined : correlated?.field(name) };
}
