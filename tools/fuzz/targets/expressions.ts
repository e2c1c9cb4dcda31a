/** CEL: read, checked, planned and evaluated within what one expression may cost; and schemas with rules. */
import { formatJson } from '../../../api/json/json-text.ts';
import { DYN, INT, STRING, listOf, mapOf } from '../../../api/cel/cel-type.ts';
import type { Environment } from '../../../api/cel/environment.ts';
import { COST_PER_EXPRESSION_MAX, KUBERNETES } from '../../../api/cel/kubernetes-environment.ts';
import { isError, type CelValue } from '../../../api/cel/value.ts';
import { isJsonObject, objectAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { copyJson, isDeeperThan, isEqualJson } from '../../../api/json/json-tree.ts';
import { typedCodec } from '../../../api/scheme/typed-json.ts';
import { dynamicValue } from '../../../api/cel/dynamic-value.ts';
import { validateDefinition } from '../../../api/kinds/apiextensions/customresourcedefinitions/validation.ts';
import { compileVersion } from '../../../api/kinds/custom/version-schema.ts';
import { environmentOf } from '../../../api/kinds/admissionregistration/expression-environment.ts';
import { readJsonBody } from '../../../gateway/negotiation/json-body.ts';
import {
  decodedBy,
  holds,
  partsOf,
  prototypesAreUntouched,
  seedOfParts,
  type FuzzTarget,
} from '../fuzz-target.ts';
import { frozen, isBounded, jsonOf } from '../target-values.ts';
import { KEYS, POD } from '../seeds.ts';

const EXPRESSIONS = [
  'self.metadata.name.startsWith("w") && size(self.spec.containers) > 0',
  'self.spec.containers.all(c, c.image.matches("^[a-z]+:[0-9]+$"))',
  'self.spec.containers.map(c, c.name).exists_one(n, n == "main") ? 1 : 2u',
  'has(self.metadata.labels) && self.metadata.labels.filter(k, k != "app").size() == 1',
  '[1, 2, 3].map(x, x * 2).sum() + n - 5 % 2 / 1',
  'quantity("1Gi").compareTo(quantity("500Mi")) > 0 && isQuantity(s)',
  'url("https://a.b/c?d=e").getHost() == "a.b" || ip("10.0.0.1") == ip("10.0.0.1") || cidr("10.0.0.0/8").containsIP("10.1.1.1")',
  'timestamp("2026-01-02T03:04:05Z") + duration("1h") < timestamp("2026-01-03T00:00:00Z")',
  '"%s %d %.2f %b %x".format(["a", 1, 1.5, true, 255])',
  's.split(",").join("-").upperAscii().replace("A", "b").lastIndexOf("b")',
  'self.?spec.?missing.orValue("x") == optional.none().orValue("x")',
  '{"a": 1, "b": [2.5, null, b"x"]}.transformMap(k, v, k == "a", v)',
  'dyn(l).exists(i, v, v == i) || sets.contains([1,2], [1]) || lists.range(5).slice(1, 3).flatten().distinct() == []',
  'format.dns1123Label().validate(s).hasValue() || semver("1.2.3").isLessThan(semver("2.0.0"))',
  'cel.bind(x, n + 1, x * x) > 9223372036854775807 || int("x") > 0 || -9223372036854775808 < 0',
  'type(self) == map && string(b"\\xff") == "\\u00e9\\U0001F600" + r"\\n" + """x"""',
];
const WORDS = [
  'self', '.all(x, ', '.exists(', '.map(', '.filter(', 'has(', 'size(', 'matches(', ' in ', ' ? ', ' : ', '&&', '||', '!', '==', '[?', '.?', '{', '}',
  'optional.of(', 'cel.bind(', 'duration(', 'timestamp(', 'lists.range(1000000)', '.flatten()', '.format([', '9223372036854775807', '1e308', '0x7fffffffffffffff',
  '.sortBy(', '.replace(', '.split(', '.reverse()', 'b"\\xff"', 'self.__proto__', 'self.constructor', '`a-b`', 'null', '/*', '//', 'object', 'request', 'variables',
]; // prettier-ignore

const environment = KUBERNETES.extend({
  variables: [
    { name: 'self', type: DYN },
    { name: 'n', type: INT },
    { name: 's', type: STRING },
    { name: 'l', type: listOf(INT) },
    { name: 'm', type: mapOf(STRING, DYN) },
  ],
});
function variablesOf(self: JsonValue): ReadonlyMap<string, CelValue> {
  const values: Record<string, JsonValue> = { self, n: 3, s: 'a,b', l: [0, 1, 5], m: { a: 1 } };
  return new Map(Object.entries(values).map(([name, value]) => [name, dynamicValue(value)]));
}

const ENVIRONMENTS: readonly Environment[] = [
  environmentOf({ hasParams: true, hasAuthorizer: true, hasPatchTypes: true }),
];

const cel: FuzzTarget = {
  seeds: [
    ...EXPRESSIONS,
    ...EXPRESSIONS.map((one) =>
      seedOfParts(one, '{"spec":{"containers":[{"name":"a","image":"b"}]}}'),
    ),
  ],
  dictionary: WORDS,
  bytesMax: 768,
  stretchedBytesMax: 16 * 1024,
  run(input) {
    const [text = '', json = ''] = partsOf(input, 2);
    for (const one of ENVIRONMENTS) one.compile(text.replaceAll('self', 'object'));
    const compiled = environment.compile(text);
    if (!compiled.ok) {
      holds(compiled.message !== '', 'a refusal says why');
      return;
    }
    const self = jsonOf(json) ?? POD;
    const { value, cost, isCostExceeded } = compiled.program.evaluate(variablesOf(frozen(self)), {
      costMax: COST_PER_EXPRESSION_MAX,
    });
    holds(
      isCostExceeded || cost <= COST_PER_EXPRESSION_MAX,
      'no expression costs more than it may',
    );
    if (isError(value)) holds(value.message !== '', 'an error says what is wrong');
    prototypesAreUntouched();
  },
};

const SCHEMAS = [
  '{"type":"object","properties":{"spec":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":1,"maximum":10,"default":2},"s":{"type":"string","pattern":"^a+$","maxLength":5,"format":"ipv4"},"l":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"}},"required":["k"]},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]},"i":{"x-kubernetes-int-or-string":true},"any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"m":{"type":"object","additionalProperties":{"type":"boolean"}},"e":{"type":"string","enum":["a","b"],"nullable":true}}}}}',
  '{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"x-kubernetes-validations":[{"rule":"self.a > 0 && self.b != oldSelf.b","message":"no","fieldPath":".a"},{"rule":"has(self.b)","messageExpression":"\'x\' + self.b"}],"oneOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["c"]},"anyOf":[{"properties":{"a":{"minimum":5}}}]}}}',
  '{"type":"object","properties":{"embedded":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},"set":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set","maxItems":3,"uniqueItems":false}}}',
  '{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"__proto__":{"type":"string","default":"x"},"constructor":{"type":"integer"}}}',
];
const THINGS = [
  '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"n":5,"s":"aaa","l":[{"k":"a"},{"k":"b"}],"i":"5%","any":{"x":[1]},"m":{"x":true},"e":null,"unknown":1}}',
  '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"a":1,"b":"c"}}',
  '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"},"embedded":{"kind":"Pod","apiVersion":"v1","metadata":{}},"set":["a","a"]}',
  '{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a"},"__proto__":{"x":1},"constructor":"y"}',
];
const SCHEMA_WORDS = [
  '"type":"object"', '"type":"array"', '"properties":', '"items":', '"default":', '"additionalProperties":', '"x-kubernetes-validations":[{"rule":"',
  '"x-kubernetes-preserve-unknown-fields":true', '"x-kubernetes-int-or-string":true', '"x-kubernetes-embedded-resource":true', '"x-kubernetes-list-type":"map"',
  '"allOf":', '"anyOf":', '"oneOf":', '"not":', '"nullable":true', '"pattern":', '"format":"', '"enum":', '"maxLength":', '"multipleOf":', '"required":', '"$ref":',
]; // prettier-ignore

const definitionCodec = typedCodec(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
);

function definitionWith(schema: JsonValue): JsonObject {
  return {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      conversion: { strategy: 'None' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** A schema on its way into a definition, and an object on its way past it. */
const definitions: FuzzTarget = {
  seeds: SCHEMAS.map((schema, at) =>
    seedOfParts(schema, THINGS[at] ?? '{}', THINGS[(at + 1) % 4] ?? '{}'),
  ),
  dictionary: [...SCHEMA_WORDS, ...KEYS],
  bytesMax: 2_048,
  stretchedBytesMax: 64 * 1024,
  run(input) {
    const [text = '', newer = '', older = ''] = partsOf(input, 3);
    const body = decodedBy([Error], () => readJsonBody(Buffer.from(text), false));
    if (body === undefined) return;
    const decoded = definitionCodec.decode(definitionWith(body.value), { collectUnknown: true });
    if (!decoded.ok) return;
    const definition = frozen(decoded.value) as never;
    if (validateDefinition(definition).length > 0) return;
    const [version] = (objectAt(decoded.value, 'spec')?.['versions'] ?? []) as JsonObject[];
    const schema = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
    tryObjects(schema, jsonOf(newer), jsonOf(older));
    prototypesAreUntouched();
  },
};

function tryObjects(
  schema: JsonObject | undefined,
  newer: JsonValue | undefined,
  older: JsonValue | undefined,
): void {
  const compiled = compileVersion({ schema, columns: [], preserveUnknownFields: false });
  if (!isJsonObject(newer) || isDeeperThan(newer, 400)) return;
  const read = compiled.codec.decode(frozen(newer), { collectUnknown: true });
  if (!read.ok) return;
  const object = copyJson(read.value);
  compiled.setDefaults(object);
  const once = copyJson(object);
  compiled.setDefaults(once);
  holds(isEqualJson(once, object), 'defaults that are there are not filled in again');
  compiled.validate(object, undefined, {});
  isBounded(formatJson(object).length, formatJson([schema, newer]).length, 'the object');
  const before = isJsonObject(older) ? compiled.codec.decode(older) : undefined;
  if (before?.ok === true) compiled.validate(object, before.value, {});
  const again = compiled.codec.decode(object, { collectUnknown: true });
  holds(again.ok, 'what the codec gives it takes');
  compiled.readStored(object);
  compiled.mergeType();
}

export const targets: Readonly<Record<string, FuzzTarget>> = { cel, definitions };
