/**
 * What expressions that choose devices can speak of: one device.
 *
 * In Kubernetes: newCompiler, dynamic-resource-allocation/cel.
 */
import { ANY, BOOL, STRING, mapOf, structType } from '../../cel/cel-type.ts';
import type { Environment } from '../../cel/environment.ts';
import { KUBERNETES } from '../../cel/kubernetes-environment.ts';
import { QUANTITY_TYPE } from '../../cel/library/opaque-values.ts';
import { BIND_MACRO } from '../../cel/macros.ts';

const DEVICE = structType('kubernetes.DRADevice');
const FIELDS = new Map([
  ['driver', STRING],
  ['attributes', mapOf(STRING, mapOf(STRING, ANY))],
  ['capacity', mapOf(STRING, mapOf(STRING, QUANTITY_TYPE))],
  ['allowMultipleAllocations', BOOL],
]);

let environment: Environment | undefined;

export function deviceEnvironment(): Environment {
  environment ??= KUBERNETES.extend({
    variables: [{ name: 'device', type: DEVICE }],
    macros: [BIND_MACRO],
    structs: {
      has: (name) => name === DEVICE.name,
      fieldType: (name, field) => (name === DEVICE.name ? FIELDS.get(field) : undefined),
    },
  });
  return environment;
}
