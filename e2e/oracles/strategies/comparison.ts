/**
 * The same write, judged by our strategy of a kind and by upstream's. Both begin with the object
 * as a client sent it: decoded, defaulted, converted.
 */
import { isDeepStrictEqual } from 'node:util';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { isJsonObject, stringAt, type JsonObject } from '../../../api/meta/json.ts';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import type { FieldError } from '../../../api/schema/field-errors.ts';
import type { ServedResource } from '../../../api/scheme/resource-definition.ts';
import type { Strategy } from '../../../api/scheme/strategy.ts';
import { builtInResources } from '../../../actors/resources/built-in.ts';
import type { OracleProgram } from '../oracle-program.ts';

export interface Write {
  /** `create`, `update`, or the name of a subresource. */
  readonly do: string;
  readonly object: JsonObject;
  readonly old?: JsonObject;
}

export interface Judgement {
  readonly object: JsonObject;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

export interface Comparison {
  readonly write: Write;
  readonly ours: Judgement;
  readonly theirs: Judgement;
}

const NOW = '2026-11-21T09:00:00Z';
const served = builtInResources({ now: () => Date.parse(NOW), after: () => () => undefined });

/** Writes that do not decode are left out. Old objects are brought into the form of the store. */
export function compare(oracle: OracleProgram, sent: readonly Write[]): readonly Comparison[] {
  const writes = withStoredOlds(oracle, sent);
  const theirs = oracle.ask(writes).map(asObject);
  const decodable = writes.flatMap((write, index) => {
    const answer = theirs[index] ?? {};
    const ours = 'error' in answer ? undefined : judge(write);
    return ours === undefined ? [] : [{ write, ours, answer }];
  });
  const canonical = oracle.ask(
    decodable.map(({ ours }) => ({ do: 'canonical', object: ours.object })),
  );
  return decodable.map(({ write, ours, answer }, index) => ({
    write,
    ours: { ...ours, object: withoutPresent(asObject(asObject(canonical[index])['object'])) },
    theirs: {
      object: withoutPresent(asObject(answer['object'])),
      // The oracle answers in this form.
      errors: answer['errors'] as unknown as FieldError[],
      warnings: answer['warnings'] as string[],
    },
  }));
}

function withStoredOlds(oracle: OracleProgram, writes: readonly Write[]): readonly Write[] {
  const questions = writes.map(({ old, object }) => ({ do: 'store', object: old ?? object }));
  const stored = oracle.ask(questions).map(asObject);
  return writes.map((write, index) => {
    const old = stored[index]?.['object'];
    return write.old === undefined || !isJsonObject(old) ? write : { ...write, old };
  });
}

function judge(write: Write): Judgement | undefined {
  const resource = servedAs(write.object);
  const object = received(resource, write.object);
  // It lies in the store already, in the storage version.
  const old = write.old as KubeObject | undefined;
  if (object === undefined) return undefined;
  const { strategy } = resource.definition;
  return old === undefined ? create(strategy, object) : update(strategy, write.do, object, old);
}

function create(strategy: Strategy, object: KubeObject): Judgement {
  strategy.prepareForCreate(object);
  const errors = strategy.validate(object);
  const warnings = strategy.warningsOnCreate?.(object) ?? [];
  strategy.canonicalize?.(object);
  return { object, errors, warnings };
}

function update(strategy: Strategy, verb: string, object: KubeObject, old: KubeObject): Judgement {
  const rules = verb === 'update' ? strategy : strategy.subresources.get(verb);
  if (rules === undefined) throw new Error(`there is no subresource ${verb}`);
  const before = structuredClone(old);
  if (old.metadata.generation === undefined) delete object.metadata.generation;
  else object.metadata.generation = old.metadata.generation;
  rules.prepareForUpdate(object, old);
  const errors = rules.validateUpdate(object, old);
  const warnings = rules.warningsOnUpdate?.(object, old) ?? [];
  if (!isDeepStrictEqual(old, before)) throw new Error('the old object changed');
  strategy.canonicalize?.(object);
  return { object, errors, warnings };
}

/** As the registry has it before the strategy's turn. */
function received(resource: ServedResource, sent: JsonObject): KubeObject | undefined {
  const decoded = typedCodec(resource.facts.typeId).decode(sent);
  if (!decoded.ok) return undefined;
  // An object of a kind that has metadata has it after decoding.
  const object = structuredClone(decoded.value) as KubeObject;
  resource.setDefaults?.(object);
  return resource.conversion?.toStorage(object) ?? object;
}

/** What a client of `resource` gets to see of an object that was sent as another version. */
export function shownAs(sent: JsonObject, apiVersion: string): KubeObject | undefined {
  const source = servedAs(sent);
  const stored = received(source, sent);
  const target = servedAs({ ...sent, apiVersion });
  if (stored === undefined) return undefined;
  return target.conversion?.fromStorage(stored) ?? stored;
}

export function servedAs(object: JsonObject): ServedResource {
  const found = served.find(
    ({ facts, apiVersion }) => facts.kind === object['kind'] && apiVersion === object['apiVersion'],
  );
  if (found === undefined) throw new Error(`nothing serves ${stringAt(object, 'kind')}`);
  return found;
}

/** Upstream asks its clock; times that are not in the past of all cases are the present. */
function withoutPresent(object: JsonObject): JsonObject {
  const today = new Date().toISOString().slice(0, 10);
  const text = JSON.stringify(object, (_key, value: unknown) =>
    typeof value === 'string' && (value === NOW || value.startsWith(`${today}T`)) ? 'now' : value,
  );
  return asObject(JSON.parse(text));
}

export function asObject(value: unknown): JsonObject {
  const json = value as JsonObject; // It was parsed from JSON just now.
  if (!isJsonObject(json)) throw new Error(`no object: ${String(value)}`);
  return json;
}
