/**
 * A write as a strategy sees it: the object as a client sent it is decoded, defaulted and
 * converted, then prepared and validated. The same tables are judged here by ours and in
 * e2e/oracles/strategies by kube-apiserver's own strategies.
 */
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, stringAt, type JsonObject, type JsonValue } from '../../json/json.ts';
import { asKubeObject, type KubeObject } from '../../meta/object-meta.ts';
import type { FieldErrors } from '../../field/field-errors.ts';
import type { ServedResource } from '../resource-definition.ts';
import { typedCodec } from '../../scheme/typed-json.ts';
import { builtInResources } from '../built-in.ts';
import { type KindFeature, usualFeatures } from '../kind-features.ts';

export interface Write {
  /** `create`, `update`, or the name of a subresource. */
  readonly do: string;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  /** Features that are not as upstream has them by default. */
  readonly gates?: Gates;
}

type Gates = Readonly<Partial<Record<KindFeature, boolean>>>;

/** A write, in words and as data, with what comes of it. */
export interface RuleCase extends Write {
  readonly when: string;
  /** `field: body`, up to the end of the first line. */
  readonly errors: readonly string[];
  readonly warnings?: readonly string[];
  /** Values that the stored object has, by path; null for those that it has not. */
  readonly shows?: Readonly<Record<string, JsonValue>>;
}

export interface Judgement {
  readonly object: KubeObject;
  readonly errors: FieldErrors;
  readonly warnings: readonly string[];
}

/** When everything here happens. */
export const NOW = '2026-11-21T09:00:00Z';

const servedByGates = new Map<string, readonly ServedResource[]>();

function servedWith(gates: Gates): readonly ServedResource[] {
  const key = JSON.stringify(gates);
  const known = servedByGates.get(key);
  if (known !== undefined) return known;
  const served = builtInResources(
    { now: () => Date.parse(NOW), after: () => () => undefined },
    {
      allowPrivileged: false,
      hasOptional: () => true,
      isOn: (feature) => gates[feature] ?? usualFeatures(feature),
    },
  );
  servedByGates.set(key, served);
  return served;
}

export function isServed(object: JsonObject): boolean {
  return findServed(object) !== undefined;
}

export function servedAs(object: JsonObject, gates: Gates = {}): ServedResource {
  const found = findServed(object, gates);
  if (found === undefined) throw new Error(`nothing serves ${stringAt(object, 'kind')}`);
  return found;
}

function findServed(object: JsonObject, gates: Gates = {}): ServedResource | undefined {
  return servedWith(gates).find(
    ({ facts, apiVersion }) => facts.kind === object['kind'] && apiVersion === object['apiVersion'],
  );
}

/** How work that may be done in slices is done here. */
export type Doing = <Result>(work: () => Result) => Result;

const atOnce: Doing = (work) => work();

/** As the registry has it before the strategy's turn; undefined when it does not decode. */
export function received(sent: JsonObject, done: Doing = atOnce): KubeObject | undefined {
  const resource = servedAs(sent);
  const decoded = done(() => typedCodec(resource.facts.typeId).decode(sent));
  if (!decoded.ok) return undefined;
  // An object of a kind that has metadata has it after decoding.
  const object = asKubeObject(structuredClone(decoded.value));
  done(() => resource.setDefaults?.(object));
  return resource.conversion?.toStorage(object) ?? object;
}

/** `old` lies in the store already. Undefined when the object does not decode. */
export function judge(
  write: Write,
  old: KubeObject | undefined,
  done: Doing = atOnce,
): Judgement | undefined {
  const object = received(write.object, done);
  if (object === undefined) return undefined;
  const { strategy } = servedAs(write.object, write.gates).definition;
  if (old === undefined) {
    const before = done(() => strategy.warningsBeforeCreate?.(object)) ?? [];
    done(() => {
      strategy.prepareForCreate(object);
    });
    const errors = done(() => strategy.validate(object));
    const warnings = [...before, ...(done(() => strategy.warningsOnCreate?.(object)) ?? [])];
    done(() => strategy.canonicalize?.(object));
    done(() => strategy.readAgain?.(object));
    return { object, errors, warnings };
  }
  const rules = write.do === 'update' ? strategy : strategy.subresources.get(write.do);
  if (rules === undefined) throw new Error(`there is no subresource ${write.do}`);
  const before = structuredClone(old);
  keepGeneration(object, old);
  done(() => {
    rules.prepareForUpdate(object, old);
  });
  const errors = done(() => rules.validateUpdate(object, old));
  const warnings = done(() => rules.warningsOnUpdate?.(object, old)) ?? [];
  if (!isDeepStrictEqual(old, before)) throw new Error('the old object changed');
  done(() => strategy.canonicalize?.(object));
  done(() => strategy.readAgain?.(object));
  return { object, errors, warnings };
}

/** As the registry does: a client never sets the generation. */
function keepGeneration(object: KubeObject, old: KubeObject): void {
  delete object.metadata.generation;
  const { generation } = old.metadata;
  if (generation !== undefined) object.metadata.generation = generation;
}

/** `field: body`; what upstream appends on further lines is left out. */
export function shownErrors(errors: FieldErrors): readonly string[] {
  return errors.map(({ field, body }) => `${field}: ${body.split('\n')[0]?.trim() ?? ''}`);
}

/** The values at the given paths (`metadata.labels`, `spec.ports.0`); null where there is none. */
export function shownValues(
  object: JsonObject,
  paths: readonly string[],
): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(paths.map((path) => [path, valueAt(object, path.split('.'))]));
}

function valueAt(value: JsonValue, path: readonly string[]): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = Array.isArray(value)
    ? value[Number(key)]
    : isJsonObject(value)
      ? value[key]
      : undefined;
  return inner === undefined ? null : valueAt(inner, rest);
}
