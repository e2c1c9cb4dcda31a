/**
 * The `scale` of a custom resource: its replicas and its selector lie where the definition says.
 *
 * In Kubernetes: ScaleREST, apiextensions-apiserver/pkg/registry/customresource/etcd.go, and the
 * scale part of validator.go.
 */
import {
  isJsonObject,
  isNumber,
  objectAt,
  type JsonObject,
  type JsonValue,
} from '../../json/json.ts';
import { asKubeObject, type KubeObject, type ObjectMeta } from '../../meta/object-meta.ts';
import { goTypeOf, formatGoValue } from '../../json/go-format.ts';
import { ownValue, setOwn } from '../../json/own-property.ts';
import type { ScaleOfObject, ScaleRules } from '../custom-serving.ts';
import { type FieldError, type FieldErrors, invalidValue } from '../../field/field-errors.ts';
import type { ScalePaths } from './definition-summary.ts';

const INT32_MAX = 2 ** 31 - 1;
/** Of the metadata, what a Scale shows. */
const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const;

export function customScale(paths: ScalePaths): ScaleRules {
  const spec = stepsOf(paths.specReplicas);
  const status = stepsOf(paths.statusReplicas);
  const selector = stepsOf(paths.labelSelector);
  return {
    replicasPath: spec,
    scaleOf(object) {
      const desired = wholeNumberAt(object, spec);
      const current = wholeNumberAt(object, status);
      const selected = paths.labelSelector === '' ? NO_TEXT : textAt(object, selector);
      for (const found of [desired, current, selected]) {
        if (found.problem !== undefined) return { ok: false, message: found.problem };
      }
      return scaleWith(object, desired, current.value, selected.value);
    },
    applyScale(object, scale) {
      const replicas = objectAt(scale, 'spec')?.['replicas'] ?? 0;
      const resourceVersion = scale.metadata.resourceVersion ?? '';
      const metadata: ObjectMeta = { ...object.metadata };
      // A scale without a version means whichever there is.
      if (resourceVersion !== '') metadata.resourceVersion = resourceVersion;
      return asKubeObject(withValueAt({ ...object, metadata }, spec, replicas)); // As it was.
    },
    validate(object, part) {
      const errors: FieldError[] = [];
      if (part === 'all') errors.push(...replicaErrors(object, paths.specReplicas, spec));
      errors.push(...replicaErrors(object, paths.statusReplicas, status));
      if (paths.labelSelector !== '') {
        const { problem, value } = textAt(object, selector);
        if (problem !== undefined) errors.push(invalidValue(paths.labelSelector, value, problem));
      }
      return errors;
    },
  };
}

function scaleWith(
  object: KubeObject,
  desired: Found<number | bigint>,
  current: number | bigint,
  selector: string,
): ScaleOfObject {
  const metadata: ObjectMeta = {};
  for (const key of IDENTITY) {
    const value = object.metadata[key];
    if (value !== undefined) metadata[key] = value;
  }
  const spec: JsonObject = desired.value === 0 ? {} : { replicas: desired.value };
  const status = { replicas: current, ...(selector === '' ? {} : { selector }) };
  const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata, spec, status };
  return { ok: true, scale, isComplete: desired.isThere };
}

function replicaErrors(object: KubeObject, path: string, steps: readonly string[]): FieldErrors {
  const { value, problem } = wholeNumberAt(object, steps);
  if (problem !== undefined) return [invalidValue(path, value, problem)];
  if (value < 0) return [invalidValue(path, value, 'should be a non-negative integer')];
  if (value <= INT32_MAX) return [];
  return [invalidValue(path, value, `should be less than or equal to ${String(INT32_MAX)}`)];
}

/** `.spec.replicas` → spec, replicas. */
function stepsOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

interface Found<Value> {
  /** 0 or '' where there is none. */
  readonly value: Value;
  readonly isThere: boolean;
  readonly problem?: string;
}

const NO_TEXT: Found<string> = { value: '', isThere: false };
const NO_NUMBER: Found<number> = { value: 0, isThere: false };

function wholeNumberAt(object: JsonObject, steps: readonly string[]): Found<number | bigint> {
  const found = valueAt(object, steps);
  if (found.problem !== undefined) return { ...NO_NUMBER, problem: found.problem };
  const { value } = found;
  if (value === undefined) return NO_NUMBER;
  if (isNumber(value) && goTypeOf(value) === 'int64') return { value, isThere: true };
  return { ...NO_NUMBER, problem: mistyped(steps, value, 'int64') };
}

function textAt(object: JsonObject, steps: readonly string[]): Found<string> {
  const found = valueAt(object, steps);
  if (found.problem !== undefined) return { ...NO_TEXT, problem: found.problem };
  const { value } = found;
  if (value === undefined) return NO_TEXT;
  if (typeof value === 'string') return { value, isThere: true };
  return { ...NO_TEXT, problem: mistyped(steps, value, 'string') };
}

/** In Kubernetes: NestedFieldNoCopy, apimachinery/pkg/apis/meta/v1/unstructured. */
function valueAt(
  object: JsonObject,
  steps: readonly string[],
): { readonly value?: JsonValue; readonly problem?: string } {
  let value: JsonValue = object;
  for (const [index, step] of steps.entries()) {
    // What is null on the way is as good as absent.
    if (value === null) return {};
    if (!isJsonObject(value)) {
      return { problem: mistyped(steps.slice(0, index + 1), value, 'map[string]interface{}') };
    }
    const next = ownValue(value, step);
    if (next === undefined) return {};
    value = next;
  }
  return { value };
}

function mistyped(steps: readonly string[], value: JsonValue, expected: string): string {
  const type = value === null ? '<nil>' : goTypeOf(value);
  const shown = `${formatGoValue(value)} is of the type ${type}`;
  return `.${steps.join('.')} accessor error: ${shown}, expected ${expected}`;
}

/** The same object but for what lies there; what stands in the way is replaced. */
function withValueAt(object: JsonObject, steps: readonly string[], value: JsonValue): JsonObject {
  const [step, ...rest] = steps;
  if (step === undefined) return object;
  const copy = { ...object };
  const inside = ownValue(object, step);
  const below = isJsonObject(inside) ? inside : {};
  setOwn(copy, step, rest.length === 0 ? value : withValueAt(below, rest, value));
  return copy;
}
