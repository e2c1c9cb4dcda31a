/** What we say of a custom resource definition, in the form in which the oracle says it. */
import type { JsonObject } from '../../../api/json/json.ts';
import { asKubeObject, type KubeObject } from '../../../api/meta/object-meta.ts';
import { validateObjectMetaUpdate } from '../../../api/validation/object-meta-validation-update.ts';
import { validateObjectMeta } from '../../../api/validation/object-meta-validation.ts';
import type { FieldErrors } from '../../../api/field/field-errors.ts';
import type { ServedResource } from '../../../api/kinds/resource-definition.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';

export interface Question {
  readonly do: 'create' | 'update' | 'status';
  readonly object: JsonObject;
  readonly old?: JsonObject;
}

export interface Verdict {
  /** It cannot be decoded. */
  readonly problem?: string;
  /** As it would be stored. */
  readonly object?: JsonObject;
  readonly errors: FieldErrors;
  readonly warnings: readonly string[];
}

export const servedDefinitions: ServedResource = servedOnes();

function servedOnes(): ServedResource {
  const clock = { now: () => 0, after: () => () => undefined };
  const found = builtInResources(clock).find(
    ({ facts }) => facts.kind === 'CustomResourceDefinition',
  );
  if (found === undefined) throw new Error('definitions are not served');
  return found;
}

/** As the registry does it: decoded, defaulted, prepared and validated. */
export function judge(question: Question): Verdict {
  const { codec, strategy } = { ...servedDefinitions, ...servedDefinitions.definition };
  const object = received(question.object);
  if (object === undefined) return { problem: 'does not decode', errors: [], warnings: [] };
  const meta = { namespaced: false, validateName: strategy.validateName };
  if (question.do === 'create') {
    strategy.prepareForCreate(object);
    const errors = [...validateObjectMeta(object.metadata, meta), ...strategy.validate(object)];
    return { object: stored(object), errors, warnings: strategy.warningsOnCreate?.(object) ?? [] };
  }
  const old = received(question.old ?? {});
  if (old === undefined) return { problem: 'does not decode', errors: [], warnings: [] };
  object.metadata.generation = old.metadata.generation ?? 0;
  const rules = question.do === 'update' ? strategy : strategy.subresources.get('status');
  if (rules === undefined) throw new Error('there is no status');
  rules.prepareForUpdate(object, old);
  const errors = [
    ...validateObjectMetaUpdate(object.metadata, old.metadata),
    ...rules.validateUpdate(object, old),
  ];
  return { object: stored(object), errors, warnings: rules.warningsOnUpdate?.(object, old) ?? [] };

  function stored(one: KubeObject): JsonObject {
    const decoded = codec.decode(one);
    return decoded.ok ? decoded.value : {};
  }
}

function received(sent: JsonObject): KubeObject | undefined {
  const decoded = servedDefinitions.codec.decode(sent);
  if (!decoded.ok) return undefined;
  const object = asKubeObject(structuredClone(decoded.value)); // It has metadata once decoded.
  servedDefinitions.setDefaults?.(object);
  return object;
}

/**
 * Each once, in no order: upstream walks through maps, whose order is another each time. The types
 * of its expressions have names with random numbers in them.
 */
export function shownErrors(errors: FieldErrors): string[] {
  const texts = errors.map(({ type, field, body }) => `${type} ${field}: ${body}`);
  return [...new Set(texts.map((text) => text.replaceAll(/selfType\d+/g, 'selfType')))].sort();
}
