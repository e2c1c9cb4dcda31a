/** A custom resource all of whose names, as far as they may be, mean something to JavaScript. */
import type { JsonObject } from '../support/json.ts';
import { resourceDefinition } from '../support/resource-definition.ts';
import { json } from './special-keys.ts';

export const GROUP = 'constructor.prototype';
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const SPECIALS = `/apis/${GROUP}/v1/namespaces/constructor/constructor`;
export const OPEN = '/apis/then.to/v1/prototypes';

const SPEC = `{
  "type": "object",
  "properties": {
    "__proto__": { "type": "string", "default": "d", "maxLength": 5 },
    "constructor": {
      "type": "object",
      "default": {},
      "properties": {
        "prototype": { "type": "integer", "default": 7 },
        "__proto__": { "type": "object", "default": {}, "properties": { "x": { "type": "string", "default": "deep" } } }
      }
    },
    "toString": { "type": "string", "enum": ["valueOf", "__proto__", "bad"] },
    "map": { "type": "object", "additionalProperties": { "type": "string" } },
    "maps": { "type": "object", "additionalProperties": { "type": "object", "properties": { "valueOf": { "type": "string", "default": "v" } } } },
    "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
    "needs": { "type": "object", "required": ["hasOwnProperty", "__proto__"] , "properties": { "hasOwnProperty": { "type": "string" }, "__proto__": { "type": "string" } } },
    "list": {
      "type": "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["__proto__", "constructor"],
      "items": {
        "type": "object",
        "required": ["__proto__", "constructor"],
        "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "string" }, "then": { "type": "string" } }
      }
    }
  },
  "x-kubernetes-validations": [
    { "rule": "!has(self.toString) || self.toString != 'bad'", "message": "toString is bad" },
    { "rule": "self.__underscores__proto__underscores__ != 'evil'", "message": "proto is evil" },
    { "rule": "!has(self.map) || !('__proto__' in self.map) || self.map['__proto__'] != 'no'", "messageExpression": "'the map says ' + self.map['__proto__']" }
  ]
}`;

/** `toString` of `constructor.prototype/v1` and of `constructor.prototype/constructor`. */
export function specialDefinition(names: JsonObject = {}): JsonObject {
  const kind = { plural: 'constructor', singular: 'then', kind: 'toString', ...names };
  const column = (name: string, jsonPath: string) => ({ name, type: 'string', jsonPath });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        listKind: 'hasOwnProperty',
        shortNames: ['prototype'],
        categories: ['constructor'],
        ...kind,
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            column('__proto__', '.spec.__proto__'),
            column('none', '.spec.open.__proto__.constructor'),
          ],
          selectableFields: [{ jsonPath: '.spec.__proto__' }, { jsonPath: '.spec.toString' }],
          schema: {
            openAPIV3Schema: json(`{
              "type": "object",
              "properties": {
                "spec": ${SPEC},
                "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true }
              }
            }`),
          },
        },
        {
          name: 'constructor',
          served: true,
          storage: false,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
}

/** `Prototype` of `then.to/v1`, which keeps whatever is beside its metadata. */
export function openDefinition(): JsonObject {
  const schema = json(`{
    "type": "object",
    "x-kubernetes-preserve-unknown-fields": true,
    "properties": { "__proto__": { "type": "string" } }
  }`);
  return resourceDefinition({
    ...{ group: 'then.to', plural: 'prototypes', kind: 'Prototype', scope: 'Cluster', schema },
    version: { subresources: { status: {} }, selectableFields: [{ jsonPath: '.__proto__' }] },
  });
}
