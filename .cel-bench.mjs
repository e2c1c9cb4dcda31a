// ../../tmp/cel/bench.ts
import { execFileSync } from "node:child_process";

// api/cel/expressions.fixture.ts
var SCHEMA = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["replicas"],
      properties: {
        replicas: { type: "integer", minimum: 0 },
        minReplicas: { type: "integer" },
        ratio: { type: "number" },
        enabled: { type: "boolean" },
        name: { type: "string", maxLength: 20 },
        note: { type: "string" },
        mode: { type: "string", enum: ["Fast", "Slow"] },
        since: { type: "string", format: "date-time" },
        day: { type: "string", format: "date" },
        timeout: { type: "string", format: "duration" },
        secret: { type: "string", format: "byte" },
        port: { "x-kubernetes-int-or-string": true },
        percent: { "x-kubernetes-int-or-string": true },
        gone: { type: "string", nullable: true },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        "a-b.c": { type: "string" },
        namespace: { type: "string" },
        tags: {
          type: "array",
          maxItems: 10,
          "x-kubernetes-list-type": "set",
          items: { type: "string", maxLength: 8 }
        },
        numbers: { type: "array", items: { type: "integer" } },
        ports: {
          type: "array",
          maxItems: 5,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: {
              name: { type: "string", maxLength: 10 },
              number: { type: "integer" },
              labels: { type: "object", additionalProperties: { type: "string" } }
            }
          }
        },
        labels: {
          type: "object",
          maxProperties: 8,
          additionalProperties: { type: "string", maxLength: 9 }
        },
        limits: { type: "object", additionalProperties: { "x-kubernetes-int-or-string": true } },
        nested: {
          type: "array",
          items: { type: "array", items: { type: "string" } }
        }
      }
    },
    status: { type: "object", properties: { ready: { type: "integer" } } }
  }
};
var OBJECT = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "first", generateName: "fi", labels: { a: "b" } },
  spec: {
    replicas: 3,
    minReplicas: 1,
    ratio: 0.5,
    enabled: true,
    name: "h\xE9llo w\xF6rld",
    note: "a \u{1F600} b",
    mode: "Fast",
    since: "2024-02-29T12:34:56.789Z",
    day: "2024-03-01",
    timeout: "1h30m",
    secret: "aGVsbG8=",
    port: 80,
    percent: "25%",
    gone: null,
    free: { x: 1 },
    "a-b.c": "dashed",
    namespace: "kube-system",
    tags: ["one", "two", "three"],
    numbers: [3, 1, 2],
    ports: [
      { name: "http", number: 80, labels: { x: "y" } },
      { name: "https", number: 443 }
    ],
    labels: { app: "web", tier: "front" },
    limits: { cpu: 1, memory: "1Gi" },
    nested: [["a"], ["b", "c"], []]
  }
};

// api/meta/json.ts
function isJsonObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function objectAt(parent, key) {
  const value = parent?.[key];
  return isJsonObject(value) ? value : void 0;
}
function stringAt(parent, key) {
  const value = parent?.[key];
  return typeof value === "string" ? value : "";
}
function listAt(parent, key) {
  const value = parent?.[key];
  return Array.isArray(value) ? value : [];
}

// api/structural-schema/parse-structural-schema.ts
var NONE = Object.freeze([]);
var NO_SCHEMAS = /* @__PURE__ */ new Map();
var NO_VALUES = Object.freeze({
  format: "",
  maximum: void 0,
  exclusiveMaximum: false,
  minimum: void 0,
  exclusiveMinimum: false,
  maxLength: void 0,
  minLength: void 0,
  pattern: "",
  maxItems: void 0,
  minItems: void 0,
  uniqueItems: false,
  multipleOf: void 0,
  enum: void 0,
  maxProperties: void 0,
  minProperties: void 0,
  required: NONE,
  allOf: NONE,
  oneOf: NONE,
  anyOf: NONE,
  not: void 0
});
var NO_EXTENSIONS = Object.freeze({
  preserveUnknownFields: false,
  embeddedResource: false,
  intOrString: false,
  listType: void 0,
  listMapKeys: NONE,
  mapType: void 0,
  validations: NONE
});
var EXTENSION_KEYS = [
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations"
];
var VALUE_KEYS = new Set(Object.keys(NO_VALUES));
function parseStructuralSchema(props) {
  const items = objectAt(props, "items");
  const given = props["default"];
  return {
    type: typeAt(props),
    title: stringAt(props, "title"),
    description: stringAt(props, "description"),
    nullable: props["nullable"] === true,
    default: given === null ? void 0 : given,
    properties: mapOf(objectAt(props, "properties"), parseStructuralSchema),
    items: items === void 0 ? void 0 : parseStructuralSchema(items),
    additionalProperties: parseAdditionalProperties(props["additionalProperties"]),
    extensions: parseExtensions(props),
    values: parseValues(props)
  };
}
function parseAdditionalProperties(value) {
  if (isJsonObject(value)) return parseStructuralSchema(value);
  return value === true ? true : void 0;
}
function typeAt(props) {
  return stringAt(props, "type");
}
function mapOf(props, parse5) {
  if (props === void 0) return NO_SCHEMAS;
  const map = /* @__PURE__ */ new Map();
  for (const [name, one] of Object.entries(props)) {
    if (isJsonObject(one)) map.set(name, parse5(one));
  }
  return map;
}
function parseExtensions(props) {
  if (!EXTENSION_KEYS.some((key) => props[key] !== void 0)) return NO_EXTENSIONS;
  const listType = stringAt(props, "x-kubernetes-list-type");
  const mapType = stringAt(props, "x-kubernetes-map-type");
  return {
    preserveUnknownFields: props["x-kubernetes-preserve-unknown-fields"] === true,
    embeddedResource: props["x-kubernetes-embedded-resource"] === true,
    intOrString: props["x-kubernetes-int-or-string"] === true,
    listType: oneOf(listType, ["atomic", "set", "map"]),
    listMapKeys: textsAt(props, "x-kubernetes-list-map-keys"),
    mapType: oneOf(mapType, ["atomic", "granular"]),
    validations: parseRules(props)
  };
}
function oneOf(text, allowed) {
  return allowed.find((one) => one === text);
}
function parseRules(props) {
  return listAt(props, "x-kubernetes-validations").filter(isJsonObject).map(parseRule);
}
function parseRule(rule) {
  const optionalOldSelf = rule["optionalOldSelf"];
  return {
    rule: stringAt(rule, "rule"),
    message: stringAt(rule, "message"),
    messageExpression: stringAt(rule, "messageExpression"),
    reason: oneOf(stringAt(rule, "reason"), [
      "FieldValueInvalid",
      "FieldValueForbidden",
      "FieldValueRequired",
      "FieldValueDuplicate"
    ]),
    fieldPath: stringAt(rule, "fieldPath"),
    optionalOldSelf: typeof optionalOldSelf === "boolean" ? optionalOldSelf : void 0
  };
}
function parseValues(props) {
  let says = false;
  for (const key in props) says ||= VALUE_KEYS.has(key);
  if (!says) return void 0;
  const allowed = props["enum"];
  const not2 = objectAt(props, "not");
  return {
    format: stringAt(props, "format"),
    maximum: numberAt(props, "maximum"),
    exclusiveMaximum: props["exclusiveMaximum"] === true,
    minimum: numberAt(props, "minimum"),
    exclusiveMinimum: props["exclusiveMinimum"] === true,
    maxLength: numberAt(props, "maxLength"),
    minLength: numberAt(props, "minLength"),
    pattern: stringAt(props, "pattern"),
    maxItems: numberAt(props, "maxItems"),
    minItems: numberAt(props, "minItems"),
    uniqueItems: props["uniqueItems"] === true,
    multipleOf: numberAt(props, "multipleOf"),
    enum: Array.isArray(allowed) && allowed.length > 0 ? allowed : void 0,
    maxProperties: numberAt(props, "maxProperties"),
    minProperties: numberAt(props, "minProperties"),
    required: textsAt(props, "required"),
    allOf: parseNestedList(props, "allOf"),
    oneOf: parseNestedList(props, "oneOf"),
    anyOf: parseNestedList(props, "anyOf"),
    not: not2 === void 0 ? void 0 : parseNested(not2)
  };
}
function numberAt(props, key) {
  const value = props[key];
  return typeof value === "number" ? value : void 0;
}
function textsAt(props, key) {
  const list = listAt(props, key);
  return list.length === 0 ? NONE : list.filter((one) => typeof one === "string");
}
function parseNestedList(props, key) {
  const list = listAt(props, key);
  return list.length === 0 ? NONE : list.filter(isJsonObject).map(parseNested);
}
function parseNested(props) {
  const items = objectAt(props, "items");
  const additional = props["additionalProperties"];
  return {
    values: parseValues(props) ?? NO_VALUES,
    items: items === void 0 ? void 0 : parseNested(items),
    properties: mapOf(objectAt(props, "properties"), parseNested),
    additionalProperties: isJsonObject(additional) ? parseNested(additional) : void 0,
    validations: parseRules(props),
    type: typeAt(props)
  };
}

// api/cel/plain-schema.ts
function plainSchema(type, properties = /* @__PURE__ */ new Map()) {
  return {
    type,
    title: "",
    description: "",
    nullable: false,
    default: void 0,
    properties,
    items: void 0,
    additionalProperties: void 0,
    extensions: {
      preserveUnknownFields: false,
      embeddedResource: false,
      intOrString: false,
      listType: void 0,
      listMapKeys: [],
      mapType: void 0,
      validations: []
    },
    values: void 0
  };
}

// api/cel/cel-type.ts
var NONE2 = Object.freeze([]);
function simple(kind, name) {
  return { kind, name, parameters: NONE2 };
}
var DYN = simple("dyn", "dyn");
var ANY = simple("any", "google.protobuf.Any");
var BOOL = simple("bool", "bool");
var BYTES = simple("bytes", "bytes");
var DOUBLE = simple("double", "double");
var DURATION = simple("duration", "google.protobuf.Duration");
var ERROR = simple("error", "!error!");
var INT = simple("int", "int");
var NULL = simple("null", "null_type");
var STRING = simple("string", "string");
var TIMESTAMP = simple("timestamp", "google.protobuf.Timestamp");
var UINT = simple("uint", "uint");
var TYPE = simple("type", "type");
function listOf(element) {
  return { kind: "list", name: "list", parameters: [element] };
}
function mapOf2(key, value) {
  return { kind: "map", name: "map", parameters: [key, value] };
}
function opaqueType(name, ...parameters) {
  return { kind: "opaque", name, parameters };
}
function optionalOf(element) {
  return opaqueType("optional_type", element);
}
function structType(name) {
  return simple("struct", name);
}
function parameter(name) {
  return simple("parameter", name);
}
function typeType(of) {
  return { kind: "type", name: "type", parameters: [of] };
}
function parameterOf(type, index) {
  return type.parameters[index] ?? DYN;
}
function isOptionalType(type) {
  return type.kind === "opaque" && type.name === "optional_type";
}
function isDynamic(type) {
  return type.kind === "dyn" || type.kind === "any";
}
function isSameType(left, right) {
  return left === right || isAlike(left, right, true);
}
function isEquivalentType(left, right) {
  return left === right || isAlike(left, right, false);
}
function isAlike(left, right, namesCount) {
  if (left.kind !== right.kind || left.parameters.length !== right.parameters.length) return false;
  const named3 = namesCount || left.kind !== "parameter";
  if (named3 && (left.name !== right.name || left.nullable !== right.nullable)) return false;
  return left.parameters.every(
    (type, index) => isAlike(type, parameterOf(right, index), namesCount)
  );
}
function formatType(type) {
  switch (type.kind) {
    case "any":
    case "duration":
    case "null":
    case "timestamp":
      return type.kind;
    case "error":
      return "!error!";
    default:
  }
  if (type.nullable === true) return `wrapper(${type.name})`;
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(formatType).join(", ")})`;
}

// api/cel/escaping.ts
var RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" ")
);
var ESCAPED = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__"
};
var PLAIN = {
  underscores: "__",
  dot: ".",
  dash: "-",
  slash: "/"
};
function escapeName(name) {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return void 0;
  return name.replace(/__|[-./]/g, (part2) => ESCAPED[part2] ?? part2);
}
function unescapeName(escaped) {
  if (!escaped.includes("__")) return escaped;
  const wrong2 = [];
  const name = escaped.replace(/__[^_]+__/g, (part2) => {
    const content = part2.slice(2, -2);
    const plain = PLAIN[content];
    if (plain !== void 0) return plain;
    if (!RESERVED.has(content) || part2.length !== escaped.length) wrong2.push(part2);
    return content;
  });
  return wrong2.length === 0 ? name : void 0;
}

// api/cel/schema-declarations.ts
var REQUEST_BYTES_MAX = 3 * 1024 * 1024;
function simple2(type, bytesMin, elementsMax = 0) {
  return { type, element: void 0, isMap: false, fields: void 0, elementsMax, bytesMin };
}
var KEY_DECLARATION = simple2(STRING, 2);
var known = /* @__PURE__ */ new WeakMap();
var knownRoots = /* @__PURE__ */ new WeakMap();
function declarationOf(schema2, isResource) {
  const cache = isResource ? knownRoots : known;
  let found = cache.get(schema2);
  if (found === void 0) {
    found = declare(isResource ? withMetadata(schema2) : schema2) ?? null;
    cache.set(schema2, found);
  }
  return found ?? void 0;
}
function declare(schema2) {
  if (schema2.extensions.intOrString) return declareIntOrString(schema2);
  switch (schema2.type) {
    case "array":
      return declareList(schema2);
    case "object":
      return declareObject(schema2);
    case "string":
      return declareString(schema2);
    case "boolean":
      return simple2(BOOL, 4);
    case "number":
      return simple2(DOUBLE, 1);
    case "integer":
      return simple2(INT, 1);
    case "":
      return void 0;
  }
}
function declareIntOrString({ values }) {
  const lengthMax = values?.maxLength;
  return simple2(
    DYN,
    1,
    lengthMax === void 0 ? REQUEST_BYTES_MAX - 2 : 4 * notBelowZero(lengthMax)
  );
}
function declareList({ items, values }) {
  const element = items && declarationOf(items, items.extensions.embeddedResource);
  if (element === void 0) return void 0;
  const itemsMax = values?.maxItems;
  const estimate = Math.floor((REQUEST_BYTES_MAX - 2) / (element.bytesMin + 1));
  return {
    type: DYN,
    element,
    isMap: false,
    fields: void 0,
    elementsMax: itemsMax === void 0 ? estimate : notBelowZero(itemsMax),
    bytesMin: 2
  };
}
function declareObject(schema2) {
  const { additionalProperties, values } = schema2;
  if (additionalProperties === void 0 || additionalProperties === true) {
    return declareFields(schema2);
  }
  const { embeddedResource } = additionalProperties.extensions;
  const element = declarationOf(additionalProperties, embeddedResource);
  if (element === void 0) return void 0;
  const propertiesMax = values?.maxProperties;
  const estimate = Math.floor((REQUEST_BYTES_MAX - 2) / (element.bytesMin + 6));
  return {
    type: DYN,
    element,
    isMap: true,
    fields: void 0,
    elementsMax: propertiesMax === void 0 ? estimate : notBelowZero(propertiesMax),
    bytesMin: 2
  };
}
function declareFields({ properties, values }) {
  const required = new Set(values?.required);
  const fields = /* @__PURE__ */ new Map();
  let bytesMin = 2;
  for (const [name, property] of properties) {
    const field = declarationOf(property, property.extensions.embeddedResource);
    if (field === void 0) continue;
    const escaped = escapeName(name);
    if (escaped !== void 0) fields.set(escaped, field);
    if (required.has(name) && property.default === void 0) {
      bytesMin += Buffer.byteLength(name) + field.bytesMin + 4;
    }
  }
  return { type: DYN, element: void 0, isMap: false, fields, elementsMax: 0, bytesMin };
}
function declareString({ values }) {
  const lengthMax = values?.maxLength;
  switch (values?.format) {
    case "byte":
      return simple2(
        BYTES,
        2,
        lengthMax === void 0 ? REQUEST_BYTES_MAX - 2 : notBelowZero(lengthMax)
      );
    case "duration":
      return simple2(DURATION, 3, 32);
    case "date":
      return simple2(TIMESTAMP, 12, 12);
    case "date-time":
      return simple2(TIMESTAMP, 21, 32);
    default:
  }
  if (lengthMax !== void 0) return simple2(STRING, 2, 4 * notBelowZero(lengthMax));
  const allowed = values?.enum ?? [];
  if (allowed.length === 0) return simple2(STRING, 2, REQUEST_BYTES_MAX - 2);
  const lengths = allowed.map(
    (value) => typeof value === "string" ? Buffer.byteLength(value) : 0
  );
  return simple2(STRING, 2, Math.max(...lengths));
}
function notBelowZero(value) {
  return Math.max(0, value);
}
function withMetadata(schema2) {
  const typeOf = (of, name) => of?.properties.get(name)?.type ?? "";
  const metadata = schema2.properties.get("metadata");
  const isComplete = typeOf(schema2, "kind") === "string" && typeOf(schema2, "apiVersion") === "string" && metadata?.type === "object" && typeOf(metadata, "name") === "string" && typeOf(metadata, "generateName") === "string";
  if (isComplete) return schema2;
  const cached = completed.get(schema2);
  if (cached !== void 0) return cached;
  const string2 = plainSchema("string");
  const names = /* @__PURE__ */ new Map([
    ["name", string2],
    ["generateName", string2]
  ]);
  const properties = new Map([
    ...schema2.properties,
    ["kind", string2],
    ["apiVersion", string2],
    ["metadata", plainSchema("object", names)]
  ]);
  const whole2 = { ...schema2, properties };
  completed.set(schema2, whole2);
  return whole2;
}
var completed = /* @__PURE__ */ new WeakMap();
var DeclaredStructs = class {
  #declarations = /* @__PURE__ */ new Map();
  root;
  constructor(root2, name) {
    this.root = this.#typeOf(root2, name);
  }
  has(name) {
    return this.#declarations.has(name);
  }
  fieldType(name, field) {
    const declaration = this.#declarations.get(name)?.fields?.get(field);
    return declaration && this.#typeOf(declaration, `${name}.${field}`);
  }
  #typeOf({ type, element, isMap, fields }, name) {
    if (element !== void 0) {
      const elementType = this.#typeOf(element, `${name}.${isMap ? "@elem" : "@idx"}`);
      return isMap ? mapOf2(STRING, elementType) : listOf(elementType);
    }
    if (fields === void 0) return type;
    if (!this.#declarations.has(name)) {
      const declaration = { type, element, isMap, fields, elementsMax: 0, bytesMin: 0 };
      this.#declarations.set(name, declaration);
    }
    return structType(name);
  }
};

// api/cel/expression.ts
var ACCUMULATOR = "@result";
function qualifiedName(expression) {
  const { form } = expression;
  if (form.kind === "ident") return form.name;
  if (form.kind !== "select" || form.isTest) return void 0;
  const operand = qualifiedName(form.operand);
  return operand === void 0 ? void 0 : `${operand}.${form.field}`;
}
function partsOf({ form }) {
  switch (form.kind) {
    case "select":
      return [form.operand];
    case "call":
      return form.target === void 0 ? form.args : [form.target, ...form.args];
    case "list":
      return form.items;
    case "map":
      return form.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return form.fields.map(({ value }) => value);
    case "fold":
      return [form.range, form.init, form.condition, form.step, form.result];
    default:
      return [];
  }
}
var NO_OPTIONALS = /* @__PURE__ */ new Set();
function copyTree({ offset, form }, node) {
  const copy = (part2) => copyTree(part2, node);
  switch (form.kind) {
    case "select":
      return node(offset, { ...form, operand: copy(form.operand) });
    case "call": {
      const target = form.target === void 0 ? void 0 : copy(form.target);
      return node(offset, { ...form, target, args: form.args.map(copy) });
    }
    case "list":
      return node(offset, { ...form, items: form.items.map(copy) });
    case "map": {
      const entries = form.entries.map(({ key, value, isOptional }) => {
        return { key: copy(key), value: copy(value), isOptional };
      });
      return node(offset, { ...form, entries });
    }
    case "struct": {
      const fields = form.fields.map((field) => ({ ...field, value: copy(field.value) }));
      return node(offset, { ...form, fields });
    }
    case "fold":
      return node(offset, {
        ...form,
        range: copy(form.range),
        init: copy(form.init),
        condition: copy(form.condition),
        step: copy(form.step),
        result: copy(form.result)
      });
    default:
      return node(offset, form);
  }
}

// api/cel/library/format-clauses.ts
var CLAUSE = /%(?:%|(?:\.(\d+))?([a-zA-Z])|(.?))/gs;
var STRING_KINDS = [
  "list",
  "map",
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "timestamp",
  "bytes",
  "duration",
  "type",
  "null"
];
var INTEGERS = ["int", "uint"];
var HEX = {
  kinds: [...INTEGERS, "string", "bytes"],
  refusal: "only integers, byte buffers, and strings can be formatted as hex"
};
var CLAUSES = {
  s: {
    kinds: STRING_KINDS,
    refusal: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
  },
  d: { kinds: INTEGERS, refusal: "decimal clause can only be used on integers" },
  f: {
    kinds: ["double", "string"],
    refusal: "fixed-point clause can only be used on doubles"
  },
  e: {
    kinds: ["double", "string"],
    refusal: "scientific clause can only be used on doubles"
  },
  b: {
    kinds: [...INTEGERS, "bool"],
    refusal: "only integers and bools can be formatted as binary"
  },
  x: HEX,
  X: HEX,
  o: { kinds: INTEGERS, refusal: "octal clause can only be used on integers" }
};
function formatProblem(text, types) {
  let next = 0;
  for (const [clause, , verb] of text.matchAll(CLAUSE)) {
    if (clause === "%%") continue;
    const type = types[next];
    if (type === void 0) {
      return { message: `index ${String(next)} out of range`, argument: void 0 };
    }
    const message2 = clauseProblem(clause, verb, type);
    if (message2 !== void 0) return { message: message2, argument: verb === void 0 ? void 0 : next };
    next++;
  }
  if (types.length <= next) return void 0;
  const counts = `expected ${String(next)}, got ${String(types.length)}`;
  const message = `too many arguments supplied to string.format (${counts})`;
  return { message, argument: void 0 };
}
function clauseProblem(clause, verb, type) {
  if (verb === void 0) return unreadableClause(clause);
  const types = CLAUSES[verb];
  if (types === void 0) return unknownClause(verb);
  if (isDynamic(type) || types.kinds.includes(type.kind)) return void 0;
  return refusal(verb, type.name);
}
function refusal(verb, typeName) {
  return `error during formatting: ${CLAUSES[verb]?.refusal ?? ""}, was given ${typeName}`;
}
function unreadableClause(clause) {
  if (clause === "%") return "unexpected end of string";
  return unknownClause(clause.slice(1));
}
function unknownClause(verb) {
  return `could not parse formatting clause: unrecognized formatting clause "${verb}"`;
}

// node_modules/re2js/build/index.js
var RE2Flags = class RE2Flags2 {
  static FOLD_CASE = 1;
  static LITERAL = 2;
  static CLASS_NL = 4;
  static DOT_NL = 8;
  static ONE_LINE = 16;
  static NON_GREEDY = 32;
  static PERL_X = 64;
  static UNICODE_GROUPS = 128;
  static WAS_DOLLAR = 256;
  static LOOKBEHIND = 512;
  static MATCH_NL = RE2Flags2.CLASS_NL | RE2Flags2.DOT_NL;
  static PERL = RE2Flags2.CLASS_NL | RE2Flags2.ONE_LINE | RE2Flags2.PERL_X | RE2Flags2.UNICODE_GROUPS;
  static POSIX = 0;
  static UNANCHORED = 0;
  static ANCHOR_START = 1;
  static ANCHOR_BOTH = 2;
};
var PublicFlags = {
  CASE_INSENSITIVE: 1,
  DOTALL: 2,
  MULTILINE: 4,
  DISABLE_UNICODE_GROUPS: 8,
  LONGEST_MATCH: 16,
  LOOKBEHINDS: 512
};
var ASCII_SIZE = 128;
var ASCII_TO_UPPER = new Int32Array(ASCII_SIZE);
var ASCII_TO_LOWER = new Int32Array(ASCII_SIZE);
var MAX_BMP = 65535;
for (let i = 0; i < ASCII_SIZE; i++) {
  if (i >= 97 && i <= 122) ASCII_TO_UPPER[i] = i - 32;
  else ASCII_TO_UPPER[i] = i;
  if (i >= 65 && i <= 90) ASCII_TO_LOWER[i] = i + 32;
  else ASCII_TO_LOWER[i] = i;
}
var Codepoint = class {
  static CODES = Object.freeze({
    "\x07": 7,
    "\b": 8,
    "	": 9,
    "\n": 10,
    "\v": 11,
    "\f": 12,
    "\r": 13,
    " ": 32,
    '"': 34,
    $: 36,
    "&": 38,
    "'": 39,
    "(": 40,
    ")": 41,
    "*": 42,
    "+": 43,
    "-": 45,
    ".": 46,
    0: 48,
    1: 49,
    2: 50,
    3: 51,
    4: 52,
    5: 53,
    6: 54,
    7: 55,
    8: 56,
    9: 57,
    ":": 58,
    "<": 60,
    ">": 62,
    "?": 63,
    A: 65,
    B: 66,
    C: 67,
    F: 70,
    P: 80,
    Q: 81,
    U: 85,
    Z: 90,
    "[": 91,
    "\\": 92,
    "]": 93,
    "^": 94,
    _: 95,
    "`": 96,
    a: 97,
    b: 98,
    f: 102,
    i: 105,
    m: 109,
    n: 110,
    r: 114,
    s: 115,
    t: 116,
    v: 118,
    x: 120,
    z: 122,
    "{": 123,
    "|": 124,
    "}": 125
  });
  static toUpperCase(codepoint) {
    if (codepoint < ASCII_SIZE) return ASCII_TO_UPPER[codepoint];
    const s = String.fromCodePoint(codepoint).toUpperCase();
    const expectedLen = s.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (s.length > expectedLen) return codepoint;
    const sOrigin = String.fromCodePoint(s.codePointAt(0)).toLowerCase();
    const originExpectedLen = sOrigin.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (sOrigin.length > originExpectedLen || sOrigin.codePointAt(0) !== codepoint) return codepoint;
    return s.codePointAt(0);
  }
  static toLowerCase(codepoint) {
    if (codepoint < ASCII_SIZE) return ASCII_TO_LOWER[codepoint];
    const s = String.fromCodePoint(codepoint).toLowerCase();
    const expectedLen = s.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (s.length > expectedLen) return codepoint;
    const sOrigin = String.fromCodePoint(s.codePointAt(0)).toUpperCase();
    const originExpectedLen = sOrigin.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (sOrigin.length > originExpectedLen || sOrigin.codePointAt(0) !== codepoint) return codepoint;
    return s.codePointAt(0);
  }
};
var UnicodeRangeTable = class {
  /**
  * @param {Uint32Array | number[]} data
  * @param {boolean} isStride1
  */
  constructor(data, isStride1 = false) {
    this.data = data;
    this.isStride1 = isStride1;
    this.SIZE = isStride1 ? 2 : 3;
  }
  getLo(index) {
    return this.data[index * this.SIZE];
  }
  getHi(index) {
    return this.data[index * this.SIZE + 1];
  }
  getStride(index) {
    return this.isStride1 ? 1 : this.data[index * this.SIZE + 2];
  }
  get length() {
    return this.data.length / this.SIZE;
  }
};
var B64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
var B64_MAP = /* @__PURE__ */ new Uint8Array(256);
for (let i = 0; i < 64; i++) B64_MAP[B64.charCodeAt(i)] = i;
var decodeVLQ = (str) => {
  const res = [];
  let value = 0;
  let shift = 0;
  for (let i = 0; i < str.length; i++) {
    const digit = B64_MAP[str.charCodeAt(i)];
    value |= (digit & 31) << shift;
    if ((digit & 32) === 0) {
      res.push(value);
      value = 0;
      shift = 0;
    } else shift += 5;
  }
  return res;
};
var decodeRanges = (str, isStride1) => {
  const res = decodeVLQ(str);
  const numRanges = isStride1 ? res.length / 2 : res.length / 3;
  const out = new Uint32Array(numRanges * 3);
  let current = 0;
  let resIdx = 0;
  for (let i = 0; i < numRanges; i++) {
    current += res[resIdx++];
    out[i * 3] = current;
    current += res[resIdx++];
    out[i * 3 + 1] = current;
    out[i * 3 + 2] = isStride1 ? 1 : res[resIdx++];
  }
  return out;
};
var decodeOrbit = (str) => {
  const res = decodeVLQ(str);
  const map = /* @__PURE__ */ new Map();
  let currentKey = 0;
  for (let i = 0; i < res.length; i += 2) {
    currentKey += res[i];
    const zz = res[i + 1];
    const delta = zz >>> 1 ^ -(zz & 1);
    map.set(currentKey, currentKey + delta);
  }
  return map;
};
var LazyMap = class {
  constructor(initializer) {
    this.initializer = initializer;
    this.cache = /* @__PURE__ */ new Map();
  }
  has(key) {
    return Object.hasOwn(this.initializer, key);
  }
  get(key) {
    if (this.cache.has(key)) return this.cache.get(key);
    const val = this.has(key) ? this.initializer[key]() : null;
    this.cache.set(key, val);
    return val;
  }
};
var UnicodeTables = class {
  static _CASE_ORBIT = null;
  static get CASE_ORBIT() {
    if (!this._CASE_ORBIT) this._CASE_ORBIT = decodeOrbit("rCgCIgCY+rQI4QiCuuBLgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCCgCBgCBgCBgCBgCBgCBgCB+7OB-BB-BB-BB-BB-BBskQB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BC-BB-BB-BB-BB-BB-BB-BByHBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBDCBBBCBBBCBBCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBxHBCBBBCBBBCBBB3SBmMBkNBCBBBCBBB8MBCBBB6MB6MBCBBC+EB0MB2MBCBBB6MB+MBiGBmNBiNBCBBBmKBikzCBmNBqNBkIBsNBCBBBCBBBCBBB0NBCBBB0NDCBBB0NBCBBByNByNBCBBBCBBB2NBCBBDCBBCwDFCBCBDBCBCBDBCBCBDBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBB9EBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBCCBCBDBCBBBhGBvDBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBjICCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBH2iVBCBBBlKBwiVB+jVB+jVBCBBBlMBqEBuEBCBBBCBBBCBBBCBBBCBBB+hVB4hVB8hVBjNB7MC5MB5MCzMC1MB+0yCE5MB20yCC9MBu2yCBwyyCBo0yCChNBlNBo0yCBu-UBi0yCDlNC6-UBpNDrNIu+UDzNCm0yCBzNE0yyCBzNBpEBxNBxNBtEG1NLqxyCBkxyCnFoFrBCBBBCBBDCBBEkIBkIBkICoHHsCCqCBqCBqCCgEC+DB+DBmkOBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCC+BBgCBgCBgCBgCBgCBgCBgCBgCBrCBpCBpCBpCBmjOB-BB8BB-BB-BBgEB-BB-BByBBqgOBsDB-BBtwBB-BB-BB-BBsBBgDBCB-BB-BB-BBeB-BB-BB61OB-BB-BB-DB9DB9DBQB7DBmCE9CBrDBPBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBrFB-EBOBnHB3FB-FCCBBBNBCBBCjIBjIBjIBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCB-BB-BB8kMB-BB6kMB-BB-BB-BB-BB-BB-BB-BB-BB-BBokMB-BB-BBkkMBkkMB-BB-BB-BB-BB-BB-BB-BB4jMB-BB-BB-BB-BB-BB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EBCBBBCBoiMBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBJCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBeBCBBBCBBBCBBBCBBBCBBBCBBBCBBBdBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBCgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDL-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-C64CgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOCgmOGgmODg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FDg8FBg8FBg8FhVg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBQBQBQBQBQBQDPBPBPBPBPBPjkC7mMB5mMBnmMBjmMBCBlmMB3lMBpiMBk8kCBCBBG-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FD-7FB-7FB-7F6FoglCEsuHRwjlCyDCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCB0DBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBG1DD97OCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQDPBPBPBPBPBPDQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQDPBPBPBPBPBPEQCQCQCQCPCPCPCPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPB0EB0EBsFBsFBsFBsFBoGBoGBgIBgIBgHBgHB8HB8HDQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQCSFPBPBzEBzEBRCxnOFSFrFBrFBrFBrFBREQBQClkOFPBPBnGBnGFQBQCljOCODPBPB-GB-GBNHSF-HB-HB7HB7HBRqJ53OE9tQBrmQH4Bc3BSgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBfBfBfBfBfBfBfBfBfBfBfBfBfBfBfBfECBByZ0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzB34BgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CBCBBBt-UBruHBt+UB1iVBviVBCBBBCBBBCBBB3hVB5-UB9hVB7hVCCBBCCBBI9jVB9jVBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBICBBBCBBECBBN-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOC-lOG-lOzoeCBBBCBBBCBBBCBBBCBBBCBl8kCBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBTCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBnECBBBCBBBCBBBCBBBCBBBCBBBCBBDCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBKCBBBCBBBnglCBCBBBCBBBCBBBCBBBCBBECBBBvyyCDCBBBCBBBgDCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBn0yCB90yCB10yCBh0yCBn0yCCjxyCBzyyCBpxyCBg6BBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBB-CBl0yCBvjlCBCBBBCBBBt2yCBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBhkzCZCBB9a-5Bd-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCm6TCBB7gBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCH-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BmlBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvChDwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCFvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvC1DuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCCuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCCuCBuCBuCBuCBuCBuCBuCCuCBuCCtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCCtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCCtCBtCBtCBtCBtCBtCBtCCtCBtCk2BgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEO-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-D+CgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCL-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-B74CgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BhrVgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BhB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BD1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BtxekCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjC");
    return this._CASE_ORBIT;
  }
  static _Print = null;
  static get Print() {
    if (!this._Print) this._Print = new UnicodeRangeTable(decodeRanges("hB9CBjBLBCpWBDFBFGBCCCBSBCsMBClBBDxBBDCBC2BBJaBFFBSVBC-FBCvBBD6BBDkDBP6BBDwBBDOBCbBDCCBJBGfBIqCBCgFBCHBDBBDVBCGBCEEBCBDIBDBBDDBJFFBCCBDBDYBDCBCFBFBBDVBCGBCBBCBBCBBDCCBDBFBBDCBEIIBCBCIIBPBLCBCIBCCBCVBCGBCBBCEBDJBCCBCCBDQQBCBDLBIGBCCBCHBDBBDVBCGBCBBCEBDIBDBBDCBICBFBBCEBDRBLBBCFBECBCDBEBBCCCBEEBEEBBBELBFEBECBCDBDHHPUBGMBCCBCWBCPBDIBCCBCDBIBBCCBCBBDDBDJBIVBCCBCWBCJBCEBDIBCCBCDBIBBGCBCDBDJBCCBNMBCCBCyBBCCBCFBFPBDZBCCBCRBEXBCIBCDDBFBEFFBEBCCCBGBHJBDCBN5BBFcBmBBBCCCBDBCXBCCCBVBDEBCCCBFBCJBDDBhBnCBCjBBFmBBCjBBCOBCMBmBlGBCGGD4LBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBDfBEZBH1CBDFBD-TBCbBE4CBIVBKXBKTBNMBCCBCBBN9CBDJBHJBHNBCKBH4CBIqBBGlCBLeBCLBFLBFEEBoBBDEBMrBBFZBHKBE9BBDgCBCcBDKBHJBHNBDtBBDLBVsCBClFBJ7BBEOBE9BBGqBBDKBJqBBG1QBDFBDlBBDFBDHBCGCBdBD0BBCOBCNBDFBCSBDCBCIBSXBJuBBSBBDaBCMBEhBBPgBBQrEBF5UBXKBWz4BBD9LBGsBBCGGD3BBIBBPXBKGBCGBCGBCGBCGBCGBCGBCGBC9DBjBZBC4CBN1GBbPBC+BBC1CBDmDBGqBBC9CBC1CBKvBBCszcBE2BBK7KBV3FBJ8GBV7BBEJBH3BBJlCBJLBHzDBMdBEtCBCKBFgBBC2BBKNBDJBDmDBZbBLFBDFBDFBKGBCGBC7BBF9DBDJBHj9KBNWBFwBBloItLBDpDBnBGBNEBGZBCEBCCCBCCBCCBoUBhBpBBHyBBCSBCDBFEBCmEBF9FBEFBDFBDFBDCBEGBCGBOBBDLBCZBCSBCBBCOBDNBjB6DBGCBFsBBE3CBCMBEwBwBBsBBjEcBEwBBQbBFjBBKdBGqBBGdBCkBBFNBrB9EBDJBHjBBFjBBFnBBJzBBMLBCOBCGBCBBCKBCOBCGBCBBEzBBN2JBKVBLHBZFBCpBBCIBmCFBDCCBqBBCBBEDDBVBCnCBJIBxBSBCBBGgBBEaBGaBnB3BBFTBDxBBCBBGHBCCBCcBDCBFJBIIBI-BBhBmBBFLBK1BBEcBDaBGZBIDBNGBxCoCB4ByBBOyBBItBBJJBHlBBEcBJBBxGeBCpBBCCBDBBRFBJIBiBtBBJpBBXZBnBbBVWBKtCBFjBBK9BBCEBOYBIJBH0BBCRBJmBBK-CBCTBMRBCuBB-BGBCCCBCBCOBCKBH6BBGJBHDBCHBDBBDVBCGBCBBCEBCJBDBBDCBDHHGGBDGBEEBMJBCDDClBBCJBCDDCDBCJBCBBJBBe7CBCEBfnCBJJBnF1BBDlBBjBkCBMJBHMBU5BBHJBHTBdaBDOBFWB6F7BBlDyCBNHBDDDBGBCBBCdBCBBDLBKJBnCHBDtBBDKBcnCBJyCBOoCBIJB3CHB5ChBBPJBHIBCsBBCNBLcBEfBDVBCNBqCGBCBBCrBBECCBCCBHBJJBHFBCBBCkBBCBBCFBIJBHrBBFJB3HYBIQBCoBBEcB2CQQBwBBO6cBnDuDBCEBMjGBtyCiDBOvhBBRVBL68DBGmSB61G5BBn2B4RBIeBCJBFwCBCJBHdBDFBLlCBLJBCGBCUBGSBxN5BBnG6CBGYBDYBtBqCBF4BBIQBhCEBMGBK1mHBqBfBiDyDB+vIDBCGBCBBCiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBDDBh7D8HBEzNBHWBQQBQtBBDWBKzDB9B1HBLmBBDpCBJvDBWlCB7DTBNTBN2CBKYBoE0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDjJBD9VBQEBCOBxiBeBHFB2GGBCQBDGBCBBCEBG9BBiBxDxDBrBBENBDJBFBBhKeBS5BBGxOxOBoBB3GqBBFhGhGBdBCVBJBBhHGBCDBCBBCOBCkGBDPBqBrCBFJBFBByYjCBtC8BBjGDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1BBBvIrBBFjDBNOBDOBCOBCkBBLtFB5BcBOrBBFIBIBBPFB7E4eBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBBPIBoB3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBCmDBmgB-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIBnkzVvHB", false));
    return this._Print;
  }
  static CATEGORIES = new LazyMap({
    C: () => new UnicodeRangeTable(decodeRanges("AfBgDgBBOrWrWBHHBCBICCVuMuMnBBBzBBBE4B4BBGBcDBHQBXhGhGxBBB8BBBmDNB8BBByBBBQddBCCMEBhBGBsCiFiFJBBDBBXIICCBFBBKBBDBBFHBCDBDGGBaaBEEHDBDBBXIIDGDBCCGDBDBBECBCGBFCCBFBSJBEKKEXXIDDGBBLIEBCCBNBFBBNGBIEEJBBDBBXIIDGGBKKBDDBEEBFBEDBDGGBTTBIBDHHBBBEFFBBBDCCDCBDCBECBNDBGCBEFFBCCBEBCNBWEBOEEYRRBKKEFFBFBDEEDBBFBBLGBXEEYLLGBBKEEFGBDEBEFFBLLELBOEE0BEEHDBRBBbEETCBZKKCBBICBCDBHCCJFBLBBELB7BDBekBBDCCGZZCYYBGGCIILBBFfBpClBlBBCBoBlBlBQOOBjBBnGCCBDBCBB6LFFBIICFFBqBqBFBBiBFFBIICFFBQQ6BFFBkCkCBhBhBBBBbFB3CBBHBB+UCB6CGBXIBZIBVLBOEEDLB-CBBLFBLFBPMMBEB6CGBsBEBnCJBgBNNBCBNDBCCBrBBBGKBtBDBbFBMCB-BBBiCeeBMMBEBLFBPBBvBBBNTBuCnFnFBGB9BCBQCB-BEBsBBBMHBsBEB3QBBHBBnBBBHBBJGCgBBB2BQQPBBHUUBEEKMMBDBbEByBPBDBBcOOBBBjBNBiBOBtEDB7UVBMUB14BBB-LEBuBCCBDBCBB5BGBDNBZIBI4BI-DhBBb6C6CBKB3GZBxC3C3CBoDoDBDBsB-C-C3CIBxBuzcuzcBBB4BIB9KTB5FHB+GTB9BCBLFB5BHBnCHBNFB1DKBfCBvCMMBCBiB4B4BBHBPBBLBBoDXBdJBHBBHBBHIBIII9BDB-DBBLFBl9KLBYDByBjoIBvLBBrDlBBILBGEBbGGCGDrUfBrBFB0BUUFDBGoEoEBCB-FCBHBBHBBHBBECBIIIBLBDBBNbbUDDQBBPhBB8DEBEDBuBCB5COOBBBCuBBvBhEBeCByBOBdDBlBIBfEBsBEBfmBmBBCBPpBB-EBBLFBlBDBlBDBpBHB1BKBNQQIDDMQQIDDBBB1BLB4JIBXJBJXBHrBrBKkCBHBBCtBtBDCBCBBYpCpCBGBKvBBUDDBDBiBCBcEBclBB5BDBVBBzBDDBDBJEEeBBEDBLGBKGBhCfBoBDBNIB3BCBeBBcEBbGBFLBIvCBqC2BB0BMB0BGBvBHBLFBnBCBeHBDvGBgBrBrBEBBDPBHHBKgBBvBHBrBVBblBBdTBYIBvCDBlBIB-BGGBLBaGBLFB2BTTBGBoBIBhDVVBJBTwBwBB8BBICCFQQMFB8BEBLFBFJJBDDBXXIDDGLLBDDBEEBCCBEBCEBIBBICBGKBLCCBCCnBLLCBBCFFLDDBGBDcB9CGGBcBpCHBLlFB3BBBnBhBBmCKBLFBOSB7BFBLFBVbBcBBQDBY4FB9BjDB0CLBJBBCBBJDDfDDBNNBHBLlCBJBBvBBBMaBpCHB0CMBqCGBL1CBJ3CBjBNBLFBKuBuBPJBeCBhBBBXPPBnCBIDDtBCBCDDKHBLFBHDDmBDDHGBLFBtBDBL1HBaGBSqBqBBBBe0CBCOBzBMB8clDBwDGGBJBlGryCBkDMBxhBPBXJB88DEBoS41GB7Bl2BB6RGBgBLLBCByCLLBEBfBBHJBnCJBLIIWEBUvNB7BlGB8CEBaBBarBBsCDB6BGBS-BBGKBIIB3mHoBBhBgDB0D8vIBFIIDkJkJBNBCcBEBBCNBFHBtMjoCBsDEBOCBKGBLBBF-6DB+HCB1NFBYOBSOBvBBBYIB1D7BB3HJBoBBBrCHBxDUBnC5DBVLBVLB4CIBamEB2CoCoCDBBCBBDBBFNNCIIiCFFBJJIddFGGCCBI1K1KBlJlJB-V-VBNBGQQBuiBBgBFBH0GBISSBIIDGGBDB-BgBBCvDBuBCBPBBLDBD-JBgBQB7BEBCvOBrB1GBsBDBC-FBgBXXBGBD-GBIFFDQQmGBBRoBBtCDBLDBDwYBlCrCB+BhGBFccDCCBCCLFFCCCBEBCDBCECEDDCBBCICDCCBFFIKFCLLSEBEGGSzBBDtIBtBDBlDLBQBBQQQmBJBvF3BBeMBtBDBKGBDNBH5EB6eCBSCBOCB7GFBNDBCOBNDB5BHBLFBpBHBfBBNDBDNBKmBB5KHBPBBOCBMCB6BCCBCBRBBNDBLGB0EoDoDBjgBBh3pBfB-oEBBv0FBBypHOBvThtCB-QhvBBs6EEBrpIlkzVBxHvw-FB", false)),
    Cc: () => new UnicodeRangeTable(decodeRanges("AfgDgB", true)),
    Cf: () => new UnicodeRangeTable(decodeRanges("tFzqBzqBBEBXhGhGyBhMhMBxCxCs5D9-B9-BBDBbEByBEBCJBw03B6H6HBBBimEQQj7IPBhjiBDBwmFHBn0rYffB+CB", false)),
    Cn: () => new UnicodeRangeTable(decodeRanges("4bBBHDBICCVuMuMnBBBzBBBE4B4BBGBcDBHKBvI9B9BBmDmDBMB8BBByBBBQddBCCMEBjBEBuHJJBDDBXXICCBBBFBBKBBDBBFHBCDBDGGBaaBEEHDBDBBXIIDGDBCCGDBDBBECBCGBFCCBFBSJBEKKEXXIDDGBBLIEBCCBNBFBBNGBIEEJBBDBBXIIDGGBKKBDDBEEBFBEDBDGGBTTBIBDHHBBBEFFBBBDCCDCBDCBECBNDBGCBEFFBCCBEBCNBWEBOEEYRRBKKEFFBFBDEEDBBFBBLGBXEEYLLGBBKEEFGBDEBEFFBLLELBOEE0BEEHDBRBBbEETCBZKKCBBICBCDBHCCJFBLBBELB7BDBekBBDCCGZZCYYBGGCIILBBFfBpClBlBBCBoBlBlBQOOBjBBnGCCBDBCBB6LFFBIICFFBqBqBFBBiBFFBIICFFBQQ6BFFBkCkCBhBhBBBBbFB3CBBHBB+UCB6CGBXIBZIBVLBOEEDLB-CBBLFBLFBbFB6CGBsBEBnCJBgBNNBCBNDBCCBrBBBGKBtBDBbFBMCB-BBBiCeeBMMBEBLFBPBBvBBBNTBuCnFnFBGB9BCBQCB-BEBsBBBMHBsBEB3QBBHBBnBBBHBBJGCgBBB2BQQPBBHUUBEEKmDmDNBBcOOBBBjBNBiBOBtEDB7UVBMUB14BBB-LEBuBCCBDBCBB5BGBDNBZIBI4BI-DhBBb6C6CBKB3GZBxC3C3CBoDoDBDBsB-C-C3CIBxBuzcuzcBBB4BIB9KTB5FHB+GTB9BCBLFB5BHBnCHBNFB1DKBfCBvCMMBCBiB4B4BBHBPBBLBBoDXBdJBHBBHBBHIBIII9BDB-DBBLFBl9KLBYDByBDBvzIBBrDlBBILBGEBbGGCGDrUfBrBFB0BUUFDBGoEoEBCC-FCBHBBHBBHBBECBIIIBIBGBBNbbUDDQBBPhBB8DEBEDBuBCB5COOBBBCuBBvBhEBeCByBOBdDBlBIBfEBsBEBfmBmBBCBPpBB-EBBLFBlBDBlBDBpBHB1BKBNQQIDDMQQIDDBBB1BLB4JIBXJBJXBHrBrBKkCBHBBCtBtBDCBCBBYpCpCBGBKvBBUDDBDBiBCBcEBclBB5BDBVBBzBDDBDBJEEeBBEDBLGBKGBhCfBoBDBNIB3BCBeBBcEBbGBFLBIvCBqC2BB0BMB0BGBvBHBLFBnBCBeHBDvGBgBrBrBEBBDPBHHBKgBBvBHBrBVBblBBdTBYIBvCDBlBIBlCJBCBBaGBLFB2BTTBGBoBIBhDVVBJBTwBwBB8BBICCFQQMFB8BEBLFBFJJBDDBXXIDDGLLBDDBEEBCCBEBCEBIBBICBGKBLCCBCCnBLLCBBCFFLDDBGBDcB9CGGBcBpCHBLlFB3BBBnBhBBmCKBLFBOSB7BFBLFBVbBcBBQDBY4FB9BjDB0CLBJBBCBBJDDfDDBNNBHBLlCBJBBvBBBMaBpCHB0CMBqCGBL1CBJ3CBjBNBLFBKuBuBPJBeCBhBBBXPPBnCBIDDtBCBCDDKHBLFBHDDmBDDHGBLFBtBDBL1HBaGBSqBqBBBBe0CBCOBzBMB8clDBwDGGBJBlGryCBkDMB3iBJB88DEBoS41GB7Bl2BB6RGBgBLLBCByCLLBEBfBBHJBnCJBLIIWEBUvNB7BlGB8CEBaBBarBBsCDB6BGBS-BBGKBIIB3mHoBBhBgDB0D8vIBFIIDkJkJBNBCcBEBBCNBFHBtMjoCBsDEBOCBKGBLBBJ76DB+HCB1NFBYOBSOBvBBBYIB1D7BB3HJBoBBBjGUBnC5DBVLBVLB4CIBamEB2CoCoCDBBCBBDBBFNNCIIiCFFBJJIddFGGCCBI1K1KBlJlJB-V-VBNBGQQBuiBBgBFBH0GBISSBIIDGGBDB-BgBBCvDBuBCBPBBLDBD-JBgBQB7BEBCvOBrB1GBsBDBC-FBgBXXBGBD-GBIFFDQQmGBBRoBBtCDBLDBDwYBlCrCB+BhGBFccDCCBCCLFFCCCBEBCDBCECEDDCBBCICDCCBFFIKFCLLSEBEGGSzBBDtIBtBDBlDLBQBBQQQmBJBvF3BBeMBtBDBKGBDNBH5EB6eCBSCBOCB7GFBNDBCOBNDB5BHBLFBpBHBfBBNDBDNBKmBB5KHBPBBOCBMCB6BCCBCBRBBNDBLGB0EoDoDBjgBBh3pBfB-oEBBv0FBBypHOBvThtCB-QhvBBs6EEBrpIm8yVBCdBhD-DBxHvw-BB---BBB---BBB", false)),
    Co: () => new UnicodeRangeTable(decodeRanges("gg4B-nGh4hc9--BD9--B", true)),
    Cs: () => new UnicodeRangeTable(decodeRanges("gg2B--B", true)),
    L: () => new UnicodeRangeTable(decodeRanges("hCZBHZBwBLLFGGBVBCeBCpOBFLBPEBICCiEEBCBBDDBCHHCCBCCCBSBCyCBCqEBJlFBClBBDHHBnBBoCaBFDBuBqBBkBBBCiDBCQQBIIBLLBBBDRRCdBe4CBMZZBfBKBBFGGBUBFKKEYYBXBIKBGXBCGBRpBB7B1BBETTIJBQPBFHBDBBDVBCGBCEEBCBERROBBCCBPBBLJJBEBFBBDVBCGBCBBCBBCBBgBDBCUUBBBRIBCCBCVBCGBCBBCEBETTQBBYMMBGBDBBDVBCGBCBBCEBEffBCCBBBQSSCFBECBCDBEBBCCCBEEBEEBBBELBX1B1BBGBCCBCWBCPBEbbBBBCBBDBBfFFBGBCCBCWBCJBCEBEffBBBCBBQBBSIBCCBCoBBDRRGCBJCBZFBGRBEXBCIBCDDBFB7BvBBCBBNGB7BBBCCCBDBCXBCCCBIBCBBKDDBDBCWWBCBhBgCgCBGBCjBBcEB0DqBBVRRBEBFDBEEEBIIBBBFMBNSSBkBBCGGDqBBCsKBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBmBPBR1CBDFBErTBDQBCZBGqCBHHBIRBOSBPRBPMBCCBQzBBkBFFkC4CBIEBDhBBCGGBkCBLeByBdBDEBMrBBFZB3BWBK0BBzC+C+CBtBBSHB3BdBOBBLrBBbjBBqBCBLjBBDKBGqBBDCBqBDBCFBCBBEGGB+FBhC1IBDFBDlBBDFBDHBCGCBdBD0BBCGBCEEBBBCGBEDBDFBFMBGCBCGB1DOORMBmDFFDJBCEEBDBHGCBCBCKBDDBGEBF1B1BB8zC8zCBjHBHDBEBBNlBBCGGD3BBIRRBVBKGBCGBCGBCGBCGBCGBCGBCGBxC2O2OBrBrBBDBGBBF1CBHCBC5CBCDBGqBBC9CBSfBxBPBhQ-tGBhCs0VBkCtBBDsIBEPBLBBVuBBReBDlCByBIBDmDBDxCBVQBCCBCDBCWBezBBPxBB-BFBECCBMMBaBLWBacBIuBBdRRBDBCJBLEBCoBBYCBCHBVWBEEEBwBBCEEBDDBDBDCCZCBDKBICBNFBDFBDFBKGBCGBCqBBCNBHyDBej9KBNWBFwBBloItLBDpDBnBGBNEBGCCBIBCMBCEBCCCBCCBCCBqDBiBqLBT-BBD1BBpBLB1DEBCmEBlBZBHZBM4CBEFBDFBDFBDCBkBLBCZBCSBCBBCOBDNBjB6DBmMcBEwBBwBfBOTBCHBHlBBLdBDjBBFHBxB9EBTjBBFjBBFnBBJzBBNKBCOBCGBCBBCKBCOBCGBCBBEzBBN2JBKVBLHBZFBCpBBCIBmCFBDCCBqBBCBBEDDBVBLWBKeBiCSBCBBLVBLZBHZBnB3BBHBBhCQQBCBCCBCcBrBcBEcBkBHBCbBc1BBLVBLSBORBvDoCB4ByBBOyBBOjBBnBbBKWB7HpBBHBBRFB5BcBLJJBUBrBRBvBUBcWBN0BB6BBBDOOBrBBhBYBbjBBeDDJiBBENNBuBBPDBWCCkBRBCYBUBBgCGBCCCBCBCOBCJBIuBBnBHBDBBDVBCGBCBBCEBETTNEBfJBCDDClBBCaaCtBtBBzBBTDBVCBfvBBVBBC5F5FBtBBqBDBlBvBBV8B8BBpBBOoCoCBZBmBGB6FrBB1D-BBgBHBDDDBGBCBBCXBQCC-CHBDmBBRCCdLLBmBBIWWMtBBUTTBnCBoGgBBgBIBCkBBSyByBBcBxDGBCBBClBBWaaBEBCBBCfBPYYBqBBlISBQCCBLBChBB9DwCwCB4cBnHjGBtyCgDBQvhBBSFBa68DBGmSB61GdBj3B4RBIeBSuCBSdBTvBBRDBgBUBGSBxNsBB0G-BBhBYBDYBtBqCBGjCjCBLBhCBBCPPBNNB0mHBqBfBiDyDB+vIDBCGBCBBCiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBn7F0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDYBCYBCeBCYBCeBCYBCeBCYBCeBCYBCHB15BeBHFBmI9BBzEsBBLGBRiKiKBcBTrBBlPbBlHdBDwGwGBdBCCBCBBCGBDEBKBBhHGBCDBCBBCOBCkGB8BjCBI1lB1lBBCBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQBlqE-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    LC: () => new UnicodeRangeTable(decodeRanges("hCZBHZB7BLLBVBCeBCiGBCDBFvGBDZBhGDBDBBECBCHHCCBCCCBSBCyCBCqEBJlFBClBBKoBB44ClBBCGGDqBBDCBhV1CBDFBjkCKBGqBBDCBhCrBBgCMBChBBmD1IBDFBDlBBDFBDHBCGCBdBD0BBCGBCEEBBBCGBEDBDFBFMBGCBCGBmIFFDJBCEEBDBHGCBCBCFBFDDBCBGEBF1B1BB8zC8zCB6DBDmDBHDBEBBNlBBCGGzoetBBTbBnEtCBCWBEDBCsCBZBBE2Z2ZBpBBGIBIvCBh6TGBNEBqgBZBHZBmlBvCBhDjBBFjBB1DKBCOBCGBCBBCKBCOBCGBCBBk2ByBBOyBB+CVBLVB74C-BBhrV-BBhBYBDYBtpZ0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDYBCYBCeBCYBCeBCYBCeBCYBCeBCYBCHB15BJBCTBHFB2uCjCB", false)),
    Ll: () => new UnicodeRangeTable(decodeRanges("hDZB7BqBqBBWBCHBC2BCBQCBuBCDECBBBDCCDEEBFFDEEBBBDDDCCCDCCBCCDEECDDBDDBBBHGDCOCBSCBDDCEEC4BCBFBDDDBCCFICBjCBDZBiGCCEEEBBBTccBhBBCBBECBCWCBDBCGDB0B0BBuBBCgBCK0BCDMCBgDCxBoBBo6CqBBDCB5XFBjkCIBC2D2DBqBBgCMBChBBnD0ECBHBCgDCBHBJFBLHBJHBJFBLHBJHBJNBDHBJHBJHBJEBCBBHEEBBBCBBJDBDBBJHBLCBCBBzIEEBEEcKFDBBJDBF2B2Bs1CvBBCEEBGCFCCBCCBEBGiDCBIICFFNlBBCGG0oesBCUaCoEMCBBBC+BCBGBCCCDICFCCDCCBBBCSCGGGCMCFCCDOCbEE2ZqBBGIBIvCBh6TGBNEBqhBZBumBnBBpEjBB8EKBCOBCGBCBBk4ByBB+DVB75CfBhsVfB8BYBnqZZBbGBCRBbZBbDBCCCBFBCKBbZBbZBbZBbZBbZBbZBbZBbZBbbBdYBCFBbYBCFBbYBCFBbYBCFBbYBCFBC15B15BBIBCTBHFB4vChBB", false)),
    Lm: () => new UnicodeRangeTable(decodeRanges("wVRBFLBPEBICCmEGG-OnHnHlFBBuIBBFgBgBKEEhFoFoF1mBgEgE2R72B72BsDkTkTxOFBvF+BBOjBjBBjBByVOORMBg-CBByHgGgG2OsBsBBDBGiDiDB+C+CBBB34bjnBjnBBEBvIzDzDdBB6DIBxCYYpDDBEBB2OXXqEtDtDWBBoDDBKngVngVuBBBh-BFBCpBBCIB0sBhBhB2K04D04DnrTDB9PCBpBBBnRMBhCBBCPPB9-P9-PBCBCGBCBByhM9BBqGGBud0Q0QsSAB", false)),
    Lo: () => new UnicodeRangeTable(decodeRanges("qFQQhIFFBCBxGBB7ZaBFDBuBfBCJBkBBBCiDBCZZBLLBBBDRRCdBe4CBMZZBfBWVBrBYBIKBGXBCGBRoBB8B1BBETTIJBROBFHBDBBDVBCGBCEEBCBERROBBCCBPBBLJJBEBFBBDVBCGBCBBCBBCBBgBDBCUUBBBRIBCCBCVBCGBCBBCEBETTQBBYMMBGBDBBDVBCGBCBBCEBEffBCCBBBQSSCFBECBCDBEBBCCCBEEBEEBBBELBX1B1BBGBCCBCWBCPBEbbBBBCBBDBBfFFBGBCCBCWBCJBCEBEffBBBCBBQBBSIBCCBCoBBDRRGCBJCBZFBGRBEXBCIBCDDBFB7BvBBCBBNFB8BBBCCCBDBCXBCCCBIBCBBKDDBDBYDBhBgCgCBGBCjBBcEB0DqBBVRRBEBFDBEEEBIIBBBFMBNyDyDBnKBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBmBPByDrTBDQBCZBGqCBHHBIRBOSBPRBPMBCCBQzBBpBkCkCBhBBC0BBIEBDhBBCGGBkCBLeByBdBDEBMrBBFZB3BWBK0BBxFuBBSHB3BdBOBBLrBBbjBBqBCBLdByDDBCFBCBBE7hB7hBBCB4-C3BBZWBKGBCGBCGBCGBCGBCGBCGBCGBoR2B2BF1CBJCCB4CBFGGBpBBC9CBSfBxBPBhQ-tGBhC0wUBC2jBBkCnBBJrIBFPBLBBjCyByBBkCBqFoDoDEGBCCBCDBCWBezBBPxBB-BFBECCBMMBaBLWBacBIuBBuBEBDIBLEBCoBBYCBCHBVPBCFBEEEBwBBCEEBDDBDBDCCZBBEKBIPPBEBDFBDFBKGBCGByEiBBej9KBNWBFwBBloItLBDpDBkCCCBIBCMBCEBCCCBCCBCCBqDBiBqLBT-BBD1BBpBLB1DEBCmEBqDJBCsBBDeBEFBDFBDFBDCBkBLBCZBCSBCBBCOBDNBjB6DBmMcBEwBBwBfBOTBCHBHlBBLdBDjBBFHBhEtCBjDnBBJzBB9CzBBN2JBKVBLHB5EFBDCCBqBBCBBEDDBVBLWBKeBiCSBCBBLVBLZBHZBnB3BBHBBhCQQBCBCCBCcBrBcBEcBkBHBCbBc1BBLVBLSBORBvDoCB4FjBBnBDBCxJxJBoBBHBBRCBCBB5BcBLJJBUBrBRBvBUBcWBN0BB6BBBDOOBrBBhBYBbjBBeDDJiBBENNBuBBPDBWCCkBRBCYBUBBgCGBCCCBCBCOBCJBIuBBnBHBDBBDVBCGBCBBCEBETTNEBfJBCDDClBBCaaCtBtBBzBBTDBVCBfvBBVBBC5F5FBtBBqBDBlBvBBV8B8BBpBBOoCoCBZBmBGB6FrBB0GHBDDDBGBCBBCXBQCC-CHBDmBBRCCdLLBmBBIWWMtBBUTTBnCBoGgBBgBIBCkBBSyByBBcBxDGBCBBClBBWaaBEBCBBCfBPYYBnBBCBBlISBQCCBLBChBB9DwCwCB4cBnHjGBtyCgDBQvhBBSFBa68DBGmSB61GdBj3B4RBIeBSuCBSdBTvBB0BUBGSB0NnBB2MqCBGwFwFB0mHBqBfBiDyDBuwIiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBxzI2P2PBrBBiBiKiKBcBTrBBlPaBmHdBDwGwGBdBCCBCBBCGBDEBKiHiHBFBCDBCBBCOBCkGB8pBDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQBlqE-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    Lt: () => new UnicodeRangeTable(decodeRanges("lOGDnB2sH2sHBGBJHBJHBNQQwBAB", false)),
    Lu: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiB2BCDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIJDCMCDQCDDDCCBC4BCIBBCBBDCCBCBCGCiJCCEJJHCCBBBCCCBCCBPBCIBkBDDBBBEWCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBpCDBNDBNDBNEBMDBnIFFECBDCBDEEBDBHGCBCBDDBLBBG+B+B9zCvBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoqZZBbZBbZBbCCBGDBDDBCBCHBbZBbBBCDBDHBCGBcBBCDBCEBCEEBFBcZBbZBbZBbZBbZBbZBfYBiBYBiBYBiBYBiBYBiB2pE2pEBgBB", false)),
    M: () => new UnicodeRangeTable(decodeRanges("gYvDB0IGBoIsBBCCCBCCBCCpCKBxBUBRmDmDBFBDFBDBBCDBkBffBZB8CKB7BIBKZZBCBCIBCCBCEBsBCB8BIBrBXBCgBB3BCBCRBCGBLBBeCB5BCCBFBDBBDCBKLLBbbDCB5BCCBDBFBBDCBEffBEEMCB5BCCBGBCCBCCBVBBXFBCCB5BCCBFBDBBDCBICBLBBf8B8BBDBECBCDBKpBpBBDB4BCCBFBCCBCDBIBBMBBeCB5BCCBFBCCBCDBIBBMBBQNNBCB4BBBCGBCCBCDBKLLBeeBBBnCFFBEBCCCBGBTBB+BDDBFBNHBjDDDBHBMGBqCBBcECFBByBTBCBBGKBCjBBKlDlDBSBYDBFCBCCBDGBEDBOLBCLLBCBgWCBzdDBdCBeBBfBBhCfBKuBuBBBBC2D2DBjBjB3DLBFLB8GEB6BJBCcBDxBxBBsBBDLBVEBwBQBnBIBNCBfMB5BNBxBTB5ECBCUBFHHDCBnG-BBxWgBB--CCBuEhDhDBeBrRFBqDBB1udDBCJBhBBBxCBBxIEEFYYBDBF0C0CBzBzBBQBbRBOnBnBBGBaMBtBDBwBNBlBkCkCBMBNJJBuBuBBBBzBCCBBBDBBGBBCqBqBBDBGBBtHHBCBBx5TiXiXBOBRPBuejHjH2EEBn0BCBCBBGDBpBCBFmFmFB+R+RBCBiCEB+JBBuCFBnCKByBDB7DCB2BOBqBDDBLLBCBuBKBI+B+BBBBlBNBRBBtBNNBBBxBNBJDBCBB9CLBHDD+ELBWDB4BBBCGBDBBDCBKLLBDDBFBEEBkCIBCDDCDBCEBCPPBzCzCBQBYyCyCBSBsHGBDIBcBBzCQBrDMBmDOBhIOB2HFBCBBDDBCCCBuEuEBFBDGBEddBIBpBGBCDBJKKBJBvBPBnGHBoGHBCHBzCVBCNB7DFBECCBCCBFBCjCjCBDBCBBCEB8KDBKBBCxBxBBFBEEBYmnFmnFHOBpmLRBhuCEB8BGB5gBCCB1BBIDByCMMBslTslTBizEizEBsBBDWB-QEBEFBJHBDGBfDB1ECB89B2BBFxBBJPPXEBCOBxqBGBCQBDGBCBBCEBlDhFhFBFB4L+B+BBCB9PDB-HBB0HDDIBBG7O7OBFBuDGB29lYvHB", false)),
    Mc: () => new UnicodeRangeTable(decodeRanges("joC4B4BDCBJDBCBBzBBB7BCBHBBDBBLsBsB7BCBjC7B7BBBBJCCB2B2BB7B7BCHHBDDBLLnDBBCBBECBCCBLqBqBBBB+BDB+BBB7BCCBDBDBBCBBKBBdPPB7B7BBBBGCBCCBLrBrBBsCsCBBBHHBTBBrKBBgCsFsFBFFHDDBaaBLLBBBDGBWBBDFBDLLBBB5zBffiEIIBGBCBB7KDBDCBFBBCFBhHBB7BCCKCCBJJBEByExBxBGCCBDBCBB+BffFBBD9B9BDCBCEEBxBxBBGBJBBsFWW35EBB0-dBBD5C5CBzBzBBOBvEBBwBxBxBBFFBDDBBBvDBBDBBZuBuBCuDuDDBBGuHuHBCCBCCBCC0gZCCgEuBuBBBBFBB0DZZB8B8BxBCBKBBO+C+CBBBEBBCrFrFBBBgBBB7BBBCDBDBBDCBKLLB1C1CBBBIDDCDBCBBCmDmDBBBJBBErDrDBBBHCCBCBDuHuHBBBHDBDyDyDBBBJBBCuDuDCBBHoDoDCBBFmImIBBBK4H4HBEBCBBFDDCvEvEBBBJDBF1C1CeBB-BqGqGECCoGPPrDIID2G2GBDBFBBC-K-KBNNxBBBJBBCpvQpvQBBBlxD2BBpDBB0rYBBHFB", false)),
    Me: () => new UnicodeRangeTable(decodeRanges("okBBB1xF-wB-wBBCBCCBsshBCB", false)),
    Mn: () => new UnicodeRangeTable(decodeRanges("gYvDB0IEBqIsBBCCCBCCBCCpCKBxBUBRmDmDBFBDFBDBBCDBkBffBZB8CKB7BIBKZZBCBCIBCCBCEBsBCB8BIBrBXBCfB4BCCFHBFEEBFBLBBe7B7BFDBJVVBbbDBB6BFFBFFBDDBBBEffBEEMBB6BFFBDBCBBFVVBXXBEBC7B7BDCCBCBJIIBMMBff+BNNzBEE4BCCBBBGCBCDBIBBMBBe7B7BDHHGBBVBBdBB6BBBFDBJVVBeepCIIBBBC7C7CDGBNHBjDDDBHBMGBqCBBcEC4BNBCEBCBBGKBCjBBKnDnDBCBCFBCBBDBBaBBFCBRDBODDBHHQgWgWBBBzdCBeBBfBBfBBhCBBCGBJDDBJBKuBuBBBBC2D2DBjBjB3DCBFBBKHHBBB8GBBD7B7BCGBCCCDHBHJBDxBxBBMBCeBDLBVDBxBCCBDBCGGpBIBNBBhBDBDBBCCB5BCCBEECCB7BHBDBB5ECBCMBCGBFHHEBBnG-BBxWMBFEEBKB--CCBuEhDhDBeBrRDBsDBB1udFFBIBhBBBxCBBxIEEFaaBGG4EBBbRBOnBnBBGBaKBvBCBxBDDBCBDBBoBkCkCBEBDBBDBBNJJwB0B0BCCBDBBGBBCrBrBBJJvHDDFx5Tx5TiXPBRPBuejHjH2EEBn0BCBCBBGDBpBCBFmFmFB+R+RBCBiCEB+JBBuCFBnCKByBDB8D3B3BBNBqBDDBLLBBByBDBDBBI+B+BBBBlBEBCHB-BNNB1B1BBHBLDBDgDgDBBBDCCBHHD+E+EEHBWBB6BBBEmBmBBFBEEBnCFBOECPBB2CHBDCBCYY1CFBCFFBCCBvHvHBCBHBBCBBcBB2CHBDCCBrDrDCDDBEBCmDmDCDDBCBCEBkIIBCBBhIBBCFFxEDBDBBFhBhBBIBpBFBDDBJKKBEBDCBvBMBCBBnGCCBBBCqGqGBFBCFBCzCzCBUBDGBCBBCBB7DFBECCBCCBFBCpCpCBEEC8K8KBMMB1B1BBDBGCCYmnFmnFHOBpmLLBECBhuCEB8BGB5gBgCgCBCByC5lT5lTBizEizEBsBBDWBhRCBSHBDGBfDB1ECB89B2BBFxBBJPPXEBCOBxqBGBCQBDGBCBBCEBlDhFhFBFB4L+B+BBCB9PDB-HBB0HDDIBBG7O7OBFBuDGB29lYvHB", false)),
    N: () => new UnicodeRangeTable(decodeRanges("wBJB5DBBGDDBBBitBJBnEJBnGJB9MJB3DJBFFBtDJB3DJB3DJBDFBvDMB0DJBJGBoDJBpDGBISBuDJBhDJB3DJBnCTBtIJBnCJBwWTBybCBwHJBHJBXJBtJJBhEKBmFJBHJB3FJB3CJBnEJBHJB3gBEEBEBHJBnGyBBDEB3W7BBvCVB3TdBqrBqYqYaIBPCB4KDBrEJBfHBCOBhBJBoBOBh7cJB9FJBhKFB7EJBnBJBnGJBXJB3CJB3MJB34UJBuPsBBN4BBSBB2KaBlBDBeJJnEEBrGJBvdHBaGBoBIBsCEBXFBhFBBDPBDtBBhCIB1BBBfCBsCEBpDHBZHBqBGBrKFBxBJBHJB3IeB-EJBrBDBxDGBnEdBhEJB9BJBxEJBITB8HJB3KJB3DJB3LJBnDJBHTBtCLBlNSB+CJB3UJB3CcBkHJBnCJB3BJBnLJBnDUBshBuDBimPJBnpCJB3CJBnEJBCGBvQJBnIWB+KCB6nXJBnuBTBNTBtDYB2iBxBBhqCJBnNJB3PJB4HJBtWIBhEJB4Y6BBCCBCDBtCsBBCOBjeMBk3CJB", false)),
    Nd: () => new UnicodeRangeTable(decodeRanges("wBJnxBJnEJnGJ9MJ3DJ3DJ3DJ3DJ3DJ3DJ3DJ3DJ3DJhDJ3DJnCJ3IJnCJn6BJnBJtJJhEJnFJHJ3FJ3CJnEJHJnuiBJnVJnBJnGJXJ3CJ3MJ34UJnsBJnkCJHJ9YJhEJ9BJxEJ3IJ3KJ3DJ3LJnDJHTtCJnNJnDJ3UJ3CJ3HJnCJ3BJnLJ3uQJnpCJ3CJnEJ3QJ37XJ12CxBhqCJnNJ3PJ4HJ2aJ30EJ", true)),
    Nl: () => new UnicodeRangeTable(decodeRanges("u3FCBwzCiBBDDB-zDaaBHBPCBs1dJBxyW0BBtOJJnEEBrhIuDBm8SCB", false)),
    No: () => new UnicodeRangeTable(decodeRanges("yFBBGDDBBB2pCFB5LFB5DCBmEGB6GGBSIByNJB2hBTB0jBJBhP20B20BEFBHJBnGPBqB3W3WB6BBvCVB3TdBqrB1kB1kBBCBrEJBfHBCOBhBJBoBOBxrdFBymWsBBiCDBSBB2KaBlBDB1pBHBaGBoBIBsCEBXFBhFBBDPBDtBBhCIB1BBBfCBsCEBpDHBZHBqBGBrKFBhLeB-EJBrBDBxDGBnETB8LTBmqBBBvNIBobSB0aUBn8SGB-YWBqhZTBNTBtDYBvqFIBid6BBCCBCDBtCsBBCOBjeMB", false)),
    P: () => new UnicodeRangeTable(decodeRanges("hBCBCFBCDBLBBEBBbCBCccCkBkBGEELBBEEE-VJJzOFBqBBB0BCCDDDtBBBVBBCBBOCCBBBrCDBnDsBsBBMBqHCB3BOBgBmImIBLLtE5D5D6DnMnMNwLwL7CLLBpFpFBNBCmBmBBCBoCrCrCBDBFBBwDFBsFlTlTBHB4EuTuTtBBBvCCBoCBB+ECBCCBmBKB6JBB5GBBhEGBCFBhFBBLGBdCB9DDB8BEB-BBBhCHBM9Z9ZBWBJTBCMBCLBfBBPBB6TDBeBB+hBNBwCBBgBJB0MVBgCDBhBBB8XDBCBBxDwEwEBtBBCfBDLBkNCBFJBDLBRNNjD7C7CjgdBBuICBkDLL0DFB9LDB3CBBpBCBCyByBBwBwBiDMBRBB9DDB-DBBRBB6HzqUzqUBxGxGBIBXiBBCNBCFFCBB2ECBCFBCDBLBBEBBbCBCccCCCBFB7MCB9UxBxB-MoXoXoGgBgBxIIBnBxDxDBFBjCGB6CDByO-J-JjBlElEBDBtBDB+FGBuDBBCDB-DDBxBBBwCDBFOOCCB5CFBsDrJrJBCCBzDzDBDBLBBCpDpD7HWBqDCBdMBtCjEjEBBB9HpIpIBBB8E9C9CBGB0CCBCEB+CJB4GgDgDBDBrBBBmUBBrCMBwFxjBxjBBDB97CBB8zOBBmEiCiCBDBJpRpRBBBoJDBoK9lT9lTovHEB07C-a-aBAB", false)),
    Pc: () => new UnicodeRangeTable(decodeRanges("-Cg-Hg-HBUU-u3BBBZCBwHAB", false)),
    Pd: () => new UnicodeRangeTable(decodeRanges("tB9qB9qB0BiyDiyDmgBqgCqgCBEBiwDDDgBBBFdd-NUUwDxszBxszBBmBmBLqFqFhzD-J-J", false)),
    Pe: () => new UnicodeRangeTable(decodeRanges("pB0B0BgB+1D+1DC-6B-6BqtC4B4BQ7T7TCff-hBMCxChBhBCGC1MUChCCCiBmhBmhBCECtBGCtNICEGCDBB-ozB6G6GeOCESSCCCrF0B0BgBGD", false)),
    Pf: () => new UnicodeRangeTable(decodeRanges("7F+6H+6HEddpuDCCFDDQEE", false)),
    Pi: () => new UnicodeRangeTable(decodeRanges("rFt7Ht7HDBBDaapuDCCFDDQEE", false)),
    Po: () => new UnicodeRangeTable(decodeRanges("hBCBCCBDECBLLBEEBcclCGGPBBI-V-VJzOzOBEBqB3B3BDDDtBBBVBBCBBOCCBBBrCDBnDsBsBBMBqHCB3BOBgBmImIBLLtE5D5D6DnMnMNwLwL7CLLBpFpFBNBCxDxDrCEBFBBwDFBsFlTlTBHBmY9D9DBBBoCBB+ECBCCBmBFBCDB6JBB5GBBhEGBCFBhFBBLGBdCB9DDB8BEB-BBBhCHBMjajaBJJBGBJIBDDBDCBEKBCCCBIB7kDDBCBBxDwEwEBFFBBBDDDBHBCBBCDDBLLBDBCJBDDBCCCBLBDCBtNCB6B+F+FjgdBBuICBkDLL0DFB9LDB3CBBpBCBCyByBBwBwBiDMBRBB9DDB-DBBRBB6HlxUlxUBFBDXXVBBDDBECBCDBICBHCCB2E2EBBBCCBDECBLLBEEBcclBDDB7M7MBBB9UxBxB-MoXoXoGgBgBxIIBnBxDxDBFBjCGB6CDB0ZlElEBDBtBDB+FGBuDBBCDB-DDBxBBBwCDBFOOCCB5CFBsDrJrJBCCBzDzDBDBLBBCpDpD7HWBqDCBdMBtCjEjEBBB9HpIpIBBB8E9C9CBGB0CCBCEB+CJB4GgDgDBDBrBBBmUBBrCMBwFxjBxjBBDB97CBB8zOBBmEiCiCBDBJpRpRBBBoJDBoK9lT9lTovHEB07C-a-aBAB", false)),
    Ps: () => new UnicodeRangeTable(decodeRanges("oBzBzBgB-1D-1DC-6B-6B-rCEEnB4B4BQ7T7TCff-hBMCxChBhBCGC1MUChCCCiBmhBmhBCECaTTCECtNICEGCDipzBipzB4GeeCMCESSCCCrFzBzBgBEEDAB", false)),
    S: () => new UnicodeRangeTable(decodeRanges("kBHHRCBgBCCcCCkBEBCBBDCCBCBDEEfgBgBrODBNNBGGBCCCBPB2DPPBxDxDsErIrIBBB3DCBDDDBvGvGLUUB4H4HIBBpEqLqLBHHB2H2H-DjEjEBGBlEwGwGqBmGmGiGCBQCCBBBDFBVECmEHBCFBCBBGDBmGBBxXJB0WuLuLlL+E+EBgBBiLJBKIBhiBCCBBBMCBOCBOCBOBBmCOOoBCBOCBUhBB-BBBCDBCBBLCCBBBGFBCECFMMBFFBDBGDBC7B7BBFFB2LBFcBD+HBXKByCtCBXnTBtBwBBDeBLyMBX+BBFfBD1LBDpEBmHFBmLBBvBZBC4CBN1GBbPBFOOBNNWBBHBB8CBB0HBBFJBhBlBBKRRBdBMdBJQQBeBLmBBQ-JBhuG-BBx0V2BB6RWBKBBoDBB+EDBLDB+RCBiHPPB+9T+9TpEgBBuLPBhCBB3BHBtBDBjDCCBBBD7E7EHRRBBBgBCCcCCiEGBCGBOBB6JIB6BQBDCBCMBEwBwBBrBB7zBBBwSmWmWBiKiKBGBnjC2kC2kCBbBr6SDBG3qU3qUk7DvHBLCBEzNBHWBQQBgDzDB9B1HBLmBBD7BBGCBXBBIdBF8BBWhCBE7F7FB1CBrbaagBaagBaagBaagBaa9B-PB4BDBzBHBCNBCBBp2BwNwNttCEE+DiOiOBvIvIBqBBFjDBNOBDOBCOBCkBBYgFB5BcBOrBBFIBIBBPFB7E4eBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBBPIBoB3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBC7CBLAB", false)),
    Sc: () => new UnicodeRangeTable(decodeRanges("kB+D+DBCBqnB8D8DzPBBzPBBI2H2HoImSmS8sClmClmCBgBB37hBkuVkuVtD7E7E8GBBEBB3-HDB-4wBxtCxtC", false)),
    Sk: () => new UnicodeRangeTable(decodeRanges("+CCCoCHHFEEqQDBNNBGGBCCCBPB2DPPBjoBjoB15FCCBBBMCBOCBOCBOBB9kEBBkzdWBKBBoDBBxePPBniUniUBPB8bCCjF4g9B4g9BBDB", false)),
    Sm: () => new UnicodeRangeTable(decodeRanges("rBRRBBB+BCCuBFFmBgBgB-XwQwQBBB8xGOOoBCBOCBsEoBoBBDBHlClCBDBGBBFGDIgBgBBDDCgBgBBqIBhBBB7CffBXBpBFB2OKK3BHBwDxKxKBDBDeBLPBhIiEBX+BBFfBDhIBxBUBDFB9+zB5Z5ZCCBlFRRBBB+BCCkEHHBCBitDBBhrwBx+Bx+BagBgBagBgBagBgBagBgBat5Ft5FB-uC-uCBHB", false)),
    So: () => new UnicodeRangeTable(decodeRanges("mFDDFCCyerIrIBgEgEBvGvGLUUB4H4HkQ2L2LjEFBClElEwGqBqBoMCBQCCBBBDFBVECmEHBCFBCBBGDBmGBBxXJB0WzWzW+EhBBiLJBKIBksBBBCDBCBBLCCBHHBEBCECFMMBPPCBBC7B7BBKKBDBDDBCBBCBBCGBCeBDBBCCCBdBtIHBFTBDGBDwCBCdBanBBHnCBXKByCtCBX2FBCIBC1BBJuDBC3HBtBrBBhC-HBhQvBBWBBHmBBDpEBmHFBmLBBvBZBC4CBN1GBbPBFOOBNNWBBHBBxKBBFJBhBlBBKRRBdBMdBJQQBeBLmBBQ-JBhuG-BBx0V2BBibDBLBBC+R+RBBBqqUPBuLPBhCBB3BHBuBCBlPEEFBBOBB6JIB6BQBDCBCMBEwBwBBrBB7zBBBwSpgBpgBBGBnjC2kC2kCBGBFQBr6SDBG3qU3qUk7DvHBLCBEzNBHWBQPBhDzDB9B1HBLmBBD7BBGCBXBBIdBF8BBWhCBE7F7FB1CBqlB-PB4BDBzBHBCNBCBBp2B96C96CiEyWyWBqBBFjDBNOBDOBCOBCkBBYgFB5BcBOrBBFIBIBBPFB7E6HBG4WBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBB-B3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBC7CBLAB", false)),
    Z: () => new UnicodeRangeTable(decodeRanges("gBgEgEgvFgsCgsCBJBeBBGwBwBh9DAB", false)),
    Zl: () => new UnicodeRangeTable(decodeRanges("ohIA", true)),
    Zp: () => new UnicodeRangeTable(decodeRanges("phIA", true)),
    Zs: () => new UnicodeRangeTable(decodeRanges("gBgEgEgvFgsCgsCBJBlBwBwBh9DAB", false)),
    ASCII_Hex_Digit: () => new UnicodeRangeTable(decodeRanges("wBJIFbF", true)),
    Alphabetic: () => new UnicodeRangeTable(decodeRanges("hCZBHZBwBLLFGGBVBCeBCpOBFLBPEBICC3CeeBQBCBBDDBCHHCCBCCCBSBCyCBCqEBJlFBClBBDHHBnBBoBNBCCCBCCBCCJaBFDBeKBG3BBCGBPlDBCHBFHBFCBLCBDRRBuBBOkDBZgBBKBBFGGBWBDSBUYBIKBGXBCGBIJJBoBBLLBEGBHrCBCPBCCBFOBOSBCHBDBBDVBCGBCEEBCBEHBDBBDBBCJJFBBCEBNBBLFFBBBCFBFBBDVBCGBCBBCBBCBBFEBFBBDBBFIIBCBCSSBEBMCBCIBCCBCVBCGBCBBCEBEIBCCBCBBEQQBCBWDBFCBCHBDBBDVBCGBCBBCEBEHBDBBDBBKBBFBBCEBORRBCCBEBECBCDBEBBCCCBEEBEEBBBELBFEBECBCCBEHHpBMBCCBCWBCPBEHBCCBCCBJBBCCBCBBDDBdDBCHBCCBCWBCJBCEBEHBCCBCCBJBBGCBCDBOCBNMBCCBCoBBDHBCCBCCBCGGBCBIEBXFBCCBCRBEXBCIBCDDBFBJFBCCCBGBTBBO5BBGGBH0B0BBECBDBCXBCCCBRBCCBDEBCHHPDBhBgCgCBGBCjBBFSBFPBCjBBkC2BBCDDBDBR-BBLDBDlBBCGGDqBBCsKBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBmBPBR1CBDFBErTBDQBCZBGqCBEKBITBMUBNTBNMBCCBCBBNzBBDSBPFFkC4CBIqBBGlCBLeBCLBFIBYdBDEBMrBBFZB3BbBF+BBDTBzBYYBMMBBByBzBBCOBCHB0BpBBDDBLrBBCKBP2BBXCBLjBBDKBGqBBDCBqBDBCFBCBBEGGB+FBUhBBM1IBDFBDlBBDFBDHBCGCBdBD0BBCGBCEEBBBCGBEDBDFBFMBGCBCGB1DOORMBmDFFDJBCEEBDBHGCBCBCKBDDBGEBFSSBnBBuZzBB34BkHBHDBEBBNlBBCGGD3BBIRRBVBKGBCGBCGBCGBCGBCGBCGBCGBCfBwB2O2OBBBaIBIEBDEBF1CBHCBC5CBCDBGqBBC9CBSfBxBPBhQ-tGBhCs0VBkCtBBDsIBEPBLBBVuBBGHBEwDBoBIBDmDBDxCBVUBCgBBZzBBNjCBCtBtBBEBECCBBBLgBBGiBBOcBEyBBCLBQRRBOBLEBC2BBKNBTWBEkCBCCCZCBDPBDDBMFBDFBDFBKGBCGBCqBBCNBH6DBWj9KBNWBFwBBloItLBDpDBnBGBNEBGLBCMBCEBCCCBCCBCCBqDBiBqLBT-BBD1BBpBLB1DEBCmEBlBZBHZBM4CBEFBDFBDFBDCBkBLBCZBCSBCBBCOBDNBjB6DBmC0BBsIcBEwBBwBfBOdBGqBBGdBDjBBFHBCEBrB9EBTjBBFjBBFnBBJzBBNKBCOBCGBCBBCKBCOBCGBCBBEzBBN2JBKVBLHBZFBCpBBCIBmCFBDCCBqBBCBBEDDBVBLWBKeBiCSBCBBLVBLZBHZBnB3BBHBBhCDBCBBGHBCCBCcBrBcBEcBkBHBCbBc1BBLVBLSBORBvDoCB4ByBBOyBBOnBBjBbBEGGBVB7HpBBCBBEBBRFBzBCBEcBLJJBUBrBRBvBUBcWBKlCBsBEBL4BBKOOBXBYyBBSDBJiBBEKKB+BBCDBKBBLCCkBRBChBBDHHBCB-BGBCCCBCBCOBCJBI4BBYDBCHBDBBDVBCGBCBBCEBEHBDBBDBBEHHGGBdJBCDDClBBCJBCDDCDBCBBECCtBhCBCCBCDBVCBfhCBDBBC5F5FB0BBDGBaFBjB+BBCEE8B1BBDoCoCBZBDNBWGB6F4BBoD-BBgBHBDDDBGBCBBCdBCBBDBBDDB+CHBDtBBDFBCCCBccBxBBDJBSnCBGTTBnCBoDHB5CgBBgBIBCsBBCGBCyByBBcBDVBCNBqCGBCBBCrBBECCBCCBBBCDDBZZBEBCBBCkBBCBBCDBCYYBqBBlIWBKQBCoBBECBwDwCwCB4cBnDuDBSjGBtyCgDBQvhBBSFBa68DBGmSB61GuBBy2B4RBIeBSuCBSdBTvBBRDBgBUBGSBxNsBB0G-BBhBYBDYBtBqCBF4BBIQBhCBBCNNBFBK1mHBqBfBiDyDB+vIDBCGBCBBCiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBFi7Fi7FBzCBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDYBCYBCeBCYBCeBCYBCeBCYBCeBCYBCHB15BeBHFB2GGBCQBDGBCBBCEBG9BBiBxDxDBrBBLGBRiKiKBcBTrBBlPbBlHdBDwGwGBdBCVBJBBhHGBCDBCBBCOBCkGB8BjCBEEE1lBDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1TZBHZBHZB3zD-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    Dash: () => new UnicodeRangeTable(decodeRanges("tB9qB9qB0BiyDiyDmgBqgCqgCBEB+BoBoBQnMnMlgDDDgBBBFdd-NUUwDxszBxszBBmBmBLqFqFhzD-J-J", false)),
    Emoji: () => new UnicodeRangeTable(decodeRanges("jBHHGJBwDFFu8HNN5GXX7CFBQBBwLBBNnFnFaKBFCBoGoHoHBLLK7B7BBCBCEBKGDBDDFDDCBBDIEBJJBBBGCCGLBMBBDCCBCCTDDBTTBEBCCCBEEBGGDBBFBBMBBGBBDGGBECBVVBGGBEBCDBDFFDDDBEBCDDCCCHEEHLLBQQDFFCFFBBBCMMBxBxBBBBKeP1LBBwOCBUBB0BFF7mBNN6SCCrrvDrGrGhFBBNBBPDDBIBsCZBCBBYVVDIBWBBvFhBBDvDBDBBCCBDyCBDCBCmIBC+BBMFBCXBIBBDHBNDDBCBDFFBOOBDDJBBKGGBBBNCBJCBDCCFHHEHHB0CBxBlCBGHBDDBEJBECCBEEDJBkHLBF8I8IBtBBCJBC4FBxDMBEKBE4BBCFFBOBDLBFJB", false)),
    Emoji_Component: () => new UnicodeRangeTable(decodeRanges("jBHHGJB0+H2G2Gsp3B3+8B3+8BBYB8PEBxtBDBtzhY-CB", false)),
    Emoji_Modifier: () => new UnicodeRangeTable(decodeRanges("7-8DE", true)),
    Emoji_Modifier_Base: () => new UnicodeRangeTable(decodeRanges("9wJ8G8GRDB4jzD9B9BBBBDDDBBB2DBBDKBWSBEFFBBBCCBICCZqGqGBFFWFFBvFvFBBBEEB0CRRBBBKMMgSDDJHBHKKBIBDCB5B+B+BBCCBCCSCBCMBmHCBrBIB", false)),
    Emoji_Presentation: () => new UnicodeRangeTable(decodeRanges("64IBBuGDBEDDqQBBWBBzBLBsBUUOJJBSSBGGBJJGWWIBBCFFDIIFBBdkBkBCFFBBBC+B+BBBBZPP8aBB0BFFvlxDrGrG-FDDBIBsCZBCZZVDDBDBCCBWBBvFgBBNIBClCBCVBNqBBFEBNQBEEEBlCBCCCB5FBD+BBODBCXBTbbBOO3C0CBxBlCBHEEBBBDDBEDBMBBIIBkHLBF8I8IBtBBCJBC4FBxDMBEKBE4BBCFFBOBDLBFJB", false)),
    Extended_Pictographic: () => new UnicodeRangeTable(decodeRanges("pFFFu8HNN5GXX7CFBQBBwLBBNnFnFaKBFCBoGoHoHBLLK7B7BBCBCEBKGDBDDFDDCBBDIEBJJBBBGCCGLBMBBDCCBCCTDDBTTBEBCCCBEEBGGDBBFBBMBBGBBDGGBECBVVBGGBEBCDBDFFDDDBEBCDDCCCHEEHLLBQQDFFCFFBBBCMMBxBxBBBBKeP1LBBwOCBUBB0BFF7mBNN6SCCrrvDoBoBBCBlDLBQBBQPPBmBmBBIBxDBBNBBPDDBIBU3BBcOBLVVDIBCDBKWBH7FBDvDBDBBCCBDyCBDCBCDBG9HBC+BBMFBCXBIBBDHBNDDBCBDFFBOOBDDJBBKGGBBBNCBJCBDCCFHHEHHB0CBxBlCBGHBDQBECCBEBDMB7GlBBNDB5BHBLFBpBHBfBBNDBDNBKmBBNuBBCJBC4FB5CHBPxEBhI9fB", false)),
    Hex_Digit: () => new UnicodeRangeTable(decodeRanges("wBJIFbFq1-BJIFbF", true)),
    Lowercase: () => new UnicodeRangeTable(decodeRanges("hDZBwBLLFlBlBBWBCHBC2BCBQCBuBCDECBBBDCCDEEBFFDEEBBBDDDCCCDCCBCCDEECDDBDDBBBHGDCOCBSCBDDCEEC4BCBFBDDDBCCFICBjCBDiBBIBBfEBhDsBsBCEEDDBTccBhBBCBBECBCWCBDBCGDB0B0BBuBBCgBCK0BCDMCBgDCxBoBBo6CqBBCDB5XFBjkCIBC2D2DB+FBiC0ECBHBCgDCBHBJFBLHBJHBJFBLHBJHBJNBDHBJHBJHBJEBCBBHEEBBBCBBJDBDBBJHBLCBCBB6DOORMBuDEEBEEcKFDBBJDBFiBiBBOBFsasaBYBn6BvBBCEEBGCFCCBCCBGBEiDCBIICFFNlBBCGG0oesBCUaCBBBmEMCBBBC8BCBIBCCCDICFCCDCCBBBCSCGGGCMCFCCDOCWDBCCCBBB2ZqBBCNBHvCBh6TGBNEBqhBZBumBnBBpEjBB8EKBCOBCGBCBBkODDBBBCpBBCIBmoByBB+DVB75CfBhsVfB8BYBnqZZBbGBCRBbZBbDBCCCBFBCKBbZBbZBbZBbZBbZBbZBbZBbZBbbBdYBCFBbYBCFBbYBCFBbYBCFBbYBCFBC15B15BBIBCTBHFBmI9BB1lChBB", false)),
    Math: () => new UnicodeRangeTable(decodeRanges("rBRRBBBgBeeCuBuBFmBmBgB5W5WBBBDbbBDDBBBwQCBuwGccBBBMEEOPPBCBWEBMEBiCMBFEEBFFBDBTFFDJBCDDBEBHEEBDDBCCBBBCFBENBClClCBWBCFBCBBFBBFfBCHHBPPBqIBJDBVBB7CffBZBCZZMGB+NBBNJBFFBFBBDBBEEBPCCDFBMHBGBB6BCCeDBKCBxK-BBhI-PBxBUBDFB9+zB4Z4ZBEBCjFjFRCBeCCeCCkEHHBCBitDBBhrwBwoBwoBBzCBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDjJBDxBBhwFDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1BBB-uCIB", false)),
    Quotation_Mark: () => new UnicodeRangeTable(decodeRanges("iBFFkEQQ96HHBaBBowDqOqOBCBOCBixzBDB+FFF7CBB", false)),
    Terminal_Punctuation: () => new UnicodeRangeTable(decodeRanges("hBLLCMMBEE-ZJJiQ6B6BpCPPCCB1FsBsBBJBCsHsHB3B3BBEBCHBgBmImIB1nB1nBBtFtFFFB4JBB2YHBmY9D9DBBBoCBB+ECBEoBoBBCBDBB7JBBjLDBjFBBLBBCCBeCB8FEB-BBBldYYBKKBBBwlDCBzJOOFLLCBBEBBtNBB8ndBBuICBkHEB-LBB3CBBgD4E4EBBB0ECBgERRB6H6HnxUDDB6B6BBBBCDBqFLLCMMBEEiCDD7hBxBxBnkBoGoG3JBB5EFBlCFB6CDB5dEBtBDB+FGBxDDBgECBiEBBHRRB5C5CBDBtDrJrJB2D2DBBBNBBnLDBEOBqDBB6HCBmQCC8HBB4CBBFBB-MCBuBmUmUBrCrCBspBspBBDB6vRBBmEiCiCBBBLqRqRBoJoJBnwTnwTovHDB", false)),
    Uppercase: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiB2BCDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIJDCMCDQCDDDCCBC4BCIBBCBBDCCBCBCGCiJCCEJJHCCBBBCCCBCCBPBCIBkBDDBBBEWCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBpCDBNDBNDBNEBMDBnIFFECBDCBDEEBDBHGCBCBDDBLBBGbbBOBUzZzZBYBx5BvBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoqZZBbZBbZBbCCBGDBDDBCBCHBbZBbBBCDBDHBCGBcBBCDBCEBCEEBFBcZBbZBbZBbZBbZBbZBfYBiBYBiBYBiBYBiBYBiB2pE2pEBgBBvgCZBHZBHZB", false)),
    White_Space: () => new UnicodeRangeTable(decodeRanges("JEBTlDlDbgvFgvFgsCKBeBBGwBwBh9DAB", false))
  });
  static SCRIPTS = new LazyMap({
    Adlam: () => new UnicodeRangeTable(decodeRanges("go6DrCFJFB", true)),
    Ahom: () => new UnicodeRangeTable(decodeRanges("g4lCaDOFW", true)),
    Anatolian_Hieroglyphs: () => new UnicodeRangeTable(decodeRanges("ggxCmS", true)),
    Arabic: () => new UnicodeRangeTable(decodeRanges("gwBEBCFBCNBCCBCfBCJBMZBCrDBChBBxCvBBxHhBBGqCBCcBxy8BtPBDvEBhBPBxDEBCmEBk7DeBkCFBJIBiBFBh43BDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1BBB", false)),
    Armenian: () => new UnicodeRangeTable(decodeRanges("xpBlBDxBDCks9BE", true)),
    Avestan: () => new UnicodeRangeTable(decodeRanges("g4iC1BEG", true)),
    Balinese: () => new UnicodeRangeTable(decodeRanges("g4GsCCxB", true)),
    Bamum: () => new UnicodeRangeTable(decodeRanges("g1pB3CpowB4R", true)),
    Bassa_Vah: () => new UnicodeRangeTable(decodeRanges("w26CdDF", true)),
    Batak: () => new UnicodeRangeTable(decodeRanges("g+GzBJD", true)),
    Bengali: () => new UnicodeRangeTable(decodeRanges("gsCDBCHBDBBDVBCGBCEEBCBDIBDBBDDBJFFBCCBDBDYB", false)),
    Beria_Erfe: () => new UnicodeRangeTable(decodeRanges("g17CYDY", true)),
    Bhaiksuki: () => new UnicodeRangeTable(decodeRanges("ggnCICsBCNLc", true)),
    Bopomofo: () => new UnicodeRangeTable(decodeRanges("qXB6wLqBxDf", true)),
    Brahmi: () => new UnicodeRangeTable(decodeRanges("ggkCtCFjBKA", true)),
    Braille: () => new UnicodeRangeTable(decodeRanges("ggK-H", true)),
    Buginese: () => new UnicodeRangeTable(decodeRanges("gwGbDB", true)),
    Buhid: () => new UnicodeRangeTable(decodeRanges("g6FT", true)),
    Canadian_Aboriginal: () => new UnicodeRangeTable(decodeRanges("ggF-TxRlC7tgCP", true)),
    Carian: () => new UnicodeRangeTable(decodeRanges("g1gCwB", true)),
    Caucasian_Albanian: () => new UnicodeRangeTable(decodeRanges("wphCzBMA", true)),
    Chakma: () => new UnicodeRangeTable(decodeRanges("gokC0BCR", true)),
    Cham: () => new UnicodeRangeTable(decodeRanges("gwqB2BKNDJDD", true)),
    Cherokee: () => new UnicodeRangeTable(decodeRanges("g9E1CDFz7lBvC", true)),
    Chorasmian: () => new UnicodeRangeTable(decodeRanges("w9jCb", true)),
    Common: () => new UnicodeRangeTable(decodeRanges("AgCBbFBbuBBCOBCEBYgBgBiOmBBGEBDTB1DKKHCC+THHPEEhB9E9ElQiEiEB6mB6mB2MDBjJwvBwvBBBBoCBBsGBBCumBumBOIIBCBCFBCCBDmYmYBKBD2CBCKBEKBCOBShBB-BlBBCCBDFBCaBCQBqBCBF5UBXKBW-cBhIzTBDpEBhQ9CBzMUBCCCBXBQHBFDB8CBBE7C7CB0E0EBOBhBlBBKxBxBB+BBgBwCBwB5C5CBmFBhuG-BBhoWhBBnDCBmFJB1HhFhFsMPPBzuUzuUBxGxGBIBXiBBCSBCDB0ECCBeBbFBbKBLuBuBBhChCBFBCGBLEBjICBFsBBEIBxCMB0BsBBlHaBltuBDB96D8HBEzNBHWBQQBgDzDB9B1HBLmBBD9BBEQBJBBIdBF8BB2GTBNTBN2CBKYBoE0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDjJBDxBByjFjCBtC8BBjWrBBFjDBNOBDOBCOBCkBBLtFB5BZBCBBOrBBFIBIBBPFB7E4eBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBBPIBoB3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBCmDBnghYffB+CB", false)),
    Coptic: () => new UnicodeRangeTable(decodeRanges("ifNxkKzDGG", true)),
    Cuneiform: () => new UnicodeRangeTable(decodeRanges("ggoC5cnDuDCEMjG", true)),
    Cypriot: () => new UnicodeRangeTable(decodeRanges("ggiCFBDCCBqBBCBBEDD", false)),
    Cypro_Minoan: () => new UnicodeRangeTable(decodeRanges("w8rCiD", true)),
    Cyrillic: () => new UnicodeRangeTable(decodeRanges("ggBkEBDoFBx6FKBhFtCtCojEfBhie-CBv8VBBhw4B9BBiBAB", false)),
    Deseret: () => new UnicodeRangeTable(decodeRanges("gghCvC", true)),
    Devanagari: () => new UnicodeRangeTable(decodeRanges("goCwCFODZh7nBfhwcJ", true)),
    Dives_Akuru: () => new UnicodeRangeTable(decodeRanges("gomCGBDDDBGBCBBCdBCBBDLBKJB", false)),
    Dogra: () => new UnicodeRangeTable(decodeRanges("ggmC7B", true)),
    Duployan: () => new UnicodeRangeTable(decodeRanges("ggvDqDGMEIIJDD", true)),
    Egyptian_Hieroglyphs: () => new UnicodeRangeTable(decodeRanges("ggsC1iBL68D", true)),
    Elbasan: () => new UnicodeRangeTable(decodeRanges("gohCnB", true)),
    Elymaic: () => new UnicodeRangeTable(decodeRanges("g-jCW", true)),
    Ethiopic: () => new UnicodeRangeTable(decodeRanges("gwEoCBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBDfBEZBnvGWBKGBCGBCGBCGBCGBCGBCGBCGBjpfFBDFBDFBKGBCGBylvCGBCDBCBBCOB", false)),
    Garay: () => new UnicodeRangeTable(decodeRanges("gqjClBEcJB", true)),
    Georgian: () => new UnicodeRangeTable(decodeRanges("glElBBCGGDqBBCDBx8CqBBDCBhiElBBCGG", false)),
    Glagolitic: () => new UnicodeRangeTable(decodeRanges("ggL-Ch9sDGCQDGCBCE", true)),
    Gothic: () => new UnicodeRangeTable(decodeRanges("w5gCa", true)),
    Grantha: () => new UnicodeRangeTable(decodeRanges("g4kCDBCHBDBBDVBCGBCBBCEBDIBDBBDCBDHHGGBDGBEEB", false)),
    Greek: () => new UnicodeRangeTable(decodeRanges("wbDBCCBDDBCFFCCCBBBCCCBSBC+BBPPBnpGEBzBEBFEB1ChKhKBUBDFBDlBBDFBDHBCGCBdBD0BBCOBCNBDFBCSBDCBCIBoJ-xiB-xiB7uVuCBSgj0Bgj0BBkCB", false)),
    Gujarati: () => new UnicodeRangeTable(decodeRanges("h0CCBCIBCCBCVBCGBCBBCEBDJBCCBCCBDQQBCBDLBIGB", false)),
    Gunjala_Gondi: () => new UnicodeRangeTable(decodeRanges("grnCFCBCkBCBCFIJ", true)),
    Gurmukhi: () => new UnicodeRangeTable(decodeRanges("hwCCBCFBFBBDVBCGBCBBCBBCBBDCCBDBFBBDCBEIIBCBCIIBPB", false)),
    Gurung_Khema: () => new UnicodeRangeTable(decodeRanges("go4C5B", true)),
    Han: () => new UnicodeRangeTable(decodeRanges("g0LZBC4CBN1GBwBCCaIBPDBle-tGBhC-vUBhoWtLBDpDBpodBBNGBqgkB-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    Hangul: () => new UnicodeRangeTable(decodeRanges("goE-HvxHBiI9CyDeiCei3dckUj9KNWFwBl9JeEFDFDFDC", true)),
    Hanifi_Rohingya: () => new UnicodeRangeTable(decodeRanges("gojCnBJJ", true)),
    Hanunoo: () => new UnicodeRangeTable(decodeRanges("g5FU", true)),
    Hatran: () => new UnicodeRangeTable(decodeRanges("gniCSCBGE", true)),
    Hebrew: () => new UnicodeRangeTable(decodeRanges("xsB2BBJaBFFBpp9BZBCEBCCCBCCBCCBIB", false)),
    Hiragana: () => new UnicodeRangeTable(decodeRanges("hiM1CBHCBi7-C+IBTeeBBBulQAB", false)),
    Imperial_Aramaic: () => new UnicodeRangeTable(decodeRanges("giiCVCI", true)),
    Inherited: () => new UnicodeRangeTable(decodeRanges("gYvDB2IBBlOKBbhXhXBCB8qEtBBDLBlPCBCMBCGBFHHEBBnG-BBtQBBjGgBB65DDBsDBBmrzBPBRNBwejHjH7iEl+uBl+uBBsBBDWBhRCBSHBDGBfDBz6rYvHB", false)),
    Inscriptional_Pahlavi: () => new UnicodeRangeTable(decodeRanges("g7iCSGH", true)),
    Inscriptional_Parthian: () => new UnicodeRangeTable(decodeRanges("g6iCVDH", true)),
    Javanese: () => new UnicodeRangeTable(decodeRanges("gsqBtCDJFB", true)),
    Kaithi: () => new UnicodeRangeTable(decodeRanges("gkkCiCLA", true)),
    Kannada: () => new UnicodeRangeTable(decodeRanges("gkDMCCCWCJCEDICCCDIBGCCDDJCC", true)),
    Katakana: () => new UnicodeRangeTable(decodeRanges("hlM5CBDCBxHPBxGuBBC3CBvgzBJBCsBBzisBDBCGBCBBCgJgJBBBzBPPBCB", false)),
    Kawi: () => new UnicodeRangeTable(decodeRanges("g4nCQCoBEc", true)),
    Kayah_Li: () => new UnicodeRangeTable(decodeRanges("goqBtBCA", true)),
    Kharoshthi: () => new UnicodeRangeTable(decodeRanges("gwiCDCBGHCCCcDCFJII", true)),
    Khitan_Small_Script: () => new UnicodeRangeTable(decodeRanges("k-7C84G84GB0OBqBAB", false)),
    Khmer: () => new UnicodeRangeTable(decodeRanges("g8F9CDJHJnPf", true)),
    Khojki: () => new UnicodeRangeTable(decodeRanges("gwkCRCuB", true)),
    Khudawadi: () => new UnicodeRangeTable(decodeRanges("w1kC6BGJ", true)),
    Kirat_Rai: () => new UnicodeRangeTable(decodeRanges("gq7C5B", true)),
    Lao: () => new UnicodeRangeTable(decodeRanges("h0DBBCCCBDBCXBCCCBVBDEBCCCBFBCJBDDB", false)),
    Latin: () => new UnicodeRangeTable(decodeRanges("hCZBHZBwBQQGWBCeBCgOBoBEB8wGlBBHwBBGDBGMBClCBiC-HByLOORMBuEBBHccSoBB42CfBj1elDBExCBVOBxZqBBCIBCDB38TGB7gBZBHZBmhCFBCpBBCIBm61BeBHFB", false)),
    Lepcha: () => new UnicodeRangeTable(decodeRanges("ggH3BEOEC", true)),
    Limbu: () => new UnicodeRangeTable(decodeRanges("goGeBCLBFLBFEEBKB", false)),
    Linear_A: () => new UnicodeRangeTable(decodeRanges("gwhC2JKVLH", true)),
    Linear_B: () => new UnicodeRangeTable(decodeRanges("gggCLCZCSCBCODNjB6D", true)),
    Lisu: () => new UnicodeRangeTable(decodeRanges("wmpBvBx1eA", true)),
    Lycian: () => new UnicodeRangeTable(decodeRanges("g0gCc", true)),
    Lydian: () => new UnicodeRangeTable(decodeRanges("gpiCZGA", true)),
    Mahajani: () => new UnicodeRangeTable(decodeRanges("wqkCmB", true)),
    Makasar: () => new UnicodeRangeTable(decodeRanges("g3nCY", true)),
    Malayalam: () => new UnicodeRangeTable(decodeRanges("goDMCCCyBCCCFFPDZ", true)),
    Mandaic: () => new UnicodeRangeTable(decodeRanges("giCbDA", true)),
    Manichaean: () => new UnicodeRangeTable(decodeRanges("g2iCmBFL", true)),
    Marchen: () => new UnicodeRangeTable(decodeRanges("wjnCfDVCN", true)),
    Masaram_Gondi: () => new UnicodeRangeTable(decodeRanges("gonCGBCBBCrBBECCBCCBHBJJB", false)),
    Medefaidrin: () => new UnicodeRangeTable(decodeRanges("gy7C6C", true)),
    Meetei_Mayek: () => new UnicodeRangeTable(decodeRanges("g3qBWqGtBDJ", true)),
    Mende_Kikakui: () => new UnicodeRangeTable(decodeRanges("gg6DkGDP", true)),
    Meroitic_Cursive: () => new UnicodeRangeTable(decodeRanges("gtiCXFTDtB", true)),
    Meroitic_Hieroglyphs: () => new UnicodeRangeTable(decodeRanges("gsiCf", true)),
    Miao: () => new UnicodeRangeTable(decodeRanges("g47CqCF4BIQ", true)),
    Modi: () => new UnicodeRangeTable(decodeRanges("gwlCkCMJ", true)),
    Mongolian: () => new UnicodeRangeTable(decodeRanges("ggGBBDCCBSBH4CBIqBB2t-BMB", false)),
    Mro: () => new UnicodeRangeTable(decodeRanges("gy6CeCJFB", true)),
    Multani: () => new UnicodeRangeTable(decodeRanges("g0kCGBCCCBCBCOBCKB", false)),
    Myanmar: () => new UnicodeRangeTable(decodeRanges("ggE-EhqmBeiDfxibT", true)),
    Nabataean: () => new UnicodeRangeTable(decodeRanges("gkiCeJI", true)),
    Nag_Mundari: () => new UnicodeRangeTable(decodeRanges("wm5DpB", true)),
    Nandinagari: () => new UnicodeRangeTable(decodeRanges("gtmCHDtBDK", true)),
    New_Tai_Lue: () => new UnicodeRangeTable(decodeRanges("gsGrBFZHKEB", true)),
    Newa: () => new UnicodeRangeTable(decodeRanges("gglC7CCE", true)),
    Nko: () => new UnicodeRangeTable(decodeRanges("g+B6BDC", true)),
    Nushu: () => new UnicodeRangeTable(decodeRanges("h-7CvsQvsQBqMB", false)),
    Nyiakeng_Puachue_Hmong: () => new UnicodeRangeTable(decodeRanges("go4DsBENDJFB", true)),
    Ogham: () => new UnicodeRangeTable(decodeRanges("g0Fc", true)),
    Ol_Chiki: () => new UnicodeRangeTable(decodeRanges("wiHvB", true)),
    Ol_Onal: () => new UnicodeRangeTable(decodeRanges("wu5DqBFA", true)),
    Old_Hungarian: () => new UnicodeRangeTable(decodeRanges("gkjCyBOyBIF", true)),
    Old_Italic: () => new UnicodeRangeTable(decodeRanges("g4gCjBKC", true)),
    Old_North_Arabian: () => new UnicodeRangeTable(decodeRanges("g0iCf", true)),
    Old_Permic: () => new UnicodeRangeTable(decodeRanges("w6gCqB", true)),
    Old_Persian: () => new UnicodeRangeTable(decodeRanges("g9gCjBFN", true)),
    Old_Sogdian: () => new UnicodeRangeTable(decodeRanges("g4jCnB", true)),
    Old_South_Arabian: () => new UnicodeRangeTable(decodeRanges("gziCf", true)),
    Old_Turkic: () => new UnicodeRangeTable(decodeRanges("ggjCoC", true)),
    Old_Uyghur: () => new UnicodeRangeTable(decodeRanges("w7jCZ", true)),
    Oriya: () => new UnicodeRangeTable(decodeRanges("h4CCCHDBDVCGCBCEDIDBDCICFBCEDR", true)),
    Osage: () => new UnicodeRangeTable(decodeRanges("wlhCjBFjB", true)),
    Osmanya: () => new UnicodeRangeTable(decodeRanges("gkhCdDJ", true)),
    Pahawh_Hmong: () => new UnicodeRangeTable(decodeRanges("g46ClCLJCGCUGS", true)),
    Palmyrene: () => new UnicodeRangeTable(decodeRanges("gjiCf", true)),
    Pau_Cin_Hau: () => new UnicodeRangeTable(decodeRanges("g2mC4B", true)),
    Phags_Pa: () => new UnicodeRangeTable(decodeRanges("giqB3B", true)),
    Phoenician: () => new UnicodeRangeTable(decodeRanges("goiCbEA", true)),
    Psalter_Pahlavi: () => new UnicodeRangeTable(decodeRanges("g8iCRIDNG", true)),
    Rejang: () => new UnicodeRangeTable(decodeRanges("wpqBjBMA", true)),
    Runic: () => new UnicodeRangeTable(decodeRanges("g1FqCEK", true)),
    Samaritan: () => new UnicodeRangeTable(decodeRanges("ggCtBDO", true)),
    Saurashtra: () => new UnicodeRangeTable(decodeRanges("gkqBlCJL", true)),
    Sharada: () => new UnicodeRangeTable(decodeRanges("gskC-ChsCH", true)),
    Shavian: () => new UnicodeRangeTable(decodeRanges("wihCvB", true)),
    Siddham: () => new UnicodeRangeTable(decodeRanges("gslC1BDlB", true)),
    Sidetic: () => new UnicodeRangeTable(decodeRanges("gqiCZ", true)),
    SignWriting: () => new UnicodeRangeTable(decodeRanges("gg2DrUQECO", true)),
    Sinhala: () => new UnicodeRangeTable(decodeRanges("hsDCBCRBEXBCIBCDDBFBEFFBEBCCCBGBHJBDCBt-gCTB", false)),
    Sogdian: () => new UnicodeRangeTable(decodeRanges("w5jCpB", true)),
    Sora_Sompeng: () => new UnicodeRangeTable(decodeRanges("wmkCYIJ", true)),
    Soyombo: () => new UnicodeRangeTable(decodeRanges("wymCyC", true)),
    Sundanese: () => new UnicodeRangeTable(decodeRanges("g8G-BhIH", true)),
    Sunuwar: () => new UnicodeRangeTable(decodeRanges("g+mChBPJ", true)),
    Syloti_Nagri: () => new UnicodeRangeTable(decodeRanges("ggqBsB", true)),
    Syriac: () => new UnicodeRangeTable(decodeRanges("g4BNC7BDCxIK", true)),
    Tagalog: () => new UnicodeRangeTable(decodeRanges("g4FVKA", true)),
    Tagbanwa: () => new UnicodeRangeTable(decodeRanges("g7FMCCCB", true)),
    Tai_Le: () => new UnicodeRangeTable(decodeRanges("wqGdDE", true)),
    Tai_Tham: () => new UnicodeRangeTable(decodeRanges("gxG+BCcDKHJHN", true)),
    Tai_Viet: () => new UnicodeRangeTable(decodeRanges("g0qBiCZE", true)),
    Tai_Yo: () => new UnicodeRangeTable(decodeRanges("g25DeCVJB", true)),
    Takri: () => new UnicodeRangeTable(decodeRanges("g0lC5BHJ", true)),
    Tamil: () => new UnicodeRangeTable(decodeRanges("i8CBBCFBECBCDBEBBCCCBEEBEEBBBELBFEBECBCDBDHHPUBm+kCxBBOAB", false)),
    Tangsa: () => new UnicodeRangeTable(decodeRanges("wz6CuCCJ", true)),
    Tangut: () => new UnicodeRangeTable(decodeRanges("g-7CgBgBB+3GBhQeBiDyDB", false)),
    Telugu: () => new UnicodeRangeTable(decodeRanges("ggDMCCCWCPDICCCDIBCCCBDDDJII", true)),
    Thaana: () => new UnicodeRangeTable(decodeRanges("g8BxB", true)),
    Thai: () => new UnicodeRangeTable(decodeRanges("hwD5BGb", true)),
    Tibetan: () => new UnicodeRangeTable(decodeRanges("g4DnCCjBFmBCjBCOCGFB", true)),
    Tifinagh: () => new UnicodeRangeTable(decodeRanges("wpL3BIBPA", true)),
    Tirhuta: () => new UnicodeRangeTable(decodeRanges("gklCnCJJ", true)),
    Todhri: () => new UnicodeRangeTable(decodeRanges("guhCzB", true)),
    Tolong_Siki: () => new UnicodeRangeTable(decodeRanges("wtnCrBFJ", true)),
    Toto: () => new UnicodeRangeTable(decodeRanges("w04De", true)),
    Tulu_Tigalari: () => new UnicodeRangeTable(decodeRanges("g8kCJBCDDClBBCJBCDDCDBCJBCBBJBB", false)),
    Ugaritic: () => new UnicodeRangeTable(decodeRanges("g8gCdCA", true)),
    Unknown: () => new UnicodeRangeTable(decodeRanges("4bBBHDBICCVuMuMnBBBzBBBE4B4BBGBcDBHKBvI9B9BBmDmDBMB8BBByBBBQddBCCMEBjBEBuHJJBDDBXXICCBBBFBBKBBDBBFHBCDBDGGBaaBEEHDBDBBXIIDGDBCCGDBDBBECBCGBFCCBFBSJBEKKEXXIDDGBBLIEBCCBNBFBBNGBIEEJBBDBBXIIDGGBKKBDDBEEBFBEDBDGGBTTBIBDHHBBBEFFBBBDCCDCBDCBECBNDBGCBEFFBCCBEBCNBWEBOEEYRRBKKEFFBFBDEEDBBFBBLGBXEEYLLGBBKEEFGBDEBEFFBLLELBOEE0BEEHDBRBBbEETCBZKKCBBICBCDBHCCJFBLBBELB7BDBekBBDCCGZZCYYBGGCIILBBFfBpClBlBBCBoBlBlBQOOBjBBnGCCBDBCBB6LFFBIICFFBqBqBFBBiBFFBIICFFBQQ6BFFBkCkCBhBhBBBBbFB3CBBHBB+UCB6CGBXIBZIBVLBOEEDLB-CBBLFBLFBbFB6CGBsBEBnCJBgBNNBCBNDBCCBrBBBGKBtBDBbFBMCB-BBBiCeeBMMBEBLFBPBBvBBBNTBuCnFnFBGB9BCBQCB-BEBsBBBMHBsBEB3QBBHBBnBBBHBBJGCgBBB2BQQPBBHUUBEEKmDmDNBBcOOBBBjBNBiBOBtEDB7UVBMUB14BBB-LEBuBCCBDBCBB5BGBDNBZIBI4BI-DhBBb6C6CBKB3GZBxC3C3CBoDoDBDBsB-C-C3CIBxBuzcuzcBBB4BIB9KTB5FHB+GTB9BCBLFB5BHBnCHBNFB1DKBfCBvCMMBCBiB4B4BBHBPBBLBBoDXBdJBHBBHBBHIBIII9BDB-DBBLFBl9KLBYDByBjoIBvLBBrDlBBILBGEBbGGCGDrUfBrBFB0BUUFDBGoEoEBCC-FCBHBBHBBHBBECBIIIBIBGBBNbbUDDQBBPhBB8DEBEDBuBCB5COOBBBCuBBvBhEBeCByBOBdDBlBIBfEBsBEBfmBmBBCBPpBB-EBBLFBlBDBlBDBpBHB1BKBNQQIDDMQQIDDBBB1BLB4JIBXJBJXBHrBrBKkCBHBBCtBtBDCBCBBYpCpCBGBKvBBUDDBDBiBCBcEBclBB5BDBVBBzBDDBDBJEEeBBEDBLGBKGBhCfBoBDBNIB3BCBeBBcEBbGBFLBIvCBqC2BB0BMB0BGBvBHBLFBnBCBeHBDvGBgBrBrBEBBDPBHHBKgBBvBHBrBVBblBBdTBYIBvCDBlBIBlCJBCBBaGBLFB2BTTBGBoBIBhDVVBJBTwBwBB8BBICCFQQMFB8BEBLFBFJJBDDBXXIDDGLLBDDBEEBCCBEBCEBIBBICBGKBLCCBCCnBLLCBBCFFLDDBGBDcB9CGGBcBpCHBLlFB3BBBnBhBBmCKBLFBOSB7BFBLFBVbBcBBQDBY4FB9BjDB0CLBJBBCBBJDDfDDBNNBHBLlCBJBBvBBBMaBpCHB0CMBqCGBL1CBJ3CBjBNBLFBKuBuBPJBeCBhBBBXPPBnCBIDDtBCBCDDKHBLFBHDDmBDDHGBLFBtBDBL1HBaGBSqBqBBBBe0CBCOBzBMB8clDBwDGGBJBlGryCBkDMB3iBJB88DEBoS41GB7Bl2BB6RGBgBLLBCByCLLBEBfBBHJBnCJBLIIWEBUvNB7BlGB8CEBaBBarBBsCDB6BGBS-BBGKBIIB3mHoBBhBgDB0D8vIBFIIDkJkJBNBCcBEBBCNBFHBtMjoCBsDEBOCBKGBLBBJ76DB+HCB1NFBYOBSOBvBBBYIB1D7BB3HJBoBBBjGUBnC5DBVLBVLB4CIBamEB2CoCoCDBBCBBDBBFNNCIIiCFFBJJIddFGGCCBI1K1KBlJlJB-V-VBNBGQQBuiBBgBFBH0GBISSBIIDGGBDB-BgBBCvDBuBCBPBBLDBD-JBgBQB7BEBCvOBrB1GBsBDBC-FBgBXXBGBD-GBIFFDQQmGBBRoBBtCDBLDBDwYBlCrCB+BhGBFccDCCBCCLFFCCCBEBCDBCECEDDCBBCICDCCBFFIKFCLLSEBEGGSzBBDtIBtBDBlDLBQBBQQQmBJBvF3BBeMBtBDBKGBDNBH5EB6eCBSCBOCB7GFBNDBCOBNDB5BHBLFBpBHBfBBNDBDNBKmBB5KHBPBBOCBMCB6BCCBCBRBBNDBLGB0EoDoDBjgBBh3pBfB-oEBBv0FBBypHOBvThtCB-QhvBBs6EEBrpIm8yVBCdBhD-DBxHvw-FB", false)),
    Vai: () => new UnicodeRangeTable(decodeRanges("gopBrJ", true)),
    Vithkuqi: () => new UnicodeRangeTable(decodeRanges("wrhCKCOCGCBCKCOCGCB", true)),
    Wancho: () => new UnicodeRangeTable(decodeRanges("g24D5BGA", true)),
    Warang_Citi: () => new UnicodeRangeTable(decodeRanges("glmCyCNA", true)),
    Yezidi: () => new UnicodeRangeTable(decodeRanges("g0jCpBCCDB", true)),
    Yi: () => new UnicodeRangeTable(decodeRanges("ggoBskBE2B", true)),
    Zanabazar_Square: () => new UnicodeRangeTable(decodeRanges("gwmCnC", true))
  });
  static FOLD_CATEGORIES = new LazyMap({
    L: () => new UnicodeRangeTable(decodeRanges("laA", true)),
    LC: () => new UnicodeRangeTable(decodeRanges("laA", true)),
    Ll: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiBuBCEECDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIBBCBBCBBCOCDQCDBBCCCBBBC4BCIBBCBBDCCBCBCGC3HrBrBCEEJHHCCBCCCBCCBPBCIBkBJJCUCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBZHBJHBJHBJEBMEBMDBNEBMEBqJEEBHHxC9zC9zCBuBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoyehBB", false)),
    Lt: () => new UnicodeRangeTable(decodeRanges("kOCCBCCBCClBCCtsHHBJHBJHBMQQwBAB", false)),
    Lu: () => new UnicodeRangeTable(decodeRanges("hDZB7BqBqBBWBCHBCuBCEECDOCDsBCDECBBBDCCDEEGDDECBDDDCCCDFFDEECDDECCGBBCBBCBBCOCBSCDBBCEECkBCEQCJDDBCCFICBEBCBBCCCBEEBCCBCBCEBDCCBDDIDDCBBEFBGLLBnFnFsBCCEEEBBBvBDBCdBCBBECBCWCBDBCGD1BvBBCgBCK0BCDMCBgDCyBlBBq6CqBBDCB5XFBjkCIBCvHvHERRzD0ECGGGC8CCBHBJFBLHBJHBJFBMGCJHBJNBzBBBNSSBPPBEEpL2B2Bs1CvBBCEEBGCHDDLiDCJCCFNNBkBBCGG0oesBCUaCoEMCE8BCLCCDICFFFCBBDSCMOCFCCDOCb9a9advCBi8UZBumBnBBpEjBB8EKBCOBCGBCBBk4ByBB+DVB75CfBhsVfB8BYBvyehBB", false)),
    M: () => new UnicodeRangeTable(decodeRanges("5cgBgBlgHAB", false)),
    Mn: () => new UnicodeRangeTable(decodeRanges("5cgBgBlgHAB", false)),
    Emoji: () => new UnicodeRangeTable(decodeRanges("8mJA", true)),
    Extended_Pictographic: () => new UnicodeRangeTable(decodeRanges("8mJA", true)),
    Lowercase: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiBuBCEECDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIBBCBBCBBCOCDQCDBBCCCBBBC4BCIBBCBBDCCBCBCGCiJCCEJJHCCBBBCCCBCCBPBCIBkBJJCUCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBZHBJHBJHBJEBMEBMDBNEBMEBqJEEBHHuBPBUzZzZBYBx5BvBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoyehBB", false)),
    Math: () => new UnicodeRangeTable(decodeRanges("ycGDCHHFMMDDDCHHFAB", false)),
    Uppercase: () => new UnicodeRangeTable(decodeRanges("hDZB7BqBqBBWBCHBCuBCEECDOCDsBCDECBBBDCCDEEGDDECBDDDCCCDFFDEECDDECCGBBCBBCBBCOCBSCDBBCEECkBCEQCJDDBCCFICBEBCBBCCCBEEBCCBCBCEBDCCBDDIDDCBBEFBGLLBnFnFsBCCEEEBBBvBDBCdBCBBECBCWCBDBCGD1BvBBCgBCK0BCDMCBgDCyBlBBq6CqBBDCB5XFBjkCIBCvHvHERRzD0ECGGGC8CCBHBJFBLHBJHBJFBMGCJHBJNBzBBBNSSBPPBEEpLiBiBBOBFsasaBYBn6BvBBCEEBGCHDDLiDCJCCFNNBkBBCGG0oesBCUaCoEMCE8BCLCCDICFFFCBBDSCMOCFCCDOCb9a9advCBi8UZBumBnBBpEjBB8EKBCOBCGBCBBk4ByBB+DVB75CfBhsVfB8BYBvyehBB", false))
  });
  static FOLD_SCRIPT = new LazyMap({
    Common: () => new UnicodeRangeTable(decodeRanges("8cgBgB", false)),
    Greek: () => new UnicodeRangeTable(decodeRanges("1FwUwU", false)),
    Inherited: () => new UnicodeRangeTable(decodeRanges("5cgBgBlgHAB", false))
  });
};
var Unicode = class Unicode2 {
  static MAX_RUNE = 1114111;
  static RUNE_ERROR = 65533;
  static isUnsearchable(r) {
    return r === Unicode2.RUNE_ERROR || r >= Unicode2.MIN_HIGH_SURROGATE && r <= Unicode2.MAX_LOW_SURROGATE;
  }
  static MAX_ASCII = 127;
  static MAX_LATIN1 = 255;
  static MAX_BMP = 65535;
  static MIN_FOLD = 65;
  static MAX_FOLD = 125251;
  static MIN_HIGH_SURROGATE = 55296;
  static MAX_HIGH_SURROGATE = 56319;
  static MIN_LOW_SURROGATE = 56320;
  static MAX_LOW_SURROGATE = 57343;
  static MIN_SUPPLEMENTARY_CODE_POINT = 65536;
  static is32(ranges, r) {
    let lo = 0;
    let hi = ranges.length;
    while (lo < hi) {
      const m = lo + Math.floor((hi - lo) / 2);
      const rlo = ranges.getLo(m);
      const rhi = ranges.getHi(m);
      if (rlo <= r && r <= rhi) {
        const stride = ranges.getStride(m);
        return (r - rlo) % stride === 0;
      }
      if (r < rlo) hi = m;
      else lo = m + 1;
    }
    return false;
  }
  static is(ranges, r) {
    if (r <= Unicode2.MAX_LATIN1) {
      for (let i = 0; i < ranges.length; i++) {
        if (r > ranges.getHi(i)) continue;
        const rlo = ranges.getLo(i);
        if (r < rlo) return false;
        const stride = ranges.getStride(i);
        return (r - rlo) % stride === 0;
      }
      return false;
    }
    return ranges.length > 0 && r >= ranges.getLo(0) && Unicode2.is32(ranges, r);
  }
  static isPrint(r) {
    if (r <= Unicode2.MAX_LATIN1) return r >= 32 && r < Unicode2.MAX_ASCII || r >= 161 && r !== 173;
    return Unicode2.is(UnicodeTables.Print, r);
  }
  static simpleFold(r) {
    if (UnicodeTables.CASE_ORBIT.has(r)) return UnicodeTables.CASE_ORBIT.get(r);
    if (r <= Unicode2.MAX_ASCII) {
      const l = Codepoint.toLowerCase(r);
      return l !== r ? l : Codepoint.toUpperCase(r);
    }
    return r;
  }
  static equalsIgnoreCase(r1, r2) {
    if (r1 === r2) return true;
    if (r1 < 0 || r2 < 0) return false;
    if (r1 <= Unicode2.MAX_ASCII && r2 <= Unicode2.MAX_ASCII) {
      if (65 <= r1 && r1 <= 90) r1 |= 32;
      if (65 <= r2 && r2 <= 90) r2 |= 32;
      return r1 === r2;
    }
    for (let r = Unicode2.simpleFold(r1); r !== r1; r = Unicode2.simpleFold(r)) if (r === r2) return true;
    return false;
  }
};
var RE2JSException = class extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSException";
  }
};
var RE2JSSyntaxException = class extends RE2JSException {
  /**
  * @param {string} error
  * @param {string|null} [input=null]
  */
  constructor(error, input = null) {
    let message = `error parsing regexp: ${error}`;
    if (input) message += `: \`${input}\``;
    super(message);
    this.name = "RE2JSSyntaxException";
    this.message = message;
    this.error = error;
    this.input = input;
  }
  /**
  * Retrieves the description of the error.
  * @returns {string}
  */
  getDescription() {
    return this.error;
  }
  /**
  * Retrieves the erroneous regular-expression pattern.
  * @returns {string|null}
  */
  getPattern() {
    return this.input;
  }
};
var RE2JSCompileException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSCompileException";
  }
};
var RE2JSGroupException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSGroupException";
  }
};
var RE2JSFlagsException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSFlagsException";
  }
};
var RE2JSInternalException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSInternalException";
  }
};
var FAST_PATH_TABLE_SIZE = 256;
var WORD_RUNE_TABLE = new Uint8Array(FAST_PATH_TABLE_SIZE);
for (let i = 0; i < FAST_PATH_TABLE_SIZE; i++) WORD_RUNE_TABLE[i] = 97 <= i && i <= 122 || 65 <= i && i <= 90 || 48 <= i && i <= 57 || i === 95 ? 1 : 0;
var cachedNativeEncoder = null;
var cachedNativeDecoder = null;
var Utils = class Utils2 {
  static METACHARACTERS = "\\.+*?()|[]{}^$";
  static EMPTY_BEGIN_LINE = 1;
  static EMPTY_END_LINE = 2;
  static EMPTY_BEGIN_TEXT = 4;
  static EMPTY_END_TEXT = 8;
  static EMPTY_WORD_BOUNDARY = 16;
  static EMPTY_NO_WORD_BOUNDARY = 32;
  static EMPTY_ALL = -1;
  static emptyInts() {
    return [];
  }
  static isString(value) {
    return typeof value === "string" || Object.prototype.toString.call(value) === "[object String]";
  }
  static typeName(value) {
    if (value === null || typeof value !== "object" && typeof value !== "function") return value === null ? "null" : typeof value;
    return Object.prototype.toString.call(value).slice(8, -1);
  }
  static checkPattern(pattern) {
    if (!Utils2.isString(pattern)) throw new TypeError(`The pattern must be a string, not ${Utils2.typeName(pattern)} (RE2JS.translateRegExp() converts a RegExp)`);
  }
  static checkInput(input) {
    if (!Utils2.isString(input) && !Utils2.isByteArray(input)) throw new TypeError(`The input must be a string or a byte array (Uint8Array or number[]), not ${Utils2.typeName(input)}`);
  }
  static checkFlags(flags) {
    const known2 = PublicFlags.MULTILINE | PublicFlags.DOTALL | PublicFlags.CASE_INSENSITIVE | PublicFlags.DISABLE_UNICODE_GROUPS | PublicFlags.LONGEST_MATCH | PublicFlags.LOOKBEHINDS;
    if (!Number.isInteger(flags) || (flags & ~known2) !== 0) throw new RE2JSFlagsException("Flags should only be a combination of MULTILINE, DOTALL, CASE_INSENSITIVE, DISABLE_UNICODE_GROUPS, LONGEST_MATCH, LOOKBEHINDS");
  }
  static isByteArray(input) {
    return Array.isArray(input) || Object.prototype.toString.call(input) === "[object Uint8Array]";
  }
  static isalnum(c) {
    return Codepoint.CODES["0"] <= c && c <= Codepoint.CODES["9"] || Codepoint.CODES["a"] <= c && c <= Codepoint.CODES["z"] || Codepoint.CODES["A"] <= c && c <= Codepoint.CODES["Z"];
  }
  static unhex(c) {
    if (Codepoint.CODES["0"] <= c && c <= Codepoint.CODES["9"]) return c - Codepoint.CODES["0"];
    if (Codepoint.CODES["a"] <= c && c <= Codepoint.CODES["f"]) return c - Codepoint.CODES["a"] + 10;
    if (Codepoint.CODES["A"] <= c && c <= Codepoint.CODES["F"]) return c - Codepoint.CODES["A"] + 10;
    return -1;
  }
  static escapeRune(rune) {
    let out = "";
    if (Unicode.isPrint(rune)) {
      if (Utils2.METACHARACTERS.indexOf(String.fromCodePoint(rune)) >= 0) out += "\\";
      out += String.fromCodePoint(rune);
    } else switch (rune) {
      case Codepoint.CODES['"']:
        out += '\\"';
        break;
      case Codepoint.CODES["\\"]:
        out += "\\\\";
        break;
      case Codepoint.CODES["	"]:
        out += "\\t";
        break;
      case Codepoint.CODES["\n"]:
        out += "\\n";
        break;
      case Codepoint.CODES["\r"]:
        out += "\\r";
        break;
      case Codepoint.CODES["\b"]:
        out += "\\b";
        break;
      case Codepoint.CODES["\f"]:
        out += "\\f";
        break;
      default: {
        let s = rune.toString(16);
        if (rune < 256) {
          out += "\\x";
          if (s.length === 1) out += "0";
          out += s;
        } else out += `\\x{${s}}`;
        break;
      }
    }
    return out;
  }
  static stringToRunes(str) {
    const string2 = String(str);
    const runes = [];
    let i = 0;
    while (i < string2.length) {
      const cp = string2.codePointAt(i);
      runes.push(cp);
      i += cp > Unicode.MAX_BMP ? 2 : 1;
    }
    return new Int32Array(runes);
  }
  static runeToString(r) {
    return String.fromCodePoint(r);
  }
  static isWordRune(r) {
    return r < FAST_PATH_TABLE_SIZE ? WORD_RUNE_TABLE[r] === 1 : false;
  }
  static emptyOpContext(r1, r2) {
    let op = 0;
    if (r1 < 0) op |= Utils2.EMPTY_BEGIN_TEXT | Utils2.EMPTY_BEGIN_LINE;
    if (r1 === 10) op |= Utils2.EMPTY_BEGIN_LINE;
    if (r2 < 0) op |= Utils2.EMPTY_END_TEXT | Utils2.EMPTY_END_LINE;
    if (r2 === 10) op |= Utils2.EMPTY_END_LINE;
    if (Utils2.isWordRune(r1) !== Utils2.isWordRune(r2)) op |= Utils2.EMPTY_WORD_BOUNDARY;
    else op |= Utils2.EMPTY_NO_WORD_BOUNDARY;
    return op;
  }
  /**
  * Returns a string that quotes all regular expression metacharacters inside the argument text;
  * the returned string is a regular expression matching the literal text. For example,
  * {@code quoteMeta("[foo]").equals("\\[foo\\]")}.
  * @param {string} str
  * @returns {string}
  */
  static quoteMeta(str) {
    return str.split("").map((s) => {
      if (Utils2.METACHARACTERS.indexOf(s) >= 0) return `\\${s}`;
      return s;
    }).join("");
  }
  static charCount(codePoint) {
    return codePoint > Unicode.MAX_BMP ? 2 : 1;
  }
  /**
  * High-speed conversion from TypedArrays to standard JS Arrays.
  * Bypasses the expensive Symbol.iterator overhead of Array.from()
  */
  static toArray(typedArray) {
    const len = typedArray.length;
    const res = new Array(len);
    for (let i = 0; i < len; i++) res[i] = typedArray[i];
    return res;
  }
  static stringToUtf8ByteArray(str) {
    if (globalThis.TextEncoder) {
      if (!cachedNativeEncoder) cachedNativeEncoder = new TextEncoder();
      return cachedNativeEncoder.encode(str);
    } else {
      let out = [], p = 0;
      for (let i = 0; i < str.length; i++) {
        let c = str.charCodeAt(i);
        if (c < 128) out[p++] = c;
        else if (c < 2048) {
          out[p++] = c >> 6 | 192;
          out[p++] = c & 63 | 128;
        } else if ((c & 64512) === Unicode.MIN_HIGH_SURROGATE && i + 1 < str.length && (str.charCodeAt(i + 1) & 64512) === Unicode.MIN_LOW_SURROGATE) {
          c = Unicode.MIN_SUPPLEMENTARY_CODE_POINT + ((c & 1023) << 10) + (str.charCodeAt(++i) & 1023);
          out[p++] = c >> 18 | 240;
          out[p++] = c >> 12 & 63 | 128;
          out[p++] = c >> 6 & 63 | 128;
          out[p++] = c & 63 | 128;
        } else {
          out[p++] = c >> 12 | 224;
          out[p++] = c >> 6 & 63 | 128;
          out[p++] = c & 63 | 128;
        }
      }
      return out;
    }
  }
  static utf8ByteArrayToString(bytes) {
    if (globalThis.TextDecoder) {
      if (!cachedNativeDecoder) cachedNativeDecoder = new TextDecoder("utf-8");
      const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
      return cachedNativeDecoder.decode(view);
    } else {
      let out = [], pos = 0, c = 0;
      while (pos < bytes.length) {
        let c1 = bytes[pos++];
        if (c1 < 128) out[c++] = String.fromCharCode(c1);
        else if (c1 > 191 && c1 < 224) {
          let c2 = bytes[pos++];
          out[c++] = String.fromCharCode((c1 & 31) << 6 | c2 & 63);
        } else if (c1 > 239 && c1 < 365) {
          let c2 = bytes[pos++];
          let c3 = bytes[pos++];
          let c4 = bytes[pos++];
          let u = ((c1 & 7) << 18 | (c2 & 63) << 12 | (c3 & 63) << 6 | c4 & 63) - Unicode.MIN_SUPPLEMENTARY_CODE_POINT;
          out[c++] = String.fromCharCode(Unicode.MIN_HIGH_SURROGATE + (u >> 10));
          out[c++] = String.fromCharCode(Unicode.MIN_LOW_SURROGATE + (u & 1023));
        } else {
          let c2 = bytes[pos++];
          let c3 = bytes[pos++];
          out[c++] = String.fromCharCode((c1 & 15) << 12 | (c2 & 63) << 6 | c3 & 63);
        }
      }
      return out.join("");
    }
  }
};
var createEnum = (values = [], initNum = 0) => {
  const enumObject = /* @__PURE__ */ Object.create(null);
  for (let i = 0; i < values.length; i++) {
    const val = values[i];
    const keyVal = initNum + i;
    enumObject[val] = keyVal;
    enumObject[keyVal] = val;
  }
  return Object.freeze(enumObject);
};
var MatcherInputBase = class MatcherInputBase2 {
  static Encoding = createEnum(["UTF_16", "UTF_8"]);
  getEncoding() {
    throw Error("not implemented");
  }
  /** @returns {string} */
  asCharSequence() {
    throw Error("not implemented");
  }
  /** @returns {Uint8Array|number[]|null} */
  asBytes() {
    throw Error("not implemented");
  }
  /** @returns {number} */
  length() {
    throw Error("not implemented");
  }
  /**
  *
  * @returns {boolean}
  */
  isUTF8Encoding() {
    return this.getEncoding() === MatcherInputBase2.Encoding.UTF_8;
  }
  /**
  *
  * @returns {boolean}
  */
  isUTF16Encoding() {
    return this.getEncoding() === MatcherInputBase2.Encoding.UTF_16;
  }
};
var Utf8MatcherInput = class extends MatcherInputBase {
  /** @param {Uint8Array|number[]|null} bytes */
  constructor(bytes = null) {
    super();
    this.bytes = bytes;
  }
  getEncoding() {
    return MatcherInputBase.Encoding.UTF_8;
  }
  /**
  *
  * @returns {string}
  */
  asCharSequence() {
    return Utils.utf8ByteArrayToString(this.bytes);
  }
  /**
  *
  * @returns {Uint8Array|number[]|null}
  */
  asBytes() {
    return this.bytes;
  }
  /**
  *
  * @returns {number}
  */
  length() {
    return this.bytes.length;
  }
};
var Utf16MatcherInput = class extends MatcherInputBase {
  /** @param {string|null} charSequence */
  constructor(charSequence = null) {
    super();
    this.charSequence = charSequence;
  }
  getEncoding() {
    return MatcherInputBase.Encoding.UTF_16;
  }
  /**
  *
  * @returns {string}
  */
  asCharSequence() {
    return this.charSequence;
  }
  /**
  *
  * @returns {number[]}
  */
  asBytes() {
    return Utils.stringToUtf8ByteArray(this.charSequence.toString());
  }
  /**
  *
  * @returns {number}
  */
  length() {
    return this.charSequence.length;
  }
};
var MatcherInput = class {
  /**
  * Return the MatcherInput for UTF_16 encoding.
  * @returns {Utf16MatcherInput}
  */
  static utf16(charSequence) {
    Utils.checkInput(charSequence);
    return new Utf16MatcherInput(charSequence);
  }
  /**
  * Return the MatcherInput for UTF_8 encoding.
  * @returns {Utf8MatcherInput}
  */
  static utf8(input) {
    if (Utils.isByteArray(input)) return new Utf8MatcherInput(input);
    return new Utf8MatcherInput(Utils.stringToUtf8ByteArray(input));
  }
};
var MachineInputBase = class {
  static EOF() {
    return -8;
  }
  constructor() {
    this.start = 0;
    this.end = 0;
  }
  canCheckPrefix() {
    return true;
  }
  endPos() {
    return this.end - this.start;
  }
  hasString() {
    return false;
  }
  hasAnyString() {
    return false;
  }
  prefixLength() {
    return 0;
  }
};
var MachineUTF8Input = class MachineUTF8Input2 extends MachineInputBase {
  static RUNE_ERROR_STEP = Unicode.RUNE_ERROR << 3 | 1;
  constructor(bytes, start = 0, end2 = bytes.length) {
    super();
    this.bytes = bytes;
    this.start = start;
    this.end = end2;
  }
  hasString(prefilter, pos) {
    const target = prefilter.bytes;
    if (target.length === 0) return true;
    const idx = this.indexOf(this.bytes, target, this.start + pos);
    return idx !== -1 && idx <= this.end - target.length;
  }
  hasAnyString(prefilter, pos) {
    return prefilter.automaton8().searchUTF8(this.bytes, this.start + pos, this.end);
  }
  step(pos) {
    pos += this.start;
    if (pos >= this.end) return MachineInputBase.EOF();
    const c = this.bytes[pos] & 255;
    if (c < 128) return c << 3 | 1;
    let size2;
    let rune;
    let lo = 128;
    let hi = 191;
    if (c >= 194 && c <= 223) {
      size2 = 2;
      rune = c & 31;
    } else if (c >= 224 && c <= 239) {
      size2 = 3;
      rune = c & 15;
      if (c === 224) lo = 160;
      else if (c === 237) hi = 159;
    } else if (c >= 240 && c <= 244) {
      size2 = 4;
      rune = c & 7;
      if (c === 240) lo = 144;
      else if (c === 244) hi = 143;
    } else return MachineUTF8Input2.RUNE_ERROR_STEP;
    if (pos + size2 > this.end) return MachineUTF8Input2.RUNE_ERROR_STEP;
    const c1 = this.bytes[pos + 1] & 255;
    if (c1 < lo || c1 > hi) return MachineUTF8Input2.RUNE_ERROR_STEP;
    rune = rune << 6 | c1 & 63;
    if (size2 > 2) {
      const c2 = this.bytes[pos + 2] & 255;
      if ((c2 & 192) !== 128) return MachineUTF8Input2.RUNE_ERROR_STEP;
      rune = rune << 6 | c2 & 63;
      if (size2 > 3) {
        const c3 = this.bytes[pos + 3] & 255;
        if ((c3 & 192) !== 128) return MachineUTF8Input2.RUNE_ERROR_STEP;
        rune = rune << 6 | c3 & 63;
      }
    }
    return rune << 3 | size2;
  }
  index(re2, pos) {
    pos += this.start;
    const i = this.indexOf(this.bytes, re2.prefixUTF8, pos);
    return i < 0 ? i : i - pos;
  }
  context(pos) {
    pos += this.start;
    let r1 = -1;
    if (pos > this.start && pos <= this.end) {
      let start = pos - 1;
      r1 = this.bytes[start--];
      if (r1 >= 128) {
        let lim = pos - 4;
        if (lim < this.start) lim = this.start;
        while (start >= lim && (this.bytes[start] & 192) === 128) start--;
        if (start < this.start) start = this.start;
        const r = this.step(start - this.start);
        r1 = start + (r & 7) === pos ? r >> 3 : Unicode.RUNE_ERROR;
      }
    }
    const r2 = pos < this.end ? this.step(pos - this.start) >> 3 : -1;
    return Utils.emptyOpContext(r1, r2);
  }
  indexOf(source, target, fromIndex = 0) {
    let targetLength = target.length;
    if (targetLength === 0) return fromIndex <= this.end ? fromIndex : -1;
    const firstByte = target[0];
    let limit = this.end - targetLength;
    const hasNativeIndexOf = typeof source.indexOf === "function";
    let i = fromIndex;
    while (i <= limit) {
      if (hasNativeIndexOf) {
        i = source.indexOf(firstByte, i);
        if (i === -1 || i > limit) return -1;
      } else {
        while (i <= limit && source[i] !== firstByte) i++;
        if (i > limit) return -1;
      }
      let match = true;
      for (let j = 1; j < targetLength; j++) if (source[i + j] !== target[j]) {
        match = false;
        break;
      }
      if (match) return i;
      i++;
    }
    return -1;
  }
  prefixLength(re2) {
    return re2.prefixUTF8.length;
  }
};
var MachineUTF16Input = class extends MachineInputBase {
  constructor(charSequence, start = 0, end2 = charSequence.length) {
    super();
    this.charSequence = charSequence;
    this.start = start;
    this.end = end2;
  }
  hasString(prefilter, pos) {
    const idx = this.charSequence.indexOf(prefilter.str, this.start + pos);
    return idx !== -1 && idx <= this.end - prefilter.str.length;
  }
  hasAnyString(prefilter, pos) {
    return prefilter.automaton16().searchUTF16(this.charSequence, this.start + pos, this.end);
  }
  step(pos) {
    pos += this.start;
    if (pos >= this.end) return MachineInputBase.EOF();
    const c1 = this.charSequence.charCodeAt(pos);
    if (c1 < Unicode.MIN_HIGH_SURROGATE || c1 > Unicode.MAX_HIGH_SURROGATE || pos + 1 >= this.end) return c1 << 3 | 1;
    const c2 = this.charSequence.charCodeAt(pos + 1);
    if (c2 >= Unicode.MIN_LOW_SURROGATE && c2 <= Unicode.MAX_LOW_SURROGATE) return (c1 - Unicode.MIN_HIGH_SURROGATE) * 1024 + (c2 - Unicode.MIN_LOW_SURROGATE) + Unicode.MIN_SUPPLEMENTARY_CODE_POINT << 3 | 2;
    return c1 << 3 | 1;
  }
  index(re2, pos) {
    pos += this.start;
    const i = this.charSequence.indexOf(re2.prefix, pos);
    if (i < 0 || i > this.end - re2.prefix.length) return -1;
    return i - pos;
  }
  context(pos) {
    pos += this.start;
    const r1 = pos > this.start && pos <= this.end ? this.charSequence.charCodeAt(pos - 1) : -1;
    const r2 = pos < this.end ? this.charSequence.charCodeAt(pos) : -1;
    return Utils.emptyOpContext(r1, r2);
  }
  prefixLength(re2) {
    return re2.prefix.length;
  }
};
var MachineInput = class {
  static fromUTF8(bytes, start = 0, end2 = bytes.length) {
    return new MachineUTF8Input(bytes, start, end2);
  }
  static fromUTF16(charSequence, start = 0, end2 = void 0) {
    Utils.checkInput(charSequence);
    return new MachineUTF16Input(charSequence, start, end2 ?? charSequence.length);
  }
};
var Matcher = class Matcher2 {
  /**
  * V8 and WebKit have historical hard limits on the number of arguments
  * that can be passed to a function. We cap replacer arguments to prevent
  * Call Stack Overflow (DoS) vulnerabilities on massive ASTs.
  */
  static MAX_REPLACER_ARGS = 65535;
  /**
  * Quotes '\' and '$' in {@code s}, so that the returned string could be used in
  * {@link #appendReplacement} as a literal replacement of {@code s}.
  *
  * @param {string} str the string to be quoted
  * @param {boolean} [javaMode=false] whether the replacement will be used in javaMode
  * @returns {string} the quoted string
  */
  static quoteReplacement(str, javaMode = false) {
    if (javaMode) {
      if (str.indexOf("\\") < 0 && str.indexOf("$") < 0) return str;
      return str.split("").map((s) => {
        const c = s.codePointAt(0);
        if (c === Codepoint.CODES["\\"] || c === Codepoint.CODES["$"]) return `\\${s}`;
        return s;
      }).join("");
    }
    if (str.indexOf("$") < 0) return str;
    return str.split("").map((s) => {
      if (s.codePointAt(0) === Codepoint.CODES["$"]) return "$$";
      return s;
    }).join("");
  }
  /**
  *
  * @param {import('./index.js').RE2JS} pattern
  * @param {string|number[]|Uint8Array|MatcherInputBase} input
  */
  constructor(pattern, input) {
    if (pattern === null) throw new Error("pattern is null");
    this.patternInput = pattern;
    const re2 = this.patternInput.re2();
    this.patternGroupCount = re2.numberOfCapturingGroups();
    this.groups = [];
    this.namedGroups = re2.namedGroups;
    this.hasNamedGroups = Object.keys(this.namedGroups).length > 0;
    this.numberOfInstructions = re2.numberOfInstructions();
    this.lookbehindState = null;
    if (input instanceof MatcherInputBase) this.resetMatcherInput(input);
    else if (Utils.isByteArray(input)) this.resetMatcherInput(MatcherInput.utf8(input));
    else this.resetMatcherInput(MatcherInput.utf16(input));
  }
  /**
  * Returns the {@code RE2JS} associated with this {@code Matcher}.
  * @returns {import('./index.js').RE2JS}
  */
  pattern() {
    return this.patternInput;
  }
  /**
  * Resets the {@code Matcher}, rewinding input and discarding any match information.
  *
  * @returns {Matcher} the {@code Matcher} itself, for chained method calls
  */
  reset() {
    this.matcherInputLength = this.matcherInput.length();
    this.appendPos = 0;
    this.hasMatch = false;
    this.hasGroups = false;
    this.anchorFlag = 0;
    return this;
  }
  /**
  * Resets the {@code Matcher} and changes the input.
  * @param {string|number[]|Uint8Array|MatcherInputBase} input
  * @returns {Matcher} the {@code Matcher} itself, for chained method calls
  */
  resetMatcherInput(input) {
    if (input === null) throw new Error("input is null");
    if (!(input instanceof MatcherInputBase)) {
      if (Utils.isByteArray(input)) input = MatcherInput.utf8(input);
      else input = MatcherInput.utf16(input);
    }
    this.matcherInput = input;
    if (this.lookbehindState !== null) this.lookbehindState.reset();
    else this.lookbehindState = this.patternInput.re2().createLookbehindState();
    this.reset();
    return this;
  }
  /**
  * Returns the start of the named group of the most recent match, or -1 if the group was not
  * matched.
  * @param {string|number} [group=0]
  * @returns {number}
  */
  start(group = 0) {
    if (typeof group === "string") {
      const groupInt = this.namedGroups[group];
      if (!Number.isFinite(groupInt)) throw new RE2JSGroupException(`group '${group}' not found`);
      group = groupInt;
    }
    this.loadGroup(group);
    return this.groups[2 * group];
  }
  /**
  * Returns the end of the named group of the most recent match, or -1 if the group was not
  * matched.
  * @param {string|number} [group=0]
  * @returns {number}
  */
  end(group = 0) {
    if (typeof group === "string") {
      const groupInt = this.namedGroups[group];
      if (!Number.isFinite(groupInt)) throw new RE2JSGroupException(`group '${group}' not found`);
      group = groupInt;
    }
    this.loadGroup(group);
    return this.groups[2 * group + 1];
  }
  /**
  * Returns the program size of this pattern.
  *
  * <p>
  * Similar to the C++ implementation, the program size is a very approximate measure of a regexp's
  * "cost". Larger numbers are more expensive than smaller numbers.
  * </p>
  *
  * @returns {number} the program size of this pattern
  */
  programSize() {
    return this.numberOfInstructions;
  }
  /**
  * Returns the named group of the most recent match, or {@code null} if the group was not matched.
  * @param {string|number} [group=0]
  * @returns {string|null}
  */
  group(group = 0) {
    if (typeof group === "string") {
      const groupInt = this.namedGroups[group];
      if (!Number.isFinite(groupInt)) throw new RE2JSGroupException(`group '${group}' not found`);
      group = groupInt;
    }
    const start = this.start(group);
    const end2 = this.end(group);
    if (start < 0 && end2 < 0) return null;
    return this.substring(start, end2);
  }
  /**
  * Returns a dictionary map of all named capturing groups and their matched values.
  * If a group was not matched, its value will be `null`.
  * @returns {Record<string, string|null>}
  */
  getNamedGroups() {
    if (!this.hasMatch) throw new RE2JSGroupException("perhaps no match attempted");
    const result = /* @__PURE__ */ Object.create(null);
    for (const name of Object.keys(this.namedGroups)) result[name] = this.group(name);
    return result;
  }
  /**
  * Returns the number of subgroups in this pattern.
  *
  * @returns {number} the number of subgroups; the overall match (group 0) does not count
  */
  groupCount() {
    return this.patternGroupCount;
  }
  /**
  * Helper: finds subgroup information if needed for group.
  * @param {number} group
  * @private
  */
  loadGroup(group) {
    if (!Number.isInteger(group) || group < 0 || group > this.patternGroupCount) throw new RE2JSGroupException(`Group index out of bounds: ${group}`);
    if (!this.hasMatch) throw new RE2JSGroupException("perhaps no match attempted");
    if (group === 0 || this.hasGroups) return;
    const end2 = this.matcherInputLength;
    const res = this.patternInput.re2().matchMachineInput(this.matcherInput, this.groups[0], end2, this.anchorFlag, 1 + this.patternGroupCount, this.lookbehindState);
    if (!res[0]) throw new RE2JSGroupException("inconsistency in matching group data");
    this.groups = res[1];
    this.hasGroups = true;
  }
  /**
  * Matches the entire input against the pattern (anchored start and end). If there is a match,
  * {@code matches} sets the match state to describe it.
  *
  * @returns {boolean} true if the entire input matches the pattern
  */
  matches() {
    return this.genMatch(0, RE2Flags.ANCHOR_BOTH);
  }
  /**
  * Matches the beginning of input against the pattern (anchored start). If there is a match,
  * {@code lookingAt} sets the match state to describe it.
  *
  * @returns {boolean} true if the beginning of the input matches the pattern
  */
  lookingAt() {
    return this.genMatch(0, RE2Flags.ANCHOR_START);
  }
  /**
  * Matches the input against the pattern (unanchored), starting at a specified position. If there
  * is a match, {@code find} sets the match state to describe it.
  *
  * @param {number|null} [start=null] the input position where the search begins
  * @returns {boolean} if it finds a match
  * @throws IndexOutOfBoundsException if start is not a valid input position
  */
  find(start = null) {
    if (start !== null) {
      if (!Number.isInteger(start) || start < 0 || start > this.matcherInputLength) throw new RE2JSGroupException(`start index out of bounds: ${start}`);
      this.reset();
      return this.genMatch(start, 0);
    }
    start = 0;
    if (this.hasMatch) {
      start = this.groups[1];
      if (this.groups[0] === this.groups[1]) {
        const r = (this.matcherInput.isUTF16Encoding() ? MachineInput.fromUTF16(this.matcherInput.asCharSequence(), 0, this.matcherInputLength) : MachineInput.fromUTF8(this.matcherInput.asBytes(), 0, this.matcherInputLength)).step(start);
        if (r < 0) start++;
        else start += r & 7;
      }
    }
    return this.genMatch(start, RE2Flags.UNANCHORED);
  }
  /**
  * Helper: does match starting at start, with RE2 anchor flag.
  * @param {number} startByte
  * @param {number} anchor
  * @returns {boolean}
  * @private
  */
  genMatch(startByte, anchor) {
    const res = this.patternInput.re2().matchMachineInput(this.matcherInput, startByte, this.matcherInputLength, anchor, 1, this.lookbehindState);
    if (!res[0]) {
      this.hasMatch = false;
      return false;
    }
    this.groups = res[1];
    this.hasMatch = true;
    this.hasGroups = this.patternGroupCount === 0;
    this.anchorFlag = anchor;
    return true;
  }
  /**
  * Helper: return substring for [start, end).
  * @param {number} start
  * @param {number} end
  * @returns {string}
  */
  substring(start, end2) {
    if (this.matcherInput.isUTF8Encoding()) return Utils.utf8ByteArrayToString(this.matcherInput.asBytes().slice(start, end2));
    return this.matcherInput.asCharSequence().substring(start, end2).toString();
  }
  /**
  * Helper for Pattern: return input length.
  * @returns {number}
  */
  inputLength() {
    return this.matcherInputLength;
  }
  /**
  * Appends to result two strings: the text from the append position up to the beginning of the
  * most recent match, and then the replacement with submatch groups substituted for references to
  * them. It advances the append position to where the most recent match ended.
  *
  * By default the replacement is expanded as by String.prototype.replace (see
  * appendReplacementInternalJs). In Java mode it follows re2j / java.util.regex: $n takes as
  * many digits as still form a valid group number, ${name} is a named group, and a backslash
  * escapes the next character (so "\\$" in a JS string literal inserts a literal $).
  *
  * @param {string} replacement the replacement string
  * @param {boolean} [javaMode=false] activate java mode (different behaviour for capture groups and special characters)
  * @returns {string}
  * @throws IllegalStateException if there was no most recent match
  * @throws IndexOutOfBoundsException in Java mode, if replacement refers to an invalid group
  * @private
  */
  appendReplacement(replacement, javaMode = false) {
    let res = "";
    const s = this.start();
    const e = this.end();
    if (this.appendPos < s) res += this.substring(this.appendPos, s);
    this.appendPos = e;
    res += javaMode ? this.appendReplacementInternalJava(replacement) : this.appendReplacementInternalJs(replacement);
    return res;
  }
  /**
  * @param {string} replacement - the replacement string
  * @returns {string}
  * @private
  */
  appendReplacementInternalJava(replacement) {
    let res = "";
    let last = 0;
    const m = replacement.length;
    let i = 0;
    while (i < m) {
      const cCode = replacement.codePointAt(i);
      if (cCode === Codepoint.CODES["\\"]) {
        if (last < i) res += replacement.substring(last, i);
        i++;
        if (i >= m) throw new RE2JSGroupException("character to be escaped is missing");
        last = i;
        i++;
        continue;
      }
      if (cCode === Codepoint.CODES["$"]) {
        if (last < i) res += replacement.substring(last, i);
        if (i + 1 >= m) throw new RE2JSGroupException("Illegal group reference: group index is missing");
        const nextCode = replacement.codePointAt(i + 1);
        if (Codepoint.CODES["0"] <= nextCode && nextCode <= Codepoint.CODES["9"]) {
          let n = nextCode - Codepoint.CODES["0"];
          let j = i + 2;
          for (; j < m; j++) {
            const digit = replacement.codePointAt(j);
            if (digit < Codepoint.CODES["0"] || digit > Codepoint.CODES["9"] || n * 10 + digit - Codepoint.CODES["0"] > this.patternGroupCount) break;
            n = n * 10 + digit - Codepoint.CODES["0"];
          }
          if (n > this.patternGroupCount) throw new RE2JSGroupException(`n > number of groups: ${n}`);
          const group = this.group(n);
          if (group !== null) res += group;
          i = j;
          last = i;
        } else if (nextCode === Codepoint.CODES["{"]) {
          let j = i + 2;
          while (j < m && replacement.codePointAt(j) !== Codepoint.CODES["}"]) j++;
          if (j >= m) throw new RE2JSGroupException("named capture group is missing trailing '}'");
          const groupName = replacement.substring(i + 2, j);
          const groupVal = this.group(groupName);
          if (groupVal !== null) res += groupVal;
          i = j + 1;
          last = i;
        } else throw new RE2JSGroupException("Illegal group reference");
        continue;
      }
      i++;
    }
    if (last < m) res += replacement.substring(last, m);
    return res;
  }
  /**
  * Expands |replacement| for the current match by the rules of String.prototype.replace
  * (ECMAScript GetSubstitution): $$ is "$", $& the match, $` the text before it, $' the text
  * after it, $n and $nn a group (two digits only when they form a valid group number, so with
  * one group "$10" is group 1 then "0"; an unmatched group is empty), and $<name> a named group
  * (empty when no such group), only when the pattern has named groups. Anything else, such as
  * "$0" or "$<" without a closing ">", is kept as is.
  * @param {string} replacement - the replacement string
  * @returns {string}
  * @private
  */
  appendReplacementInternalJs(replacement) {
    const isDigit = (c) => c >= 48 && c <= 57;
    const groupCount = this.patternGroupCount;
    let res = "";
    let i = 0;
    while (i < replacement.length) {
      const dollar = replacement.indexOf("$", i);
      if (dollar < 0) break;
      res += replacement.substring(i, dollar);
      i = dollar;
      const c = replacement.charCodeAt(i + 1);
      if (c === Codepoint.CODES["$"]) {
        res += "$";
        i += 2;
      } else if (c === Codepoint.CODES["&"]) {
        res += this.group(0);
        i += 2;
      } else if (c === Codepoint.CODES["`"]) {
        res += this.substring(0, this.start(0));
        i += 2;
      } else if (c === Codepoint.CODES["'"]) {
        res += this.substring(this.end(0), this.matcherInputLength);
        i += 2;
      } else if (isDigit(c)) {
        let digits = 1;
        let index = c - 48;
        const c2 = replacement.charCodeAt(i + 2);
        if (isDigit(c2) && index * 10 + c2 - 48 <= groupCount) {
          digits = 2;
          index = index * 10 + c2 - 48;
        }
        if (index >= 1 && index <= groupCount) {
          const group = this.group(index);
          if (group !== null) res += group;
        } else res += replacement.substring(i, i + 1 + digits);
        i += 1 + digits;
      } else if (c === Codepoint.CODES["<"] && this.hasNamedGroups) {
        const gt = replacement.indexOf(">", i + 2);
        if (gt < 0) {
          res += "$<";
          i += 2;
        } else {
          const name = replacement.substring(i + 2, gt);
          if (Object.hasOwn(this.namedGroups, name)) {
            const group = this.group(name);
            if (group !== null) res += group;
          }
          i = gt + 1;
        }
      } else {
        res += "$";
        i += 1;
      }
    }
    return res + replacement.substring(i);
  }
  /**
  * Return the substring of the input from the append position to the end of the
  * input.
  * @returns {string}
  */
  appendTail() {
    return this.substring(this.appendPos, this.matcherInputLength);
  }
  /**
  * Returns the input with all matches replaced by {@code replacement}, interpreted as for
  * {@code appendReplacement}.
  *
  * @param {string|((...args: any[]) => string)} replacement - the replacement string or a replacer function
  * @param {boolean} [javaMode=false] - activate java mode (different behaviour for capture groups and special characters)
  * @returns {string} the input string with the matches replaced
  * @throws IndexOutOfBoundsException if replacement refers to an invalid group and javaMode is true
  */
  replaceAll(replacement, javaMode = false) {
    return this.replace(replacement, true, javaMode);
  }
  /**
  * Returns the input with the first match replaced by {@code replacement}, interpreted as for
  * {@code appendReplacement}.
  *
  * @param {string|((...args: any[]) => string)} replacement - the replacement string or a replacer function
  * @param {boolean} [javaMode=false] - activate java mode (different behaviour for capture groups and special characters)
  * @returns {string} the input string with the first match replaced
  * @throws IndexOutOfBoundsException if replacement refers to an invalid group and javaMode is true
  */
  replaceFirst(replacement, javaMode = false) {
    return this.replace(replacement, false, javaMode);
  }
  /**
  * Helper: replaceAll/replaceFirst hybrid.
  * @param {string|((...args: any[]) => string)} replacement - the replacement string or a replacer function
  * @param {boolean} [all=true] - replace all matches
  * @param {boolean} [javaMode=false] - activate java mode (different behaviour for capture groups and special characters)
  * @returns {string}
  * @private
  */
  replace(replacement, all2 = true, javaMode = false) {
    let res = "";
    this.reset();
    const isFunc = typeof replacement === "function";
    let originalInput = null;
    if (isFunc) {
      if (this.groupCount() >= Matcher2.MAX_REPLACER_ARGS) throw new RE2JSGroupException("Too many capture groups to safely invoke replacer function");
      originalInput = this.matcherInput.isUTF8Encoding() ? this.matcherInput.asBytes() : this.matcherInput.asCharSequence();
    }
    while (this.find()) {
      res += isFunc ? this.appendReplacementFunc(replacement, originalInput) : this.appendReplacement(replacement, javaMode);
      if (!all2) break;
    }
    res += this.appendTail();
    return res;
  }
  /**
  * Evaluates a replacer function for the current match and appends the result,
  * along with any un-matched preceding text, advancing the append position.
  * @param {Function} replacer - the replacer function
  * @param {string|Uint8Array|number[]} originalInput - the cached original input reference
  * @returns {string} the evaluated string to append
  * @private
  */
  appendReplacementFunc(replacer, originalInput) {
    let res = "";
    const s = this.start();
    const e = this.end();
    if (this.appendPos < s) res += this.substring(this.appendPos, s);
    this.appendPos = e;
    const args = this.matchArray();
    args.push(s, originalInput);
    if (this.hasNamedGroups) args.push(this.namedGroupsObject());
    res += String(replacer(...args));
    return res;
  }
  /**
  * The match and its groups, as the elements of a JS RegExpExecArray: undefined for a group that
  * did not take part in the match. Used by exec(), matchAll() and replacer functions.
  * @returns {Array<string|undefined>}
  * @private
  */
  matchArray() {
    const result = [this.group(0)];
    for (let i = 1; i <= this.patternGroupCount; i++) {
      const group = this.group(i);
      result.push(group === null ? void 0 : group);
    }
    return result;
  }
  /**
  * The named groups, as the groups property of a JS RegExpExecArray: an object without a
  * prototype mapping each name to its group (undefined when it did not take part in the match),
  * or undefined when the pattern has no named groups.
  * @returns {Record<string, string|undefined>|undefined}
  * @private
  */
  namedGroupsObject() {
    if (!this.hasNamedGroups) return;
    const result = this.getNamedGroups();
    for (const name in result) if (result[name] === null) result[name] = void 0;
    return result;
  }
};
var Inst = class Inst2 {
  static ALT = 1;
  static ALT_MATCH = 2;
  static CAPTURE = 3;
  static EMPTY_WIDTH = 4;
  static FAIL = 5;
  static MATCH = 6;
  static NOP = 7;
  static RUNE = 8;
  static RUNE1 = 9;
  static RUNE_ANY = 10;
  static RUNE_ANY_NOT_NL = 11;
  static LB_WRITE = 12;
  static LB_CHECK = 13;
  static isRuneOp(op) {
    return Inst2.RUNE <= op && op <= Inst2.RUNE_ANY_NOT_NL;
  }
  static escapeRunes(runes) {
    let out = '"';
    for (let rune of runes) out += Utils.escapeRune(rune);
    out += '"';
    return out;
  }
  constructor(op) {
    this.op = op;
    this.out = 0;
    this.arg = 0;
    this.runes = /* @__PURE__ */ new Int32Array(0);
    this.next = null;
  }
  matchRune(r) {
    if (this.runes.length === 1) {
      const r0 = this.runes[0];
      if ((this.arg & RE2Flags.FOLD_CASE) !== 0) return Unicode.equalsIgnoreCase(r0, r);
      return r === r0;
    }
    const len = this.runes.length;
    if (len === 0) return false;
    if (len === 2 || len === 4 || len === 6 || len === 8) {
      for (let j = 0; j < len; j += 2) {
        if (r < this.runes[j]) return false;
        if (r <= this.runes[j + 1]) return true;
      }
      return false;
    }
    let base = 0;
    let n = len >> 1;
    while (n > 1) {
      const half = n >> 1;
      base += this.runes[base + half << 1] <= r ? half : 0;
      n -= half;
    }
    base += this.runes[base << 1] <= r ? 1 : 0;
    const m = base - 1;
    return m >= 0 && r <= this.runes[m << 1 | 1];
  }
  matchRunePos(r) {
    if (this.runes.length === 1) {
      const r0 = this.runes[0];
      if ((this.arg & RE2Flags.FOLD_CASE) !== 0) return Unicode.equalsIgnoreCase(r0, r) ? 0 : -1;
      return r === r0 ? 0 : -1;
    }
    const len = this.runes.length;
    if (len === 0) return -1;
    if (len === 2 || len === 4 || len === 6 || len === 8) {
      for (let j = 0; j < len; j += 2) {
        if (r < this.runes[j]) return -1;
        if (r <= this.runes[j + 1]) return Math.floor(j / 2);
      }
      return -1;
    }
    let base = 0;
    let n = len >> 1;
    while (n > 1) {
      const half = n >> 1;
      base += this.runes[base + half << 1] <= r ? half : 0;
      n -= half;
    }
    base += this.runes[base << 1] <= r ? 1 : 0;
    const m = base - 1;
    return m >= 0 && r <= this.runes[m << 1 | 1] ? m : -1;
  }
  /**
  *
  * @returns {string}
  */
  toString() {
    switch (this.op) {
      case Inst2.ALT:
        return `alt -> ${this.out}, ${this.arg}`;
      case Inst2.ALT_MATCH:
        return `altmatch -> ${this.out}, ${this.arg}`;
      case Inst2.CAPTURE:
        return `cap ${this.arg} -> ${this.out}`;
      case Inst2.EMPTY_WIDTH:
        return `empty ${this.arg} -> ${this.out}`;
      case Inst2.MATCH:
        return `match${this.arg !== 0 ? ` ${this.arg}` : ""}`;
      case Inst2.FAIL:
        return "fail";
      case Inst2.NOP:
        return `nop -> ${this.out}`;
      case Inst2.LB_WRITE:
        return `lbwrite ${this.arg} -> ${this.out}`;
      case Inst2.LB_CHECK:
        return `lbcheck ${this.arg} -> ${this.out}`;
      case Inst2.RUNE:
        if (this.runes === null) return "rune <null>";
        return [
          "rune ",
          Inst2.escapeRunes(this.runes),
          (this.arg & RE2Flags.FOLD_CASE) !== 0 ? "/i" : "",
          " -> ",
          this.out
        ].join("");
      case Inst2.RUNE1:
        return `rune1 ${Inst2.escapeRunes(this.runes)} -> ${this.out}`;
      case Inst2.RUNE_ANY:
        return `any -> ${this.out}`;
      case Inst2.RUNE_ANY_NOT_NL:
        return `anynotnl -> ${this.out}`;
      default:
        throw new Error("unhandled case in Inst.toString");
    }
  }
};
var Queue = class Queue2 {
  constructor(numInst) {
    this.sparse = new Int32Array(numInst);
    this.densePcs = new Int32Array(numInst);
    this.denseCaps = null;
    this.size = 0;
    this.ncap = 0;
    this.mainThreads = 0;
  }
  static INITIAL_THREADS = 32;
  init(ncap) {
    this.ncap = ncap;
    const needed = Math.min(this.densePcs.length, Queue2.INITIAL_THREADS) * ncap;
    if (!this.denseCaps || this.denseCaps.length < needed) this.denseCaps = new Int32Array(needed);
  }
  growCaps(needed) {
    const limit = this.densePcs.length * this.ncap;
    const grown = new Int32Array(Math.min(limit, Math.max(needed, 2 * this.denseCaps.length)));
    grown.set(this.denseCaps);
    this.denseCaps = grown;
  }
  contains(pc) {
    const j = this.sparse[pc];
    return j < this.size && this.densePcs[j] === pc;
  }
  isEmpty() {
    return this.size === 0;
  }
  add(pc) {
    const j = this.size++;
    this.sparse[pc] = j;
    this.densePcs[j] = pc;
    return j;
  }
  clear() {
    this.size = 0;
    this.mainThreads = 0;
  }
  toString() {
    let out = "{";
    for (let i = 0; i < this.size; i++) {
      if (i !== 0) out += ", ";
      out += this.densePcs[i];
    }
    out += "}";
    return out;
  }
};
var LookbehindState = class {
  constructor(prog) {
    this.pos = -1;
    this.pcs = new Int32Array(prog.numInst());
    this.size = 0;
    this.lbTable = new Int32Array(prog.numLb + 1);
  }
  reset() {
    this.pos = -1;
    this.size = 0;
  }
};
var Machine = class Machine2 {
  static fromRE2(re2) {
    const m = new Machine2();
    m.prog = re2.prog;
    m.re2 = re2;
    m.q0 = new Queue(m.prog.numInst());
    m.q1 = new Queue(m.prog.numInst());
    m.addStack = new Int32Array(2 * (m.prog.numInst() + 1));
    m.matched = false;
    m.matchcap = new Int32Array(m.prog.numCap < 2 ? 2 : m.prog.numCap);
    m.ncap = 0;
    return m;
  }
  constructor() {
    this.prog = null;
    this.re2 = null;
    this.q0 = null;
    this.q1 = null;
    this.addStack = null;
    this.matched = false;
    this.matchcap = null;
    this.ncap = 0;
    this.lbTable = null;
  }
  init(ncap) {
    this.ncap = ncap;
    if (ncap > this.matchcap.length) this.matchcap = new Int32Array(ncap).fill(-1);
    else this.matchcap.fill(-1);
    this.q0.init(ncap);
    this.q1.init(ncap);
    if (this.prog.numLb > 0) {
      if (!this.lbTable || this.lbTable.length < this.prog.numLb + 1) this.lbTable = new Int32Array(this.prog.numLb + 1);
      this.lbTable.fill(-1);
    }
  }
  submatches() {
    if (this.ncap === 0) return Utils.emptyInts();
    return Utils.toArray(this.matchcap.subarray(0, this.ncap));
  }
  match(input, pos, anchor, lbState = null) {
    const startCond = this.re2.cond;
    if (startCond === Utils.EMPTY_ALL) return false;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return false;
    this.matched = false;
    this.matchcap.fill(-1);
    const hasLookbehinds = this.prog.numLb > 0;
    const matchStartPos = pos;
    let currentPos = pos;
    let resumeLookbehinds = false;
    if (hasLookbehinds) {
      if (lbState !== null && lbState.pos >= 0 && lbState.pos <= pos) {
        currentPos = lbState.pos;
        resumeLookbehinds = true;
      } else currentPos = 0;
    }
    let saveLookbehinds = hasLookbehinds && lbState !== null;
    let runq = this.q0;
    let nextq = this.q1;
    let r = input.step(currentPos);
    let rune = r >> 3;
    let width = r & 7;
    let rune1 = -1;
    let width1 = 0;
    if (r !== MachineInputBase.EOF()) {
      r = input.step(currentPos + width);
      rune1 = r >> 3;
      width1 = r & 7;
    }
    let flag;
    if (currentPos === 0) flag = Utils.emptyOpContext(-1, rune);
    else flag = input.context(currentPos);
    if (hasLookbehinds) {
      if (resumeLookbehinds) this.restoreLookbehinds(lbState, runq, flag);
      else this.spawnLookbehinds(runq, currentPos, flag);
    }
    while (true) {
      if (runq.mainThreads === 0) {
        if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 && currentPos !== 0) break;
        if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && currentPos !== 0) break;
        if (this.matched) break;
        if (this.prog.numLb === 0 && runq.isEmpty() && !(this.re2.prefix.length === 0) && rune1 !== this.re2.prefixRune && input.canCheckPrefix()) {
          const advance = input.index(this.re2, currentPos);
          if (advance < 0) break;
          currentPos += advance;
          r = input.step(currentPos);
          rune = r >> 3;
          width = r & 7;
          r = input.step(currentPos + width);
          rune1 = r >> 3;
          width1 = r & 7;
          flag = input.context(currentPos);
        }
      }
      if (currentPos >= matchStartPos) {
        if (saveLookbehinds) {
          this.saveLookbehinds(lbState, runq, currentPos);
          saveLookbehinds = false;
        }
        if (!this.matched && (currentPos === 0 || anchor === RE2Flags.UNANCHORED)) {
          if (this.ncap > 0) this.matchcap[0] = currentPos;
          this.add(runq, this.prog.start, currentPos, this.matchcap, 0, flag);
        }
      }
      const nextPos = currentPos + width;
      flag = input.context(nextPos);
      this.step(runq, nextq, currentPos, nextPos, rune, flag, anchor, currentPos === input.endPos());
      if (width === 0) break;
      if (this.ncap === 0 && this.matched) break;
      currentPos += width;
      rune = rune1;
      width = width1;
      if (rune !== -1) {
        r = input.step(currentPos + width);
        rune1 = r >> 3;
        width1 = r & 7;
      }
      const tmpq = runq;
      runq = nextq;
      nextq = tmpq;
    }
    runq.clear();
    nextq.clear();
    return this.matched;
  }
  matchSet(input, pos, anchor) {
    const startCond = this.re2.cond;
    if (startCond === Utils.EMPTY_ALL) return [];
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return [];
    let currentPos = this.prog.numLb > 0 ? 0 : pos;
    let matchStartPos = pos;
    let runq = this.q0;
    let nextq = this.q1;
    let r = input.step(currentPos);
    let rune = r >> 3;
    let width = r & 7;
    let rune1 = -1;
    let width1 = 0;
    if (r !== MachineInputBase.EOF()) {
      r = input.step(currentPos + width);
      rune1 = r >> 3;
      width1 = r & 7;
    }
    let flag = currentPos === 0 ? Utils.emptyOpContext(-1, rune) : input.context(currentPos);
    const matches2 = /* @__PURE__ */ new Set();
    if (this.prog.numLb > 0) this.spawnLookbehinds(runq, currentPos, flag);
    while (true) {
      if (runq.mainThreads === 0) {
        if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 && currentPos !== 0) break;
        if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && currentPos !== 0) break;
      }
      if (currentPos === 0 || anchor === RE2Flags.UNANCHORED) {
        if (currentPos >= matchStartPos) this.add(runq, this.prog.start, currentPos, this.matchcap, 0, flag);
      }
      const nextPos = currentPos + width;
      flag = input.context(nextPos);
      for (let j = 0; j < runq.size; j++) {
        const pc = runq.densePcs[j];
        const i = this.prog.inst[pc];
        const capOffset = j * this.ncap;
        let add3 = false;
        switch (i.op) {
          case Inst.MATCH:
            if (anchor === RE2Flags.ANCHOR_BOTH && currentPos !== input.endPos()) break;
            matches2.add(i.arg);
            break;
          case Inst.RUNE:
            add3 = i.matchRune(rune);
            break;
          case Inst.RUNE1:
            add3 = rune === i.runes[0];
            break;
          case Inst.RUNE_ANY:
            add3 = true;
            break;
          case Inst.RUNE_ANY_NOT_NL:
            add3 = rune !== 10;
            break;
          default:
            continue;
        }
        if (add3) this.add(nextq, i.out, nextPos, runq.denseCaps, capOffset, flag);
      }
      runq.clear();
      if (width === 0) break;
      currentPos += width;
      rune = rune1;
      width = width1;
      if (rune !== -1) {
        r = input.step(currentPos + width);
        rune1 = r >> 3;
        width1 = r & 7;
      }
      const tmpq = runq;
      runq = nextq;
      nextq = tmpq;
    }
    nextq.clear();
    return Array.from(matches2).sort((a, b) => a - b);
  }
  step(runq, nextq, pos, nextPos, c, nextCond, anchor, atEnd) {
    const longest = this.re2.longest;
    for (let j = 0; j < runq.size; j++) {
      const pc = runq.densePcs[j];
      const capOffset = j * this.ncap;
      if (longest && this.matched && this.ncap > 0 && this.matchcap[0] < runq.denseCaps[capOffset]) continue;
      const i = this.prog.inst[pc];
      let add3 = false;
      switch (i.op) {
        case Inst.MATCH:
          if (anchor === RE2Flags.ANCHOR_BOTH && !atEnd) break;
          if (this.ncap > 0 && (!longest || !this.matched || this.matchcap[1] < pos)) {
            runq.denseCaps[capOffset + 1] = pos;
            for (let k = 0; k < this.ncap; k++) this.matchcap[k] = runq.denseCaps[capOffset + k];
          }
          if (!longest) runq.size = 0;
          this.matched = true;
          break;
        case Inst.RUNE:
          add3 = i.matchRune(c);
          break;
        case Inst.RUNE1:
          add3 = c === i.runes[0];
          break;
        case Inst.RUNE_ANY:
          add3 = true;
          break;
        case Inst.RUNE_ANY_NOT_NL:
          add3 = c !== 10;
          break;
        default:
          continue;
      }
      if (add3) this.add(nextq, i.out, nextPos, runq.denseCaps, capOffset, nextCond);
    }
    runq.clear();
  }
  spawnLookbehinds(q, pos, flag) {
    for (let i = 0; i < this.prog.lbStarts.length; i++) this.add(q, this.prog.lbStarts[i], pos, this.matchcap, 0, flag);
  }
  restoreLookbehinds(lbState, q, flag) {
    this.lbTable.set(lbState.lbTable);
    for (let j = 0; j < lbState.size; j++) this.add(q, lbState.pcs[j], lbState.pos, this.matchcap, 0, flag);
  }
  saveLookbehinds(lbState, q, pos) {
    let size2 = 0;
    for (let j = 0; j < q.size; j++) {
      const pc = q.densePcs[j];
      if (this.prog.lbInst[pc] === 1 && Inst.isRuneOp(this.prog.inst[pc].op)) lbState.pcs[size2++] = pc;
    }
    lbState.size = size2;
    lbState.pos = pos;
    lbState.lbTable.set(this.lbTable);
  }
  add(q, pc, pos, capArray, capOffset, cond) {
    const stk = this.addStack;
    let nstk = 0;
    for (; ; ) {
      while (pc !== 0 && !q.contains(pc)) {
        const d = q.add(pc);
        const inst = this.prog.inst[pc];
        switch (inst.op) {
          case Inst.FAIL:
            pc = 0;
            break;
          case Inst.ALT:
          case Inst.ALT_MATCH:
            stk[nstk++] = inst.arg;
            stk[nstk++] = 0;
            pc = inst.out;
            break;
          case Inst.EMPTY_WIDTH:
            pc = (inst.arg & ~cond) === 0 ? inst.out : 0;
            break;
          case Inst.NOP:
            pc = inst.out;
            break;
          case Inst.CAPTURE:
            if (inst.arg < this.ncap) {
              stk[nstk++] = -inst.arg - 1;
              stk[nstk++] = capArray[capOffset + inst.arg];
              capArray[capOffset + inst.arg] = pos;
            }
            pc = inst.out;
            break;
          case Inst.LB_WRITE:
            this.lbTable[Math.abs(inst.arg)] = pos;
            pc = inst.out;
            break;
          case Inst.LB_CHECK:
            if (inst.arg > 0) pc = this.lbTable[inst.arg] === pos ? inst.out : 0;
            else pc = this.lbTable[-inst.arg] !== pos ? inst.out : 0;
            break;
          case Inst.MATCH:
          case Inst.RUNE:
          case Inst.RUNE1:
          case Inst.RUNE_ANY:
          case Inst.RUNE_ANY_NOT_NL:
            if (this.prog.lbInst[pc] === 0) q.mainThreads++;
            if (this.ncap > 0) {
              const destOffset = d * this.ncap;
              if (destOffset + this.ncap > q.denseCaps.length) q.growCaps(destOffset + this.ncap);
              for (let c = 0; c < this.ncap; c++) q.denseCaps[destOffset + c] = capArray[capOffset + c];
            }
            pc = 0;
            break;
          default:
            throw new RE2JSInternalException("unhandled");
        }
      }
      if (nstk === 0) return;
      nstk -= 2;
      const entry = stk[nstk];
      if (entry < 0) {
        capArray[capOffset - entry - 1] = stk[nstk + 1];
        pc = 0;
      } else pc = entry;
    }
  }
};
var hashState = (pcs, flag, ids) => {
  let h = -2128831035;
  for (let i = 0; i < pcs.length; i++) {
    h ^= pcs[i];
    h = Math.imul(h, 16777619);
  }
  h ^= flag;
  h = Math.imul(h, 16777619);
  for (let i = 0; i < ids.length; i++) {
    h ^= ids[i];
    h = Math.imul(h, 16777619);
  }
  return h;
};
var arraysEqual = (a, b) => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};
var isState = (state, pcs, flag, ids) => state.flag === flag && arraysEqual(state.nfaStates, pcs) && arraysEqual(state.matchIDs, ids);
var NO_IDS = [];
var END_TEXT = -1;
var DFAState = class {
  constructor(nfaStates, flag, matchIDs) {
    this.nfaStates = nfaStates;
    this.flag = flag;
    this.isMatch = (flag & DFA.FLAG_MATCH) !== 0;
    this.matchIDs = matchIDs;
    this.next = null;
    this.nextAnchored = null;
  }
};
var DFA = class DFA2 {
  static FLAG_EMPTY_MASK = 255;
  static FLAG_MATCH = 256;
  static FLAG_LAST_WORD = 512;
  static FLAG_NEED_SHIFT = 16;
  static STATE_OVERHEAD = 150;
  static ARRAY_OVERHEAD = 40;
  static ELEMENT_SIZE = 8;
  static TABLE_OVERHEAD = 48;
  static PROGRESS_PER_STATE = 10;
  constructor(prog, maxMem = 8388608) {
    this.prog = prog;
    this.maxMem = maxMem;
    this.stateCache = /* @__PURE__ */ new Map();
    this.stateCount = 0;
    this.startStates = /* @__PURE__ */ new Map();
    this.failed = false;
    for (let pc = 0; pc < prog.numInst(); pc++) {
      const op = prog.getInst(pc).op;
      if (op === Inst.LB_WRITE || op === Inst.LB_CHECK) {
        this.failed = true;
        break;
      }
    }
    this.computeRuneClasses();
    this.stateBudget = maxMem;
    this.memBudget = maxMem;
  }
  computeRuneClasses() {
    const bounds = /* @__PURE__ */ new Set();
    const addRange = (lo, hi) => {
      bounds.add(lo);
      bounds.add(hi + 1);
    };
    for (let pc = 0; pc < this.prog.numInst(); pc++) {
      const inst = this.prog.getInst(pc);
      switch (inst.op) {
        case Inst.RUNE:
        case Inst.RUNE1:
          if (inst.runes.length === 1) {
            addRange(inst.runes[0], inst.runes[0]);
            if ((inst.arg & RE2Flags.FOLD_CASE) !== 0) for (let f = Unicode.simpleFold(inst.runes[0]); f !== inst.runes[0]; f = Unicode.simpleFold(f)) addRange(f, f);
          } else for (let j = 0; j < inst.runes.length; j += 2) addRange(inst.runes[j], inst.runes[j + 1]);
          break;
        case Inst.RUNE_ANY_NOT_NL:
          addRange(10, 10);
          break;
        case Inst.EMPTY_WIDTH:
          if ((inst.arg & (Utils.EMPTY_BEGIN_LINE | Utils.EMPTY_END_LINE)) !== 0) addRange(10, 10);
          if ((inst.arg & (Utils.EMPTY_WORD_BOUNDARY | Utils.EMPTY_NO_WORD_BOUNDARY)) !== 0) {
            addRange(48, 57);
            addRange(65, 90);
            addRange(95, 95);
            addRange(97, 122);
          }
      }
    }
    bounds.delete(0);
    this.classBounds = Int32Array.from(bounds).sort();
    this.numClasses = this.classBounds.length + 1;
    const latin1Class = new Int32Array(Unicode.MAX_LATIN1 + 1);
    for (let r = 0; r <= Unicode.MAX_LATIN1; r++) latin1Class[r] = this.searchClass(r);
    this.latin1Class = latin1Class;
  }
  runeClass(r) {
    if (r <= Unicode.MAX_LATIN1) return this.latin1Class[r];
    return this.searchClass(r);
  }
  searchClass(r) {
    const bounds = this.classBounds;
    let lo = 0;
    let hi = bounds.length;
    while (lo < hi) {
      const mid = lo + hi >> 1;
      if (bounds[mid] <= r) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }
  closure(pcs, flag) {
    const closure = /* @__PURE__ */ new Set();
    const stack = Array.from(pcs);
    let needflags = 0;
    while (stack.length > 0) {
      const pc = stack.pop();
      if (pc === 0 || closure.has(pc)) continue;
      closure.add(pc);
      const inst = this.prog.getInst(pc);
      switch (inst.op) {
        case Inst.ALT:
        case Inst.ALT_MATCH:
          stack.push(inst.out);
          stack.push(inst.arg);
          break;
        case Inst.NOP:
        case Inst.CAPTURE:
          stack.push(inst.out);
          break;
        case Inst.EMPTY_WIDTH:
          needflags |= inst.arg;
          if ((inst.arg & ~flag) === 0) stack.push(inst.out);
      }
    }
    return {
      pcs: Array.from(closure).sort((a, b) => a - b),
      needflags
    };
  }
  getState(pcs, flag, ids) {
    const hash = hashState(pcs, flag, ids);
    const cached = this.stateCache.get(hash);
    if (cached instanceof DFAState) {
      if (isState(cached, pcs, flag, ids)) return cached;
    } else if (cached !== void 0) {
      for (let i = 0; i < cached.length; i++) if (isState(cached[i], pcs, flag, ids)) return cached[i];
    }
    const cost = DFA2.stateCost(pcs, ids);
    if (this.memBudget < cost) return null;
    this.memBudget -= cost;
    const state = new DFAState(pcs, flag, ids);
    if (cached === void 0) this.stateCache.set(hash, state);
    else if (cached instanceof DFAState) this.stateCache.set(hash, [cached, state]);
    else cached.push(state);
    this.stateCount++;
    return state;
  }
  static stateCost(pcs, ids) {
    const idsCost = ids.length === 0 ? 0 : DFA2.ARRAY_OVERHEAD + DFA2.ELEMENT_SIZE * ids.length;
    return DFA2.STATE_OVERHEAD + DFA2.ELEMENT_SIZE * pcs.length + idsCost;
  }
  *cachedStates() {
    for (const cached of this.stateCache.values()) if (cached instanceof DFAState) yield cached;
    else yield* cached;
  }
  makeState(pcs, flag, ids) {
    const closure = this.closure(pcs, flag & DFA2.FLAG_EMPTY_MASK);
    let stateFlag = flag;
    if (closure.needflags === 0) stateFlag &= DFA2.FLAG_MATCH;
    stateFlag |= closure.needflags << DFA2.FLAG_NEED_SHIFT;
    return this.getState(closure.pcs, stateFlag, ids);
  }
  allocTable(state, anchor) {
    const size2 = this.numClasses + 1;
    const cost = DFA2.TABLE_OVERHEAD + DFA2.ELEMENT_SIZE * size2;
    if (this.memBudget < cost) return null;
    this.memBudget -= cost;
    const table = new Array(size2).fill(null);
    if (anchor === RE2Flags.UNANCHORED) state.next = table;
    else state.nextAnchored = table;
    return table;
  }
  clearCache() {
    this.stateCache.clear();
    this.stateCount = 0;
    this.startStates.clear();
    this.memBudget = this.stateBudget;
  }
  resetCache(current) {
    this.clearCache();
    return this.getState(current.nfaStates, current.flag, current.matchIDs);
  }
  step(state, cls, rune, anchor) {
    let table = anchor === RE2Flags.UNANCHORED ? state.next : state.nextAnchored;
    if (table !== null) {
      const cached = table[cls];
      if (cached !== null) return cached;
    } else {
      table = this.allocTable(state, anchor);
      if (table === null) return null;
    }
    const needflag = state.flag >>> DFA2.FLAG_NEED_SHIFT;
    const oldbeforeflag = state.flag & DFA2.FLAG_EMPTY_MASK;
    let beforeflag = oldbeforeflag;
    let afterflag = 0;
    if (rune === 10) {
      beforeflag |= Utils.EMPTY_END_LINE;
      afterflag |= Utils.EMPTY_BEGIN_LINE;
    }
    if (rune === END_TEXT) beforeflag |= Utils.EMPTY_END_LINE | Utils.EMPTY_END_TEXT;
    const islastword = (state.flag & DFA2.FLAG_LAST_WORD) !== 0;
    const isword = rune !== END_TEXT && Utils.isWordRune(rune);
    beforeflag |= isword === islastword ? Utils.EMPTY_NO_WORD_BOUNDARY : Utils.EMPTY_WORD_BOUNDARY;
    let pcs = state.nfaStates;
    if ((beforeflag & ~oldbeforeflag & needflag) !== 0) pcs = this.closure(pcs, beforeflag).pcs;
    const nextPCs = [];
    let ismatch = false;
    let ids = NO_IDS;
    for (let i = 0; i < pcs.length; i++) {
      const inst = this.prog.getInst(pcs[i]);
      if (inst.op === Inst.MATCH) {
        if (!ismatch) {
          ismatch = true;
          ids = [];
        }
        ids.push(inst.arg);
      } else if (rune !== END_TEXT && Inst.isRuneOp(inst.op) && inst.matchRune(rune)) nextPCs.push(inst.out);
    }
    if (ids.length > 1) ids.sort((a, b) => a - b);
    if (anchor === RE2Flags.UNANCHORED && rune !== END_TEXT) nextPCs.push(this.prog.start);
    let flag = afterflag;
    if (ismatch) flag |= DFA2.FLAG_MATCH;
    if (isword) flag |= DFA2.FLAG_LAST_WORD;
    const nextState = this.makeState(nextPCs, flag, ids);
    if (nextState === null) return null;
    table[cls] = nextState;
    return nextState;
  }
  start(input, pos) {
    const context = input.context(pos);
    let flags;
    if ((context & Utils.EMPTY_BEGIN_TEXT) !== 0) flags = Utils.EMPTY_BEGIN_TEXT | Utils.EMPTY_BEGIN_LINE;
    else if ((context & Utils.EMPTY_BEGIN_LINE) !== 0) flags = Utils.EMPTY_BEGIN_LINE;
    else {
      const r = input.step(pos);
      const nextIsWord = r >= 0 && Utils.isWordRune(r >> 3);
      flags = (context & Utils.EMPTY_WORD_BOUNDARY) !== 0 !== nextIsWord ? DFA2.FLAG_LAST_WORD : 0;
    }
    let state = this.startStates.get(flags);
    if (state === void 0) {
      state = this.makeState([this.prog.start], flags, NO_IDS);
      if (state === null) {
        this.clearCache();
        state = this.makeState([this.prog.start], flags, NO_IDS);
        if (state === null) return null;
      }
      this.startStates.set(flags, state);
    }
    return state;
  }
  stepOrReset(state, cls, rune, anchor, pos, search) {
    let next = this.step(state, cls, rune, anchor);
    if (next !== null) return next;
    if (search.resetPos >= 0 && pos - search.resetPos < DFA2.PROGRESS_PER_STATE * this.stateCount) return null;
    search.resetPos = pos;
    const restored = this.resetCache(state);
    if (restored === null) return null;
    next = this.step(restored, cls, rune, anchor);
    return next;
  }
  run(input, pos, anchor, state, onMatch) {
    const endPos = input.endPos();
    const latin1Class = this.latin1Class;
    const unanchored = anchor === RE2Flags.UNANCHORED;
    const search = { resetPos: -1 };
    let i = pos;
    while (i < endPos) {
      const r = input.step(i);
      const rune = r >> 3;
      const width = r & 7;
      if (width === 0) break;
      const cls = rune <= Unicode.MAX_LATIN1 ? latin1Class[rune] : this.runeClass(rune);
      let next = unanchored && state.next !== null ? state.next[cls] : null;
      if (next === null) {
        next = this.stepOrReset(state, cls, rune, anchor, i, search);
        if (next === null) return null;
      }
      state = next;
      if (state.isMatch && onMatch(state, false)) return true;
      if (!unanchored && state.nfaStates.length === 0) return false;
      i += width;
    }
    state = this.stepOrReset(state, this.numClasses, END_TEXT, anchor, i, search);
    if (state === null) return null;
    return state.isMatch && onMatch(state, true);
  }
  match(input, pos, anchor) {
    if (this.failed) return null;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return false;
    const startState = this.start(input, pos);
    if (startState === null) return null;
    return this.run(input, pos, anchor, startState, (state, atEnd) => anchor !== RE2Flags.ANCHOR_BOTH || atEnd);
  }
  matchSet(input, pos, anchor) {
    if (this.failed) return null;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return [];
    const startState = this.start(input, pos);
    if (startState === null) return null;
    const matches2 = /* @__PURE__ */ new Set();
    const collect = (state, atEnd) => {
      if (anchor !== RE2Flags.ANCHOR_BOTH || atEnd) for (let k = 0; k < state.matchIDs.length; k++) matches2.add(state.matchIDs[k]);
      return false;
    };
    if (this.run(input, pos, anchor, startState, collect) === null) return null;
    return Array.from(matches2).sort((a, b) => a - b);
  }
};
var VISITED_BITS = 32;
var MAX_BACKTRACK_PROG = 500;
var INITIAL_JOB_CAPACITY = 256;
var MAX_BACKTRACK_VECTOR = 262144;
var BitState = class {
  constructor() {
    this.end = 0;
    this.cap = /* @__PURE__ */ new Int32Array(0);
    this.matchcap = /* @__PURE__ */ new Int32Array(0);
    this.ncap = 0;
    this.jobPc = new Int32Array(INITIAL_JOB_CAPACITY);
    this.jobArg = new Uint8Array(INITIAL_JOB_CAPACITY);
    this.jobPos = new Int32Array(INITIAL_JOB_CAPACITY);
    this.jobLen = 0;
    this.visited = /* @__PURE__ */ new Uint32Array(0);
  }
  reset(prog, end2, ncap) {
    this.end = end2;
    this.jobLen = 0;
    this.ncap = ncap;
    const visitedSize = prog.numInst() * (end2 + 1) + VISITED_BITS - 1 >>> 5;
    if (this.visited.length < visitedSize) this.visited = new Uint32Array(visitedSize);
    else this.visited.fill(0, 0, visitedSize);
    if (this.cap.length < ncap) this.cap = new Int32Array(ncap).fill(-1);
    else this.cap.fill(-1, 0, ncap);
    if (this.matchcap.length < ncap) this.matchcap = new Int32Array(ncap).fill(-1);
    else this.matchcap.fill(-1, 0, ncap);
  }
  shouldVisit(pc, pos) {
    const n = pc * (this.end + 1) + pos;
    const idx = n >>> 5;
    const mask = 1 << (n & 31);
    if ((this.visited[idx] & mask) !== 0) return false;
    this.visited[idx] |= mask;
    return true;
  }
  push(re2, pc, pos, arg) {
    if (re2.prog.getInst(pc).op !== Inst.FAIL && (arg || this.shouldVisit(pc, pos))) {
      if (this.jobLen >= this.jobPc.length) {
        const newSize = this.jobPc.length * 2;
        const newPc = new Int32Array(newSize);
        newPc.set(this.jobPc);
        this.jobPc = newPc;
        const newArg = new Uint8Array(newSize);
        newArg.set(this.jobArg);
        this.jobArg = newArg;
        const newPos = new Int32Array(newSize);
        newPos.set(this.jobPos);
        this.jobPos = newPos;
      }
      this.jobPc[this.jobLen] = pc;
      this.jobArg[this.jobLen] = arg ? 1 : 0;
      this.jobPos[this.jobLen] = pos;
      this.jobLen++;
    }
  }
  tryBacktrack(re2, input, pc, pos, anchor) {
    const longest = re2.longest;
    this.push(re2, pc, pos, false);
    while (this.jobLen > 0) {
      this.jobLen--;
      let currentPc = this.jobPc[this.jobLen];
      let arg = this.jobArg[this.jobLen] === 1;
      let currentPos = this.jobPos[this.jobLen];
      let skipShouldVisit = true;
      while (true) {
        if (!skipShouldVisit) {
          if (!this.shouldVisit(currentPc, currentPos)) break;
        }
        skipShouldVisit = false;
        const inst = re2.prog.getInst(currentPc);
        switch (inst.op) {
          case Inst.FAIL:
            break;
          case Inst.ALT:
            if (arg) {
              arg = false;
              currentPc = inst.arg;
              continue;
            } else {
              this.push(re2, currentPc, currentPos, true);
              currentPc = inst.out;
              continue;
            }
          case Inst.ALT_MATCH: {
            const outInst = re2.prog.getInst(inst.out);
            if (Inst.isRuneOp(outInst.op)) {
              this.push(re2, inst.arg, currentPos, false);
              currentPc = inst.arg;
              currentPos = this.end;
              continue;
            }
            this.push(re2, inst.out, this.end, false);
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE: {
            const r = input.step(currentPos);
            if (r === MachineInputBase.EOF()) break;
            if (!inst.matchRune(r >> 3)) break;
            currentPos += r & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE1: {
            const r = input.step(currentPos);
            if (r === MachineInputBase.EOF()) break;
            if (r >> 3 !== inst.runes[0]) break;
            currentPos += r & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE_ANY_NOT_NL: {
            const r = input.step(currentPos);
            if (r === MachineInputBase.EOF()) break;
            if (r >> 3 === 10) break;
            currentPos += r & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE_ANY: {
            const r = input.step(currentPos);
            if (r === MachineInputBase.EOF()) break;
            currentPos += r & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.CAPTURE:
            if (arg) {
              this.cap[inst.arg] = currentPos;
              break;
            } else {
              if (inst.arg < this.ncap) {
                this.push(re2, currentPc, this.cap[inst.arg], true);
                this.cap[inst.arg] = currentPos;
              }
              currentPc = inst.out;
              continue;
            }
          case Inst.EMPTY_WIDTH: {
            const flag = input.context(currentPos);
            if ((inst.arg & ~flag) !== 0) break;
            currentPc = inst.out;
            continue;
          }
          case Inst.NOP:
            currentPc = inst.out;
            continue;
          case Inst.MATCH: {
            if (anchor === RE2Flags.ANCHOR_BOTH && currentPos !== this.end) break;
            if (this.ncap === 0) return true;
            if (this.ncap > 1) this.cap[1] = currentPos;
            const old = this.matchcap[1];
            if (old === -1 || longest && currentPos > 0 && currentPos > old) this.matchcap.set(this.cap);
            if (!longest) return true;
            if (currentPos === this.end) return true;
            break;
          }
          case Inst.LB_WRITE:
          case Inst.LB_CHECK:
            throw new RE2JSInternalException("Backtracker cannot evaluate Lookbehind instructions");
          default:
            throw new RE2JSInternalException("bad inst");
        }
        break;
      }
    }
    return longest && this.matchcap.length > 1 && this.matchcap[1] >= 0;
  }
};
var bitStatePool = [];
var Backtracker = class Backtracker2 {
  static shouldBacktrack(prog) {
    return prog.numInst() <= MAX_BACKTRACK_PROG;
  }
  static maxBitStateLen(prog) {
    if (!Backtracker2.shouldBacktrack(prog)) return 0;
    return Math.floor(MAX_BACKTRACK_VECTOR / prog.numInst());
  }
  static execute(re2, input, pos, anchor, ncap) {
    const startCond = re2.cond;
    if (startCond === Utils.EMPTY_ALL) return null;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return null;
    if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 && pos !== 0) return null;
    const b = bitStatePool.length > 0 ? bitStatePool.pop() : new BitState();
    const end2 = input.endPos();
    b.reset(re2.prog, end2, ncap);
    let matched = false;
    if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 || anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) {
      if (b.ncap > 0) b.cap[0] = pos;
      if (b.tryBacktrack(re2, input, re2.prog.start, pos, anchor)) matched = true;
    } else {
      let width = -1;
      for (; pos <= end2 && width !== 0; pos += width) {
        if (re2.prefix.length > 0) {
          const advance = input.index(re2, pos);
          if (advance < 0) break;
          pos += advance;
        }
        if (b.ncap > 0) b.cap[0] = pos;
        if (b.tryBacktrack(re2, input, re2.prog.start, pos, anchor)) {
          matched = true;
          break;
        }
        const r = input.step(pos);
        width = r === MachineInputBase.EOF() ? 0 : r & 7;
      }
    }
    if (!matched) {
      bitStatePool.push(b);
      return null;
    }
    const result = ncap === 0 ? [] : Utils.toArray(b.matchcap.subarray(0, ncap));
    bitStatePool.push(b);
    return result;
  }
};
var QueueOnePass = class {
  constructor(size2) {
    this.sparse = new Uint32Array(size2);
    this.dense = new Uint32Array(size2);
    this.size = 0;
    this.nextIndex = 0;
  }
  empty() {
    return this.nextIndex >= this.size;
  }
  next() {
    return this.dense[this.nextIndex++];
  }
  clear() {
    this.size = 0;
    this.nextIndex = 0;
  }
  contains(u) {
    return u < this.sparse.length && this.sparse[u] < this.size && this.dense[this.sparse[u]] === u;
  }
  insert(u) {
    if (!this.contains(u)) this.insertNew(u);
  }
  insertNew(u) {
    if (u >= this.sparse.length) return;
    this.sparse[u] = this.size;
    this.dense[this.size] = u;
    this.size++;
  }
};
var mergeRuneSets = (leftRunes, rightRunes, leftPC, rightPC) => {
  const leftLen = leftRunes.length;
  const rightLen = rightRunes.length;
  let lx = 0, rx = 0;
  const merged = [];
  const next = [];
  let ok = true;
  let ix = -1;
  const extend = (isLeft) => {
    const newArray = isLeft ? leftRunes : rightRunes;
    const low = isLeft ? lx : rx;
    const pc = isLeft ? leftPC : rightPC;
    if (ix > 0 && newArray[low] <= merged[ix]) return false;
    merged.push(newArray[low], newArray[low + 1]);
    if (isLeft) lx += 2;
    else rx += 2;
    ix += 2;
    next.push(pc);
    return true;
  };
  while (lx < leftLen || rx < rightLen) {
    if (rx >= rightLen) ok = extend(true);
    else if (lx >= leftLen) ok = extend(false);
    else if (rightRunes[rx] < leftRunes[lx]) ok = extend(false);
    else ok = extend(true);
    if (!ok) return null;
  }
  return {
    merged,
    next
  };
};
var OnePassProg = class {
  constructor(prog) {
    this.start = prog.start;
    this.numCap = prog.numCap;
    this.inst = new Array(prog.inst.length);
    for (let i = 0; i < prog.inst.length; i++) {
      const orig = prog.inst[i];
      const inst = new Inst(orig.op);
      inst.out = orig.out;
      inst.arg = orig.arg;
      inst.runes = orig.runes ? new Int32Array(orig.runes) : /* @__PURE__ */ new Int32Array(0);
      inst.next = null;
      this.inst[i] = inst;
    }
  }
};
var onePassCopy = (prog) => {
  const p = new OnePassProg(prog);
  for (let pc = 0; pc < p.inst.length; pc++) {
    const inst = p.inst[pc];
    if (inst.op !== Inst.ALT && inst.op !== Inst.ALT_MATCH) continue;
    let pAOther = "out";
    let pAAlt = "arg";
    let instAlt = p.inst[inst[pAAlt]];
    if (instAlt.op !== Inst.ALT && instAlt.op !== Inst.ALT_MATCH) {
      pAOther = "arg";
      pAAlt = "out";
      instAlt = p.inst[inst[pAAlt]];
      if (instAlt.op !== Inst.ALT && instAlt.op !== Inst.ALT_MATCH) continue;
    }
    const instOther = p.inst[inst[pAOther]];
    if (instOther.op === Inst.ALT || instOther.op === Inst.ALT_MATCH) continue;
    let pBAlt = "out";
    let pBOther = "arg";
    let patch = false;
    if (instAlt.out === pc) patch = true;
    else if (instAlt.arg === pc) {
      patch = true;
      pBAlt = "arg";
      pBOther = "out";
    }
    if (patch) instAlt[pBAlt] = inst[pAOther];
    if (inst[pAOther] === instAlt[pBAlt]) inst[pAAlt] = instAlt[pBOther];
  }
  return p;
};
var makeOnePass = (p) => {
  if (p.inst.length >= 1e3) return null;
  const instQueue = new QueueOnePass(p.inst.length);
  const visitQueue = new QueueOnePass(p.inst.length);
  const onePassRunes = new Array(p.inst.length);
  const m = new Array(p.inst.length).fill(false);
  const check2 = (pc) => {
    let ok = true;
    const inst = p.inst[pc];
    if (visitQueue.contains(pc)) return true;
    visitQueue.insert(pc);
    switch (inst.op) {
      case Inst.ALT:
      case Inst.ALT_MATCH: {
        ok = check2(inst.out) && check2(inst.arg);
        let matchOut = m[inst.out];
        let matchArg = m[inst.arg];
        if (matchOut && matchArg) return false;
        if (matchArg) {
          const tempOut = inst.out;
          inst.out = inst.arg;
          inst.arg = tempOut;
          const tempMatch = matchOut;
          matchOut = matchArg;
          matchArg = tempMatch;
        }
        if (matchOut) {
          m[pc] = true;
          inst.op = Inst.ALT_MATCH;
        }
        const leftRunes = onePassRunes[inst.out] || [];
        const rightRunes = onePassRunes[inst.arg] || [];
        const mergeRes = mergeRuneSets(leftRunes, rightRunes, inst.out, inst.arg);
        if (!mergeRes) return false;
        onePassRunes[pc] = new Int32Array(mergeRes.merged);
        inst.next = new Uint32Array(mergeRes.next);
        break;
      }
      case Inst.CAPTURE:
      case Inst.EMPTY_WIDTH:
      case Inst.NOP:
        ok = check2(inst.out);
        m[pc] = m[inst.out];
        onePassRunes[pc] = onePassRunes[inst.out] ? new Int32Array(onePassRunes[inst.out]) : /* @__PURE__ */ new Int32Array(0);
        inst.next = new Uint32Array(Math.floor(onePassRunes[pc].length / 2) + 1).fill(inst.out);
        break;
      case Inst.MATCH:
      case Inst.FAIL:
        m[pc] = inst.op === Inst.MATCH;
        break;
      case Inst.RUNE: {
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        if (!inst.runes || inst.runes.length === 0) {
          onePassRunes[pc] = /* @__PURE__ */ new Int32Array(0);
          inst.next = new Uint32Array([inst.out]);
          break;
        }
        let runes = [];
        if (inst.runes.length === 1 && (inst.arg & RE2Flags.FOLD_CASE) !== 0) {
          const r0 = inst.runes[0];
          runes.push(r0, r0);
          for (let r1 = Unicode.simpleFold(r0); r1 !== r0; r1 = Unicode.simpleFold(r1)) runes.push(r1, r1);
          runes.sort((a, b) => a - b);
        } else for (let j = 0; j < inst.runes.length; j++) runes.push(inst.runes[j]);
        onePassRunes[pc] = new Int32Array(runes);
        inst.next = new Uint32Array(Math.floor(runes.length / 2) + 1).fill(inst.out);
        inst.op = Inst.RUNE;
        break;
      }
      case Inst.RUNE1: {
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        let runes = [];
        if ((inst.arg & RE2Flags.FOLD_CASE) !== 0) {
          const r0 = inst.runes[0];
          runes.push(r0, r0);
          for (let r1 = Unicode.simpleFold(r0); r1 !== r0; r1 = Unicode.simpleFold(r1)) runes.push(r1, r1);
          runes.sort((a, b) => a - b);
        } else runes.push(inst.runes[0], inst.runes[0]);
        onePassRunes[pc] = new Int32Array(runes);
        inst.next = new Uint32Array(Math.floor(runes.length / 2) + 1).fill(inst.out);
        inst.op = Inst.RUNE;
        break;
      }
      case Inst.RUNE_ANY:
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        onePassRunes[pc] = new Int32Array([0, Unicode.MAX_RUNE]);
        inst.next = new Uint32Array([inst.out]);
        break;
      case Inst.RUNE_ANY_NOT_NL:
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        onePassRunes[pc] = new Int32Array([
          0,
          9,
          11,
          Unicode.MAX_RUNE
        ]);
        inst.next = new Uint32Array(Math.floor(onePassRunes[pc].length / 2) + 1).fill(inst.out);
    }
    return ok;
  };
  instQueue.clear();
  instQueue.insert(p.start);
  while (!instQueue.empty()) {
    visitQueue.clear();
    if (!check2(instQueue.next())) return null;
  }
  for (let i = 0; i < p.inst.length; i++) if (onePassRunes[i]) p.inst[i].runes = onePassRunes[i];
  return p;
};
var cleanupOnePass = (p, original) => {
  for (let ix = 0; ix < original.inst.length; ix++) {
    const instOriginal = original.inst[ix];
    switch (instOriginal.op) {
      case Inst.ALT:
      case Inst.ALT_MATCH:
      case Inst.RUNE:
        break;
      case Inst.CAPTURE:
      case Inst.EMPTY_WIDTH:
      case Inst.NOP:
      case Inst.MATCH:
      case Inst.FAIL:
        p.inst[ix].next = null;
        break;
      case Inst.RUNE1:
      case Inst.RUNE_ANY:
      case Inst.RUNE_ANY_NOT_NL:
        p.inst[ix].next = null;
        p.inst[ix].op = instOriginal.op;
        p.inst[ix].runes = instOriginal.runes ? new Int32Array(instOriginal.runes) : /* @__PURE__ */ new Int32Array(0);
    }
  }
};
var OnePass = class OnePass2 {
  static compile(prog) {
    if (prog.start === 0) return null;
    if (prog.numLb > 0) return null;
    const startInst = prog.inst[prog.start];
    if (startInst.op !== Inst.EMPTY_WIDTH || (startInst.arg & Utils.EMPTY_BEGIN_TEXT) === 0) return null;
    let hasAlt = false;
    for (let i = 0; i < prog.inst.length; i++) if (prog.inst[i].op === Inst.ALT || prog.inst[i].op === Inst.ALT_MATCH) {
      hasAlt = true;
      break;
    }
    for (let i = 0; i < prog.inst.length; i++) {
      const inst = prog.inst[i];
      const opOut = prog.inst[inst.out].op;
      switch (inst.op) {
        case Inst.ALT:
        case Inst.ALT_MATCH:
          if (opOut === Inst.MATCH || prog.inst[inst.arg].op === Inst.MATCH) return null;
          break;
        case Inst.EMPTY_WIDTH:
          if (opOut === Inst.MATCH) {
            if ((inst.arg & Utils.EMPTY_END_TEXT) === Utils.EMPTY_END_TEXT) continue;
            return null;
          }
          break;
        default:
          if (opOut === Inst.MATCH && hasAlt) return null;
      }
    }
    let p = onePassCopy(prog);
    p = makeOnePass(p);
    if (p !== null) cleanupOnePass(p, prog);
    return p;
  }
  static next(inst, r) {
    const nextIdx = inst.matchRunePos(r);
    if (nextIdx >= 0) return inst.next[nextIdx];
    if (inst.op === Inst.ALT_MATCH) return inst.out;
    return 0;
  }
  static execute(re2, input, pos, anchor, ncap) {
    const onepass = re2.onepass;
    if (!onepass) return null;
    const matchcap = new Int32Array(ncap).fill(-1);
    let matched = false;
    let r = input.step(pos);
    let rune = r >> 3;
    let width = r & 7;
    let r1 = MachineInputBase.EOF();
    let rune1 = -1;
    let width1 = 0;
    if (r !== MachineInputBase.EOF()) {
      r1 = input.step(pos + width);
      if (r1 !== MachineInputBase.EOF()) {
        rune1 = r1 >> 3;
        width1 = r1 & 7;
      }
    }
    let flag = pos === 0 ? Utils.emptyOpContext(-1, rune) : input.context(pos);
    let pc = onepass.start;
    let inst;
    while (true) {
      inst = onepass.inst[pc];
      pc = inst.out;
      switch (inst.op) {
        case Inst.MATCH:
          if (anchor === RE2Flags.ANCHOR_BOTH && pos !== input.endPos()) return null;
          matched = true;
          if (matchcap.length > 0) {
            matchcap[0] = 0;
            matchcap[1] = pos;
          }
          return ncap === 0 ? [] : Utils.toArray(matchcap);
        case Inst.RUNE:
          if (!inst.matchRune(rune)) return null;
          break;
        case Inst.RUNE1:
          if (rune !== inst.runes[0]) return null;
          break;
        case Inst.RUNE_ANY:
          break;
        case Inst.RUNE_ANY_NOT_NL:
          if (rune === 10) return null;
          break;
        case Inst.ALT:
        case Inst.ALT_MATCH:
          pc = OnePass2.next(inst, rune);
          continue;
        case Inst.FAIL:
          return null;
        case Inst.NOP:
          continue;
        case Inst.EMPTY_WIDTH:
          if ((inst.arg & ~flag) !== 0) return null;
          continue;
        case Inst.CAPTURE:
          if (inst.arg < matchcap.length) matchcap[inst.arg] = pos;
          continue;
        default:
          throw new RE2JSInternalException("bad inst");
      }
      if (width === 0) break;
      flag = Utils.emptyOpContext(rune, rune1);
      pos += width;
      rune = rune1;
      width = width1;
      if (rune !== -1) {
        r1 = input.step(pos + width);
        if (r1 !== MachineInputBase.EOF()) {
          rune1 = r1 >> 3;
          width1 = r1 & 7;
        } else {
          rune1 = -1;
          width1 = 0;
        }
      }
    }
    if (!matched) return null;
    return ncap === 0 ? [] : Utils.toArray(matchcap);
  }
};
var Regexp = class Regexp2 {
  static Op = createEnum([
    "NO_MATCH",
    "EMPTY_MATCH",
    "LITERAL",
    "CHAR_CLASS",
    "ANY_CHAR_NOT_NL",
    "ANY_CHAR",
    "BEGIN_LINE",
    "END_LINE",
    "BEGIN_TEXT",
    "END_TEXT",
    "WORD_BOUNDARY",
    "NO_WORD_BOUNDARY",
    "CAPTURE",
    "STAR",
    "PLUS",
    "QUEST",
    "REPEAT",
    "CONCAT",
    "ALTERNATE",
    "PLB",
    "NLB",
    "LEFT_PAREN",
    "VERTICAL_BAR"
  ]);
  static isPseudoOp(op) {
    return op >= Regexp2.Op.LEFT_PAREN;
  }
  static emptySubs() {
    return [];
  }
  static quoteIfHyphen(rune) {
    if (rune === Codepoint.CODES["-"]) return "\\";
    return "";
  }
  static fromRegexp(re) {
    const regex = new Regexp2(re.op);
    regex.flags = re.flags;
    regex.subs = re.subs;
    regex.runes = re.runes;
    regex.cap = re.cap;
    regex.min = re.min;
    regex.max = re.max;
    regex.name = re.name;
    regex.namedGroups = re.namedGroups;
    regex.lb = re.lb;
    return regex;
  }
  constructor(op) {
    this.op = op;
    this.flags = 0;
    this.subs = Regexp2.emptySubs();
    this.runes = /* @__PURE__ */ new Int32Array(0);
    this.min = 0;
    this.max = 0;
    this.cap = 0;
    this.name = null;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.lb = 0;
  }
  reinit() {
    this.flags = 0;
    this.subs = Regexp2.emptySubs();
    this.runes = /* @__PURE__ */ new Int32Array(0);
    this.cap = 0;
    this.min = 0;
    this.max = 0;
    this.name = null;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.lb = 0;
  }
  toString() {
    return this.appendTo();
  }
  appendTo() {
    let out = "";
    switch (this.op) {
      case Regexp2.Op.NO_MATCH:
        out += "[^\\x00-\\x{10FFFF}]";
        break;
      case Regexp2.Op.EMPTY_MATCH:
        out += "(?:)";
        break;
      case Regexp2.Op.STAR:
      case Regexp2.Op.PLUS:
      case Regexp2.Op.QUEST:
      case Regexp2.Op.REPEAT: {
        const sub = this.subs[0];
        if (sub.op > Regexp2.Op.CAPTURE || sub.op === Regexp2.Op.LITERAL && sub.runes.length > 1) out += `(?:${sub.appendTo()})`;
        else out += sub.appendTo();
        switch (this.op) {
          case Regexp2.Op.STAR:
            out += "*";
            break;
          case Regexp2.Op.PLUS:
            out += "+";
            break;
          case Regexp2.Op.QUEST:
            out += "?";
            break;
          case Regexp2.Op.REPEAT:
            out += `{${this.min}`;
            if (this.min !== this.max) {
              out += ",";
              if (this.max >= 0) out += this.max;
            }
            out += "}";
        }
        if ((this.flags & RE2Flags.NON_GREEDY) !== 0) out += "?";
        break;
      }
      case Regexp2.Op.CONCAT:
        for (let sub of this.subs) if (sub.op === Regexp2.Op.ALTERNATE) out += `(?:${sub.appendTo()})`;
        else out += sub.appendTo();
        break;
      case Regexp2.Op.ALTERNATE: {
        let sep = "";
        for (let sub of this.subs) {
          out += sep;
          sep = "|";
          out += sub.appendTo();
        }
        break;
      }
      case Regexp2.Op.LITERAL:
        if ((this.flags & RE2Flags.FOLD_CASE) !== 0) out += "(?i:";
        for (let rune of this.runes) out += Utils.escapeRune(rune);
        if ((this.flags & RE2Flags.FOLD_CASE) !== 0) out += ")";
        break;
      case Regexp2.Op.ANY_CHAR_NOT_NL:
        out += "(?-s:.)";
        break;
      case Regexp2.Op.ANY_CHAR:
        out += "(?s:.)";
        break;
      case Regexp2.Op.PLB:
        out += `(?<=${this.subs[0].appendTo()})`;
        break;
      case Regexp2.Op.NLB:
        out += `(?<!${this.subs[0].appendTo()})`;
        break;
      case Regexp2.Op.CAPTURE:
        if (this.name === null || this.name.length === 0) out += "(";
        else out += `(?P<${this.name}>`;
        if (this.subs[0].op !== Regexp2.Op.EMPTY_MATCH) out += this.subs[0].appendTo();
        out += ")";
        break;
      case Regexp2.Op.BEGIN_TEXT:
        out += "\\A";
        break;
      case Regexp2.Op.END_TEXT:
        if ((this.flags & RE2Flags.WAS_DOLLAR) !== 0) out += "(?-m:$)";
        else out += "\\z";
        break;
      case Regexp2.Op.BEGIN_LINE:
        out += "^";
        break;
      case Regexp2.Op.END_LINE:
        out += "$";
        break;
      case Regexp2.Op.WORD_BOUNDARY:
        out += "\\b";
        break;
      case Regexp2.Op.NO_WORD_BOUNDARY:
        out += "\\B";
        break;
      case Regexp2.Op.CHAR_CLASS:
        if (this.runes.length % 2 !== 0) {
          out += "[invalid char class]";
          break;
        }
        out += "[";
        if (this.runes.length === 0) out += "^\\x00-\\x{10FFFF}";
        else if (this.runes[0] === 0 && this.runes[this.runes.length - 1] === Unicode.MAX_RUNE) {
          out += "^";
          for (let i = 1; i < this.runes.length - 1; i += 2) {
            const lo = this.runes[i] + 1;
            const hi = this.runes[i + 1] - 1;
            out += Regexp2.quoteIfHyphen(lo);
            out += Utils.escapeRune(lo);
            if (lo !== hi) {
              out += "-";
              out += Regexp2.quoteIfHyphen(hi);
              out += Utils.escapeRune(hi);
            }
          }
        } else for (let i = 0; i < this.runes.length; i += 2) {
          const lo = this.runes[i];
          const hi = this.runes[i + 1];
          out += Regexp2.quoteIfHyphen(lo);
          out += Utils.escapeRune(lo);
          if (lo !== hi) {
            out += "-";
            out += Regexp2.quoteIfHyphen(hi);
            out += Utils.escapeRune(hi);
          }
        }
        out += "]";
        break;
      default:
        out += this.op;
    }
    return out;
  }
  maxCap() {
    let m = 0;
    if (this.op === Regexp2.Op.CAPTURE) m = this.cap;
    if (this.subs !== null) for (let sub of this.subs) {
      const n = sub.maxCap();
      if (m < n) m = n;
    }
    return m;
  }
  equals(that) {
    if (!(that !== null && that instanceof Regexp2)) return false;
    if (this.op !== that.op) return false;
    switch (this.op) {
      case Regexp2.Op.END_TEXT:
        if ((this.flags & RE2Flags.WAS_DOLLAR) !== (that.flags & RE2Flags.WAS_DOLLAR)) return false;
        break;
      case Regexp2.Op.LITERAL:
      case Regexp2.Op.CHAR_CLASS:
        if ((this.flags & RE2Flags.FOLD_CASE) !== (that.flags & RE2Flags.FOLD_CASE)) return false;
        if (this.runes === null && that.runes === null) break;
        if (this.runes === null || that.runes === null) return false;
        if (this.runes.length !== that.runes.length) return false;
        for (let i = 0; i < this.runes.length; i++) if (this.runes[i] !== that.runes[i]) return false;
        break;
      case Regexp2.Op.ALTERNATE:
      case Regexp2.Op.CONCAT:
        if (this.subs.length !== that.subs.length) return false;
        for (let i = 0; i < this.subs.length; ++i) if (!this.subs[i].equals(that.subs[i])) return false;
        break;
      case Regexp2.Op.STAR:
      case Regexp2.Op.PLUS:
      case Regexp2.Op.QUEST:
        if ((this.flags & RE2Flags.NON_GREEDY) !== (that.flags & RE2Flags.NON_GREEDY) || !this.subs[0].equals(that.subs[0])) return false;
        break;
      case Regexp2.Op.REPEAT:
        if ((this.flags & RE2Flags.NON_GREEDY) !== (that.flags & RE2Flags.NON_GREEDY) || this.min !== that.min || this.max !== that.max || !this.subs[0].equals(that.subs[0])) return false;
        break;
      case Regexp2.Op.CAPTURE:
        if (this.cap !== that.cap || (this.name === null ? that.name !== null : this.name !== that.name) || !this.subs[0].equals(that.subs[0])) return false;
        break;
      case Regexp2.Op.PLB:
      case Regexp2.Op.NLB:
        if (this.lb !== that.lb || !this.subs[0].equals(that.subs[0])) return false;
    }
    return true;
  }
};
var RegexpWalker = class {
  static walk(root2, handler) {
    const stack = [];
    let re = root2;
    let result;
    for (; ; ) {
      if (re.subs.length === 0) result = handler.leaf(re);
      else {
        const state = handler.enter(re);
        if (state.result === void 0) {
          stack.push({
            re,
            state,
            i: 0
          });
          re = re.subs[0];
          continue;
        }
        result = state.result;
      }
      for (; ; ) {
        if (stack.length === 0) return result;
        const frame = stack[stack.length - 1];
        handler.child(frame.re, frame.state, result, frame.i);
        frame.i++;
        if (frame.state.result === void 0 && frame.i < frame.re.subs.length) {
          re = frame.re.subs[frame.i];
          break;
        }
        stack.pop();
        result = frame.state.result !== void 0 ? frame.state.result : handler.leave(frame.re, frame.state);
      }
    }
  }
};
var AhoCorasick = class {
  constructor(words, alphabetSize) {
    const edges = /* @__PURE__ */ new Map();
    const parent = [0];
    const unit = [0];
    const depth = [0];
    const terminal = [0];
    for (const word of words) {
      let node = 0;
      for (let i = 0; i < word.length; i++) {
        const key = node * alphabetSize + word[i];
        let child = edges.get(key);
        if (child === void 0) {
          child = parent.length;
          edges.set(key, child);
          parent.push(node);
          unit.push(word[i]);
          depth.push(depth[node] + 1);
          terminal.push(0);
        }
        node = child;
      }
      terminal[node] = 1;
    }
    const numNodes = parent.length;
    const children = new Int32Array(numNodes - 1);
    for (let c = 1; c < numNodes; c++) children[c - 1] = c;
    children.sort((a, b) => parent[a] - parent[b] || unit[a] - unit[b]);
    const childStart = new Int32Array(numNodes + 1);
    for (let c = 1; c < numNodes; c++) childStart[parent[c] + 1]++;
    for (let n = 0; n < numNodes; n++) childStart[n + 1] += childStart[n];
    const childUnit = new Int32Array(numNodes - 1);
    for (let k = 0; k < children.length; k++) childUnit[k] = unit[children[k]];
    this.childStart = childStart;
    this.childUnit = childUnit;
    this.childNode = children;
    const byDepth = new Int32Array(numNodes);
    for (let n = 0; n < numNodes; n++) byDepth[n] = n;
    byDepth.sort((a, b) => depth[a] - depth[b]);
    const fail = new Int32Array(numNodes);
    const match = Uint8Array.from(terminal);
    for (let k = 1; k < numNodes; k++) {
      const c = byDepth[k];
      const p = parent[c];
      if (p !== 0) {
        let f = fail[p];
        let next = this.next(f, unit[c]);
        while (next < 0 && f !== 0) {
          f = fail[f];
          next = this.next(f, unit[c]);
        }
        fail[c] = next >= 0 ? next : 0;
      }
      match[c] |= match[fail[c]];
    }
    this.fail = fail;
    this.match = match;
  }
  next(node, u) {
    let lo = this.childStart[node];
    let hi = this.childStart[node + 1];
    const units = this.childUnit;
    while (lo < hi) {
      const mid = lo + hi >> 1;
      const m = units[mid];
      if (m === u) return this.childNode[mid];
      if (m < u) lo = mid + 1;
      else hi = mid;
    }
    return -1;
  }
  advance(node, u) {
    for (; ; ) {
      const next = this.next(node, u);
      if (next >= 0) return next;
      if (node === 0) return 0;
      node = this.fail[node];
    }
  }
  searchUTF16(charSeq, start, end2) {
    let node = 0;
    for (let i = start; i < end2; i++) {
      node = this.advance(node, charSeq.charCodeAt(i));
      if (this.match[node] === 1) return true;
    }
    return false;
  }
  searchUTF8(bytes, start, end2) {
    let node = 0;
    for (let i = start; i < end2; i++) {
      node = this.advance(node, bytes[i]);
      if (this.match[node] === 1) return true;
    }
    return false;
  }
};
var Prefilter = class Prefilter2 {
  static Type = {
    NONE: 0,
    EXACT: 1,
    AND: 2,
    OR: 3
  };
  static MAX_SCANS = 32;
  static MAX_AC_UNITS = 1 << 18;
  constructor(type) {
    this.type = type;
    this.subs = [];
    this.str = "";
    this.bytes = null;
    this.cost = type === Prefilter2.Type.EXACT ? 1 : 0;
    this.allExact = false;
    this.ac16 = null;
    this.ac8 = null;
  }
  automaton16() {
    if (this.ac16 === null) {
      const words = this.subs.map((s) => {
        const arr = new Array(s.str.length);
        for (let i = 0; i < s.str.length; i++) arr[i] = s.str.charCodeAt(i);
        return arr;
      });
      this.ac16 = new AhoCorasick(words, 65536);
    }
    return this.ac16;
  }
  automaton8() {
    if (this.ac8 === null) this.ac8 = new AhoCorasick(this.subs.map((s) => s.bytes), 256);
    return this.ac8;
  }
  eval(input, pos) {
    switch (this.type) {
      case Prefilter2.Type.NONE:
        return true;
      case Prefilter2.Type.EXACT:
        return input.hasString(this, pos);
      case Prefilter2.Type.AND:
        for (let i = 0; i < this.subs.length; i++) if (!this.subs[i].eval(input, pos)) return false;
        return true;
      case Prefilter2.Type.OR:
        if (this.allExact) return input.hasAnyString(this, pos);
        for (let i = 0; i < this.subs.length; i++) if (this.subs[i].eval(input, pos)) return true;
        return false;
      default:
        return true;
    }
  }
};
var PrefilterTree = class PrefilterTree2 {
  static build(re) {
    if (!re) return new Prefilter(Prefilter.Type.NONE);
    return RegexpWalker.walk(re, PrefilterTree2.WALKER);
  }
  static WALKER = {
    leaf: (re) => PrefilterTree2.leaf(re),
    enter: (re) => PrefilterTree2.enter(re),
    child: (re, state, result) => PrefilterTree2.child(re, state, result),
    leave: (re, state) => PrefilterTree2.leave(re, state)
  };
  static leaf(re) {
    if (re.op !== Regexp.Op.LITERAL) return new Prefilter(Prefilter.Type.NONE);
    if (re.runes.length === 0 || (re.flags & RE2Flags.FOLD_CASE) !== 0) return new Prefilter(Prefilter.Type.NONE);
    let str = "";
    for (let i = 0; i < re.runes.length; i++) {
      if (Unicode.isUnsearchable(re.runes[i])) return new Prefilter(Prefilter.Type.NONE);
      str += String.fromCodePoint(re.runes[i]);
    }
    const pf = new Prefilter(Prefilter.Type.EXACT);
    pf.str = str;
    pf.bytes = Utils.stringToUtf8ByteArray(pf.str);
    return pf;
  }
  static enter(re) {
    switch (re.op) {
      case Regexp.Op.CAPTURE:
      case Regexp.Op.PLUS:
        return { sub: null };
      case Regexp.Op.REPEAT:
        if (re.min >= 1) return { sub: null };
        return { result: new Prefilter(Prefilter.Type.NONE) };
      case Regexp.Op.CONCAT:
        return {
          pf: new Prefilter(Prefilter.Type.AND),
          subs: []
        };
      case Regexp.Op.ALTERNATE:
        return {
          pf: new Prefilter(Prefilter.Type.OR),
          subs: []
        };
      default:
        return { result: new Prefilter(Prefilter.Type.NONE) };
    }
  }
  static child(re, state, s) {
    if (state.subs === void 0) {
      state.sub = s;
      return;
    }
    if (state.pf.type === Prefilter.Type.AND) {
      if (s.type === Prefilter.Type.NONE) return;
      if (s.type === Prefilter.Type.AND) {
        for (let j = 0; j < s.subs.length; j++) state.subs.push(s.subs[j]);
        return;
      }
      state.subs.push(s);
      return;
    }
    if (s.type === Prefilter.Type.NONE) {
      state.result = new Prefilter(Prefilter.Type.NONE);
      return;
    }
    if (s.type === Prefilter.Type.OR) {
      for (let j = 0; j < s.subs.length; j++) state.subs.push(s.subs[j]);
      return;
    }
    state.subs.push(s);
  }
  static leave(re, state) {
    if (state.subs === void 0) return state.sub;
    const pf = state.pf;
    const seen = /* @__PURE__ */ new Set();
    const subs = [];
    for (const sub of state.subs) {
      if (sub.type === Prefilter.Type.EXACT) {
        if (seen.has(sub.str)) continue;
        seen.add(sub.str);
      }
      subs.push(sub);
    }
    if (pf.type === Prefilter.Type.AND) {
      const kept = [];
      let cost2 = 0;
      for (const sub of subs) {
        if (cost2 + sub.cost > Prefilter.MAX_SCANS) continue;
        kept.push(sub);
        cost2 += sub.cost;
      }
      if (kept.length === 0) return new Prefilter(Prefilter.Type.NONE);
      if (kept.length === 1) return kept[0];
      pf.subs = kept;
      pf.cost = cost2;
      return pf;
    }
    if (subs.length === 0) return new Prefilter(Prefilter.Type.NONE);
    if (subs.length === 1) return subs[0];
    pf.subs = subs;
    let allExact = true;
    let cost = 0;
    let units = 0;
    for (const sub of subs) {
      if (sub.type !== Prefilter.Type.EXACT) allExact = false;
      else units += sub.bytes.length;
      cost += sub.cost;
    }
    if (allExact) {
      if (units > Prefilter.MAX_AC_UNITS) return new Prefilter(Prefilter.Type.NONE);
      pf.allExact = true;
      pf.cost = 1;
      return pf;
    }
    if (cost > Prefilter.MAX_SCANS) return new Prefilter(Prefilter.Type.NONE);
    pf.cost = cost;
    return pf;
  }
};
var PatchList = class {
  /**
  * @param {number} head - Encoded pointer to the start of the patch list.
  * @param {number} tail - Encoded pointer to the end of the patch list.
  */
  constructor(head = 0, tail = 0) {
    this.head = head;
    this.tail = tail;
  }
};
var Prog = class {
  constructor() {
    this.inst = [];
    this.start = 0;
    this.numCap = 2;
    this.lbStarts = [];
    this.numLb = 0;
    this.lbInst = null;
  }
  getInst(pc) {
    return this.inst[pc];
  }
  numInst() {
    return this.inst.length;
  }
  addInst(op) {
    this.inst.push(new Inst(op));
  }
  markLookbehindInsts() {
    const lbInst = new Uint8Array(this.inst.length);
    const pending = this.lbStarts.slice();
    while (pending.length > 0) {
      const pc = pending.pop();
      if (pc === 0 || lbInst[pc] === 1) continue;
      lbInst[pc] = 1;
      const i = this.inst[pc];
      switch (i.op) {
        case Inst.ALT:
        case Inst.ALT_MATCH:
          pending.push(i.out, i.arg);
          break;
        case Inst.MATCH:
        case Inst.FAIL:
          break;
        default:
          pending.push(i.out);
      }
    }
    this.lbInst = lbInst;
  }
  skipNop(pc) {
    let i = this.inst[pc];
    while (i.op === Inst.NOP || i.op === Inst.CAPTURE) {
      i = this.inst[pc];
      pc = i.out;
    }
    return i;
  }
  /** @returns {[boolean, string]} */
  prefix() {
    let prefix = "";
    let i = this.skipNop(this.start);
    if (!Inst.isRuneOp(i.op) || i.runes.length !== 1) return [i.op === Inst.MATCH, prefix];
    while (Inst.isRuneOp(i.op) && i.runes.length === 1 && (i.arg & RE2Flags.FOLD_CASE) === 0 && !Unicode.isUnsearchable(i.runes[0])) {
      prefix += String.fromCodePoint(i.runes[0]);
      i = this.skipNop(i.out);
    }
    return [i.op === Inst.MATCH, prefix];
  }
  startCond() {
    let flag = 0;
    let pc = this.start;
    loop: for (; ; ) {
      const i = this.inst[pc];
      switch (i.op) {
        case Inst.EMPTY_WIDTH:
          flag |= i.arg;
          break;
        case Inst.FAIL:
          return -1;
        case Inst.CAPTURE:
        case Inst.NOP:
          break;
        default:
          break loop;
      }
      pc = i.out;
    }
    return flag;
  }
  patch(l, val) {
    let head = l.head;
    while (head !== 0) {
      const i = this.inst[head >> 1];
      if ((head & 1) === 0) {
        head = i.out;
        i.out = val;
      } else {
        head = i.arg;
        i.arg = val;
      }
    }
  }
  append(l1, l2) {
    if (l1.head === 0) return l2;
    if (l2.head === 0) return l1;
    const i = this.inst[l1.tail >> 1];
    if ((l1.tail & 1) === 0) i.out = l2.head;
    else i.arg = l2.head;
    return new PatchList(l1.head, l2.tail);
  }
  /**
  *
  * @returns {string}
  */
  toString() {
    let out = "";
    for (let pc = 0; pc < this.inst.length; pc++) {
      const len = out.length;
      out += pc;
      if (pc === this.start) out += "*";
      out += "        ".substring(out.length - len);
      out += this.inst[pc];
      out += "\n";
    }
    return out;
  }
};
var ANY_RUNE_NOT_NL = new Int32Array([
  0,
  Codepoint.CODES["\n"] - 1,
  Codepoint.CODES["\n"] + 1,
  Unicode.MAX_RUNE
]);
var ANY_RUNE = new Int32Array([0, Unicode.MAX_RUNE]);
var Frag = class {
  constructor(i = 0, out = new PatchList(), nullable = false) {
    this.i = i;
    this.out = out;
    this.nullable = nullable;
  }
};
var Compiler = class Compiler2 {
  static compileRegexp(re) {
    const c = new Compiler2();
    const f = c.compile(re);
    c.prog.patch(f.out, c.newInst(Inst.MATCH).i);
    c.prog.start = f.i;
    c.prog.markLookbehindInsts();
    return c.prog;
  }
  static compileSet(regexps) {
    const c = new Compiler2();
    if (regexps.length === 0) {
      c.prog.start = c.newInst(Inst.FAIL).i;
      c.prog.markLookbehindInsts();
      return c.prog;
    }
    let starts = [];
    for (let i = 0; i < regexps.length; i++) {
      c.lbOffset = c.prog.numLb;
      const f = c.compile(regexps[i]);
      const m = c.newInst(Inst.MATCH);
      c.prog.getInst(m.i).arg = i;
      c.prog.patch(f.out, m.i);
      starts.push(f.i);
    }
    let start = starts[0];
    for (let i = 1; i < starts.length; i++) {
      const f = c.newInst(Inst.ALT);
      const inst = c.prog.getInst(f.i);
      inst.out = start;
      inst.arg = starts[i];
      start = f.i;
    }
    c.prog.start = start;
    c.prog.markLookbehindInsts();
    return c.prog;
  }
  constructor() {
    this.prog = new Prog();
    this.newInst(Inst.FAIL);
    this.lbOffset = 0;
    this.runeCache = /* @__PURE__ */ new Map();
    this.walker = {
      leaf: (re) => this.leaf(re),
      enter: (re) => this.enter(re),
      child: (re, state, result) => this.child(re, state, result),
      leave: (re, state) => this.leave(re, state)
    };
  }
  newInst(op) {
    this.prog.addInst(op);
    return new Frag(this.prog.numInst() - 1, new PatchList(), true);
  }
  nop() {
    const f = this.newInst(Inst.NOP);
    f.out = new PatchList(f.i << 1, f.i << 1);
    return f;
  }
  fail() {
    return new Frag();
  }
  cap(arg) {
    const f = this.newInst(Inst.CAPTURE);
    f.out = new PatchList(f.i << 1, f.i << 1);
    this.prog.getInst(f.i).arg = arg;
    if (this.prog.numCap < arg + 1) this.prog.numCap = arg + 1;
    return f;
  }
  cat(f1, f2) {
    if (f1.i === 0 || f2.i === 0) {
      this.prog.patch(f1.out, 0);
      this.prog.patch(f2.out, 0);
      return this.fail();
    }
    this.prog.patch(f1.out, f2.i);
    return new Frag(f1.i, f2.out, f1.nullable && f2.nullable);
  }
  alt(f1, f2) {
    if (f1.i === 0) return f2;
    if (f2.i === 0) return f1;
    const f = this.newInst(Inst.ALT);
    const i = this.prog.getInst(f.i);
    i.out = f1.i;
    i.arg = f2.i;
    f.out = this.prog.append(f1.out, f2.out);
    f.nullable = f1.nullable || f2.nullable;
    return f;
  }
  loop(f1, nongreedy) {
    const f = this.newInst(Inst.ALT);
    const i = this.prog.getInst(f.i);
    if (nongreedy) {
      i.arg = f1.i;
      f.out = new PatchList(f.i << 1, f.i << 1);
    } else {
      i.out = f1.i;
      f.out = new PatchList(f.i << 1 | 1, f.i << 1 | 1);
    }
    this.prog.patch(f1.out, f.i);
    return f;
  }
  quest(f1, nongreedy) {
    if (f1.i === 0) return this.nop();
    const f = this.newInst(Inst.ALT);
    const i = this.prog.getInst(f.i);
    if (nongreedy) {
      i.arg = f1.i;
      f.out = new PatchList(f.i << 1, f.i << 1);
    } else {
      i.out = f1.i;
      f.out = new PatchList(f.i << 1 | 1, f.i << 1 | 1);
    }
    f.out = this.prog.append(f.out, f1.out);
    return f;
  }
  star(f1, nongreedy) {
    if (f1.i === 0) return this.nop();
    if (f1.nullable) return this.quest(this.plus(f1, nongreedy), nongreedy);
    return this.loop(f1, nongreedy);
  }
  plus(f1, nongreedy) {
    if (f1.i === 0) return this.fail();
    return new Frag(f1.i, this.loop(f1, nongreedy).out, f1.nullable);
  }
  empty(op) {
    const f = this.newInst(Inst.EMPTY_WIDTH);
    this.prog.getInst(f.i).arg = op;
    f.out = new PatchList(f.i << 1, f.i << 1);
    return f;
  }
  rune(runes, flags) {
    const f = this.newInst(Inst.RUNE);
    f.nullable = false;
    const i = this.prog.getInst(f.i);
    i.runes = runes;
    flags &= RE2Flags.FOLD_CASE;
    if (runes.length !== 1 || Unicode.simpleFold(runes[0]) === runes[0]) flags &= ~RE2Flags.FOLD_CASE;
    i.arg = flags;
    f.out = new PatchList(f.i << 1, f.i << 1);
    if ((flags & RE2Flags.FOLD_CASE) === 0 && runes.length === 1 || runes.length === 2 && runes[0] === runes[1]) i.op = Inst.RUNE1;
    else if (runes.length === 2 && runes[0] === 0 && runes[1] === Unicode.MAX_RUNE) i.op = Inst.RUNE_ANY;
    else if (runes.length === 4 && runes[0] === 0 && runes[1] === Codepoint.CODES["\n"] - 1 && runes[2] === Codepoint.CODES["\n"] + 1 && runes[3] === Unicode.MAX_RUNE) i.op = Inst.RUNE_ANY_NOT_NL;
    return f;
  }
  lookBehind(a, parsedLb) {
    const lb = Math.sign(parsedLb) * (Math.abs(parsedLb) + this.lbOffset);
    const id = this.newInst(Inst.LB_WRITE);
    this.prog.getInst(id.i).arg = lb;
    const any = this.rune(ANY_RUNE, 0);
    const dotStar = this.star(any, true);
    const lbAutomaton = this.cat(dotStar, a);
    this.prog.patch(lbAutomaton.out, id.i);
    const checkId = this.newInst(Inst.LB_CHECK);
    this.prog.getInst(checkId.i).arg = lb;
    this.prog.lbStarts.push(lbAutomaton.i);
    if (Math.abs(lb) > this.prog.numLb) this.prog.numLb = Math.abs(lb);
    checkId.out = new PatchList(checkId.i << 1, checkId.i << 1);
    return checkId;
  }
  compile(re) {
    return RegexpWalker.walk(re, this.walker);
  }
  leaf(re) {
    switch (re.op) {
      case Regexp.Op.NO_MATCH:
        return this.fail();
      case Regexp.Op.EMPTY_MATCH:
        return this.nop();
      case Regexp.Op.LITERAL: {
        if (re.runes.length === 0) return this.nop();
        let f = null;
        for (let r of re.runes) {
          let singleRune = this.runeCache.get(r);
          if (singleRune === void 0) {
            singleRune = new Int32Array([r]);
            this.runeCache.set(r, singleRune);
          }
          const f1 = this.rune(singleRune, re.flags);
          f = f === null ? f1 : this.cat(f, f1);
        }
        return f;
      }
      case Regexp.Op.CHAR_CLASS:
        return this.rune(re.runes, re.flags);
      case Regexp.Op.ANY_CHAR_NOT_NL:
        return this.rune(ANY_RUNE_NOT_NL, 0);
      case Regexp.Op.ANY_CHAR:
        return this.rune(ANY_RUNE, 0);
      case Regexp.Op.BEGIN_LINE:
        return this.empty(Utils.EMPTY_BEGIN_LINE);
      case Regexp.Op.END_LINE:
        return this.empty(Utils.EMPTY_END_LINE);
      case Regexp.Op.BEGIN_TEXT:
        return this.empty(Utils.EMPTY_BEGIN_TEXT);
      case Regexp.Op.END_TEXT:
        return this.empty(Utils.EMPTY_END_TEXT);
      case Regexp.Op.WORD_BOUNDARY:
        return this.empty(Utils.EMPTY_WORD_BOUNDARY);
      case Regexp.Op.NO_WORD_BOUNDARY:
        return this.empty(Utils.EMPTY_NO_WORD_BOUNDARY);
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return this.nop();
      default:
        throw new RE2JSCompileException("regexp: unhandled case in compile");
    }
  }
  enter(re) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.STAR:
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        return { sub: null };
      case Regexp.Op.CAPTURE:
        return {
          bra: this.cap(re.cap << 1),
          sub: null
        };
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return { f: null };
      default:
        throw new RE2JSCompileException("regexp: unhandled case in compile");
    }
  }
  child(re, state, f1) {
    if (re.op === Regexp.Op.CONCAT) state.f = state.f === null ? f1 : this.cat(state.f, f1);
    else if (re.op === Regexp.Op.ALTERNATE) state.f = state.f === null ? f1 : this.alt(state.f, f1);
    else state.sub = f1;
  }
  leave(re, state) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
        return this.lookBehind(state.sub, re.lb);
      case Regexp.Op.CAPTURE: {
        const ket = this.cap(re.cap << 1 | 1);
        return this.cat(this.cat(state.bra, state.sub), ket);
      }
      case Regexp.Op.STAR:
        return this.star(state.sub, (re.flags & RE2Flags.NON_GREEDY) !== 0);
      case Regexp.Op.PLUS:
        return this.plus(state.sub, (re.flags & RE2Flags.NON_GREEDY) !== 0);
      case Regexp.Op.QUEST:
        return this.quest(state.sub, (re.flags & RE2Flags.NON_GREEDY) !== 0);
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return state.f;
      default:
        throw new RE2JSCompileException("regexp: unhandled case in compile");
    }
  }
};
var Simplify = class Simplify2 {
  static simplify(re) {
    if (re === null) return null;
    return RegexpWalker.walk(re, Simplify2.WALKER);
  }
  static WALKER = {
    leaf: (re) => Simplify2.leaf(re),
    enter: (re) => Simplify2.enter(re),
    child: (re, state, result, i) => Simplify2.child(re, state, result, i),
    leave: (re, state) => Simplify2.leave(re, state)
  };
  static leaf(re) {
    if (re.op === Regexp.Op.CHAR_CLASS) {
      if (re.runes === null) return re;
      if (re.runes.length === 0) return new Regexp(Regexp.Op.NO_MATCH);
      if (re.runes.length === 2 && re.runes[0] === 0 && re.runes[1] === Unicode.MAX_RUNE) return new Regexp(Regexp.Op.ANY_CHAR);
      if (re.runes.length === 4 && re.runes[0] === 0 && re.runes[1] === Codepoint.CODES["\n"] - 1 && re.runes[2] === Codepoint.CODES["\n"] + 1 && re.runes[3] === Unicode.MAX_RUNE) return new Regexp(Regexp.Op.ANY_CHAR_NOT_NL);
    }
    return re;
  }
  static enter(re) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.CAPTURE:
      case Regexp.Op.STAR:
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        return { sub: null };
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return {
          subs: [],
          changed: false
        };
      case Regexp.Op.REPEAT:
        if (re.min === 0 && re.max === 0) return { result: new Regexp(Regexp.Op.EMPTY_MATCH) };
        return { sub: null };
      default:
        return { result: re };
    }
  }
  static child(re, state, nsub, i) {
    if (state.subs === void 0) {
      state.sub = nsub;
      return;
    }
    if (nsub !== re.subs[i]) state.changed = true;
    if (re.op === Regexp.Op.CONCAT) {
      if (nsub.op === Regexp.Op.NO_MATCH) {
        state.result = new Regexp(Regexp.Op.NO_MATCH);
        return;
      }
      if (nsub.op === Regexp.Op.EMPTY_MATCH) {
        state.changed = true;
        return;
      }
      if (nsub.op === Regexp.Op.CONCAT) {
        state.changed = true;
        for (let j = 0; j < nsub.subs.length; j++) state.subs.push(nsub.subs[j]);
        return;
      }
    } else {
      if (nsub.op === Regexp.Op.NO_MATCH) {
        state.changed = true;
        return;
      }
      if (nsub.op === Regexp.Op.ALTERNATE) {
        state.changed = true;
        for (let j = 0; j < nsub.subs.length; j++) state.subs.push(nsub.subs[j]);
        return;
      }
    }
    state.subs.push(nsub);
  }
  static leave(re, state) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.CAPTURE: {
        const sub = state.sub;
        if (sub !== re.subs[0]) {
          const nre = Regexp.fromRegexp(re);
          nre.runes = /* @__PURE__ */ new Int32Array(0);
          nre.subs = [sub];
          return nre;
        }
        return re;
      }
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        if (state.changed) {
          const newSubs = state.subs;
          if (newSubs.length === 0) return new Regexp(re.op === Regexp.Op.CONCAT ? Regexp.Op.EMPTY_MATCH : Regexp.Op.NO_MATCH);
          if (newSubs.length === 1) return newSubs[0];
          const nre = Regexp.fromRegexp(re);
          nre.runes = /* @__PURE__ */ new Int32Array(0);
          nre.subs = newSubs;
          return nre;
        }
        return re;
      case Regexp.Op.STAR:
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        return Simplify2.simplify1(re.op, re.flags, state.sub, re);
      case Regexp.Op.REPEAT:
        return Simplify2.simplifyRepeat(re, state.sub);
      default:
        return re;
    }
  }
  static simplifyRepeat(re, sub) {
    if (re.max === -1) {
      if (re.min === 0) return Simplify2.simplify1(Regexp.Op.STAR, re.flags, sub, null);
      if (re.min === 1) return Simplify2.simplify1(Regexp.Op.PLUS, re.flags, sub, null);
      const subs = [];
      for (let i = 0; i < re.min - 1; i++) subs.push(sub);
      subs.push(Simplify2.simplify1(Regexp.Op.PLUS, re.flags, sub, null));
      return Simplify2.concat(subs);
    }
    if (re.min === 1 && re.max === 1) return sub;
    let prefixSubs = null;
    if (re.min > 0) {
      prefixSubs = [];
      for (let i = 0; i < re.min; i++) prefixSubs.push(sub);
    }
    if (re.max > re.min) {
      let suffix = Simplify2.simplify1(Regexp.Op.QUEST, re.flags, sub, null);
      for (let i = re.min + 1; i < re.max; i++) suffix = Simplify2.simplify1(Regexp.Op.QUEST, re.flags, Simplify2.concat([sub, suffix]), null);
      if (prefixSubs === null) return suffix;
      prefixSubs.push(suffix);
    }
    if (prefixSubs !== null) return Simplify2.concat(prefixSubs);
    return new Regexp(Regexp.Op.NO_MATCH);
  }
  static concat(subs) {
    const newSubs = [];
    for (let i = 0; i < subs.length; i++) {
      const sub = subs[i];
      if (sub.op === Regexp.Op.NO_MATCH) return new Regexp(Regexp.Op.NO_MATCH);
      if (sub.op === Regexp.Op.EMPTY_MATCH) continue;
      if (sub.op === Regexp.Op.CONCAT) {
        for (let j = 0; j < sub.subs.length; j++) newSubs.push(sub.subs[j]);
        continue;
      }
      newSubs.push(sub);
    }
    if (newSubs.length === 0) return new Regexp(Regexp.Op.EMPTY_MATCH);
    if (newSubs.length === 1) return newSubs[0];
    const nre = new Regexp(Regexp.Op.CONCAT);
    nre.subs = newSubs;
    return nre;
  }
  static simplify1(op, flags, sub, re) {
    if (sub.op === Regexp.Op.EMPTY_MATCH) return sub;
    if (sub.op === Regexp.Op.NO_MATCH) {
      if (op === Regexp.Op.PLUS) return sub;
      return new Regexp(Regexp.Op.EMPTY_MATCH);
    }
    if (op === sub.op && (flags & RE2Flags.NON_GREEDY) === (sub.flags & RE2Flags.NON_GREEDY)) return sub;
    if (re !== null && re.op === op && (re.flags & RE2Flags.NON_GREEDY) === (flags & RE2Flags.NON_GREEDY) && sub === re.subs[0]) return re;
    const nre = new Regexp(op);
    nre.flags = flags;
    nre.subs = [sub];
    return nre;
  }
};
var CharGroup = class {
  constructor(sign, cls) {
    this.sign = sign;
    this.cls = cls;
  }
};
var code1 = [48, 57];
var code2 = [
  9,
  10,
  12,
  13,
  32,
  32
];
var code3 = [
  48,
  57,
  65,
  90,
  95,
  95,
  97,
  122
];
var PERL_GROUPS = /* @__PURE__ */ new Map([
  ["\\d", new CharGroup(1, code1)],
  ["\\D", new CharGroup(-1, code1)],
  ["\\s", new CharGroup(1, code2)],
  ["\\S", new CharGroup(-1, code2)],
  ["\\w", new CharGroup(1, code3)],
  ["\\W", new CharGroup(-1, code3)]
]);
var code4 = [
  48,
  57,
  65,
  90,
  97,
  122
];
var code5 = [
  65,
  90,
  97,
  122
];
var code6 = [0, 127];
var code7 = [
  9,
  9,
  32,
  32
];
var code8 = [
  0,
  31,
  127,
  127
];
var code9 = [48, 57];
var code10 = [33, 126];
var code11 = [97, 122];
var code12 = [32, 126];
var code13 = [
  33,
  47,
  58,
  64,
  91,
  96,
  123,
  126
];
var code14 = [
  9,
  13,
  32,
  32
];
var code15 = [65, 90];
var code16 = [
  48,
  57,
  65,
  90,
  95,
  95,
  97,
  122
];
var code17 = [
  48,
  57,
  65,
  70,
  97,
  102
];
var POSIX_GROUPS = /* @__PURE__ */ new Map([
  ["[:alnum:]", new CharGroup(1, code4)],
  ["[:^alnum:]", new CharGroup(-1, code4)],
  ["[:alpha:]", new CharGroup(1, code5)],
  ["[:^alpha:]", new CharGroup(-1, code5)],
  ["[:ascii:]", new CharGroup(1, code6)],
  ["[:^ascii:]", new CharGroup(-1, code6)],
  ["[:blank:]", new CharGroup(1, code7)],
  ["[:^blank:]", new CharGroup(-1, code7)],
  ["[:cntrl:]", new CharGroup(1, code8)],
  ["[:^cntrl:]", new CharGroup(-1, code8)],
  ["[:digit:]", new CharGroup(1, code9)],
  ["[:^digit:]", new CharGroup(-1, code9)],
  ["[:graph:]", new CharGroup(1, code10)],
  ["[:^graph:]", new CharGroup(-1, code10)],
  ["[:lower:]", new CharGroup(1, code11)],
  ["[:^lower:]", new CharGroup(-1, code11)],
  ["[:print:]", new CharGroup(1, code12)],
  ["[:^print:]", new CharGroup(-1, code12)],
  ["[:punct:]", new CharGroup(1, code13)],
  ["[:^punct:]", new CharGroup(-1, code13)],
  ["[:space:]", new CharGroup(1, code14)],
  ["[:^space:]", new CharGroup(-1, code14)],
  ["[:upper:]", new CharGroup(1, code15)],
  ["[:^upper:]", new CharGroup(-1, code15)],
  ["[:word:]", new CharGroup(1, code16)],
  ["[:^word:]", new CharGroup(-1, code16)],
  ["[:xdigit:]", new CharGroup(1, code17)],
  ["[:^xdigit:]", new CharGroup(-1, code17)]
]);
var CharClass = class CharClass2 {
  static charClassToString(r, len) {
    let result = "[";
    for (let i = 0; i < len; i += 2) {
      if (i > 0) result += " ";
      const lo = r[i];
      const hi = r[i + 1];
      if (lo === hi) result += `0x${lo.toString(16)}`;
      else result += `0x${lo.toString(16)}-0x${hi.toString(16)}`;
    }
    result += "]";
    return result;
  }
  static sortRanges(array, len) {
    const n = len >> 1;
    const order = new Array(n);
    for (let i = 0; i < n; i++) order[i] = i;
    order.sort((a, b) => array[2 * a] - array[2 * b] || array[2 * b + 1] - array[2 * a + 1]);
    const sorted = array.slice(0, len);
    for (let i = 0; i < n; i++) {
      array[2 * i] = sorted[2 * order[i]];
      array[2 * i + 1] = sorted[2 * order[i] + 1];
    }
  }
  /**
  * @param {number[]|Int32Array} [r]
  */
  constructor(r = Utils.emptyInts()) {
    this.r = r;
    this.len = r.length;
  }
  toArray() {
    if (this.r instanceof Int32Array) return this.len === this.r.length ? this.r : this.r.subarray(0, this.len);
    return new Int32Array(this.len === this.r.length ? this.r : this.r.slice(0, this.len));
  }
  toGrowableArray() {
    if (Array.isArray(this.r)) {
      this.r.length = this.len;
      return this.r;
    }
    return Array.from(this.r.subarray(0, this.len));
  }
  cleanClass() {
    if (this.len < 4) return this;
    CharClass2.sortRanges(this.r, this.len);
    let w = 2;
    for (let i = 2; i < this.len; i += 2) {
      const lo = this.r[i];
      const hi = this.r[i + 1];
      if (lo <= this.r[w - 1] + 1) {
        if (hi > this.r[w - 1]) this.r[w - 1] = hi;
        continue;
      }
      this.r[w] = lo;
      this.r[w + 1] = hi;
      w += 2;
    }
    this.len = w;
    return this;
  }
  appendLiteral(x, flags) {
    return (flags & RE2Flags.FOLD_CASE) !== 0 ? this.appendFoldedRange(x, x) : this.appendRange(x, x);
  }
  appendRange(lo, hi) {
    if (this.len > 0) {
      for (let i = 2; i <= 4; i += 2) if (this.len >= i) {
        const rlo = this.r[this.len - i];
        const rhi = this.r[this.len - i + 1];
        if (lo <= rhi + 1 && rlo <= hi + 1) {
          if (lo < rlo) this.r[this.len - i] = lo;
          if (hi > rhi) this.r[this.len - i + 1] = hi;
          return this;
        }
      }
    }
    this.r[this.len++] = lo;
    this.r[this.len++] = hi;
    return this;
  }
  appendFoldedRange(lo, hi) {
    if (lo <= Unicode.MIN_FOLD && hi >= Unicode.MAX_FOLD) return this.appendRange(lo, hi);
    if (hi < Unicode.MIN_FOLD || lo > Unicode.MAX_FOLD) return this.appendRange(lo, hi);
    if (lo < Unicode.MIN_FOLD) {
      this.appendRange(lo, Unicode.MIN_FOLD - 1);
      lo = Unicode.MIN_FOLD;
    }
    if (hi > Unicode.MAX_FOLD) {
      this.appendRange(Unicode.MAX_FOLD + 1, hi);
      hi = Unicode.MAX_FOLD;
    }
    for (let c = lo; c <= hi; c++) {
      this.appendRange(c, c);
      for (let f = Unicode.simpleFold(c); f !== c; f = Unicode.simpleFold(f)) this.appendRange(f, f);
    }
    return this;
  }
  appendClass(x) {
    for (let i = 0; i < x.length; i += 2) this.appendRange(x[i], x[i + 1]);
    return this;
  }
  appendFoldedClass(x) {
    for (let i = 0; i < x.length; i += 2) this.appendFoldedRange(x[i], x[i + 1]);
    return this;
  }
  appendNegatedClass(x) {
    let nextLo = 0;
    for (let i = 0; i < x.length; i += 2) {
      const lo = x[i];
      const hi = x[i + 1];
      if (nextLo <= lo - 1) this.appendRange(nextLo, lo - 1);
      nextLo = hi + 1;
    }
    if (nextLo <= Unicode.MAX_RUNE) this.appendRange(nextLo, Unicode.MAX_RUNE);
    return this;
  }
  appendTable(table) {
    for (let i = 0; i < table.length; ++i) {
      const lo = table.getLo(i);
      const hi = table.getHi(i);
      const stride = table.getStride(i);
      if (stride === 1) {
        this.appendRange(lo, hi);
        continue;
      }
      for (let c = lo; c <= hi; c += stride) this.appendRange(c, c);
    }
    return this;
  }
  appendNegatedTable(table) {
    let nextLo = 0;
    for (let i = 0; i < table.length; ++i) {
      const lo = table.getLo(i);
      const hi = table.getHi(i);
      const stride = table.getStride(i);
      if (stride === 1) {
        if (nextLo <= lo - 1) this.appendRange(nextLo, lo - 1);
        nextLo = hi + 1;
        continue;
      }
      for (let c = lo; c <= hi; c += stride) {
        if (nextLo <= c - 1) this.appendRange(nextLo, c - 1);
        nextLo = c + 1;
      }
    }
    if (nextLo <= Unicode.MAX_RUNE) this.appendRange(nextLo, Unicode.MAX_RUNE);
    return this;
  }
  appendTableWithSign(table, sign) {
    return sign < 0 ? this.appendNegatedTable(table) : this.appendTable(table);
  }
  negateClass() {
    let nextLo = 0;
    let w = 0;
    for (let i = 0; i < this.len; i += 2) {
      const lo = this.r[i];
      const hi = this.r[i + 1];
      if (nextLo <= lo - 1) {
        this.r[w] = nextLo;
        this.r[w + 1] = lo - 1;
        w += 2;
      }
      nextLo = hi + 1;
    }
    this.len = w;
    if (nextLo <= Unicode.MAX_RUNE) {
      this.r[this.len++] = nextLo;
      this.r[this.len++] = Unicode.MAX_RUNE;
    }
    return this;
  }
  appendClassWithSign(x, sign) {
    return sign < 0 ? this.appendNegatedClass(x) : this.appendClass(x);
  }
  appendGroup(g, foldCase) {
    let cls = g.cls;
    if (foldCase) cls = new CharClass2().appendFoldedClass(cls).cleanClass().toArray();
    return this.appendClassWithSign(cls, g.sign);
  }
  toString() {
    return CharClass2.charClassToString(this.r, this.len);
  }
};
var StringIterator = class {
  constructor(str) {
    this.str = str;
    this.position = 0;
  }
  pos() {
    return this.position;
  }
  rewindTo(pos) {
    this.position = pos;
  }
  more() {
    return this.position < this.str.length;
  }
  peek() {
    return this.str.codePointAt(this.position);
  }
  skip(n) {
    this.position += n;
  }
  skipString(s) {
    this.position += s.length;
  }
  pop() {
    const r = this.str.codePointAt(this.position);
    this.position += Utils.charCount(r);
    return r;
  }
  lookingAt(s) {
    return this.str.startsWith(s, this.position);
  }
  rest() {
    return this.str.substring(this.position);
  }
  from(beforePos) {
    return this.str.substring(beforePos, this.position);
  }
  toString() {
    return this.rest();
  }
};
var Parser = class Parser2 {
  static ERR_INTERNAL_ERROR = "regexp/syntax: internal error";
  static ERR_INVALID_CHAR_RANGE = "invalid character class range";
  static ERR_INVALID_ESCAPE = "invalid escape sequence";
  static ERR_INVALID_NAMED_CAPTURE = "invalid named capture";
  static ERR_INVALID_PERL_OP = "invalid or unsupported Perl syntax";
  static ERR_INVALID_REPEAT_OP = "invalid nested repetition operator";
  static ERR_INVALID_REPEAT_SIZE = "invalid repeat count";
  static ERR_MISSING_BRACKET = "missing closing ]";
  static ERR_MISSING_PAREN = "missing closing )";
  static ERR_MISSING_REPEAT_ARGUMENT = "missing argument to repetition operator";
  static ERR_TRAILING_BACKSLASH = "trailing backslash at end of expression";
  static ERR_DUPLICATE_NAMED_CAPTURE = "duplicate capture group name";
  static ERR_UNEXPECTED_PAREN = "unexpected )";
  static ERR_NESTING_DEPTH = "expression nests too deeply";
  static ERR_LARGE = "expression too large";
  static ERR_INVALID_CAPTURE_IN_LOOKBEHIND = "invalid capture in lookbehind";
  static MAX_HEIGHT = 1e3;
  static MAX_SIZE = 1398101;
  static MAX_RUNES = 33554432;
  static ANY_TABLE = new UnicodeRangeTable(new Uint32Array([
    0,
    Unicode.MAX_RUNE,
    1
  ]));
  static ASCII_TABLE = new UnicodeRangeTable(new Uint32Array([
    0,
    127,
    1
  ]));
  static ASCII_FOLD_TABLE = new UnicodeRangeTable(new Uint32Array([
    0,
    127,
    1,
    383,
    383,
    1,
    8490,
    8490,
    1
  ]));
  static unicodeTable(name) {
    if (name === "Any") return {
      tab: Parser2.ANY_TABLE,
      fold: Parser2.ANY_TABLE,
      sign: 1
    };
    if (name === "Ascii") return {
      tab: Parser2.ASCII_TABLE,
      fold: Parser2.ASCII_FOLD_TABLE,
      sign: 1
    };
    if (name === "Assigned") return {
      tab: UnicodeTables.CATEGORIES.get("Cn"),
      fold: UnicodeTables.CATEGORIES.get("Cn"),
      sign: -1
    };
    if (name === "Lc") return {
      tab: UnicodeTables.CATEGORIES.get("LC"),
      fold: UnicodeTables.FOLD_CATEGORIES.get("LC"),
      sign: 1
    };
    if (UnicodeTables.CATEGORIES.has(name)) return {
      tab: UnicodeTables.CATEGORIES.get(name),
      fold: UnicodeTables.FOLD_CATEGORIES.get(name),
      sign: 1
    };
    if (UnicodeTables.SCRIPTS.has(name)) return {
      tab: UnicodeTables.SCRIPTS.get(name),
      fold: UnicodeTables.FOLD_SCRIPT.get(name),
      sign: 1
    };
    return null;
  }
  static minFoldRune(r) {
    if (r < Unicode.MIN_FOLD || r > Unicode.MAX_FOLD) return r;
    let min = r;
    const r0 = r;
    for (r = Unicode.simpleFold(r); r !== r0; r = Unicode.simpleFold(r)) if (min > r) min = r;
    return min;
  }
  static leadingRegexp(re) {
    if (re.op === Regexp.Op.EMPTY_MATCH) return null;
    if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) {
      const sub = re.subs[0];
      if (sub.op === Regexp.Op.EMPTY_MATCH) return null;
      return sub;
    }
    return re;
  }
  static literalRegexp(s, flags) {
    const re = new Regexp(Regexp.Op.LITERAL);
    re.flags = flags;
    re.runes = Utils.stringToRunes(s);
    return re;
  }
  /**
  * Parse regular expression pattern {@code pattern} with mode flags {@code flags}.
  * @param {string} pattern
  * @param {number} flags
  */
  static parse(pattern, flags) {
    return new Parser2(pattern, flags).parseInternal();
  }
  static parseRepeat(t) {
    const start = t.pos();
    if (!t.more() || !t.lookingAt("{")) return -1;
    t.skip(1);
    const min = Parser2.parseInt(t);
    if (min === -1) return -1;
    if (!t.more()) return -1;
    let max;
    if (!t.lookingAt(",")) max = min;
    else {
      t.skip(1);
      if (!t.more()) return -1;
      if (t.lookingAt("}")) max = -1;
      else if ((max = Parser2.parseInt(t)) === -1) return -1;
    }
    if (!t.more() || !t.lookingAt("}")) return -1;
    t.skip(1);
    if (min < 0 || min > 1e3 || max === -2 || max > 1e3 || max >= 0 && min > max) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_REPEAT_SIZE, t.from(start));
    return min << 16 | max & Unicode.MAX_BMP;
  }
  static isValidCaptureName(name) {
    if (name.length === 0) return false;
    for (let i = 0; i < name.length; i++) {
      const c = name.codePointAt(i);
      if (c !== Codepoint.CODES["_"] && !Utils.isalnum(c)) return false;
    }
    return true;
  }
  static parseInt(t) {
    const start = t.pos();
    while (t.more() && t.peek() >= Codepoint.CODES["0"] && t.peek() <= Codepoint.CODES["9"]) t.skip(1);
    const n = t.from(start);
    if (n.length === 0 || n.length > 1 && n.codePointAt(0) === Codepoint.CODES["0"]) return -1;
    if (n.length > 8) return -2;
    return parseInt(n, 10);
  }
  static isCharClass(re) {
    return re.op === Regexp.Op.LITERAL && re.runes.length === 1 || re.op === Regexp.Op.CHAR_CLASS || re.op === Regexp.Op.ANY_CHAR_NOT_NL || re.op === Regexp.Op.ANY_CHAR;
  }
  static matchRune(re, r) {
    switch (re.op) {
      case Regexp.Op.LITERAL:
        return re.runes.length === 1 && re.runes[0] === r;
      case Regexp.Op.CHAR_CLASS:
        for (let i = 0; i < re.runes.length; i += 2) if (re.runes[i] <= r && r <= re.runes[i + 1]) return true;
        return false;
      case Regexp.Op.ANY_CHAR_NOT_NL:
        return r !== Codepoint.CODES["\n"];
      case Regexp.Op.ANY_CHAR:
        return true;
    }
    return false;
  }
  static mergeCharClass(dst, src) {
    switch (dst.op) {
      case Regexp.Op.ANY_CHAR:
        break;
      case Regexp.Op.ANY_CHAR_NOT_NL:
        if (Parser2.matchRune(src, Codepoint.CODES["\n"])) dst.op = Regexp.Op.ANY_CHAR;
        break;
      case Regexp.Op.CHAR_CLASS: {
        const cc = new CharClass(Array.isArray(dst.runes) ? dst.runes : Array.from(dst.runes));
        if (src.op === Regexp.Op.LITERAL) cc.appendLiteral(src.runes[0], src.flags);
        else cc.appendClass(src.runes);
        dst.runes = cc.toGrowableArray();
        break;
      }
      case Regexp.Op.LITERAL:
        if (src.runes[0] === dst.runes[0] && src.flags === dst.flags) break;
        dst.op = Regexp.Op.CHAR_CLASS;
        dst.runes = new CharClass().appendLiteral(dst.runes[0], dst.flags).appendLiteral(src.runes[0], src.flags).toGrowableArray();
    }
  }
  static parseEscape(t) {
    const startPos = t.pos();
    t.skip(1);
    if (!t.more()) throw new RE2JSSyntaxException(Parser2.ERR_TRAILING_BACKSLASH);
    let c = t.pop();
    bigswitch: switch (c) {
      case Codepoint.CODES["1"]:
      case Codepoint.CODES["2"]:
      case Codepoint.CODES["3"]:
      case Codepoint.CODES["4"]:
      case Codepoint.CODES["5"]:
      case Codepoint.CODES["6"]:
      case Codepoint.CODES["7"]:
        if (!t.more() || t.peek() < Codepoint.CODES["0"] || t.peek() > Codepoint.CODES["7"]) break;
      case Codepoint.CODES["0"]: {
        let r = c - Codepoint.CODES["0"];
        for (let i = 1; i < 3; i++) {
          if (!t.more() || t.peek() < Codepoint.CODES["0"] || t.peek() > Codepoint.CODES["7"]) break;
          r = r * 8 + t.peek() - Codepoint.CODES["0"];
          t.skip(1);
        }
        return r;
      }
      case Codepoint.CODES["x"]: {
        if (!t.more()) break;
        c = t.pop();
        if (c === Codepoint.CODES["{"]) {
          let nhex = 0;
          let r = 0;
          while (true) {
            if (!t.more()) break bigswitch;
            c = t.pop();
            if (c === Codepoint.CODES["}"]) break;
            const v = Utils.unhex(c);
            if (v < 0) break bigswitch;
            r = r * 16 + v;
            if (r > Unicode.MAX_RUNE) break bigswitch;
            nhex++;
          }
          if (nhex === 0) break bigswitch;
          return r;
        }
        const x = Utils.unhex(c);
        if (!t.more()) break;
        c = t.pop();
        const y = Utils.unhex(c);
        if (x < 0 || y < 0) break;
        return x * 16 + y;
      }
      case Codepoint.CODES["a"]:
        return Codepoint.CODES["\x07"];
      case Codepoint.CODES["f"]:
        return Codepoint.CODES["\f"];
      case Codepoint.CODES["n"]:
        return Codepoint.CODES["\n"];
      case Codepoint.CODES["r"]:
        return Codepoint.CODES["\r"];
      case Codepoint.CODES["t"]:
        return Codepoint.CODES["	"];
      case Codepoint.CODES["v"]:
        return Codepoint.CODES["\v"];
      default:
        if (c <= Unicode.MAX_ASCII && !Utils.isalnum(c)) return c;
    }
    throw new RE2JSSyntaxException(Parser2.ERR_INVALID_ESCAPE, t.from(startPos));
  }
  static parseClassChar(t, wholeClassPos) {
    if (!t.more()) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_BRACKET, t.from(wholeClassPos));
    if (t.lookingAt("\\")) return Parser2.parseEscape(t);
    return t.pop();
  }
  static hasCapture(re) {
    if (re === null) return false;
    if (re.op === Regexp.Op.CAPTURE) return true;
    if (re.subs) {
      for (let sub of re.subs) if (Parser2.hasCapture(sub)) return true;
    }
    return false;
  }
  constructor(wholeRegexp, flags = 0) {
    this.wholeRegexp = wholeRegexp;
    this.flags = flags;
    this.numCap = 0;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.stack = [];
    this.free = null;
    this.numRegexp = 0;
    this.numRunes = 0;
    this.repeats = 0;
    this.height = null;
    this.size = null;
    this.nlb = 0;
  }
  newRegexp(op) {
    let re = this.free;
    if (re !== null && re.subs !== null && re.subs.length > 0) {
      this.free = re.subs[0];
      re.reinit();
      re.op = op;
    } else {
      re = new Regexp(op);
      this.numRegexp += 1;
    }
    return re;
  }
  reuse(re) {
    if (this.height !== null && this.height.has(re)) this.height.delete(re);
    if (re.subs !== null && re.subs.length > 0) re.subs[0] = this.free;
    this.free = re;
  }
  checkLimits(re) {
    if (this.numRunes > Parser2.MAX_RUNES) throw new RE2JSSyntaxException(Parser2.ERR_LARGE);
    this.checkSize(re);
    this.checkHeight(re);
  }
  checkSize(re) {
    if (this.size === null) {
      if (this.repeats === 0) this.repeats = 1;
      if (re.op === Regexp.Op.REPEAT) {
        let n = re.max;
        if (n === -1) n = re.min;
        if (n <= 0) n = 1;
        if (n > Math.floor(Parser2.MAX_SIZE / this.repeats)) this.repeats = Parser2.MAX_SIZE;
        else this.repeats *= n;
      }
      if (this.numRegexp < Math.floor(Parser2.MAX_SIZE / this.repeats)) return;
      this.size = /* @__PURE__ */ new Map();
      for (let reEx of this.stack) this.checkSize(reEx);
    }
    if (this.calcSize(re, true) > Parser2.MAX_SIZE) throw new RE2JSSyntaxException(Parser2.ERR_LARGE);
  }
  calcSize(re, force = false) {
    if (!force && this.size !== null) {
      if (this.size.has(re)) return this.size.get(re);
    }
    let size2 = 0;
    switch (re.op) {
      case Regexp.Op.LITERAL:
        size2 = re.runes.length;
        break;
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.CAPTURE:
      case Regexp.Op.STAR:
        size2 = 2 + this.calcSize(re.subs[0]);
        break;
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        size2 = 1 + this.calcSize(re.subs[0]);
        break;
      case Regexp.Op.CONCAT:
        for (let sub of re.subs) size2 = size2 + this.calcSize(sub);
        break;
      case Regexp.Op.ALTERNATE:
        for (let sub of re.subs) size2 = size2 + this.calcSize(sub);
        if (re.subs.length > 1) size2 = size2 + re.subs.length - 1;
        break;
      case Regexp.Op.REPEAT: {
        let sub = this.calcSize(re.subs[0]);
        if (re.max === -1) {
          if (re.min === 0) size2 = 2 + sub;
          else size2 = 1 + re.min * sub;
          break;
        }
        size2 = re.max * sub + (re.max - re.min);
        break;
      }
    }
    size2 = Math.max(1, size2);
    if (this.size === null) this.size = /* @__PURE__ */ new Map();
    this.size.set(re, size2);
    return size2;
  }
  checkHeight(re) {
    if (this.numRegexp < Parser2.MAX_HEIGHT) return;
    if (this.height === null) {
      this.height = /* @__PURE__ */ new Map();
      for (let reEx of this.stack) this.checkHeight(reEx);
    }
    if (this.calcHeight(re, true) > Parser2.MAX_HEIGHT) throw new RE2JSSyntaxException(Parser2.ERR_NESTING_DEPTH);
  }
  calcHeight(re, force = false) {
    if (!force && this.height !== null) {
      if (this.height.has(re)) return this.height.get(re);
    }
    let h = 1;
    for (let sub of re.subs) {
      const hsub = this.calcHeight(sub);
      if (h < 1 + hsub) h = 1 + hsub;
    }
    if (this.height === null) this.height = /* @__PURE__ */ new Map();
    this.height.set(re, h);
    return h;
  }
  pop() {
    return this.stack.pop();
  }
  popToPseudo() {
    const n = this.stack.length;
    let i = n;
    while (i > 0 && !Regexp.isPseudoOp(this.stack[i - 1].op)) i--;
    return this.stack.splice(i, n - i);
  }
  push(re) {
    this.numRunes += re.runes.length;
    if (re.op === Regexp.Op.CHAR_CLASS && re.runes.length === 2 && re.runes[0] === re.runes[1]) {
      if (this.maybeConcat(re.runes[0], this.flags & ~RE2Flags.FOLD_CASE)) return null;
      re.op = Regexp.Op.LITERAL;
      re.runes = [re.runes[0]];
      re.flags = this.flags & ~RE2Flags.FOLD_CASE;
    } else if (re.op === Regexp.Op.CHAR_CLASS && re.runes.length === 4 && re.runes[0] === re.runes[1] && re.runes[2] === re.runes[3] && Unicode.simpleFold(re.runes[0]) === re.runes[2] && Unicode.simpleFold(re.runes[2]) === re.runes[0] || re.op === Regexp.Op.CHAR_CLASS && re.runes.length === 2 && re.runes[0] + 1 === re.runes[1] && Unicode.simpleFold(re.runes[0]) === re.runes[1] && Unicode.simpleFold(re.runes[1]) === re.runes[0]) {
      if (this.maybeConcat(re.runes[0], this.flags | RE2Flags.FOLD_CASE)) return null;
      re.op = Regexp.Op.LITERAL;
      re.runes = [re.runes[0]];
      re.flags = this.flags | RE2Flags.FOLD_CASE;
    } else this.maybeConcat(-1, 0);
    this.stack.push(re);
    this.checkLimits(re);
    return re;
  }
  maybeConcat(r, flags) {
    const n = this.stack.length;
    if (n < 2) return false;
    const re1 = this.stack[n - 1];
    const re2 = this.stack[n - 2];
    if (re1.op !== Regexp.Op.LITERAL || re2.op !== Regexp.Op.LITERAL || (re1.flags & RE2Flags.FOLD_CASE) !== (re2.flags & RE2Flags.FOLD_CASE)) return false;
    if (!Array.isArray(re2.runes)) re2.runes = Array.from(re2.runes);
    for (let i = 0; i < re1.runes.length; i++) re2.runes.push(re1.runes[i]);
    if (r >= 0) {
      re1.runes = [r];
      re1.flags = flags;
      return true;
    }
    this.pop();
    this.reuse(re1);
    return false;
  }
  newLiteral(r, flags) {
    const re = this.newRegexp(Regexp.Op.LITERAL);
    re.flags = flags;
    if ((flags & RE2Flags.FOLD_CASE) !== 0) r = Parser2.minFoldRune(r);
    re.runes = [r];
    return re;
  }
  literal(r) {
    this.push(this.newLiteral(r, this.flags));
  }
  op(op) {
    const re = this.newRegexp(op);
    re.flags = this.flags;
    return this.push(re);
  }
  repeat(op, min, max, beforePos, t, lastRepeatPos) {
    let flags = this.flags;
    if ((flags & RE2Flags.PERL_X) !== 0) {
      if (t.more() && t.lookingAt("?")) {
        t.skip(1);
        flags ^= RE2Flags.NON_GREEDY;
      }
      if (lastRepeatPos !== -1) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_REPEAT_OP, t.from(lastRepeatPos));
    }
    const n = this.stack.length;
    if (n === 0) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_REPEAT_ARGUMENT, t.from(beforePos));
    const sub = this.stack[n - 1];
    if (Regexp.isPseudoOp(sub.op)) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_REPEAT_ARGUMENT, t.from(beforePos));
    const re = this.newRegexp(op);
    re.min = min;
    re.max = max;
    re.flags = flags;
    re.subs = [sub];
    this.stack[n - 1] = re;
    this.checkLimits(re);
    if (op === Regexp.Op.REPEAT && (min >= 2 || max >= 2) && !this.repeatIsValid(re, 1e3)) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_REPEAT_SIZE, t.from(beforePos));
  }
  repeatIsValid(re, n) {
    if (re.op === Regexp.Op.REPEAT) {
      let m = re.max;
      if (m === 0) return true;
      if (m < 0) m = re.min;
      if (m > n) return false;
      if (m > 0) n = Math.trunc(n / m);
    }
    for (let sub of re.subs) if (!this.repeatIsValid(sub, n)) return false;
    return true;
  }
  concat() {
    this.maybeConcat(-1, 0);
    const subs = this.popToPseudo();
    if (subs.length === 0) return this.push(this.newRegexp(Regexp.Op.EMPTY_MATCH));
    return this.push(this.collapse(subs, Regexp.Op.CONCAT));
  }
  alternate() {
    const subs = this.popToPseudo();
    if (subs.length > 0) this.cleanAlt(subs[subs.length - 1]);
    if (subs.length === 0) return this.push(this.newRegexp(Regexp.Op.NO_MATCH));
    return this.push(this.collapse(subs, Regexp.Op.ALTERNATE));
  }
  cleanAlt(re) {
    if (re.op === Regexp.Op.CHAR_CLASS) {
      re.runes = new CharClass(Array.from(re.runes)).cleanClass().toArray();
      if (re.runes.length === 2 && re.runes[0] === 0 && re.runes[1] === Unicode.MAX_RUNE) {
        re.runes = /* @__PURE__ */ new Int32Array(0);
        re.op = Regexp.Op.ANY_CHAR;
      } else if (re.runes.length === 4 && re.runes[0] === 0 && re.runes[1] === Codepoint.CODES["\n"] - 1 && re.runes[2] === Codepoint.CODES["\n"] + 1 && re.runes[3] === Unicode.MAX_RUNE) {
        re.runes = /* @__PURE__ */ new Int32Array(0);
        re.op = Regexp.Op.ANY_CHAR_NOT_NL;
      }
    }
  }
  collapse(subs, op) {
    if (subs.length === 1) return subs[0];
    let len = 0;
    for (let sub of subs) len += sub.op === op ? sub.subs.length : 1;
    let newsubs = new Array(len).fill(null);
    let i = 0;
    for (let sub of subs) if (sub.op === op) {
      for (let j = 0; j < sub.subs.length; j++) newsubs[i++] = sub.subs[j];
      this.reuse(sub);
    } else newsubs[i++] = sub;
    let re = this.newRegexp(op);
    re.subs = newsubs;
    if (op === Regexp.Op.ALTERNATE) {
      re.subs = this.factor(re.subs);
      if (re.subs.length === 1) {
        const old = re;
        re = re.subs[0];
        this.reuse(old);
      }
    }
    return re;
  }
  factor(array) {
    if (array.length < 2) return array;
    let s = 0;
    let lensub = array.length;
    let lenout = 0;
    let str = null;
    let strlen = 0;
    let strflags = 0;
    let start = 0;
    for (let i = 0; i <= lensub; i++) {
      let istr = null;
      let istrlen = 0;
      let iflags = 0;
      if (i < lensub) {
        let re = array[s + i];
        if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) re = re.subs[0];
        if (re.op === Regexp.Op.LITERAL) {
          istr = re.runes;
          istrlen = re.runes.length;
          iflags = re.flags & RE2Flags.FOLD_CASE;
        }
        if (iflags === strflags) {
          let same = 0;
          while (same < strlen && same < istrlen && str[same] === istr[same]) same++;
          if (same > 0) {
            strlen = same;
            continue;
          }
        }
      }
      if (i === start) {
      } else if (i === start + 1) array[lenout++] = array[s + start];
      else {
        const prefix = this.newRegexp(Regexp.Op.LITERAL);
        prefix.flags = strflags;
        prefix.runes = str.slice(0, strlen);
        for (let j = start; j < i; j++) {
          array[s + j] = this.removeLeadingString(array[s + j], strlen);
          this.checkLimits(array[s + j]);
        }
        const suffix = this.collapse(array.slice(s + start, s + i), Regexp.Op.ALTERNATE);
        const re = this.newRegexp(Regexp.Op.CONCAT);
        re.subs = [prefix, suffix];
        array[lenout++] = re;
      }
      start = i;
      str = istr;
      strlen = istrlen;
      strflags = iflags;
    }
    lensub = lenout;
    s = 0;
    start = 0;
    lenout = 0;
    let first3 = null;
    for (let i = 0; i <= lensub; i++) {
      let ifirst = null;
      if (i < lensub) {
        ifirst = Parser2.leadingRegexp(array[s + i]);
        if (first3 !== null && first3.equals(ifirst) && (Parser2.isCharClass(first3) || first3.op === Regexp.Op.REPEAT && first3.min === first3.max && Parser2.isCharClass(first3.subs[0]))) continue;
      }
      if (i === start) {
      } else if (i === start + 1) array[lenout++] = array[s + start];
      else {
        const prefix = first3;
        for (let j = start; j < i; j++) {
          const reuse = j !== start;
          array[s + j] = this.removeLeadingRegexp(array[s + j], reuse);
          this.checkLimits(array[s + j]);
        }
        const suffix = this.collapse(array.slice(s + start, s + i), Regexp.Op.ALTERNATE);
        const re = this.newRegexp(Regexp.Op.CONCAT);
        re.subs = [prefix, suffix];
        array[lenout++] = re;
      }
      start = i;
      first3 = ifirst;
    }
    lensub = lenout;
    s = 0;
    start = 0;
    lenout = 0;
    for (let i = 0; i <= lensub; i++) {
      if (i < lensub && Parser2.isCharClass(array[s + i])) continue;
      if (i === start) {
      } else if (i === start + 1) array[lenout++] = array[s + start];
      else {
        let max = start;
        for (let j = start + 1; j < i; j++) {
          const subMax = array[s + max];
          const subJ = array[s + j];
          if (subMax.op < subJ.op || subMax.op === subJ.op && (subMax.runes !== null ? subMax.runes.length : 0) < (subJ.runes !== null ? subJ.runes.length : 0)) max = j;
        }
        const tmp = array[s + start];
        array[s + start] = array[s + max];
        array[s + max] = tmp;
        for (let j = start + 1; j < i; j++) {
          Parser2.mergeCharClass(array[s + start], array[s + j]);
          this.reuse(array[s + j]);
        }
        this.cleanAlt(array[s + start]);
        array[lenout++] = array[s + start];
      }
      if (i < lensub) array[lenout++] = array[s + i];
      start = i + 1;
    }
    lensub = lenout;
    s = 0;
    start = 0;
    lenout = 0;
    for (let i = 0; i < lensub; ++i) {
      if (i + 1 < lensub && array[s + i].op === Regexp.Op.EMPTY_MATCH && array[s + i + 1].op === Regexp.Op.EMPTY_MATCH) continue;
      array[lenout++] = array[s + i];
    }
    lensub = lenout;
    s = 0;
    return array.slice(s, lensub);
  }
  removeLeadingString(re, n) {
    if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) {
      const sub = this.removeLeadingString(re.subs[0], n);
      re.subs[0] = sub;
      if (sub.op === Regexp.Op.EMPTY_MATCH) {
        this.reuse(sub);
        switch (re.subs.length) {
          case 0:
          case 1:
            re.op = Regexp.Op.EMPTY_MATCH;
            re.subs = Regexp.emptySubs();
            break;
          case 2: {
            const old = re;
            re = re.subs[1];
            this.reuse(old);
            break;
          }
          default:
            re.subs = re.subs.slice(1, re.subs.length);
        }
      }
      return re;
    }
    if (re.op === Regexp.Op.LITERAL) {
      re.runes = re.runes.slice(n, re.runes.length);
      if (re.runes.length === 0) re.op = Regexp.Op.EMPTY_MATCH;
    }
    return re;
  }
  removeLeadingRegexp(re, reuse) {
    if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) {
      if (reuse) this.reuse(re.subs[0]);
      re.subs = re.subs.slice(1, re.subs.length);
      switch (re.subs.length) {
        case 0:
          re.op = Regexp.Op.EMPTY_MATCH;
          re.subs = Regexp.emptySubs();
          break;
        case 1: {
          const old = re;
          re = re.subs[0];
          this.reuse(old);
          break;
        }
      }
      return re;
    }
    if (reuse) this.reuse(re);
    return this.newRegexp(Regexp.Op.EMPTY_MATCH);
  }
  parseInternal() {
    if ((this.flags & RE2Flags.LITERAL) !== 0) return Parser2.literalRegexp(this.wholeRegexp, this.flags);
    let lastRepeatPos = -1;
    let min = -1;
    let max = -1;
    const t = new StringIterator(this.wholeRegexp);
    while (t.more()) {
      let repeatPos = -1;
      bigswitch: switch (t.peek()) {
        case Codepoint.CODES["("]:
          if ((this.flags & RE2Flags.LOOKBEHIND) !== 0) {
            if (t.lookingAt("(?<=")) {
              this.parsePosLookBehind();
              t.skip(4);
              break;
            }
            if (t.lookingAt("(?<!")) {
              this.parseNegLookBehind();
              t.skip(4);
              break;
            }
          }
          if ((this.flags & RE2Flags.PERL_X) !== 0 && t.lookingAt("(?")) {
            this.parsePerlFlags(t);
            break;
          }
          this.op(Regexp.Op.LEFT_PAREN).cap = ++this.numCap;
          t.skip(1);
          break;
        case Codepoint.CODES["|"]:
          this.parseVerticalBar();
          t.skip(1);
          break;
        case Codepoint.CODES[")"]:
          this.parseRightParen();
          t.skip(1);
          break;
        case Codepoint.CODES["^"]:
          if ((this.flags & RE2Flags.ONE_LINE) !== 0) this.op(Regexp.Op.BEGIN_TEXT);
          else this.op(Regexp.Op.BEGIN_LINE);
          t.skip(1);
          break;
        case Codepoint.CODES["$"]:
          if ((this.flags & RE2Flags.ONE_LINE) !== 0) this.op(Regexp.Op.END_TEXT).flags |= RE2Flags.WAS_DOLLAR;
          else this.op(Regexp.Op.END_LINE);
          t.skip(1);
          break;
        case Codepoint.CODES["."]:
          if ((this.flags & RE2Flags.DOT_NL) !== 0) this.op(Regexp.Op.ANY_CHAR);
          else this.op(Regexp.Op.ANY_CHAR_NOT_NL);
          t.skip(1);
          break;
        case Codepoint.CODES["["]:
          this.parseClass(t);
          break;
        case Codepoint.CODES["*"]:
        case Codepoint.CODES["+"]:
        case Codepoint.CODES["?"]: {
          repeatPos = t.pos();
          let op = null;
          switch (t.pop()) {
            case Codepoint.CODES["*"]:
              op = Regexp.Op.STAR;
              break;
            case Codepoint.CODES["+"]:
              op = Regexp.Op.PLUS;
              break;
            case Codepoint.CODES["?"]:
              op = Regexp.Op.QUEST;
          }
          this.repeat(op, min, max, repeatPos, t, lastRepeatPos);
          break;
        }
        case Codepoint.CODES["{"]: {
          const before = t.pos();
          const minMax = Parser2.parseRepeat(t);
          if (minMax < 0) {
            t.rewindTo(before);
            this.literal(t.pop());
            break;
          }
          repeatPos = before;
          min = minMax >> 16;
          max = (minMax & Unicode.MAX_BMP) << 16 >> 16;
          this.repeat(Regexp.Op.REPEAT, min, max, repeatPos, t, lastRepeatPos);
          break;
        }
        case Codepoint.CODES["\\"]: {
          const savedPos = t.pos();
          t.skip(1);
          if ((this.flags & RE2Flags.PERL_X) !== 0 && t.more()) switch (t.pop()) {
            case Codepoint.CODES["A"]:
              this.op(Regexp.Op.BEGIN_TEXT);
              break bigswitch;
            case Codepoint.CODES["b"]:
              this.op(Regexp.Op.WORD_BOUNDARY);
              break bigswitch;
            case Codepoint.CODES["B"]:
              this.op(Regexp.Op.NO_WORD_BOUNDARY);
              break bigswitch;
            case Codepoint.CODES["C"]:
              throw new RE2JSSyntaxException(Parser2.ERR_INVALID_ESCAPE, "\\C");
            case Codepoint.CODES["Q"]: {
              let lit = t.rest();
              const i = lit.indexOf("\\E");
              if (i >= 0) {
                lit = lit.substring(0, i);
                t.skipString(lit);
                t.skipString("\\E");
              } else t.skipString(lit);
              let j = 0;
              while (j < lit.length) {
                const codepoint = lit.codePointAt(j);
                this.literal(codepoint);
                j += Utils.charCount(codepoint);
              }
              break bigswitch;
            }
            case Codepoint.CODES["z"]:
              this.op(Regexp.Op.END_TEXT);
              break bigswitch;
            default:
              t.rewindTo(savedPos);
          }
          else t.rewindTo(savedPos);
          const re = this.newRegexp(Regexp.Op.CHAR_CLASS);
          re.flags = this.flags;
          if (t.lookingAt("\\p") || t.lookingAt("\\P")) {
            const cc2 = new CharClass();
            if (this.parseUnicodeClass(t, cc2)) {
              re.runes = cc2.toArray();
              this.push(re);
              break bigswitch;
            }
          }
          const cc = new CharClass();
          if (this.parsePerlClassEscape(t, cc)) {
            re.runes = cc.toArray();
            this.push(re);
            break bigswitch;
          }
          t.rewindTo(savedPos);
          this.reuse(re);
          this.literal(Parser2.parseEscape(t));
          break;
        }
        default:
          this.literal(t.pop());
      }
      lastRepeatPos = repeatPos;
    }
    this.concat();
    if (this.swapVerticalBar()) this.pop();
    this.alternate();
    if (this.stack.length !== 1) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_PAREN, this.wholeRegexp);
    this.stack[0].namedGroups = this.namedGroups;
    return this.stack[0];
  }
  parsePerlFlags(t) {
    const startPos = t.pos();
    const s = t.rest();
    if (s.startsWith("(?P<") || s.startsWith("(?<")) {
      const begin = s.charAt(2) === "P" ? 4 : 3;
      const end2 = s.indexOf(">");
      if (end2 < 0) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_NAMED_CAPTURE, s);
      const name = s.substring(begin, end2);
      t.skipString(name);
      t.skip(begin + 1);
      if (!Parser2.isValidCaptureName(name)) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_NAMED_CAPTURE, s.substring(0, end2 + 1));
      const re = this.op(Regexp.Op.LEFT_PAREN);
      re.cap = ++this.numCap;
      if (this.namedGroups[name]) throw new RE2JSSyntaxException(Parser2.ERR_DUPLICATE_NAMED_CAPTURE, name);
      this.namedGroups[name] = this.numCap;
      re.name = name;
      return;
    }
    t.skip(2);
    let flags = this.flags;
    let sign = 1;
    let sawFlag = false;
    loop: while (t.more()) {
      const c = t.pop();
      switch (c) {
        case Codepoint.CODES["i"]:
          flags |= RE2Flags.FOLD_CASE;
          sawFlag = true;
          break;
        case Codepoint.CODES["m"]:
          flags &= ~RE2Flags.ONE_LINE;
          sawFlag = true;
          break;
        case Codepoint.CODES["s"]:
          flags |= RE2Flags.DOT_NL;
          sawFlag = true;
          break;
        case Codepoint.CODES["U"]:
          flags |= RE2Flags.NON_GREEDY;
          sawFlag = true;
          break;
        case Codepoint.CODES["-"]:
          if (sign < 0) break loop;
          sign = -1;
          flags = ~flags;
          sawFlag = false;
          break;
        case Codepoint.CODES[":"]:
        case Codepoint.CODES[")"]:
          if (sign < 0) {
            if (!sawFlag) break loop;
            flags = ~flags;
          }
          if (c === Codepoint.CODES[":"]) this.op(Regexp.Op.LEFT_PAREN);
          this.flags = flags;
          return;
        default:
          break loop;
      }
    }
    throw new RE2JSSyntaxException(Parser2.ERR_INVALID_PERL_OP, t.from(startPos));
  }
  parsePosLookBehind() {
    const re = this.newRegexp(Regexp.Op.LEFT_PAREN);
    re.flags = this.flags;
    re.lb = ++this.nlb;
    return this.push(re);
  }
  parseNegLookBehind() {
    const re = this.newRegexp(Regexp.Op.LEFT_PAREN);
    re.flags = this.flags;
    re.lb = -++this.nlb;
    return this.push(re);
  }
  parseVerticalBar() {
    this.concat();
    if (!this.swapVerticalBar()) this.op(Regexp.Op.VERTICAL_BAR);
  }
  swapVerticalBar() {
    const n = this.stack.length;
    if (n >= 3 && this.stack[n - 2].op === Regexp.Op.VERTICAL_BAR && Parser2.isCharClass(this.stack[n - 1]) && Parser2.isCharClass(this.stack[n - 3])) {
      let re1 = this.stack[n - 1];
      let re3 = this.stack[n - 3];
      if (re1.op > re3.op) {
        const tmp = re3;
        re3 = re1;
        re1 = tmp;
        this.stack[n - 3] = re3;
      }
      Parser2.mergeCharClass(re3, re1);
      this.reuse(re1);
      this.pop();
      return true;
    }
    if (n >= 2) {
      const re1 = this.stack[n - 1];
      const re2 = this.stack[n - 2];
      if (re2.op === Regexp.Op.VERTICAL_BAR) {
        if (n >= 3) this.cleanAlt(this.stack[n - 3]);
        this.stack[n - 2] = re1;
        this.stack[n - 1] = re2;
        return true;
      }
    }
    return false;
  }
  parseRightParen() {
    this.concat();
    if (this.swapVerticalBar()) this.pop();
    this.alternate();
    if (this.stack.length < 2) throw new RE2JSSyntaxException(Parser2.ERR_UNEXPECTED_PAREN, this.wholeRegexp);
    const re1 = this.pop();
    const re2 = this.pop();
    if (re2.op !== Regexp.Op.LEFT_PAREN) throw new RE2JSSyntaxException(Parser2.ERR_UNEXPECTED_PAREN, this.wholeRegexp);
    this.flags = re2.flags;
    if (re2.lb !== 0) {
      if (Parser2.hasCapture(re1)) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CAPTURE_IN_LOOKBEHIND, this.wholeRegexp);
      if (re2.lb > 0) re2.op = Regexp.Op.PLB;
      else re2.op = Regexp.Op.NLB;
      re2.subs = [re1];
      this.push(re2);
      return;
    }
    if (re2.cap === 0) this.push(re1);
    else {
      re2.op = Regexp.Op.CAPTURE;
      re2.subs = [re1];
      this.push(re2);
    }
  }
  parsePerlClassEscape(t, cc) {
    const beforePos = t.pos();
    if ((this.flags & RE2Flags.PERL_X) === 0 || !t.more() || t.pop() !== Codepoint.CODES["\\"] || !t.more()) return false;
    t.pop();
    const p = t.from(beforePos);
    const g = PERL_GROUPS.has(p) ? PERL_GROUPS.get(p) : null;
    if (g === null) return false;
    cc.appendGroup(g, (this.flags & RE2Flags.FOLD_CASE) !== 0);
    return true;
  }
  parseNamedClass(t, cc) {
    const cls = t.rest();
    const i = cls.indexOf(":]");
    if (i < 0) return false;
    const name = cls.substring(0, i + 2);
    t.skipString(name);
    const g = POSIX_GROUPS.has(name) ? POSIX_GROUPS.get(name) : null;
    if (g === null) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, name);
    cc.appendGroup(g, (this.flags & RE2Flags.FOLD_CASE) !== 0);
    return true;
  }
  parseUnicodeClass(t, cc) {
    const startPos = t.pos();
    if ((this.flags & RE2Flags.UNICODE_GROUPS) === 0 || !t.lookingAt("\\p") && !t.lookingAt("\\P")) return false;
    t.skip(1);
    let sign = 1;
    let c = t.pop();
    if (c === Codepoint.CODES["P"]) sign = -1;
    if (!t.more()) {
      t.rewindTo(startPos);
      throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.rest());
    }
    c = t.pop();
    let name;
    if (c !== Codepoint.CODES["{"]) name = Utils.runeToString(c);
    else {
      const rest = t.rest();
      const end2 = rest.indexOf("}");
      if (end2 < 0) {
        t.rewindTo(startPos);
        throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.rest());
      }
      name = rest.substring(0, end2);
      t.skipString(name);
      t.skip(1);
    }
    if (!(name.length === 0) && name.codePointAt(0) === Codepoint.CODES["^"]) {
      sign = 0 - sign;
      name = name.substring(1);
    }
    const pair = Parser2.unicodeTable(name);
    if (pair === null) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.from(startPos));
    if (pair.sign < 0) sign = 0 - sign;
    const tab = pair.tab;
    const fold2 = pair.fold;
    if ((this.flags & RE2Flags.FOLD_CASE) === 0 || fold2 === null) cc.appendTableWithSign(tab, sign);
    else {
      const tmp = new CharClass().appendTable(tab).appendTable(fold2).cleanClass().toArray();
      cc.appendClassWithSign(Array.from(tmp), sign);
    }
    return true;
  }
  parseClass(t) {
    const startPos = t.pos();
    t.skip(1);
    const re = this.newRegexp(Regexp.Op.CHAR_CLASS);
    re.flags = this.flags;
    const cc = new CharClass();
    let sign = 1;
    if (t.more() && t.lookingAt("^")) {
      sign = -1;
      t.skip(1);
      if ((this.flags & RE2Flags.CLASS_NL) === 0) cc.appendRange(Codepoint.CODES["\n"], Codepoint.CODES["\n"]);
    }
    let first3 = true;
    while (!t.more() || t.peek() !== Codepoint.CODES["]"] || first3) {
      if (t.more() && t.lookingAt("-") && (this.flags & RE2Flags.PERL_X) === 0 && !first3) {
        const s = t.rest();
        if (s === "-" || !s.startsWith("-]")) {
          t.rewindTo(startPos);
          throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.rest());
        }
      }
      first3 = false;
      const beforePos = t.pos();
      if (t.lookingAt("[:")) {
        if (this.parseNamedClass(t, cc)) continue;
        t.rewindTo(beforePos);
      }
      if (this.parseUnicodeClass(t, cc)) continue;
      if (this.parsePerlClassEscape(t, cc)) continue;
      t.rewindTo(beforePos);
      const lo = Parser2.parseClassChar(t, startPos);
      let hi = lo;
      if (t.more() && t.lookingAt("-")) {
        t.skip(1);
        if (t.more() && t.lookingAt("]")) t.skip(-1);
        else {
          hi = Parser2.parseClassChar(t, startPos);
          if (hi < lo) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.from(beforePos));
        }
      }
      if ((this.flags & RE2Flags.FOLD_CASE) === 0) cc.appendRange(lo, hi);
      else cc.appendFoldedRange(lo, hi);
    }
    t.skip(1);
    cc.cleanClass();
    if (sign < 0) cc.negateClass();
    re.runes = cc.toArray();
    this.push(re);
  }
};
var RE2 = class RE22 {
  static initTest(expr) {
    const re2 = RE22.compile(expr);
    const res = new RE22(re2.expr, re2.prog, re2.numSubexp, re2.longest);
    res.cond = re2.cond;
    res.prefix = re2.prefix;
    res.prefixUTF8 = re2.prefixUTF8;
    res.prefixComplete = re2.prefixComplete;
    res.prefixRune = re2.prefixRune;
    res.prefilter = re2.prefilter;
    res.namedGroups = re2.namedGroups;
    return res;
  }
  /**
  * Parses a regular expression and returns, if successful, an {@code RE2} instance that can be
  * used to match against text.
  *
  * When matching against text, the regexp returns a match that begins as early as possible in the
  * input (leftmost), and among those it chooses the one that a backtracking search would have
  * found first. This so-called leftmost-first matching is the same semantics that Perl, Python,
  * and other implementations use, although this package implements it without the expense of
  * backtracking. For POSIX leftmost-longest matching, see {@link #compilePOSIX}.
  */
  static compile(expr) {
    return RE22.compileImpl(expr, RE2Flags.PERL, false);
  }
  /**
  * {@code compilePOSIX} is like {@link #compile} but restricts the regular expression to POSIX ERE
  * (egrep) syntax and changes the match semantics to leftmost-longest.
  *
  * That is, when matching against text, the regexp returns a match that begins as early as
  * possible in the input (leftmost), and among those it chooses a match that is as long as
  * possible. This so-called leftmost-longest matching is the same semantics that early regular
  * expression implementations used and that POSIX specifies.
  *
  * However, there can be multiple leftmost-longest matches, with different submatch choices, and
  * here this package diverges from POSIX. Among the possible leftmost-longest matches, this
  * package chooses the one that a backtracking search would have found first, while POSIX
  * specifies that the match be chosen to maximize the length of the first subexpression, then the
  * second, and so on from left to right. The POSIX rule is computationally prohibitive and not
  * even well-defined. See http://swtch.com/~rsc/regexp/regexp2.html#posix
  */
  static compilePOSIX(expr) {
    return RE22.compileImpl(expr, RE2Flags.POSIX, true);
  }
  static compileImpl(expr, mode, longest) {
    let re = Parser.parse(expr, mode);
    const maxCap = re.maxCap();
    const namedGroups = re.namedGroups;
    re = Simplify.simplify(re);
    const prefilter = PrefilterTree.build(re);
    const prog = Compiler.compileRegexp(re);
    const re2 = new RE22(expr, prog, maxCap, longest);
    re2.prefilter = prefilter.type === Prefilter.Type.NONE ? null : prefilter;
    const [prefixCompl, prefixStr] = prog.prefix();
    re2.prefixComplete = prefixCompl;
    re2.prefix = prefixStr;
    re2.prefixUTF8 = Utils.stringToUtf8ByteArray(re2.prefix);
    if (re2.prefix.length > 0) re2.prefixRune = re2.prefix.codePointAt(0);
    re2.namedGroups = namedGroups;
    return re2;
  }
  /**
  * Returns true iff textual regular expression {@code pattern} matches string {@code s}.
  *
  * More complicated queries need to use {@link #compile} and the full {@code RE2} interface.
  */
  static match(pattern, s) {
    return RE22.compile(pattern).match(s);
  }
  constructor(expr, prog, numSubexp = 0, longest = 0) {
    this.expr = expr;
    this.prog = prog;
    this.numSubexp = numSubexp;
    this.longest = longest;
    this.cond = prog.startCond();
    this.prefix = null;
    this.prefixUTF8 = null;
    this.prefixComplete = false;
    this.prefixRune = 0;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.machinePool = [];
    this.lazyDFA = null;
    this.onepass = OnePass.compile(this.prog);
    this.prefilter = null;
  }
  get dfa() {
    if (this.lazyDFA === null) this.lazyDFA = new DFA(this.prog);
    return this.lazyDFA;
  }
  matchPrefixComplete(input, pos, anchor, ncap) {
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return null;
    let matchStart = -1;
    let matchEnd = -1;
    const pLen = input.prefixLength(this);
    if (anchor === RE2Flags.UNANCHORED) {
      const idx = input.index(this, pos);
      if (idx < 0) return null;
      matchStart = pos + idx;
      matchEnd = matchStart + pLen;
    } else if (anchor === RE2Flags.ANCHOR_BOTH) {
      if (input.endPos() !== pLen) return null;
      if (input.index(this, 0) !== 0) return null;
      matchStart = 0;
      matchEnd = pLen;
    } else if (anchor === RE2Flags.ANCHOR_START) {
      if (input.index(this, 0) !== 0) return null;
      matchStart = 0;
      matchEnd = pLen;
    }
    if (matchStart < 0) return null;
    if (ncap > 0) {
      const matchcap = new Int32Array(ncap).fill(-1);
      matchcap[0] = matchStart;
      matchcap[1] = matchEnd;
      return Array.from(matchcap);
    }
    return [];
  }
  createLookbehindState() {
    return this.prog.numLb > 0 ? new LookbehindState(this.prog) : null;
  }
  executeEngine(input, pos, anchor, ncap, lbState = null) {
    if (this.prefixComplete && (ncap === 0 || this.numSubexp === 0)) return this.matchPrefixComplete(input, pos, anchor, ncap);
    if (this.prefilter !== null && anchor === RE2Flags.UNANCHORED) {
      if (!this.prefilter.eval(input, pos)) return null;
    }
    if (this.onepass !== null) return OnePass.execute(this, input, pos, anchor, ncap);
    if (ncap > 0) {
      if (this.prog.numLb === 0 && input.endPos() <= Backtracker.maxBitStateLen(this.prog)) return Backtracker.execute(this, input, pos, anchor, ncap);
      return this.doExecuteNFA(input, pos, anchor, ncap, lbState);
    }
    if (this.prog.numLb === 0) {
      const dfaResult = this.dfa.match(input, pos, anchor);
      if (dfaResult !== null) return dfaResult ? [] : null;
      if (input.endPos() <= Backtracker.maxBitStateLen(this.prog)) return Backtracker.execute(this, input, pos, anchor, ncap);
    }
    return this.doExecuteNFA(input, pos, anchor, ncap, lbState);
  }
  /**
  * Returns the number of parenthesized subexpressions in this regular expression.
  */
  numberOfCapturingGroups() {
    return this.numSubexp;
  }
  /**
  * Returns the number of instructions in this compiled regular expression program.
  */
  numberOfInstructions() {
    return this.prog.numInst();
  }
  get() {
    return this.machinePool.length > 0 ? this.machinePool.pop() : null;
  }
  reset() {
    this.machinePool.length = 0;
  }
  put(m) {
    this.machinePool.push(m);
  }
  toString() {
    return this.expr;
  }
  doExecuteNFA(input, pos, anchor, ncap, lbState = null) {
    let m = this.get();
    if (!m) m = Machine.fromRE2(this);
    m.init(ncap);
    const cap = m.match(input, pos, anchor, lbState) ? m.submatches() : null;
    this.put(m);
    return cap;
  }
  match(s) {
    return this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, 0) !== null;
  }
  /**
  * Matches the regular expression against input starting at position start and ending at position
  * end, with the given anchoring. Records the submatch boundaries in group, which is [start, end)
  * pairs of byte offsets. The number of boundaries needed is inferred from the size of the group
  * array. It is most efficient not to ask for submatch boundaries.
  *
  * @param input the input byte array
  * @param start the beginning position in the input
  * @param end the end position in the input
  * @param anchor the anchoring flag (UNANCHORED, ANCHOR_START, ANCHOR_BOTH)
  * @param group the array to fill with submatch positions
  * @param ngroup the number of array pairs to fill in
  * @param lbState optional state carried between successive matches over the same input (see
  *   createLookbehindState); omit it to evaluate lookbehinds from the beginning of the input
  * @returns true if a match was found
  */
  matchWithGroup(input, start, end2, anchor, ngroup, lbState = null) {
    if (!(input instanceof MatcherInputBase)) {
      if (Utils.isByteArray(input)) input = MatcherInput.utf8(input);
      else input = MatcherInput.utf16(input);
    }
    return this.matchMachineInput(input, start, end2, anchor, ngroup, lbState);
  }
  matchMachineInput(input, start, end2, anchor, ngroup, lbState = null) {
    if (start > end2) return [false, null];
    const machineInput = input.isUTF16Encoding() ? MachineInput.fromUTF16(input.asCharSequence(), 0, end2) : MachineInput.fromUTF8(input.asBytes(), 0, end2);
    const groupMatch = this.executeEngine(machineInput, start, anchor, 2 * ngroup, lbState);
    if (groupMatch === null) return [false, null];
    return [true, groupMatch];
  }
  /**
  * Returns true iff this regexp matches the UTF-8 byte array {@code b}.
  */
  matchUTF8(b) {
    return this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, 0) !== null;
  }
  /**
  * Returns a copy of {@code src} in which all matches for this regexp have been replaced by
  * {@code repl}. No support is provided for expressions (e.g. {@code \1} or {@code $1}) in the
  * replacement string.
  */
  replaceAll(src, repl) {
    return this.replaceAllFunc(src, () => repl, 2 * src.length + 1);
  }
  /**
  * Returns a copy of {@code src} in which only the first match for this regexp has been replaced
  * by {@code repl}. No support is provided for expressions (e.g. {@code \1} or {@code $1}) in the
  * replacement string.
  */
  replaceFirst(src, repl) {
    return this.replaceAllFunc(src, () => repl, 1);
  }
  /**
  * Returns a copy of {@code src} in which at most {@code maxReplaces} matches for this regexp have
  * been replaced by the return value of of function {@code repl} (whose first argument is the
  * matched string). No support is provided for expressions (e.g. {@code \1} or {@code $1}) in the
  * replacement string.
  */
  replaceAllFunc(src, replFunc, maxReplaces) {
    let lastMatchEnd = 0;
    let searchPos = 0;
    let out = "";
    const input = MachineInput.fromUTF16(src);
    const lbState = this.createLookbehindState();
    let numReplaces = 0;
    while (searchPos <= src.length) {
      const a = this.executeEngine(input, searchPos, RE2Flags.UNANCHORED, 2, lbState);
      if (a === null || a.length === 0) break;
      out += src.substring(lastMatchEnd, a[0]);
      if (a[1] > lastMatchEnd || a[0] === 0) {
        out += replFunc(src.substring(a[0], a[1]));
        numReplaces++;
      }
      lastMatchEnd = a[1];
      const width = input.step(searchPos) & 7;
      if (searchPos + width > a[1]) searchPos += width;
      else if (searchPos + 1 > a[1]) searchPos++;
      else searchPos = a[1];
      if (numReplaces >= maxReplaces) break;
    }
    out += src.substring(lastMatchEnd);
    return out;
  }
  pad(a) {
    if (a === null) return null;
    let n = (1 + this.numSubexp) * 2;
    if (a.length < n) {
      let a2 = new Array(n).fill(-1);
      for (let i = 0; i < a.length; i++) a2[i] = a[i];
      a = a2;
    }
    return a;
  }
  allMatches(input, n, deliverFun = (v) => v) {
    let result = [];
    const end2 = input.endPos();
    if (n < 0) n = end2 + 1;
    let pos = 0;
    let i = 0;
    let prevMatchEnd = -1;
    const lbState = this.createLookbehindState();
    while (i < n && pos <= end2) {
      const matches2 = this.executeEngine(input, pos, RE2Flags.UNANCHORED, this.prog.numCap, lbState);
      if (matches2 === null || matches2.length === 0) break;
      let accept = true;
      if (matches2[1] === pos) {
        if (matches2[0] === prevMatchEnd) accept = false;
        const r = input.step(pos);
        if (r < 0) pos = end2 + 1;
        else pos += r & 7;
      } else pos = matches2[1];
      prevMatchEnd = matches2[1];
      if (accept) {
        result.push(deliverFun(this.pad(matches2)));
        i++;
      }
    }
    return result;
  }
  /**
  * Returns an array holding the text of the leftmost match in {@code b} of this regular
  * expression.
  *
  * A return value of null indicates no match.
  */
  findUTF8(b) {
    const a = this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, 2);
    if (a === null) return null;
    return b.slice(a[0], a[1]);
  }
  /**
  * Returns a two-element array of integers defining the location of the leftmost match in
  * {@code b} of this regular expression. The match itself is at {@code b[loc[0]...loc[1]]}.
  *
  * A return value of null indicates no match.
  */
  findUTF8Index(b) {
    const a = this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, 2);
    if (a === null) return null;
    return a.slice(0, 2);
  }
  /**
  * Returns a string holding the text of the leftmost match in {@code s} of this regular
  * expression.
  *
  * If there is no match, the return value is an empty string, but it will also be empty if the
  * regular expression successfully matches an empty string. Use {@link #findIndex} or
  * {@link #findSubmatch} if it is necessary to distinguish these cases.
  */
  find(s) {
    const a = this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, 2);
    if (a === null) return "";
    return s.substring(a[0], a[1]);
  }
  /**
  * Returns a two-element array of integers defining the location of the leftmost match in
  * {@code s} of this regular expression. The match itself is at
  * {@code s.substring(loc[0], loc[1])}.
  *
  * A return value of null indicates no match.
  */
  findIndex(s) {
    return this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, 2);
  }
  /**
  * Returns an array of arrays the text of the leftmost match of the regular expression in
  * {@code b} and the matches, if any, of its subexpressions, as defined by the <a
  * href='#submatch'>Submatch</a> description above.
  *
  * A return value of null indicates no match.
  */
  findUTF8Submatch(b) {
    const a = this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, this.prog.numCap);
    if (a === null) return null;
    const ret = new Array(1 + this.numSubexp).fill(null);
    for (let i = 0; i < ret.length; i++) if (2 * i < a.length && a[2 * i] >= 0) ret[i] = b.slice(a[2 * i], a[2 * i + 1]);
    return ret;
  }
  /**
  * Returns an array holding the index pairs identifying the leftmost match of this regular
  * expression in {@code b} and the matches, if any, of its subexpressions, as defined by the the
  * <a href='#submatch'>Submatch</a> and <a href='#index'>Index</a> descriptions above.
  *
  * A return value of null indicates no match.
  */
  findUTF8SubmatchIndex(b) {
    return this.pad(this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, this.prog.numCap));
  }
  /**
  * Returns an array of strings holding the text of the leftmost match of the regular expression in
  * {@code s} and the matches, if any, of its subexpressions, as defined by the <a
  * href='#submatch'>Submatch</a> description above.
  *
  * A return value of null indicates no match.
  */
  findSubmatch(s) {
    const a = this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, this.prog.numCap);
    if (a === null) return null;
    const ret = new Array(1 + this.numSubexp).fill(null);
    for (let i = 0; i < ret.length; i++) if (2 * i < a.length && a[2 * i] >= 0) ret[i] = s.substring(a[2 * i], a[2 * i + 1]);
    return ret;
  }
  /**
  * Returns an array holding the index pairs identifying the leftmost match of this regular
  * expression in {@code s} and the matches, if any, of its subexpressions, as defined by the <a
  * href='#submatch'>Submatch</a> description above.
  *
  * A return value of null indicates no match.
  */
  findSubmatchIndex(s) {
    return this.pad(this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, this.prog.numCap));
  }
  /**
  * {@code findAllUTF8()} is the <a href='#all'>All</a> version of {@link #findUTF8}; it returns a
  * list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  *
  * TODO(adonovan): think about defining a byte slice view class, like a read-only Go slice backed
  * by |b|.
  */
  findAllUTF8(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n, (match) => b.slice(match[0], match[1]));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllUTF8Index} is the <a href='#all'>All</a> version of {@link #findUTF8Index}; it
  * returns a list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllUTF8Index(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n, (match) => match.slice(0, 2));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAll} is the <a href='#all'>All</a> version of {@link #find}; it returns a list of up
  * to {@code n} successive matches of the expression, as defined by the <a href='#all'>All</a>
  * description above.
  *
  * A return value of null indicates no match.
  */
  findAll(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n, (match) => s.substring(match[0], match[1]));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllIndex} is the <a href='#all'>All</a> version of {@link #findIndex}; it returns a
  * list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllIndex(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n, (match) => match.slice(0, 2));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllUTF8Submatch} is the <a href='#all'>All</a> version of {@link #findUTF8Submatch};
  * it returns a list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllUTF8Submatch(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n, (match) => {
      let slice2 = new Array(match.length / 2 | 0).fill(null);
      for (let j = 0; j < slice2.length; j++) if (match[2 * j] >= 0) slice2[j] = b.slice(match[2 * j], match[2 * j + 1]);
      return slice2;
    });
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllUTF8SubmatchIndex} is the <a href='#all'>All</a> version of
  * {@link #findUTF8SubmatchIndex}; it returns a list of up to {@code n} successive matches of the
  * expression, as defined by the <a href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllUTF8SubmatchIndex(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n);
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllSubmatch} is the <a href='#all'>All</a> version of {@link #findSubmatch}; it
  * returns a list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllSubmatch(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n, (match) => {
      let slice2 = new Array(match.length / 2 | 0).fill(null);
      for (let j = 0; j < slice2.length; j++) if (match[2 * j] >= 0) slice2[j] = s.substring(match[2 * j], match[2 * j + 1]);
      return slice2;
    });
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllSubmatchIndex} is the <a href='#all'>All</a> version of
  * {@link #findSubmatchIndex}; it returns a list of up to {@code n} successive matches of the
  * expression, as defined by the <a href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllSubmatchIndex(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n);
    if (result.length === 0) return null;
    return result;
  }
};
var RE2Set = class RE2Set2 {
  /** @type {number} */
  static UNANCHORED = RE2Flags.UNANCHORED;
  /** @type {number} */
  static ANCHOR_START = RE2Flags.ANCHOR_START;
  /** @type {number} */
  static ANCHOR_BOTH = RE2Flags.ANCHOR_BOTH;
  /**
  * Constructs a new RE2Set with the specified anchor mode and flags.
  * @param {number} [anchor=RE2Set.UNANCHORED] - The anchoring mode (e.g., RE2Set.UNANCHORED).
  * @param {number} [flags=0] - The public flags to apply to all patterns in the set.
  * @param {number} [maxMem=8388608] - The maximum memory in bytes to use for the DFA (default 8MB).
  */
  constructor(anchor = RE2Set2.UNANCHORED, flags = 0, maxMem = 8388608) {
    if (![
      RE2Set2.UNANCHORED,
      RE2Set2.ANCHOR_START,
      RE2Set2.ANCHOR_BOTH
    ].includes(anchor)) throw new RE2JSFlagsException("The anchor should be RE2Set.UNANCHORED, RE2Set.ANCHOR_START or RE2Set.ANCHOR_BOTH");
    Utils.checkFlags(flags);
    this.anchor = anchor;
    this.jsFlags = flags;
    this.maxMem = maxMem;
    let re2Flags = RE2Flags.PERL;
    if ((flags & PublicFlags.DISABLE_UNICODE_GROUPS) !== 0) re2Flags &= ~RE2Flags.UNICODE_GROUPS;
    if ((flags & PublicFlags.LOOKBEHINDS) !== 0) re2Flags |= RE2Flags.LOOKBEHIND;
    this.re2Flags = re2Flags;
    this.regexps = [];
    this.prog = null;
    this.dfa = null;
    this.dummyRe2 = null;
  }
  /**
  * Adds a new regular expression pattern to the set.
  * Patterns cannot be added after the set has been compiled.
  * @param {string} pattern - The regular expression pattern to add.
  * @returns {number} The integer index assigned to the added pattern.
  * @throws {RE2JSCompileException} If patterns are added after compilation.
  */
  add(pattern) {
    if (this.prog) throw new RE2JSCompileException("Cannot add patterns after compile");
    Utils.checkPattern(pattern);
    let fregex = pattern;
    if ((this.jsFlags & PublicFlags.CASE_INSENSITIVE) !== 0) fregex = `(?i)${fregex}`;
    if ((this.jsFlags & PublicFlags.DOTALL) !== 0) fregex = `(?s)${fregex}`;
    if ((this.jsFlags & PublicFlags.MULTILINE) !== 0) fregex = `(?m)${fregex}`;
    const re = Parser.parse(fregex, this.re2Flags);
    this.regexps.push(Simplify.simplify(re));
    return this.regexps.length - 1;
  }
  /**
  * Compiles the added patterns into a single state machine.
  * This is automatically called on the first match if not called explicitly.
  * @returns {void}
  */
  compile() {
    if (this.prog) return;
    const prog = Compiler.compileSet(this.regexps);
    if (prog.numInst() > Parser.MAX_SIZE) throw new RE2JSCompileException(`${Parser.ERR_LARGE}: the set compiles to ${prog.numInst()} instructions, more than ${Parser.MAX_SIZE}`);
    this.prog = prog;
    this.dfa = new DFA(this.prog, this.maxMem);
    this.dummyRe2 = {
      prog: this.prog,
      cond: this.prog.startCond(),
      prefix: "",
      prefixRune: 0,
      longest: false
    };
  }
  /**
  * Matches the input against the compiled set of regular expressions.
  * @param {string|number[]|Uint8Array} input - The input string or UTF-8 byte array to match against.
  * @returns {number[]} An array of indices representing the patterns that successfully matched the input.
  */
  match(input) {
    if (!this.prog) this.compile();
    const machineInput = Utils.isByteArray(input) ? MachineInput.fromUTF8(input) : MachineInput.fromUTF16(input);
    let internalAnchor = RE2Flags.UNANCHORED;
    if (this.anchor === RE2Set2.ANCHOR_START) internalAnchor = RE2Flags.ANCHOR_START;
    else if (this.anchor === RE2Set2.ANCHOR_BOTH) internalAnchor = RE2Flags.ANCHOR_BOTH;
    const dfaResult = this.dfa.matchSet(machineInput, 0, internalAnchor);
    if (dfaResult !== null) return dfaResult;
    const machine = Machine.fromRE2(this.dummyRe2);
    machine.init(0);
    return machine.matchSet(machineInput, 0, internalAnchor);
  }
};
var TranslateRegExpString = class TranslateRegExpString2 {
  static isHexadecimal(ch) {
    return "0" <= ch && ch <= "9" || "A" <= ch && ch <= "F" || "a" <= ch && ch <= "f";
  }
  static translate(data) {
    let prefixFlags = "";
    if (Object.prototype.toString.call(data) === "[object RegExp]") {
      if (data.ignoreCase) prefixFlags += "i";
      if (data.multiline) prefixFlags += "m";
      if (data.dotAll) prefixFlags += "s";
      data = data.source;
    }
    if (typeof data !== "string") return data;
    let result = "";
    let changed = false;
    let size2 = data.length;
    if (size2 === 0) {
      result = "(?:)";
      changed = true;
    }
    let inCharClass = false;
    let i = 0;
    while (i < size2) {
      let ch = data[i];
      if (ch === "\\") {
        if (i + 1 < size2) {
          ch = data[i + 1];
          switch (ch) {
            case "\\":
              result += "\\\\";
              i += 2;
              continue;
            case "c":
              if (i + 2 < size2) {
                let code = data[i + 2].charCodeAt(0);
                if (code >= 65 && code <= 90 || code >= 97 && code <= 122) {
                  let val = code % 32;
                  result += "\\x";
                  result += (val >> 4).toString(16).toUpperCase();
                  result += (val & 15).toString(16).toUpperCase();
                  i += 3;
                  changed = true;
                  continue;
                }
              }
              result += "c";
              i += 2;
              changed = true;
              continue;
            case "u":
              if (i + 2 < size2) {
                if (data[i + 2] === "{") {
                  let j = i + 3;
                  let hasHex = false;
                  let closed = false;
                  while (j < size2) {
                    const hexChar = data[j];
                    if (hexChar === "}") {
                      closed = true;
                      break;
                    }
                    if (!TranslateRegExpString2.isHexadecimal(hexChar)) break;
                    hasHex = true;
                    j++;
                  }
                  if (closed && hasHex) {
                    result += "\\x";
                    i += 2;
                    changed = true;
                    continue;
                  }
                } else if (i + 5 < size2) {
                  let isHex4 = true;
                  for (let j = 0; j < 4; j++) if (!TranslateRegExpString2.isHexadecimal(data[i + 2 + j])) {
                    isHex4 = false;
                    break;
                  }
                  if (isHex4) {
                    result += "\\x{" + data.substring(i + 2, i + 6) + "}";
                    i += 6;
                    changed = true;
                    continue;
                  }
                }
              }
              result += "u";
              i += 2;
              changed = true;
              continue;
            case "x": {
              let isValidHex = false;
              if (i + 2 < size2 && data[i + 2] === "{") {
                let j = i + 3;
                let hasHex = false;
                let closed = false;
                while (j < size2) {
                  const hexChar = data[j];
                  if (hexChar === "}") {
                    closed = true;
                    break;
                  }
                  if (!TranslateRegExpString2.isHexadecimal(hexChar)) break;
                  hasHex = true;
                  j++;
                }
                if (closed && hasHex) isValidHex = true;
              } else if (i + 3 < size2 && TranslateRegExpString2.isHexadecimal(data[i + 2]) && TranslateRegExpString2.isHexadecimal(data[i + 3])) isValidHex = true;
              if (isValidHex) {
                result += "\\x";
                i += 2;
              } else {
                result += "x";
                i += 2;
                changed = true;
              }
              continue;
            }
            case "n":
            case "r":
            case "t":
            case "a":
            case "f":
            case "v":
            case "d":
            case "D":
            case "s":
            case "S":
            case "w":
            case "W":
            case "b":
            case "B":
            case "p":
            case "P":
            case "A":
            case "z":
            case "Q":
            case "E":
            case "0":
            case "1":
            case "2":
            case "3":
            case "4":
            case "5":
            case "6":
            case "7":
              result += "\\" + ch;
              i += 2;
              continue;
            default: {
              let cp2 = data.codePointAt(i + 1);
              if (cp2 >= 48 && cp2 <= 57 || cp2 >= 65 && cp2 <= 90 || cp2 >= 97 && cp2 <= 122) {
                let symSize2 = Utils.charCount(cp2);
                result += data.substring(i + 1, i + 1 + symSize2);
                i += symSize2 + 1;
                changed = true;
              } else {
                result += "\\";
                let symSize2 = Utils.charCount(cp2);
                result += data.substring(i + 1, i + 1 + symSize2);
                i += symSize2 + 1;
              }
              continue;
            }
          }
        }
      } else if (ch === "/") {
        result += "\\/";
        i += 1;
        changed = true;
        continue;
      } else if (ch === "[") {
        if (!inCharClass && data[i + 1] === "]") {
          result += "[^\\x00-\\x{10FFFF}]";
          i += 2;
          changed = true;
          continue;
        }
        if (!inCharClass && data[i + 1] === "^" && data[i + 2] === "]") {
          result += "[\\x00-\\x{10FFFF}]";
          i += 3;
          changed = true;
          continue;
        }
        inCharClass = true;
      } else if (ch === "]") inCharClass = false;
      else if (!inCharClass && ch === "(" && i + 2 < size2 && data[i + 1] === "?" && data[i + 2] === "<") {
        if (i + 3 < size2 && !"=!>)".includes(data[i + 3])) {
          result += "(?P<";
          i += 3;
          changed = true;
          continue;
        }
      }
      let cp = data.codePointAt(i);
      let symSize = Utils.charCount(cp);
      result += data.substring(i, i + symSize);
      i += symSize;
    }
    const finalResult = changed ? result : data;
    if (prefixFlags.length > 0) return `(?${prefixFlags})${finalResult}`;
    return finalResult;
  }
};
var execResult = (m, input) => {
  const result = m.matchArray();
  result.index = m.start(0);
  result.input = input;
  result.groups = m.namedGroupsObject();
  return result;
};
var RE2JS = class RE2JS2 {
  /**
  * Flag: case insensitive matching.
  */
  static CASE_INSENSITIVE = PublicFlags.CASE_INSENSITIVE;
  /**
  * Flag: dot ({@code .}) matches all characters, including newline.
  */
  static DOTALL = PublicFlags.DOTALL;
  /**
  * Flag: multiline matching: {@code ^} and {@code $} match at beginning and end of line, not just
  * beginning and end of input.
  */
  static MULTILINE = PublicFlags.MULTILINE;
  /**
  * Flag: Unicode groups (e.g. {@code \p\ Greek\} ) will be syntax errors.
  */
  static DISABLE_UNICODE_GROUPS = PublicFlags.DISABLE_UNICODE_GROUPS;
  /**
  * Flag: matches longest possible string.
  */
  static LONGEST_MATCH = PublicFlags.LONGEST_MATCH;
  /**
  * Flag: enable linear-time captureless lookbehinds.
  */
  static LOOKBEHINDS = PublicFlags.LOOKBEHINDS;
  /**
  * Returns a literal pattern string for the specified string.
  *
  * This method produces a string that can be used to create a <code>RE2JS</code> that would
  * match the string <code>s</code> as if it were a literal pattern.
  *
  * Metacharacters or escape sequences in the input sequence will be given no special meaning.
  *
  * @param {string} str The string to be literalized
  * @returns {string} A literal string replacement
  */
  static quote(str) {
    return Utils.quoteMeta(str);
  }
  /**
  * Quotes '\' and '$' in {@code str}, so that the returned string could be used in
  * replacement methods as a literal replacement of {@code str}.
  *
  * This is a convenience delegation to {@link Matcher.quoteReplacement}.
  *
  * @param {string} str the string to be quoted
  * @param {boolean} [javaMode=false] whether the replacement will be used in javaMode
  * @returns {string} the quoted string
  */
  static quoteReplacement(str, javaMode = false) {
    return Matcher.quoteReplacement(str, javaMode);
  }
  /**
  * Translates a given regular expression string to ensure compatibility with RE2JS.
  *
  * This function preprocesses the input regex string by applying necessary transformations,
  * such as escaping special characters (e.g., `/`), converting named capture groups to
  * RE2JS-compatible syntax, and handling Unicode sequences properly. It ensures that the
  * resulting regex is safe and properly formatted before compilation.
  *
  * @param {string|RegExp} expr - The regular expression string to be translated.
  * @returns {string} - The transformed regular expression string, ready for compilation.
  */
  static translateRegExp(expr) {
    return TranslateRegExpString.translate(expr);
  }
  /**
  * Helper: create new RE2JS with given regex and flags. Flregex is the regex with flags applied.
  * @param {string} regex
  * @param {number} [flags=0]
  * @returns {RE2JS}
  */
  static compile(regex, flags = 0) {
    Utils.checkPattern(regex);
    Utils.checkFlags(flags);
    let fregex = regex;
    if ((flags & RE2JS2.CASE_INSENSITIVE) !== 0) fregex = `(?i)${fregex}`;
    if ((flags & RE2JS2.DOTALL) !== 0) fregex = `(?s)${fregex}`;
    if ((flags & RE2JS2.MULTILINE) !== 0) fregex = `(?m)${fregex}`;
    let re2Flags = RE2Flags.PERL;
    if ((flags & RE2JS2.DISABLE_UNICODE_GROUPS) !== 0) re2Flags &= ~RE2Flags.UNICODE_GROUPS;
    if ((flags & RE2JS2.LOOKBEHINDS) !== 0) re2Flags |= RE2Flags.LOOKBEHIND;
    const p = new RE2JS2(regex, flags);
    p.re2Input = RE2.compileImpl(fregex, re2Flags, (flags & RE2JS2.LONGEST_MATCH) !== 0);
    return p;
  }
  /**
  * Matches a string against a regular expression.
  *
  * @param {string} regex the regular expression
  * @param {string|number[]|Uint8Array} input the input
  * @returns {boolean} true if the regular expression matches the entire input
  * @throws RE2JSSyntaxException if the regular expression is malformed
  */
  static matches(regex, input) {
    return RE2JS2.compile(regex).testExact(input);
  }
  /**
  * This is visible for testing.
  * @private
  */
  static initTest(pattern, flags, re2) {
    if (pattern == null) throw new Error("pattern is null");
    if (re2 == null) throw new Error("re2 is null");
    const p = new RE2JS2(pattern, flags);
    p.re2Input = re2;
    return p;
  }
  /**
  *
  * @param {string} pattern
  * @param {number} flags
  */
  constructor(pattern, flags) {
    this.patternInput = pattern;
    this.flagsInput = flags;
    this.re2Input = null;
  }
  /**
  * Releases memory used by internal caches associated with this pattern. Does not change the
  * observable behaviour. Useful for tests that detect memory leaks via allocation tracking.
  */
  reset() {
    this.re2Input.reset();
  }
  /**
  * Returns the flags used in the constructor.
  * @returns {number}
  */
  flags() {
    return this.flagsInput;
  }
  /**
  * Returns the pattern used in the constructor.
  * @returns {string}
  */
  pattern() {
    return this.patternInput;
  }
  re2() {
    return this.re2Input;
  }
  /**
  * Matches a string against a regular expression.
  *
  * @param {string|number[]|Uint8Array} input the input
  * @returns {boolean} true if the regular expression matches the entire input
  */
  matches(input) {
    return this.testExact(input);
  }
  /**
  * Creates a new {@code Matcher} matching the pattern against the input.
  *
  * @param {string|number[]|Uint8Array|MatcherInputBase} input the input string
  * @returns {Matcher}
  */
  matcher(input) {
    if (Utils.isByteArray(input)) input = MatcherInput.utf8(input);
    return new Matcher(this, input);
  }
  /**
  * Tests whether the regular expression matches any part of the input string.
  * Performance Note: This method is highly optimized. Because it only returns
  * a boolean and does not extract capture groups, it bypasses the `Matcher` overhead
  * and guarantees execution on the high-speed DFA engine whenever possible.
  *
  * @param {string|number[]|Uint8Array} input - The input string or UTF-8 byte array to test against.
  * @returns {boolean} `true` if the pattern is found anywhere in the input, `false` otherwise.
  */
  test(input) {
    if (Utils.isByteArray(input)) return this.re2Input.matchUTF8(input);
    return this.re2Input.match(input);
  }
  /**
  * Tests whether the regular expression matches the ENTIRE input string.
  * * **Performance Note:** This operates identically to `.matches()`, but is significantly
  * faster because it does not request capture group data. By requesting 0 capture groups,
  * it securely routes execution through the DFA fast-path.
  *
  * @param {string|number[]|Uint8Array} input - The input string or UTF-8 byte array to test against.
  * @returns {boolean} `true` if the exact input string fully matches the pattern, `false` otherwise.
  */
  testExact(input) {
    const machineInput = Utils.isByteArray(input) ? MachineInput.fromUTF8(input) : MachineInput.fromUTF16(input);
    return this.re2Input.executeEngine(machineInput, 0, RE2Flags.ANCHOR_BOTH, 0) !== null;
  }
  /**
  * Executes a search for a match in a specified string.
  * Returns a result array, or null if no match is found.
  * The returned array perfectly mirrors standard JavaScript `RegExpExecArray`,
  * including `.index`, `.input`, and `.groups` properties.
  *
  * @param {string|number[]|Uint8Array} input the input string or byte array
  * @returns {Array|null} the match array with index, input, and groups properties, or null
  */
  exec(input) {
    const m = this.matcher(input);
    return m.find() ? execResult(m, input) : null;
  }
  /**
  * Splits input around instances of the regular expression. It returns an array giving the strings
  * that occur before, between, and after instances of the regular expression.
  *
  * If {@code limit <= 0}, there is no limit on the size of the returned array. If
  * {@code limit == 0}, empty strings that would occur at the end of the array are omitted. If
  * {@code limit > 0}, at most limit strings are returned. The final string contains the remainder
  * of the input, possibly including additional matches of the pattern.
  *
  * @param {string} input the input string to be split
  * @param {number} [limit=0] the limit
  * @returns {string[]} the split strings
  */
  split(input, limit = 0) {
    const m = this.matcher(input);
    const result = [];
    let emptiesSkipped = 0;
    let last = 0;
    while (m.find()) {
      if (last === 0 && m.end() === 0) {
        last = m.end();
        continue;
      }
      if (limit > 0 && result.length === limit - 1) break;
      if (last === m.start()) {
        if (limit === 0) {
          emptiesSkipped += 1;
          last = m.end();
          continue;
        }
      } else while (emptiesSkipped > 0) {
        result.push("");
        emptiesSkipped -= 1;
      }
      result.push(m.substring(last, m.start()));
      last = m.end();
    }
    if (limit === 0 && last !== m.inputLength()) {
      while (emptiesSkipped > 0) {
        result.push("");
        emptiesSkipped -= 1;
      }
      result.push(m.substring(last, m.inputLength()));
    }
    if (limit !== 0 || result.length === 0 && !(last === m.inputLength() && last > 0)) result.push(m.substring(last, m.inputLength()));
    return result;
  }
  /**
  * Returns an iterator of all results matching a string against the regular expression,
  * including capturing groups.
  *
  * @param {string|number[]|Uint8Array} input the input string or byte array
  * @returns {IterableIterator<RegExpMatchArray>}
  */
  *matchAll(input) {
    const m = this.matcher(input);
    while (m.find()) yield execResult(m, input);
  }
  /**
  *
  * @returns {string}
  */
  toString() {
    return this.patternInput;
  }
  /**
  * Returns the program size of this pattern.
  *
  * <p>
  * Similar to the C++ implementation, the program size is a very approximate measure of a regexp's
  * "cost". Larger numbers are more expensive than smaller numbers.
  * </p>
  *
  * @returns {number} the program size of this pattern
  */
  programSize() {
    return this.re2Input.numberOfInstructions();
  }
  /**
  * Returns the number of capturing groups in this matcher's pattern. Group zero denotes the entire
  * pattern and is excluded from this count.
  *
  * @returns {number} the number of capturing groups in this pattern
  */
  groupCount() {
    return this.re2Input.numberOfCapturingGroups();
  }
  /**
  * Return a map of the capturing groups in this matcher's pattern, where key is the name and value
  * is the index of the group in the pattern.
  * @returns {Record<string, number>}
  */
  namedGroups() {
    return this.re2Input.namedGroups;
  }
  /**
  *
  * @param {*} other
  * @returns {boolean}
  */
  equals(other) {
    if (this === other) return true;
    if (other === null || this.constructor !== other.constructor) return false;
    return this.flagsInput === other.flagsInput && this.patternInput === other.patternInput;
  }
};

// api/cel/value.ts
var CelError = class {
  message;
  constructor(message) {
    this.message = message;
  }
};
var CelUint = class {
  /** 0 … 2^64-1. */
  value;
  constructor(value) {
    this.value = value;
  }
};
var CelDouble = class {
  value;
  constructor(value) {
    this.value = value;
  }
};
var CelBytes = class {
  bytes;
  constructor(bytes) {
    this.bytes = bytes;
  }
};
var CelTimestamp = class {
  /** Since 1970; of the years 1 to 9999. */
  seconds;
  /** 0 … 999,999,999, forward in time. */
  nanos;
  constructor(seconds, nanos) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
};
var CelDuration = class {
  /** An int64. */
  nanos;
  constructor(nanos) {
    this.nanos = nanos;
  }
};
var CelTypeValue = class {
  type;
  constructor(type) {
    this.type = type;
  }
};
var CelOptional = class {
  /** undefined: there is none. */
  value;
  constructor(value) {
    this.value = value;
  }
};
var CelList = class {
};
var CelMap = class {
};
var CelOpaque = class {
  /** What `size` counts where costs are concerned. */
  get costSize() {
    return 1;
  }
};
var OPTIONAL_NONE = new CelOptional(void 0);
var NO_SUCH_OVERLOAD = new CelError("no such overload");
function isError(value) {
  return value instanceof CelError;
}
function isInt(value) {
  return typeof value === "number" || typeof value === "bigint";
}
var INT_MIN = -(2n ** 63n);
var INT_MAX = 2n ** 63n - 1n;
var UINT_MAX = 2n ** 64n - 1n;
var INT_OVERFLOW = new CelError("integer overflow");
var UINT_OVERFLOW = new CelError("unsigned integer overflow");
function intOf(value) {
  if (value < INT_MIN || value > INT_MAX) return INT_OVERFLOW;
  const number2 = Number(value);
  return Number.isSafeInteger(number2) ? number2 : value;
}
function uintOf(value) {
  return value < 0n || value > UINT_MAX ? UINT_OVERFLOW : new CelUint(value);
}
function isInt64(value) {
  return value >= INT_MIN && value <= INT_MAX;
}
function intOfNumber(value) {
  return Number.isSafeInteger(value) ? value + 0 : intOf(BigInt(value));
}
function characterCount(text) {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const isPair = (text.charCodeAt(index) & 64512) === 55296 && (text.charCodeAt(index + 1) & 64512) === 56320;
    if (isPair) {
      count--;
      index++;
    }
  }
  return count;
}

// api/cel/equality.ts
function areEqual(left, right) {
  if (left === right) return true;
  if (typeof left === "object" && left !== null && !isBoxedNumber(left)) {
    return right !== null && typeof right === "object" && areObjectsEqual(left, right);
  }
  return isNumeric(left) && isNumeric(right) && compareNumbers(left, right) === 0;
}
function areObjectsEqual(left, right) {
  if (left instanceof CelList) return right instanceof CelList && left.equals(right);
  if (left instanceof CelMap) return right instanceof CelMap && left.equals(right);
  if (left instanceof CelOptional) return right instanceof CelOptional && sameOptional(left, right);
  if (left instanceof CelOpaque) return left.equals(right);
  if (left instanceof CelBytes) {
    return right instanceof CelBytes && Buffer.compare(left.bytes, right.bytes) === 0;
  }
  if (left instanceof CelTimestamp) {
    return right instanceof CelTimestamp && left.seconds === right.seconds && left.nanos === right.nanos;
  }
  if (left instanceof CelDuration)
    return right instanceof CelDuration && left.nanos === right.nanos;
  return left instanceof CelTypeValue && right instanceof CelTypeValue && left.type.name === right.type.name;
}
function sameOptional(left, right) {
  if (left.value === void 0 || right.value === void 0) return left.value === right.value;
  return areEqual(left.value, right.value);
}
function isNumeric(value) {
  return typeof value === "number" || typeof value === "bigint" || isBoxedNumber(value);
}
function isBoxedNumber(value) {
  return value instanceof CelDouble || value instanceof CelUint;
}
function compareNumbers(left, right) {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (left instanceof CelDouble || right instanceof CelDouble) {
    const [one2, other2] = [asDouble(left), asDouble(right)];
    return one2 === other2 ? 0 : one2 - other2;
  }
  const [one, other] = [asWhole(left), asWhole(right)];
  return one < other ? -1 : Number(one > other);
}
function asDouble(value) {
  return typeof value === "object" ? Number(value.value) : Number(value);
}
function asWhole(value) {
  return typeof value === "object" ? value.value : value;
}

// api/cel/containers.ts
var ItemList = class extends CelList {
  contains(value) {
    for (let index = 0; index < this.size; index++) {
      const item = this.at(index);
      if (item instanceof CelError) return item;
      if (areEqual(item, value)) return true;
    }
    return false;
  }
  equals(other) {
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index++) {
      if (!areEqual(this.at(index), other.at(index))) return false;
    }
    return true;
  }
  plus(other) {
    return new ValueList([...valuesOf(this), ...valuesOf(other)]);
  }
};
var ValueList = class extends ItemList {
  values;
  constructor(values) {
    super();
    this.values = values;
  }
  get size() {
    return this.values.length;
  }
  at(index) {
    return this.values[index] ?? null;
  }
};
var ValueMap = class _ValueMap extends CelMap {
  #entries = /* @__PURE__ */ new Map();
  get size() {
    return this.#entries.size;
  }
  find(key) {
    return this.#entries.get(keyForm(key))?.[1];
  }
  keys() {
    return [...this.#entries.values()].map(([key]) => key);
  }
  set(key, value) {
    this.#entries.set(keyForm(key), [key, value]);
  }
  equals(other) {
    if (this.size !== other.size) return false;
    return this.keys().every((key) => {
      const mine = this.find(key);
      const theirs = other.find(key);
      return mine !== void 0 && theirs !== void 0 && areEqual(mine, theirs);
    });
  }
  remove(key) {
    this.#entries.delete(keyForm(key));
  }
  copy() {
    const copy = new _ValueMap();
    for (const [key, value] of this.#entries.values()) copy.set(key, value);
    return copy;
  }
};
var MutableList = class extends ValueList {
  plus(other) {
    for (const value of valuesOf(other)) this.values.push(value);
    return this;
  }
  finished() {
    return new ValueList(this.values);
  }
};
var MutableMap = class extends ValueMap {
  finished() {
    return this.copy();
  }
};
function isMapKey(value) {
  return keyForm(value) !== void 0;
}
function keyForm(key) {
  if (typeof key !== "object" || key === null) return key;
  if (key instanceof CelUint) {
    const number2 = Number(key.value);
    return Number.isSafeInteger(number2) ? number2 : key.value;
  }
  if (!(key instanceof CelDouble)) return void 0;
  const { value } = key;
  if (Number.isNaN(value)) return void 0;
  return !Number.isInteger(value) || Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}
function valuesOf(list) {
  if (list instanceof ValueList) return list.values;
  const values = [];
  for (let index = 0; index < list.size; index++) values.push(list.at(index));
  return values;
}
var EMPTY_LIST = new ValueList([]);

// api/cel/regular-expressions.ts
var COMPILED_MAX = 1e3;
var compiled = /* @__PURE__ */ new Map();
function compilePattern(pattern) {
  const known2 = compiled.get(pattern);
  if (known2 !== void 0) return known2;
  const made = compileAnew(pattern);
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(pattern, made);
  return made;
}
function compileAnew(pattern) {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return new CelError(error.message);
  }
}
var matches = (text, pattern) => {
  if (typeof text !== "string" || typeof pattern !== "string") return NO_SUCH_OVERLOAD;
  const regex = compilePattern(pattern);
  return regex instanceof CelError ? regex : regex.matcher(text).find();
};
var find = (text, pattern) => {
  if (typeof text !== "string" || typeof pattern !== "string") return NO_SUCH_OVERLOAD;
  const regex = compilePattern(pattern);
  return regex instanceof CelError ? illegal(regex) : firstMatch(regex, text);
};
function firstMatch(regex, text) {
  const matcher = regex.matcher(text);
  return matcher.find() ? matcher.group() ?? "" : "";
}
var findAll = (text, pattern) => findSome(text, pattern, Number.POSITIVE_INFINITY);
var findAllLimited = (text, pattern, limit) => {
  if (!isInt(limit)) return NO_SUCH_OVERLOAD;
  return findSome(text, pattern, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit));
};
function findSome(text, pattern, countMax) {
  if (typeof text !== "string" || typeof pattern !== "string") return NO_SUCH_OVERLOAD;
  const regex = compilePattern(pattern);
  return regex instanceof CelError ? illegal(regex) : allMatches(regex, text, countMax);
}
function allMatches(regex, text, countMax) {
  const matcher = regex.matcher(text);
  const found = [];
  while (found.length < countMax && matcher.find()) found.push(matcher.group() ?? "");
  return new ValueList(found);
}
function illegal(error) {
  return new CelError(`Illegal regex: ${error.message}`);
}
function compileConstantPattern(name, pattern) {
  const regex = compilePattern(pattern);
  if (regex instanceof CelError) return regex;
  const ofText3 = (run) => {
    return (text, _pattern, third) => typeof text === "string" ? run(text, third) : NO_SUCH_OVERLOAD;
  };
  if (name === "matches") return ofText3((text) => regex.matcher(text).find());
  if (name === "find") return ofText3((text) => firstMatch(regex, text));
  return ofText3((text, limit) => {
    const isLimited = isInt(limit) && limit >= 0;
    return allMatches(regex, text, isLimited ? Number(limit) : Number.POSITIVE_INFINITY);
  });
}

// api/cel/timestamps.ts
var SECONDS_MIN = -62135596800;
var SECONDS_MAX = 253402300799;
var BILLION = 1000000000n;
var TIMESTAMP_OVERFLOW = new CelError("timestamp overflow");
function timestampNanos({ seconds, nanos }) {
  return BigInt(seconds) * BILLION + BigInt(nanos);
}
function timestampOf(nanos) {
  const rest = (nanos % BILLION + BILLION) % BILLION;
  return timestampOfSeconds(Number((nanos - rest) / BILLION), Number(rest));
}
function timestampOfSeconds(seconds, nanos) {
  if (seconds < SECONDS_MIN || seconds > SECONDS_MAX) return TIMESTAMP_OVERFLOW;
  return new CelTimestamp(seconds, nanos);
}
var RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
function parseTimestamp(text) {
  const match = RFC3339.exec(text);
  if (match === null) return void 0;
  const [, year = "", month = "", day = "", hour = "", minute = "", second = ""] = match;
  const [fraction = "", sign = "", offsetHours = "0", offsetMinutes = "0"] = match.slice(7);
  const isDay = Number(day) >= 1 && Number(day) <= daysOf(Number(year), Number(month));
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  const isOffset = Number(offsetHours) <= 24 && Number(offsetMinutes) < 60;
  if (!isDay || !isTime || !isOffset) return void 0;
  const local = utcMs([year, month, day, hour, minute, second].map(Number)) / 1e3;
  const offset = Number(offsetHours) * 3600 + Number(offsetMinutes) * 60;
  const seconds = local - (sign === "-" ? -offset : offset);
  return timestampOfSeconds(seconds, Number(fraction.slice(0, 9).padEnd(9, "0")));
}
function daysOf(year, month) {
  if (month < 1 || month > 12) return 0;
  return new Date(utcMs([year, month + 1, 0, 0, 0, 0])).getUTCDate();
}
function utcMs([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]) {
  const date = /* @__PURE__ */ new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, 0);
  return date.getTime();
}
function formatTimestamp({ seconds, nanos }) {
  const text = new Date(seconds * 1e3).toISOString().slice(0, 19);
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${text}${fraction}Z`;
}
var UNIT_NANOS = {
  ns: 1n,
  us: 1000n,
  \u00B5s: 1000n,
  \u03BCs: 1000n,
  ms: 1000000n,
  s: BILLION,
  m: 60n * BILLION,
  h: 3600n * BILLION
};
var DURATION_PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
function parseDuration(text) {
  const isNegative = text.startsWith("-");
  const rest = isNegative || text.startsWith("+") ? text.slice(1) : text;
  if (rest === "0") return new CelDuration(0n);
  let nanos = 0n;
  let at2 = 0;
  while (at2 < rest.length) {
    DURATION_PART.lastIndex = at2;
    const match = DURATION_PART.exec(rest);
    if (match === null) return void 0;
    const [, whole2 = "", fraction = "", unit = ""] = match;
    if (whole2 === "" && fraction === "") return void 0;
    const scale = UNIT_NANOS[unit] ?? 0n;
    nanos += BigInt(whole2 === "" ? "0" : whole2) * scale;
    const digits = fraction.slice(0, 18);
    if (digits !== "") nanos += BigInt(digits) * scale / 10n ** BigInt(digits.length);
    if (nanos > 2n ** 63n) return void 0;
    at2 = DURATION_PART.lastIndex;
  }
  const signed = isNegative ? -nanos : nanos;
  return rest === "" || !isInt64(signed) ? void 0 : new CelDuration(signed);
}
function formatSeconds({ nanos }) {
  const sign = nanos < 0n ? "-" : "";
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -9)}${fraction === "" ? "" : `.${fraction}`}s`;
}
function calendarParts(timestamp, zone) {
  const offset = zoneOffset(timestamp, zone);
  if (offset instanceof CelError) return offset;
  const date = new Date((timestamp.seconds + offset) * 1e3);
  const midnight = utcMs([date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    dayOfMonth: date.getUTCDate() - 1,
    dayOfWeek: date.getUTCDay(),
    dayOfYear: Math.round((midnight - utcMs([date.getUTCFullYear()])) / 864e5),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds()
  };
}
function zoneOffset(timestamp, zone) {
  if (zone === "UTC" || zone === "") return 0;
  const colon = zone.indexOf(":");
  if (colon < 0) return namedOffset(timestamp, zone);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part2 of [hours, minutes]) {
    if (!/^[+-]?\d+$/.test(part2)) {
      return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part2)}: invalid syntax`);
    }
  }
  const sign = zone.startsWith("-") ? -1 : 1;
  return (Number(hours) * 60 + sign * Number(minutes)) * 60;
}
var zones = /* @__PURE__ */ new Map();
function namedOffset({ seconds }, zone) {
  const format2 = zoneFormat(zone);
  if (format2 === void 0) return new CelError(`unknown time zone ${zone}`);
  const parts = new Map(
    format2.formatToParts(new Date(seconds * 1e3)).map(({ type, value }) => [type, value])
  );
  const part2 = (type) => Number(parts.get(type));
  const isBeforeChrist = parts.get("era") === "BC";
  const year = isBeforeChrist ? 1 - part2("year") : part2("year");
  const local = utcMs([
    year,
    part2("month"),
    part2("day"),
    part2("hour"),
    part2("minute"),
    part2("second")
  ]);
  return local / 1e3 - seconds;
}
function zoneFormat(zone) {
  if (zones.has(zone)) return zones.get(zone);
  const format2 = makeZoneFormat(zone);
  if (zones.size < 1e3) zones.set(zone, format2);
  return format2;
}
function makeZoneFormat(zone) {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric"
    });
  } catch (error) {
    if (error instanceof RangeError) return void 0;
    throw error;
  }
}

// api/cel/ast-validators.ts
function checkLiterals(types, errors) {
  visit(types.root, false, { types, errors });
}
function visit(node, isFormatted, check2) {
  const { form } = node;
  if (form.kind === "call") {
    checkArgument(form, check2.errors);
    checkFormat(node, form, check2);
  }
  if (!isFormatted && form.kind === "list") checkItems(form, check2.types, check2.errors);
  if (!isFormatted) checkEntries(node, check2.types, check2.errors);
  const formats = isFormatted || form.kind === "call" && form.name === "format";
  for (const part2 of partsOf(node)) visit(part2, formats, check2);
}
function checkFormat(node, form, { types, errors }) {
  const text = form.target?.form;
  const list = form.args[0]?.form;
  if (form.name !== "format" || text?.kind !== "literal" || list?.kind !== "list") return;
  if (typeof text.value !== "string" || form.args.length !== 1) return;
  const shown2 = list.items.map((item) => types.typeOf(item));
  const problem = formatProblem(text.value, shown2);
  if (problem === void 0) return;
  const at2 = problem.argument === void 0 ? node : list.items[problem.argument];
  errors.report(at2?.offset ?? node.offset, problem.message);
}
var IS_INVALID = /* @__PURE__ */ new Map([
  ["duration", (value) => typeof value === "string" && parseDuration(value) === void 0],
  ["timestamp", (value) => typeof value === "string" && !isTimestamp(value)],
  ["matches", (value) => typeof value === "string" && compilePattern(value) instanceof CelError]
]);
function isTimestamp(text) {
  const timestamp = parseTimestamp(text);
  return timestamp !== void 0 && !(timestamp instanceof CelError);
}
function checkArgument({ name, args }, errors) {
  const [argument] = args;
  if (argument?.form.kind !== "literal") return;
  if (IS_INVALID.get(name)?.(argument.form.value) === true) {
    errors.report(argument.offset, `invalid ${name} argument`);
  }
}
function checkItems({ items, optional }, types, errors) {
  let expected;
  for (const [index, item] of items.entries()) {
    const type = unwrapped(types.typeOf(item), optional.has(index));
    expected ??= type;
    if (isEquivalentType(expected, type)) continue;
    mismatch(item, expected, type, errors);
    return;
  }
}
function checkEntries({ form }, types, errors) {
  const [first3] = form.kind === "map" ? form.entries : [];
  if (form.kind !== "map" || first3 === void 0) return;
  const keyType = types.typeOf(first3.key);
  const valueType = unwrapped(types.typeOf(first3.value), first3.isOptional);
  for (const { key, value, isOptional } of form.entries) {
    const found = types.typeOf(key);
    if (!isEquivalentType(keyType, found)) mismatch(key, keyType, found, errors);
    const type = unwrapped(types.typeOf(value), isOptional);
    if (!isEquivalentType(valueType, type)) mismatch(value, valueType, type, errors);
  }
}
function unwrapped(type, isOptional) {
  return isOptional && isOptionalType(type) ? parameterOf(type, 0) : type;
}
function mismatch({ offset }, expected, found, errors) {
  errors.report(offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
}

// api/cel/checked-types.ts
function literalType(value) {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "string":
      return STRING;
    default:
  }
  if (value === null) return NULL;
  if (isInt(value)) return INT;
  if (value instanceof CelUint) return UINT;
  if (value instanceof CelDouble) return DOUBLE;
  return value instanceof CelBytes ? BYTES : typeType(DYN);
}

// api/cel/unification.ts
var NULLABLE = /* @__PURE__ */ new Set([
  "opaque",
  "struct",
  "any",
  "duration",
  "timestamp"
]);
var Unification = class {
  #known = /* @__PURE__ */ new Map();
  /** What has been changed since an attempt began: the parameter and what it stood for. */
  #trail = [];
  /** Whether `from` can be where `to` is; what was learned about parameters stays when it can. */
  assign(from, to) {
    return this.#attempt(() => this.#isAssignable(from, to));
  }
  assignAll(from, to) {
    return this.#attempt(() => this.#areAssignable(from, to));
  }
  /** `type` with parameters replaced by what they stand for; unknown ones stay, or become dyn. */
  resolve(type, unknownIsDyn) {
    if (type.kind === "parameter") {
      const known2 = this.#known.get(type.name);
      if (known2 !== void 0) return this.resolve(known2, unknownIsDyn);
      return unknownIsDyn ? DYN : type;
    }
    if (type.parameters.length === 0) return type;
    const parameters = type.parameters.map((part2) => this.resolve(part2, unknownIsDyn));
    const isSame = parameters.every((part2, index) => part2 === type.parameters[index]);
    return isSame ? type : { ...type, parameters };
  }
  #attempt(assign) {
    this.#trail = [];
    if (assign()) return true;
    for (const [name, before] of this.#trail.reverse()) {
      if (before === void 0) this.#known.delete(name);
      else this.#known.set(name, before);
    }
    return false;
  }
  #learn(name, type) {
    this.#trail.push([name, this.#known.get(name)]);
    this.#known.set(name, type);
  }
  #areAssignable(from, to) {
    return from.length === to.length && from.every((type, index) => this.#isAssignable(type, to[index] ?? DYN));
  }
  #isAssignable(from, to) {
    if (to.kind === "parameter") {
      const outcome = this.#substitute(from, to);
      if (outcome === "fits") return true;
      if (outcome === "contradicts") return false;
    }
    if (from.kind === "parameter") return this.#substitute(to, from) === "fits";
    if (isOpen(from) || isOpen(to)) return true;
    if (from.kind === "null") return NULLABLE.has(to.kind) || acceptsNull(to);
    if (to.kind === "null") return NULLABLE.has(from.kind) || acceptsNull(from);
    switch (from.kind) {
      case "type":
        return to.kind === "type";
      case "opaque":
      case "list":
      case "map":
        return from.kind === to.kind && from.name === to.name && this.#areAssignable(from.parameters, to.parameters);
      default:
        return from.kind === to.kind && from.name === to.name;
    }
  }
  /** Whether the parameter `to` can stand for `type`, given what it stands for already. */
  #substitute(type, to) {
    if (isSameType(type, to)) return "fits";
    const known2 = this.#known.get(to.name);
    if (known2 === void 0) {
      if (this.#occursIn(to, type)) return "occurs";
      this.#learn(to.name, type);
      return "fits";
    }
    if (isSameType(type, known2)) return "fits";
    if (!this.#isAssignable(type, known2)) return "contradicts";
    const general = moreGeneral(type, known2);
    if (!this.#occursIn(to, general)) this.#learn(to.name, general);
    return "fits";
  }
  #occursIn(searched, type) {
    if (isSameType(searched, type)) return true;
    if (type.kind === "parameter") {
      const known2 = this.#known.get(type.name);
      return known2 !== void 0 && this.#occursIn(searched, known2);
    }
    return type.parameters.some((part2) => this.#occursIn(searched, part2));
  }
};
function isOpen(type) {
  return isDynamic(type) || type.kind === "error";
}
function acceptsNull(type) {
  return type.kind === "null" || type.nullable === true;
}
function moreGeneral(one, other) {
  return saysLess(one, other) ? one : other;
}
function saysLess(one, other) {
  if (isDynamic(one) || one.kind === "parameter") return true;
  if (isDynamic(other) || other.kind === "parameter") return false;
  if (one.kind !== other.kind) return false;
  switch (one.kind) {
    case "opaque":
    case "list":
    case "map":
      return one.name === other.name && one.parameters.length === other.parameters.length && one.parameters.every((part2, index) => saysLess(part2, parameterOf(other, index)));
    case "type":
      return true;
    default:
      return isSameType(one, other);
  }
}

// api/cel/checker.ts
function check(root2, environment, errors) {
  const checker = new Checker(environment, errors);
  checker.check(root2);
  return checker.result(root2);
}
var Checker = class {
  #environment;
  #errors;
  #unification = new Unification();
  #types = /* @__PURE__ */ new Map();
  #overloads = /* @__PURE__ */ new Map();
  #identifiers = /* @__PURE__ */ new Map();
  #scopes = [];
  #parameterCount = 0;
  constructor(environment, errors) {
    this.#environment = environment;
    this.#errors = errors;
  }
  result(root2) {
    for (const [id, type] of this.#types)
      this.#types.set(id, this.#unification.resolve(type, true));
    return {
      root: root2,
      names: new Set([...this.#identifiers.values()].map(({ name }) => name)),
      typeOf: (node) => this.typeOf(node),
      overloadsOf: (node) => this.overloadsOf(node),
      identifierOf: (node) => this.identifierOf(node)
    };
  }
  typeOf({ id }) {
    return this.#types.get(id) ?? DYN;
  }
  overloadsOf({ id }) {
    return this.#overloads.get(id) ?? [];
  }
  identifierOf({ id }) {
    return this.#identifiers.get(id);
  }
  check(node) {
    const { form } = node;
    switch (form.kind) {
      case "literal":
        return this.#setType(node, literalType(form.value));
      case "ident":
        return this.#checkIdent(node, form.name);
      case "select":
        return this.#checkSelect(node, form);
      case "call":
        return this.#checkCall(node, form);
      case "list":
        return this.#checkList(node, form);
      case "map":
        return this.#checkMap(node, form.entries);
      case "struct":
        return this.#checkStruct(node, form);
      case "fold":
        return this.#checkFold(node, form);
      case "broken":
        return this.#setType(node, ERROR);
    }
  }
  #lookup(name) {
    for (const scope of this.#scopes.toReversed()) {
      const type = scope.get(name);
      if (type !== void 0) return { name, type };
    }
    return this.#environment.variable(name);
  }
  #setType({ id }, type) {
    this.#types.set(id, type);
  }
  #setIdentifier(node, identifier) {
    this.#setType(node, identifier.type);
    this.#identifiers.set(node.id, identifier);
    node.form = { kind: "ident", name: identifier.name };
  }
  #checkIdent(node, name) {
    const identifier = this.#lookup(name);
    if (identifier !== void 0) return this.#setIdentifier(node, identifier);
    this.#undeclared(node, name);
  }
  #undeclared(node, name) {
    this.#setType(node, ERROR);
    const { container } = this.#environment;
    this.#report(node, `undeclared reference to '${name}' (in container '${container}')`);
  }
  #report({ offset }, message) {
    this.#errors.report(offset, message);
  }
  #checkSelect(node, form) {
    const name = qualifiedName(node);
    const identifier = name === void 0 ? void 0 : this.#lookup(name);
    if (identifier !== void 0) return this.#setIdentifier(node, identifier);
    const type = this.#fieldOf(node, form.operand, form.field, false);
    this.#setType(node, this.#unification.resolve(form.isTest ? BOOL : type, false));
  }
  #checkOptionalSelect(node, form) {
    const [operand, field] = form.args;
    const key = field?.form;
    if (operand === void 0 || key?.kind !== "literal" || typeof key.value !== "string") {
      return this.#setType(node, ERROR);
    }
    const type = this.#fieldOf(node, operand, key.value, true);
    this.#setType(node, this.#unification.resolve(type, false));
    const { overloads } = this.#environment.function("_?._") ?? { overloads: [] };
    this.#overloads.set(node.id, overloads);
  }
  #fieldOf(node, operand, field, isOptional) {
    this.check(operand);
    const operandType = this.#unification.resolve(this.typeOf(operand), false);
    const wasOptional = isOptionalType(operandType);
    const target = wasOptional ? parameterOf(operandType, 0) : operandType;
    const type = this.#selected(node, target, field);
    return wasOptional || isOptional ? optionalOf(type) : type;
  }
  #selected(node, target, field) {
    switch (target.kind) {
      case "map":
        return parameterOf(target, 1);
      case "struct":
        return this.#structField(node, target.name, field);
      case "parameter":
        this.#unification.assign(DYN, target);
        return DYN;
      case "dyn":
      case "any":
      case "error":
        return DYN;
      default:
        this.#report(node, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }
  #structField(node, struct, field) {
    const { structs: structs2 } = this.#environment;
    if (!structs2.has(struct)) {
      this.#report(node, `unexpected failed resolution of '${struct}'`);
      return ERROR;
    }
    const type = structs2.fieldType(struct, field);
    if (type === void 0) this.#report(node, `undefined field '${field}'`);
    return type ?? ERROR;
  }
  #checkCall(node, form) {
    if (form.name === "_?._") return this.#checkOptionalSelect(node, form);
    for (const arg of form.args) this.check(arg);
    const { target, name, args } = form;
    if (target === void 0) {
      const declared2 = this.#environment.function(name);
      if (declared2 === void 0) return this.#undeclared(node, name);
      node.form = { ...form, name: declared2.name };
      return this.#resolve(node, declared2, void 0, args);
    }
    const prefix = qualifiedName(target);
    const namespaced = prefix === void 0 ? void 0 : this.#environment.function(`${prefix}.${name}`);
    if (namespaced !== void 0) {
      node.form = { kind: "call", name: namespaced.name, target: void 0, args };
      return this.#resolve(node, namespaced, void 0, args);
    }
    this.check(target);
    const declared = this.#environment.function(name);
    if (declared === void 0) return this.#undeclared(node, name);
    this.#resolve(node, declared, target, args);
  }
  #resolve(node, declared, target, args) {
    const operands = target === void 0 ? args : [target, ...args];
    if (declared.name === "_&&_" || declared.name === "_||_") {
      return this.#resolveLogical(node, declared, args);
    }
    const types = operands.map((operand) => this.typeOf(operand));
    const candidates2 = declared.overloads.filter(
      ({ isMember }) => isMember === (target !== void 0)
    );
    let result;
    const chosen = [];
    for (const candidate of candidates2) {
      const fresh = this.#instantiate(candidate);
      if (!this.#unification.assignAll(types, fresh.parameters)) continue;
      chosen.push(candidate);
      const type = this.#unification.resolve(fresh.result, false);
      const isDoubtful = result !== void 0 && !isDynamic(result) && !isSameType(type, result);
      result = isDoubtful ? DYN : result ?? type;
    }
    if (result === void 0) return this.#noOverload(node, declared.name, types, target);
    this.#setType(node, result);
    this.#overloads.set(node.id, chosen);
  }
  #resolveLogical(node, declared, args) {
    let isRight = true;
    for (const arg of args) isRight = this.#expect(arg, BOOL, true) && isRight;
    this.#setType(node, isRight ? BOOL : ERROR);
    if (isRight) this.#overloads.set(node.id, declared.overloads);
  }
  #noOverload(node, name, types, target) {
    this.#setType(node, ERROR);
    const shown2 = types.map((type) => formatType(this.#unification.resolve(type, true)));
    const receiver = target === void 0 ? "" : `${shown2.shift() ?? ""}.`;
    const signature = `${receiver}(${shown2.join(", ")})`;
    this.#report(node, `found no matching overload for '${name}' applied to '${signature}'`);
  }
  /** With type parameters that no other call knows. */
  #instantiate({ parameters, result }) {
    const fresh = /* @__PURE__ */ new Map();
    const renamed = (type) => {
      if (type.kind === "parameter") {
        const known2 = fresh.get(type.name) ?? this.#newParameter();
        fresh.set(type.name, known2);
        return known2;
      }
      if (type.parameters.length === 0) return type;
      return { ...type, parameters: type.parameters.map(renamed) };
    };
    return { parameters: parameters.map(renamed), result: renamed(result) };
  }
  #newParameter() {
    return parameter(`_var${String(this.#parameterCount++)}`);
  }
  #checkList(node, { items, optional }) {
    let type;
    for (const [index, item] of items.entries()) {
      this.check(item);
      const itemType = this.#unwrapped(item, optional.has(index));
      type = this.#joined(item, type, itemType);
    }
    this.#setType(node, listOf(type ?? this.#newParameter()));
  }
  #checkMap(node, entries) {
    let keyType;
    let valueType;
    for (const { key, value, isOptional } of entries) {
      this.check(key);
      keyType = this.#joined(key, keyType, this.typeOf(key));
      this.check(value);
      valueType = this.#joined(value, valueType, this.#unwrapped(value, isOptional));
    }
    keyType ??= this.#newParameter();
    this.#setType(node, mapOf2(keyType, valueType ?? this.#newParameter()));
  }
  /** The type of an item; of what is in it where the item has a question mark. */
  #unwrapped(item, isOptional) {
    const type = this.typeOf(item);
    if (!isOptional) return type;
    if (isOptionalType(type)) return parameterOf(type, 0);
    if (!isDynamic(type)) this.#mismatch(item, optionalOf(type), type);
    return type;
  }
  #joined(node, previous, current) {
    if (previous === void 0) return current;
    if (this.#unification.assign(previous, current)) return moreGeneral(previous, current);
    if (this.#environment.hasMixedLiterals) return DYN;
    this.#mismatch(node, previous, current);
    return ERROR;
  }
  #mismatch(node, expected, found) {
    const [one, other] = [formatType(expected), formatType(found)];
    this.#report(node, `expected type '${one}' but found '${other}'`);
  }
  #checkStruct(node, { name, fields }) {
    const identifier = this.#lookup(name);
    if (identifier === void 0) return this.#undeclared(node, name);
    this.#setType(node, this.#constructed(node, identifier));
    node.form = { kind: "struct", name: identifier.name, fields };
    this.#identifiers.set(node.id, { name: identifier.name, type: identifier.type });
    for (const field of fields) {
      this.check(field.value);
      const fieldType = this.#structField(field, identifier.name, field.name);
      const type = this.#unwrapped(field.value, field.isOptional);
      if (this.#unification.assign(fieldType, type)) continue;
      const [expected, found] = [formatType(fieldType), formatType(type)];
      const what = `expected type of field '${field.name}' is '${expected}'`;
      this.#report(field, `${what} but provided type is '${found}'`);
    }
  }
  #constructed(node, { type }) {
    if (type.kind !== "type") {
      this.#report(node, `'${type.name}' is not a type`);
      return ERROR;
    }
    const made = parameterOf(type, 0);
    if (made.kind === "struct" || this.#environment.structs.has(made.name)) return made;
    this.#report(node, `'${made.name}' is not a message type`);
    return ERROR;
  }
  #checkFold(node, form) {
    this.check(form.range);
    this.check(form.init);
    const rangeType = this.#unification.resolve(this.typeOf(form.range), false);
    const accumulatorType = this.typeOf(form.init);
    const [first3, second] = this.#iterated(form, rangeType);
    this.#scopes.push(/* @__PURE__ */ new Map([[form.accumulator, accumulatorType]]));
    const loop = /* @__PURE__ */ new Map([[form.variable, first3]]);
    if (form.secondVariable !== "") loop.set(form.secondVariable, second);
    this.#scopes.push(loop);
    this.check(form.condition);
    this.#expect(form.condition, BOOL);
    this.check(form.step);
    this.#expect(form.step, accumulatorType);
    this.#scopes.pop();
    this.check(form.result);
    this.#scopes.pop();
    this.#setType(node, this.#unification.resolve(this.typeOf(form.result), false));
  }
  /** What the variables of a loop are. */
  #iterated(form, range2) {
    const hasTwo = form.secondVariable !== "";
    switch (range2.kind) {
      case "list":
        return hasTwo ? [INT, parameterOf(range2, 0)] : [parameterOf(range2, 0), DYN];
      case "map":
        return [parameterOf(range2, 0), parameterOf(range2, 1)];
      case "dyn":
      case "error":
      case "parameter":
        this.#unification.assign(DYN, range2);
        return [DYN, DYN];
      default: {
        const what = `expression of type '${formatType(range2)}' cannot be range of a comprehension`;
        this.#report(form.range, `${what} (must be list, map, or dynamic)`);
        return [ERROR, ERROR];
      }
    }
  }
  #expect(node, type, isArgument = false) {
    const found = this.typeOf(node);
    const fits = isArgument ? this.#unification.assign(found, type) : this.#unification.assign(type, found);
    if (!fits) this.#mismatch(node, type, found);
    return fits;
  }
};

// api/cel/declarations.ts
var NO_STRUCTS = {
  has: () => false,
  fieldType: () => void 0
};
function overload(id, parameters, result, run) {
  return { id, isMember: false, parameters, result, run };
}
function method(id, parameters, result, run) {
  return { id, isMember: true, parameters, result, run };
}
function declare2(name, ...overloads) {
  return { name, overloads, run: void 0, isLenient: false, isUnguarded: false };
}
function declareSingle(name, run, ...overloads) {
  return { name, overloads, run, isLenient: false, isUnguarded: false };
}
function mergeFunctions(functions, more) {
  const merged = new Map(functions);
  for (const declaration of more) {
    const known2 = merged.get(declaration.name);
    const ids = new Set(known2?.overloads.map(({ id }) => id));
    const added = declaration.overloads.filter(({ id }) => !ids.has(id));
    const whole2 = known2 === void 0 ? declaration : {
      ...known2,
      run: known2.run ?? declaration.run,
      overloads: [...known2.overloads, ...added]
    };
    merged.set(declaration.name, whole2);
  }
  return merged;
}

// api/cel/frame.ts
var CostLimitExceeded = class extends Error {
  name = "CostLimitExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
};
function charge(frame, cost) {
  frame.cost += cost;
  if (frame.cost > frame.costMax) throw new CostLimitExceeded();
}

// api/cel/library/arithmetic.ts
function operator(operation) {
  const { sign, small, double, other } = operation;
  const isDivision = sign === "/" || sign === "%";
  return (left, right) => {
    if (typeof left === "number" && typeof right === "number") {
      if (isDivision && right === 0) return divisionByZero(sign);
      const result = small(left, right);
      return Number.isSafeInteger(result) ? result + 0 : wholeOf(operation, left, right);
    }
    if (isInt(left) && isInt(right)) return wholeOf(operation, left, right);
    if (left instanceof CelUint && right instanceof CelUint)
      return unsigned(operation, left, right);
    if (double !== void 0 && left instanceof CelDouble && right instanceof CelDouble) {
      return new CelDouble(double(left.value, right.value));
    }
    if (HAS_NO_SIGNS.has(typeof left) || left === null) {
      return new CelError(`no such overload: _${sign}_`);
    }
    return other(left, right);
  };
}
var HAS_NO_SIGNS = /* @__PURE__ */ new Set(["boolean"]);
function divisionByZero(sign) {
  return new CelError(sign === "/" ? "division by zero" : "modulus by zero");
}
function wholeOf({ sign, whole: whole2 }, left, right) {
  if ((sign === "/" || sign === "%") && right === 0) return divisionByZero(sign);
  const [one, other] = [BigInt(left), BigInt(right)];
  if (sign === "%" && other === -1n && one === -(2n ** 63n)) return INT_OVERFLOW;
  return intOf(whole2(one, other));
}
function unsigned({ sign, whole: whole2 }, left, right) {
  const divides = sign === "/" || sign === "%";
  return divides && right.value === 0n ? divisionByZero(sign) : uintOf(whole2(left.value, right.value));
}
var none = () => NO_SUCH_OVERLOAD;
function addOther(left, right) {
  if (typeof left === "string") return typeof right === "string" ? left + right : NO_SUCH_OVERLOAD;
  if (left instanceof CelList)
    return right instanceof CelList ? left.plus(right) : NO_SUCH_OVERLOAD;
  if (left instanceof CelBytes && right instanceof CelBytes) {
    return new CelBytes(Buffer.concat([left.bytes, right.bytes]));
  }
  if (left instanceof CelDuration) {
    if (right instanceof CelDuration) return checkedDuration(left.nanos + right.nanos);
    return right instanceof CelTimestamp ? moved(right, left.nanos) : NO_SUCH_OVERLOAD;
  }
  if (left instanceof CelTimestamp && right instanceof CelDuration) return moved(left, right.nanos);
  return NO_SUCH_OVERLOAD;
}
function subtractOther(left, right) {
  if (left instanceof CelDuration) {
    return right instanceof CelDuration ? checkedDuration(left.nanos - right.nanos) : NO_SUCH_OVERLOAD;
  }
  if (!(left instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
  if (right instanceof CelDuration) return moved(left, -right.nanos);
  if (!(right instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
  return checkedDuration(timestampNanos(left) - timestampNanos(right));
}
function moved(timestamp, nanos) {
  return timestampOf(timestampNanos(timestamp) + nanos);
}
function checkedDuration(nanos) {
  return isInt64(nanos) ? new CelDuration(nanos) : INT_OVERFLOW;
}
var add = operator({
  sign: "+",
  small: (left, right) => left + right,
  whole: (left, right) => left + right,
  double: (left, right) => left + right,
  other: addOther
});
function addValues(left, right) {
  return add(left, right, null, null);
}
var subtract = operator({
  sign: "-",
  small: (left, right) => left - right,
  whole: (left, right) => left - right,
  double: (left, right) => left - right,
  other: subtractOther
});
var multiply = operator({
  sign: "*",
  small: (left, right) => left * right,
  whole: (left, right) => left * right,
  double: (left, right) => left * right,
  other: none
});
var divide = operator({
  sign: "/",
  small: (left, right) => Math.trunc(left / right),
  whole: (left, right) => left / right,
  double: (left, right) => left / right,
  other: none
});
var modulo = operator({
  sign: "%",
  small: (left, right) => left % right,
  whole: (left, right) => left % right,
  double: void 0,
  other: none
});
var negate = (value) => {
  if (typeof value === "number") return 0 - value;
  if (typeof value === "bigint") return intOf(-value);
  if (value instanceof CelDouble) return new CelDouble(-value.value);
  if (value instanceof CelDuration) return checkedDuration(-value.nanos);
  return typeof value === "boolean" ? NO_SUCH_OVERLOAD : new CelError("no such overload: -_");
};
var LIST_OF_A = listOf(parameter("A"));
function arithmetic(sign, word, run, types) {
  const overloads = types.map(
    ([name, left, right = left, result = left]) => overload(`${word}_${name}`, [left, right], result)
  );
  return declareSingle(`_${sign}_`, run, ...overloads);
}
var ARITHMETIC = [
  arithmetic("+", "add", add, [
    ["bytes", BYTES],
    ["double", DOUBLE],
    ["duration_duration", DURATION],
    ["duration_timestamp", DURATION, TIMESTAMP, TIMESTAMP],
    ["timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
    ["int64", INT],
    ["list", LIST_OF_A],
    ["string", STRING],
    ["uint64", UINT]
  ]),
  arithmetic("-", "subtract", subtract, [
    ["double", DOUBLE],
    ["duration_duration", DURATION],
    ["int64", INT],
    ["timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
    ["timestamp_timestamp", TIMESTAMP, TIMESTAMP, DURATION],
    ["uint64", UINT]
  ]),
  arithmetic("*", "multiply", multiply, [
    ["double", DOUBLE],
    ["int64", INT],
    ["uint64", UINT]
  ]),
  arithmetic("/", "divide", divide, [
    ["double", DOUBLE],
    ["int64", INT],
    ["uint64", UINT]
  ]),
  arithmetic("%", "modulo", modulo, [
    ["int64", INT],
    ["uint64", UINT]
  ]),
  declareSingle(
    "-_",
    negate,
    overload("negate_double", [DOUBLE], DOUBLE),
    overload("negate_int64", [INT], INT)
  )
];

// api/patch/go-format.ts
var PLAIN2 = /^[ !#-[\]-~]*$/;
var PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
var SHORT_ESCAPES = /* @__PURE__ */ new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["	", "\\t"],
  ["\v", "\\v"]
]);
function goQuote(text) {
  if (PLAIN2.test(text)) return `"${text}"`;
  let quoted2 = '"';
  for (const character of text) quoted2 += quotedCharacter(character);
  return `${quoted2}"`;
}
function quotedCharacter(character) {
  const escape = SHORT_ESCAPES.get(character);
  if (escape !== void 0) return escape;
  if (isPrintable(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 128) return `\\x${hex(code, 2)}`;
  return code < 65536 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}
function isPrintable(character) {
  return PRINTABLE.test(character);
}
function hex(code, digits) {
  return code.toString(16).padStart(digits, "0");
}
function compareGoStrings(left, right) {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}
function codePointRank(unit) {
  return unit >= 55296 && unit <= 57343 ? unit + 65536 : unit;
}
function goTypeOf(value) {
  if (value === void 0 || value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

// api/cel/library/comparison.ts
function compareValues(left, right) {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (isNumeric(left)) {
    if (!isNumeric(right)) return NO_SUCH_OVERLOAD;
    return isNaNValue(left) || isNaNValue(right) ? UNORDERED : compareNumbers(left, right);
  }
  if (typeof left === "string") {
    return typeof right === "string" ? compareStrings(left, right) : NO_SUCH_OVERLOAD;
  }
  if (typeof left === "boolean") {
    return typeof right === "boolean" ? Number(left) - Number(right) : NO_SUCH_OVERLOAD;
  }
  return compareOthers(left, right);
}
var UNORDERED = new CelError("NaN values cannot be ordered");
function isNaNValue(value) {
  return value instanceof CelDouble && Number.isNaN(value.value);
}
function compareStrings(left, right) {
  return left === right ? 0 : compareGoStrings(left, right);
}
function compareOthers(left, right) {
  if (left instanceof CelTimestamp) {
    if (!(right instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
    return left.seconds - right.seconds || left.nanos - right.nanos;
  }
  if (left instanceof CelDuration) {
    if (!(right instanceof CelDuration)) return NO_SUCH_OVERLOAD;
    return left.nanos < right.nanos ? -1 : Number(left.nanos > right.nanos);
  }
  if (left instanceof CelBytes && right instanceof CelBytes) {
    return Buffer.compare(left.bytes, right.bytes);
  }
  return NO_SUCH_OVERLOAD;
}
function ordering(holds) {
  return (left, right) => {
    const order = compareValues(left, right);
    return typeof order === "number" ? holds(order) : order;
  };
}
var NUMBERS = [
  ["int64", INT],
  ["uint64", UINT],
  ["double", DOUBLE]
];
function comparison(sign, word, run) {
  const ofNumbers = NUMBERS.flatMap(
    ([name, left]) => [[name, left], ...NUMBERS.filter(([other]) => other !== name)].map(
      ([other, right]) => overload(
        other === name ? `${word}_${name}` : `${word}_${name}_${other}`,
        [left, right],
        BOOL
      )
    )
  );
  const alike = (name, type) => overload(`${word}_${name}`, [type, type], BOOL);
  return declareSingle(
    `_${sign}_`,
    run,
    alike("bool", BOOL),
    ...ofNumbers,
    alike("string", STRING),
    alike("bytes", BYTES),
    alike("timestamp", TIMESTAMP),
    alike("duration", DURATION)
  );
}
var contains = (value, container) => {
  if (container instanceof CelList) return container.contains(value);
  if (!(container instanceof CelMap)) return NO_SUCH_OVERLOAD;
  const found = container.find(value);
  return found instanceof CelError ? found : found !== void 0;
};
var not = (value) => typeof value === "boolean" ? !value : new CelError("no such overload: !_");
var notStrictlyFalse = (value) => value !== false;
var A = parameter("A");
var B = parameter("B");
var LIST_OF_A2 = listOf(A);
var MAP_OF_A_B = mapOf2(A, B);
var COMPARISON = [
  declare2("_?_:_", overload("conditional", [BOOL, A, A], A)),
  declare2("_&&_", overload("logical_and", [BOOL, BOOL], BOOL)),
  declare2("_||_", overload("logical_or", [BOOL, BOOL], BOOL)),
  declareSingle("!_", not, overload("logical_not", [BOOL], BOOL)),
  {
    ...declareSingle(
      "@not_strictly_false",
      notStrictlyFalse,
      overload("not_strictly_false", [BOOL], BOOL)
    ),
    isLenient: true
  },
  declare2("_==_", overload("equals", [A, A], BOOL)),
  declare2("_!=_", overload("not_equals", [A, A], BOOL)),
  comparison(
    "<",
    "less",
    ordering((order) => order < 0)
  ),
  comparison(
    "<=",
    "less_equals",
    ordering((order) => order <= 0)
  ),
  comparison(
    ">",
    "greater",
    ordering((order) => order > 0)
  ),
  comparison(
    ">=",
    "greater_equals",
    ordering((order) => order >= 0)
  ),
  declare2(
    "_[_]",
    overload("index_list", [LIST_OF_A2, INT], A),
    overload("index_map", [MAP_OF_A_B, A], B)
  ),
  declareSingle(
    "@in",
    contains,
    overload("in_list", [A, LIST_OF_A2], BOOL),
    overload("in_map", [A, MAP_OF_A_B], BOOL)
  )
];

// api/cel/go-text.ts
function goText(value) {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || isInt(value)) return String(value);
  if (value === null) return "null";
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelDuration) return formatDuration(value.nanos);
  if (value instanceof CelTypeValue) return value.type.name;
  if (value instanceof CelBytes) return `[${[...value.bytes].map(String).join(" ")}]`;
  return "";
}
function formatDouble(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
function formatDuration(nanos) {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const whole2 = nanos < 0n ? -nanos : nanos;
  if (whole2 < 1000000000n) return sign + formatSmallDuration(whole2);
  const minutes = whole2 / 60000000000n;
  const seconds = decimal(whole2 % 60000000000n, 9);
  const hours = minutes / 60n;
  const hoursText = hours > 0n ? `${hours.toString()}h` : "";
  const minutesText = minutes > 0n ? `${(minutes % 60n).toString()}m` : "";
  return `${sign}${hoursText}${minutesText}${seconds}s`;
}
function formatSmallDuration(nanos) {
  if (nanos < 1000n) return `${nanos.toString()}ns`;
  if (nanos < 1000000n) return `${decimal(nanos, 3)}\xB5s`;
  return `${decimal(nanos, 6)}ms`;
}
function decimal(value, places) {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (fraction === "" ? "" : `.${fraction}`);
}

// api/cel/value-type.ts
var LIST = listOf(DYN);
var MAP = mapOf2(DYN, DYN);
var OPTIONAL = optionalOf(DYN);
function typeOfValue(value) {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "string":
      return STRING;
    case "number":
    case "bigint":
      return INT;
    default:
      return value === null ? NULL : typeOfObject(value);
  }
}
function typeOfObject(value) {
  if (value instanceof CelList) return LIST;
  if (value instanceof CelMap) return MAP;
  if (value instanceof CelUint) return UINT;
  if (value instanceof CelDouble) return DOUBLE;
  if (value instanceof CelBytes) return BYTES;
  if (value instanceof CelTimestamp) return TIMESTAMP;
  if (value instanceof CelDuration) return DURATION;
  if (value instanceof CelTypeValue) return TYPE;
  if (value instanceof CelOptional) return OPTIONAL;
  return value instanceof CelOpaque ? value.type : ERROR;
}
function isOfType(value, type) {
  if (isDynamic(type) || type.kind === "parameter") return true;
  if (type.nullable === true && value === null) return true;
  if (typeOfValue(value).name !== type.name) return false;
  if (value instanceof CelList) {
    return value.size === 0 || isOfType(value.at(0), parameterOf(type, 0));
  }
  if (!(value instanceof CelMap) || value.size === 0) return true;
  const [key = null] = value.keys();
  const found = value.find(key) ?? null;
  return isOfType(key, parameterOf(type, 0)) && isOfType(found, parameterOf(type, 1));
}

// api/cel/library/conversion.ts
function failed(value, type) {
  return new CelError(`type conversion error from '${typeOfValue(value).name}' to '${type.name}'`);
}
var identity = (value) => value;
var toInt = (value) => {
  if (value instanceof CelUint) return intOf(value.value);
  if (value instanceof CelDouble) return doubleToInt(value.value);
  if (value instanceof CelDuration) return intOf(value.nanos);
  if (value instanceof CelTimestamp) return value.seconds;
  if (typeof value !== "string" || !/^[+-]?\d+$/.test(value)) return failed(value, INT);
  const int = intOf(BigInt(value.replace(/^\+/, "")));
  return int instanceof CelError ? failed(value, INT) : int;
};
function doubleToInt(value) {
  const isInRange = value > -(2 ** 63) && value < 2 ** 63;
  return isInRange ? intOf(BigInt(Math.trunc(value))) : INT_OVERFLOW;
}
var toUint = (value) => {
  if (isInt(value)) return uintOf(BigInt(value));
  if (value instanceof CelDouble) {
    const isInRange = value.value >= 0 && value.value < 2 ** 64;
    return isInRange ? uintOf(BigInt(Math.trunc(value.value))) : UINT_OVERFLOW;
  }
  if (typeof value !== "string" || !/^\d+$/.test(value)) return failed(value, UINT);
  const uint = uintOf(BigInt(value));
  return uint instanceof CelError ? failed(value, UINT) : uint;
};
var DECIMAL = /^[+-]?(?:\d+(?:_?\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
var INFINITE = /^([+-]?)(?:inf|infinity)$/i;
var toDouble = (value) => {
  if (isInt(value)) return new CelDouble(Number(value));
  if (value instanceof CelUint) return new CelDouble(Number(value.value));
  if (typeof value !== "string") return failed(value, DOUBLE);
  const infinite = INFINITE.exec(value);
  if (infinite !== null) return new CelDouble(infinite[1] === "-" ? -Infinity : Infinity);
  if (/^[+-]?nan$/i.test(value)) return new CelDouble(NaN);
  if (!DECIMAL.test(value) || value.includes("_")) return failed(value, DOUBLE);
  const double = Number(value);
  return Number.isFinite(double) ? new CelDouble(double) : failed(value, DOUBLE);
};
var TRUE = /* @__PURE__ */ new Set(["1", "t", "T", "TRUE", "true", "True"]);
var FALSE = /* @__PURE__ */ new Set(["0", "f", "F", "FALSE", "false", "False"]);
var toBool = (value) => {
  if (typeof value !== "string") return failed(value, BOOL);
  if (TRUE.has(value)) return true;
  return FALSE.has(value) ? false : failed(value, BOOL);
};
var decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
var toText = (value) => {
  if (typeof value === "boolean" || isInt(value)) return String(value);
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelDuration) return formatSeconds(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  return value instanceof CelBytes ? decoded(value) : failed(value, STRING);
};
function decoded({ bytes }) {
  try {
    return decoder.decode(bytes);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}
var toBytes = (value) => typeof value === "string" ? new CelBytes(Buffer.from(value)) : failed(value, BYTES);
var toDuration = (value) => {
  if (isInt(value)) return new CelDuration(BigInt(value));
  const duration = typeof value === "string" ? parseDuration(value) : void 0;
  return duration ?? failed(value, DURATION);
};
var toTimestamp = (value) => {
  if (isInt(value)) return timestampOfSeconds(Number(value), 0);
  const timestamp = typeof value === "string" ? parseTimestamp(value) : void 0;
  return timestamp ?? failed(value, TIMESTAMP);
};
var toType = (value) => new CelTypeValue(typeOfValue(value));
function conversion(name, [target, type], run, sources) {
  const same = overload(`${target}_to_${target}`, [type], type, identity);
  const others = sources.map(
    ([source, from]) => overload(`${source}_to_${target}`, [from], type, run)
  );
  return declare2(name, same, ...others);
}
var BOOLEAN = ["bool", BOOL];
var INT64 = ["int64", INT];
var UINT64 = ["uint64", UINT];
var FLOAT = ["double", DOUBLE];
var TEXT = ["string", STRING];
var OCTETS = ["bytes", BYTES];
var SPAN = ["duration", DURATION];
var POINT = ["timestamp", TIMESTAMP];
var A2 = parameter("A");
var CONVERSION = [
  declareSingle("type", toType, overload("type", [A2], typeType(A2))),
  conversion("bool", BOOLEAN, toBool, [TEXT]),
  conversion("bytes", OCTETS, toBytes, [TEXT]),
  conversion("double", FLOAT, toDouble, [INT64, TEXT, UINT64]),
  conversion("duration", SPAN, toDuration, [INT64, TEXT]),
  declareSingle("dyn", identity, overload("to_dyn", [A2], DYN)),
  conversion("int", INT64, toInt, [FLOAT, SPAN, TEXT, POINT, UINT64]),
  conversion("string", TEXT, toText, [BOOLEAN, OCTETS, FLOAT, SPAN, INT64, POINT, UINT64]),
  conversion("timestamp", POINT, toTimestamp, [INT64, TEXT]),
  conversion("uint", UINT64, toUint, [FLOAT, INT64, TEXT])
];

// api/cel/library/standard.ts
var size = (value) => {
  if (typeof value === "string") return characterCount(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  return value instanceof CelBytes ? value.bytes.length : new CelError("no such overload: size");
};
function onStrings(test) {
  return (text, other) => typeof text === "string" && typeof other === "string" ? test(text, other) : NO_SUCH_OVERLOAD;
}
function stringTest(name, id, run) {
  const declared = declare2(name, method(id, [STRING, STRING], BOOL, run));
  return { ...declared, isUnguarded: true };
}
function calendar(name, id, part2) {
  const run = (timestamp, zone) => {
    if (!(timestamp instanceof CelTimestamp)) return NO_SUCH_OVERLOAD;
    const parts = calendarParts(timestamp, typeof zone === "string" ? zone : "UTC");
    return parts instanceof CelError ? parts : part2(parts, timestamp);
  };
  const zoned = id === "timestamp_to_seconds" ? `${id}_tz` : `${id}_with_tz`;
  return declare2(
    name,
    method(id, [TIMESTAMP], INT, run),
    method(zoned, [TIMESTAMP, STRING], INT, run)
  );
}
function clock(unit, nanos, part2) {
  const name = `get${unit.charAt(0).toUpperCase()}${unit.slice(1)}`;
  const ofTimestamps = calendar(name, `timestamp_to_${unit}`, part2);
  const ofDuration = (duration) => duration instanceof CelDuration ? intOf(duration.nanos / nanos) : NO_SUCH_OVERLOAD;
  const ofDurations = method(`duration_to_${unit}`, [DURATION], INT, ofDuration);
  return { ...ofTimestamps, overloads: [...ofTimestamps.overloads, ofDurations] };
}
var LIST_OF_A3 = listOf(parameter("A"));
var MAP_OF_A_B2 = mapOf2(parameter("A"), parameter("B"));
var STANDARD = [
  ...COMPARISON,
  ...ARITHMETIC,
  declareSingle(
    "size",
    size,
    overload("size_bytes", [BYTES], INT),
    method("bytes_size", [BYTES], INT),
    overload("size_list", [LIST_OF_A3], INT),
    method("list_size", [LIST_OF_A3], INT),
    overload("size_map", [MAP_OF_A_B2], INT),
    method("map_size", [MAP_OF_A_B2], INT),
    overload("size_string", [STRING], INT),
    method("string_size", [STRING], INT)
  ),
  ...CONVERSION,
  stringTest(
    "contains",
    "contains_string",
    onStrings((text, other) => text.includes(other))
  ),
  stringTest(
    "endsWith",
    "ends_with_string",
    onStrings((text, other) => text.endsWith(other))
  ),
  stringTest(
    "startsWith",
    "starts_with_string",
    onStrings((text, other) => text.startsWith(other))
  ),
  declareSingle(
    "matches",
    matches,
    overload("matches", [STRING, STRING], BOOL),
    method("matches_string", [STRING, STRING], BOOL)
  ),
  calendar("getFullYear", "timestamp_to_year", ({ year }) => year),
  calendar("getMonth", "timestamp_to_month", ({ month }) => month),
  calendar("getDayOfYear", "timestamp_to_day_of_year", ({ dayOfYear }) => dayOfYear),
  calendar("getDayOfMonth", "timestamp_to_day_of_month", ({ dayOfMonth }) => dayOfMonth),
  calendar("getDate", "timestamp_to_day_of_month_1_based", ({ dayOfMonth }) => dayOfMonth + 1),
  calendar("getDayOfWeek", "timestamp_to_day_of_week", ({ dayOfWeek }) => dayOfWeek),
  clock("hours", 3600000000000n, ({ hours }) => hours),
  clock("minutes", 60000000000n, ({ minutes }) => minutes),
  clock("seconds", 1000000000n, ({ seconds }) => seconds),
  clock("milliseconds", 1000000n, (_parts, { nanos }) => Math.trunc(nanos / 1e6))
];

// api/cel/macros.ts
var MacroError = class {
  offset;
  message;
  constructor(offset, message) {
    this.offset = offset;
    this.message = message;
  }
};
function onTarget(name, argCount, expand) {
  return { name, argCount, hasTarget: true, expand };
}
function at(args, index) {
  const found = args[index];
  if (found === void 0) throw new RangeError("a macro got fewer arguments than it has");
  return found;
}
var literal = (nodes, value) => nodes.node({ kind: "literal", value });
var call = (nodes, name, ...args) => nodes.node({ kind: "call", name, target: void 0, args });
var listWith = (nodes, ...items) => nodes.node({ kind: "list", items, optional: NO_OPTIONALS });
var ident = (nodes, name) => nodes.node({ kind: "ident", name });
var accumulated = (nodes) => ident(nodes, ACCUMULATOR);
function fold(nodes, loop, body) {
  return nodes.node({ kind: "fold", ...loop, accumulator: ACCUMULATOR, ...body });
}
function loopOf(range2, variables, problem) {
  const names = [];
  for (const { form, offset } of variables) {
    if (form.kind !== "ident") return new MacroError(offset, problem);
    names.push(form.name);
  }
  const [variable = "", secondVariable = ""] = names;
  if (variable === secondVariable) {
    return new MacroError(at(variables, 1).offset, `duplicate variable name: ${variable}`);
  }
  const taken = names.findIndex((name) => name === ACCUMULATOR || name === "__result__");
  if (taken >= 0) {
    const message = "iteration variable overwrites accumulator variable";
    return new MacroError(at(variables, taken).offset, message);
  }
  return { range: range2, variable, secondVariable };
}
var SIMPLE_NAME = "argument must be a simple name";
var NO_IDENTIFIER = "argument is not an identifier";
function looping(variables, problem, body) {
  return (nodes, target, args) => {
    const loop = loopOf(target, args.slice(0, variables), problem);
    if (loop instanceof MacroError) return loop;
    return fold(nodes, loop, body(nodes, args.slice(variables), loop, args));
  };
}
var all = (nodes, rest) => ({
  init: literal(nodes, true),
  condition: call(nodes, "@not_strictly_false", accumulated(nodes)),
  step: call(nodes, "_&&_", accumulated(nodes), at(rest, 0)),
  result: accumulated(nodes)
});
var exists = (nodes, rest) => ({
  init: literal(nodes, false),
  condition: call(nodes, "@not_strictly_false", call(nodes, "!_", accumulated(nodes))),
  step: call(nodes, "_||_", accumulated(nodes), at(rest, 0)),
  result: accumulated(nodes)
});
var existsOne = (nodes, rest) => ({
  init: literal(nodes, 0),
  condition: literal(nodes, true),
  step: call(
    nodes,
    "_?_:_",
    at(rest, 0),
    call(nodes, "_+_", accumulated(nodes), literal(nodes, 1)),
    accumulated(nodes)
  ),
  result: call(nodes, "_==_", accumulated(nodes), literal(nodes, 1))
});
var toList = (nodes, rest) => {
  const value = at(rest, rest.length - 1);
  return {
    init: listWith(nodes),
    condition: literal(nodes, true),
    step: filtered(nodes, rest, call(nodes, "_+_", accumulated(nodes), listWith(nodes, value))),
    result: accumulated(nodes)
  };
};
var filter = (nodes, rest, _loop, args) => ({
  init: listWith(nodes),
  condition: literal(nodes, true),
  step: call(
    nodes,
    "_?_:_",
    at(rest, 0),
    call(nodes, "_+_", accumulated(nodes), listWith(nodes, at(args, 0))),
    accumulated(nodes)
  ),
  result: accumulated(nodes)
});
function toMap(isEntry) {
  return (nodes, rest, loop) => {
    const value = at(rest, rest.length - 1);
    const step = isEntry ? call(nodes, "cel.@mapInsert", accumulated(nodes), value) : call(nodes, "cel.@mapInsert", accumulated(nodes), ident(nodes, loop.variable), value);
    return {
      init: nodes.node({ kind: "map", entries: [] }),
      condition: literal(nodes, true),
      step: filtered(nodes, rest, step),
      result: accumulated(nodes)
    };
  };
}
function filtered(nodes, rest, step) {
  return rest.length < 2 ? step : call(nodes, "_?_:_", at(rest, 0), step, accumulated(nodes));
}
var has = {
  name: "has",
  argCount: 1,
  hasTarget: false,
  expand: (nodes, _target, args) => {
    const { form, offset } = at(args, 0);
    if (form.kind !== "select") return new MacroError(offset, "invalid argument to has() macro");
    return nodes.node({ ...form, isTest: true });
  }
};
function bound(nodes, { name, value, result }) {
  return nodes.node({
    kind: "fold",
    range: listWith(nodes),
    variable: UNUSED,
    secondVariable: "",
    accumulator: name,
    init: value,
    condition: literal(nodes, false),
    step: ident(nodes, name),
    result
  });
}
var UNUSED = "#unused";
function optionalMap(name, isFlat) {
  return onTarget(name, 2, (nodes, target, args) => {
    const { form, offset } = at(args, 0);
    if (form.kind !== "ident") {
      return new MacroError(offset, `${name}() variable name must be a simple identifier`);
    }
    const read2 = (method2, of) => nodes.node({ kind: "call", name: method2, target: of, args: [] });
    const hasValue2 = read2("hasValue", target);
    const value = read2("value", nodes.copy(target));
    const mapped = bound(nodes, { name: form.name, value, result: at(args, 1) });
    const some2 = isFlat ? mapped : call(nodes, "optional.of", mapped);
    return call(nodes, "_?_:_", hasValue2, some2, call(nodes, "optional.none"));
  });
}
var STANDARD_MACROS = [
  has,
  onTarget("all", 2, looping(1, SIMPLE_NAME, all)),
  onTarget("exists", 2, looping(1, SIMPLE_NAME, exists)),
  onTarget("exists_one", 2, looping(1, SIMPLE_NAME, existsOne)),
  onTarget("existsOne", 2, looping(1, SIMPLE_NAME, existsOne)),
  onTarget("map", 2, looping(1, NO_IDENTIFIER, toList)),
  onTarget("map", 3, looping(1, NO_IDENTIFIER, toList)),
  onTarget("filter", 2, looping(1, NO_IDENTIFIER, filter))
];
var TWO_VARIABLE_MACROS = [
  onTarget("all", 3, looping(2, SIMPLE_NAME, all)),
  onTarget("exists", 3, looping(2, SIMPLE_NAME, exists)),
  onTarget("existsOne", 3, looping(2, SIMPLE_NAME, existsOne)),
  onTarget("exists_one", 3, looping(2, SIMPLE_NAME, existsOne)),
  onTarget("transformList", 3, looping(2, SIMPLE_NAME, toList)),
  onTarget("transformList", 4, looping(2, SIMPLE_NAME, toList)),
  onTarget("transformMap", 3, looping(2, SIMPLE_NAME, toMap(false))),
  onTarget("transformMap", 4, looping(2, SIMPLE_NAME, toMap(false))),
  onTarget("transformMapEntry", 3, looping(2, SIMPLE_NAME, toMap(true))),
  onTarget("transformMapEntry", 4, looping(2, SIMPLE_NAME, toMap(true)))
];
var OPTIONAL_MACROS = [
  optionalMap("optMap", false),
  optionalMap("optFlatMap", true)
];
var BIND_MACRO = onTarget("bind", 3, (nodes, target, args) => {
  if (target.form.kind !== "ident" || target.form.name !== "cel") return void 0;
  const { form, offset } = at(args, 0);
  if (form.kind !== "ident") {
    return new MacroError(offset, "cel.bind() variable names must be simple identifiers");
  }
  return bound(nodes, { name: form.name, value: at(args, 1), result: at(args, 2) });
});
var tables = /* @__PURE__ */ new WeakMap();
function macroTable(macros) {
  const known2 = tables.get(macros);
  if (known2 !== void 0) return known2;
  const table = new Map(
    macros.map((macro) => [macroKey(macro.name, macro.argCount, macro.hasTarget), macro])
  );
  tables.set(macros, table);
  return table;
}
function macroKey(name, argCount, hasTarget) {
  return `${name}:${String(argCount)}:${hasTarget ? "target" : ""}`;
}

// api/cel/lexer.ts
var BLANK = /(?:[\t \r\n\f]+|\/\/[^\n]*)*/y;
var IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
var ESCAPED2 = /`[A-Za-z0-9_.\-/ ]+`/y;
var FLOAT2 = /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y;
var WHOLE = /(?:0x[0-9a-fA-F]+|\d+)([uU]?)/y;
var SIGN = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y;
var STRING_START = /([bB]?)([rR]?)("""|'''|"|')/y;
var ESCAPE = String.raw`\\(?:[abfnrtv"'\\?${"`"}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
var CONTENT = {
  '"': new RegExp(String.raw`(?:${ESCAPE}|[^\\"\n\r])*`, "y"),
  "'": new RegExp(String.raw`(?:${ESCAPE}|[^\\'\n\r])*`, "y")
};
var RAW_CONTENT = { '"': /[^"\n\r]*/y, "'": /[^'\n\r]*/y };
var LONG_PIECE = new RegExp(String.raw`(?:${ESCAPE}|[^\\])`, "y");
var WORDS = /* @__PURE__ */ new Set(["true", "false", "null", "in"]);
function tokenize(text, errors) {
  const tokens = [];
  let offset = endOf(BLANK, text, 0);
  while (offset < text.length) {
    const token = tokenAt(text, offset);
    if (token === void 0) {
      const end2 = givenUpAt(text, offset);
      const shown2 = text.slice(offset, end2 + 1).replace(/[\n\r\t]/g, (c) => SHOWN[c] ?? c);
      errors.report(offset, `Syntax error: token recognition error at: '${shown2}'`);
      offset = end2 + 1;
    } else {
      tokens.push(token);
      offset += token.text.length;
    }
    offset = endOf(BLANK, text, offset);
  }
  tokens.push({ kind: "end", text: "<EOF>", offset: text.length });
  return tokens;
}
var SHOWN = { "\n": "\\n", "\r": "\\r", "	": "\\t" };
function endOf(pattern, text, offset) {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}
function tokenAt(text, offset) {
  const string2 = stringAt2(text, offset);
  if (string2 !== void 0) return string2;
  const float = endOf(FLOAT2, text, offset);
  if (float > offset) return { kind: "float", text: text.slice(offset, float), offset };
  WHOLE.lastIndex = offset;
  const whole2 = WHOLE.exec(text);
  if (whole2 !== null) return { kind: whole2[1] === "" ? "int" : "uint", text: whole2[0], offset };
  const identifier = endOf(IDENTIFIER, text, offset);
  if (identifier > offset) {
    const word = text.slice(offset, identifier);
    return { kind: WORDS.has(word) ? "sign" : "identifier", text: word, offset };
  }
  const escaped = endOf(ESCAPED2, text, offset);
  if (escaped > offset) return { kind: "escaped", text: text.slice(offset, escaped), offset };
  const sign = endOf(SIGN, text, offset);
  return sign > offset ? { kind: "sign", text: text.slice(offset, sign), offset } : void 0;
}
function stringAt2(text, offset) {
  STRING_START.lastIndex = offset;
  const start = STRING_START.exec(text);
  if (start === null) return void 0;
  const [prefix, isBytes = "", isRaw = "", quotes = ""] = start;
  const kind = isBytes === "" ? "string" : "bytes";
  const from = offset + prefix.length;
  let end2 = closedAt(text, from, quotes, isRaw !== "");
  if (end2 === void 0 && quotes.length === 3) end2 = from - 1;
  return end2 === void 0 ? void 0 : { kind, text: text.slice(offset, end2), offset };
}
function closedAt(text, from, quotes, isRaw) {
  if (quotes === '"' || quotes === "'") {
    const end2 = endOf(isRaw ? RAW_CONTENT[quotes] : CONTENT[quotes], text, from);
    return text.startsWith(quotes, end2) ? end2 + 1 : void 0;
  }
  if (isRaw) {
    const end2 = text.indexOf(quotes, from);
    return end2 < 0 ? void 0 : end2 + 3;
  }
  let at2 = from;
  while (at2 < text.length && !text.startsWith(quotes, at2)) {
    const next = endOf(LONG_PIECE, text, at2);
    if (next === at2) return void 0;
    at2 = next;
  }
  return at2 < text.length ? at2 + 3 : void 0;
}
function givenUpAt(text, offset) {
  const first3 = text[offset];
  if (first3 === '"' || first3 === "'") {
    const end2 = endOf(CONTENT[first3], text, offset + 1);
    return text[end2] === "\\" ? Math.min(end2 + 1, text.length) : end2;
  }
  if (first3 === "`") return endOf(/[A-Za-z0-9_.\-/ ]*/y, text, offset + 1);
  return first3 === "&" || first3 === "|" || first3 === "=" ? offset + 1 : offset;
}

// api/cel/unescape.ts
function unescapeString(text) {
  const { content, isRaw } = contentOf(text);
  if (isRaw || !content.includes("\\")) return { ok: true, value: content };
  const wrong2 = [];
  const value = content.replace(ESCAPE2, (escape) => {
    const code = codeOf(escape);
    if (typeof code === "string") return code;
    const isCharacter = code <= 1114111 && (code < 55296 || code > 57343);
    if (!isCharacter) wrong2.push(code);
    return isCharacter ? String.fromCodePoint(code) : "";
  });
  return wrong2.length === 0 ? { ok: true, value } : { ok: false, message: "invalid unicode code point" };
}
function unescapeBytes(text) {
  const { content, isRaw } = contentOf(text);
  if (isRaw || !content.includes("\\")) return { ok: true, value: Buffer.from(content) };
  if (/(?<!\\)(?:\\\\)*\\[uU]/.test(content)) {
    return { ok: false, message: "unable to unescape string" };
  }
  const pieces = [];
  let from = 0;
  for (const match of content.matchAll(ESCAPE2)) {
    pieces.push(Buffer.from(content.slice(from, match.index)));
    const code = codeOf(match[0]);
    pieces.push(typeof code === "string" ? Buffer.from(code) : Buffer.from([code & 255]));
    from = match.index + match[0].length;
  }
  pieces.push(Buffer.from(content.slice(from)));
  return { ok: true, value: Buffer.concat(pieces) };
}
var ESCAPE2 = /\\(?:[xX]..|u.{4}|U.{8}|[0-3]..|.)/gs;
function contentOf(text) {
  const isRaw = text.startsWith("r") || text.startsWith("R");
  const quoted2 = (isRaw ? text.slice(1) : text).replace(/\r\n?/g, "\n");
  const isLong = quoted2.length >= 6 && /^(?:"""|''')/.test(quoted2);
  return { content: isLong ? quoted2.slice(3, -3) : quoted2.slice(1, -1), isRaw };
}
var NAMED = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "	",
  v: "\v"
};
function codeOf(escape) {
  const first3 = escape[1] ?? "";
  if (/[xXuU]/.test(first3)) return Number.parseInt(escape.slice(2), 16);
  if (/[0-3]/.test(first3)) return Number.parseInt(escape.slice(1), 8);
  return NAMED[first3] ?? first3;
}

// api/cel/literals.ts
function parseLiteral({ kind, text }, isNegative) {
  switch (kind) {
    case "int": {
      const value = BigInt(text);
      return checked(intOf(isNegative ? -value : value), "invalid int literal");
    }
    case "uint":
      return checked(uintOf(BigInt(text.slice(0, -1))), "invalid uint literal");
    case "float": {
      const value = Number(text);
      if (!Number.isFinite(value)) return { ok: false, message: "invalid double literal" };
      return { ok: true, value: new CelDouble(isNegative ? -value : value) };
    }
    case "string":
      return unescapeString(text);
    case "bytes": {
      const bytes = unescapeBytes(text.slice(1));
      return bytes.ok ? { ok: true, value: new CelBytes(bytes.value) } : bytes;
    }
    case "sign":
      return WORDS2.get(text);
    default:
      return void 0;
  }
}
var WORDS2 = /* @__PURE__ */ new Map([
  ["true", { ok: true, value: true }],
  ["false", { ok: true, value: false }],
  ["null", { ok: true, value: null }]
]);
function checked(value, message) {
  return value instanceof CelError ? { ok: false, message } : { ok: true, value };
}

// api/cel/source.ts
var ERRORS_MAX = 100;
var SNIPPET_BYTES_MAX = 16384;
var SourceErrors = class {
  text;
  #errors = [];
  #count = 0;
  constructor(text) {
    this.text = text;
  }
  get count() {
    return this.#count;
  }
  report(offset, message) {
    this.#count++;
    if (this.#count <= ERRORS_MAX) this.#errors.push({ offset, message });
  }
  /** Every error with its line, in the order of places. */
  toString() {
    const inOrder = [...this.#errors].sort((one, other) => one.offset - other.offset);
    const shown2 = inOrder.map((error) => formatError(this.text, error));
    const more = this.#count - ERRORS_MAX;
    if (more > 0) shown2.push(`${String(more)} more errors were truncated`);
    return shown2.join("\n");
  }
};
function formatError(text, { offset, message }) {
  if (text === "") return `ERROR: <input>:1:0: ${message}`;
  if (offset < 0) return `ERROR: <input>:-1:0: ${message}`;
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  const column = Array.from(before.slice(lineStart)).length;
  const head = `ERROR: <input>:${String(line)}:${String(column + 1)}: ${message}`;
  return head + snippet(lineAt(text, lineStart), column);
}
function lineAt(text, start) {
  const end2 = text.indexOf("\n", start);
  return end2 < 0 ? text.slice(start) : text.slice(start, end2);
}
function snippet(line, column) {
  if (Buffer.byteLength(line) > SNIPPET_BYTES_MAX) return "";
  const shown2 = line.replaceAll("	", " ");
  const characters = Array.from(shown2);
  const dots = characters.slice(0, column).map((character) => isWide(character) ? "\uFF0E" : ".");
  const caret = isWide(characters[column] ?? "") ? "\uFF3E" : "^";
  return `
 | ${shown2}
 | ${dots.join("")}${caret}`;
}
function isWide(character) {
  return (character.codePointAt(0) ?? 0) > 127;
}

// api/cel/token-reader.ts
var ParsingStopped = class extends Error {
  name = "ParsingStopped";
};
var DEPTH_MAX = 250;
var OPERAND_START = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
var INDEX_START = OPERAND_START.replace("'!', ", "'!', '?', ");
var CLOSING = /* @__PURE__ */ new Set([")", "]", "}"]);
var TokenReader = class {
  #tokens;
  #errors;
  #depths = { expr: 0, relation: 0, calc: 0, member: 0 };
  #next = 0;
  constructor(tokens, errors) {
    this.#tokens = tokens;
    this.#errors = errors;
  }
  get token() {
    return this.ahead(0);
  }
  /** The end again and again behind the end. */
  ahead(count) {
    const token = this.#tokens[this.#next + count] ?? this.#tokens.at(-1);
    if (token === void 0) throw new RangeError("tokens end with an end");
    return token;
  }
  is(sign) {
    return isSign(this.token, sign);
  }
  take() {
    const token = this.token;
    this.#next++;
    return token;
  }
  /** The token when it is that sign, and undefined when it is something else. */
  takeIf(sign) {
    return this.is(sign) ? this.take() : void 0;
  }
  /** `sign`, which must be there; `follows`: what can stand behind it, when it is left out. */
  expect(sign, expected = `'${sign}'`) {
    const found = this.takeIf(sign);
    if (found !== void 0) return found;
    if (isSign(this.ahead(1), sign)) {
      this.#unwanted(expected);
      return this.take();
    }
    const canBeMissing = sign === ":" ? isOperand(this.token) : CLOSING.has(sign);
    if (canBeMissing) return this.#imagine(sign, expected);
    return this.mismatched(expected);
  }
  expectIdentifier(expected = "IDENTIFIER") {
    if (this.token.kind === "identifier") return this.take();
    if (this.ahead(1).kind === "identifier") {
      this.#unwanted(expected);
      return this.take();
    }
    return this.mismatched(expected);
  }
  /** Behind a whole expression nothing may follow. */
  expectEnd() {
    if (this.token.kind === "end") return;
    const isOne = this.ahead(1).kind === "end";
    const what = isOne ? "extraneous" : "mismatched";
    this.syntaxError(this.token.offset, `${what} input ${shown(this.token)} expecting <EOF>`);
  }
  /** The token cannot begin what is expected, but the one behind it can. */
  skipUnwanted(expected) {
    this.#unwanted(expected);
  }
  mismatched(expected) {
    const { offset } = this.token;
    this.syntaxError(offset, `mismatched input ${shown(this.token)} expecting ${expected}`);
    throw new ParsingStopped();
  }
  syntaxError(offset, message) {
    this.#errors.report(offset, `Syntax error: ${message}`);
  }
  /** `depth` more of `rule` while `parse` runs. */
  nested(rule, parse5) {
    const before = this.#depths[rule];
    const deeper = () => {
      if (++this.#depths[rule] > DEPTH_MAX) {
        this.#errors.report(-1, `expression recursion limit exceeded: ${String(DEPTH_MAX)}`);
        throw new ParsingStopped();
      }
    };
    deeper();
    const result = parse5(deeper);
    this.#depths[rule] = before;
    return result;
  }
  #unwanted(expected) {
    const { offset } = this.token;
    this.syntaxError(offset, `extraneous input ${shown(this.token)} expecting ${expected}`);
    this.#next++;
  }
  #imagine(sign, expected) {
    const { offset } = this.token;
    const isOneThing = !expected.startsWith("{");
    const message = isOneThing ? `missing '${sign}' at ${shown(this.token)}` : `mismatched input ${shown(this.token)} expecting ${expected}`;
    this.syntaxError(offset, message);
    if (!isOneThing) throw new ParsingStopped();
    return { kind: "sign", text: sign, offset };
  }
};
function isOperand({ kind, text }) {
  if (kind === "sign") return /^(?:[[{(.\-!]|true|false|null)$/.test(text);
  return kind !== "end" && kind !== "escaped";
}
function isSign({ kind, text }, sign) {
  return kind === "sign" && text === sign;
}
function shown({ text }) {
  const escaped = text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("	", "\\t");
  return `'${escaped}'`;
}

// api/cel/parser.ts
var CHARACTERS_MAX = 1e5;
var NODES_MAX = 1e5;
var RESERVED2 = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(" ")
);
function parse(text, options) {
  const errors = new SourceErrors(text);
  const size2 = characterCount(text);
  if (size2 > CHARACTERS_MAX) {
    const limits = `size: ${String(size2)}, limit ${String(CHARACTERS_MAX)}`;
    errors.report(-1, `expression code point size exceeds limit: ${limits}`);
    return { ok: false, errors };
  }
  const parser = new Parser3(tokenize(text, errors), errors, options);
  try {
    const root2 = parser.parseAll();
    if (errors.count === 0) return { ok: true, root: root2, nodeCount: parser.nodeCount };
  } catch (error) {
    if (!(error instanceof ParsingStopped)) throw error;
  }
  return { ok: false, errors };
}
var Parser3 = class {
  #reader;
  #errors;
  #options;
  #macros;
  nodeCount = 0;
  constructor(tokens, errors, options) {
    this.#reader = new TokenReader(tokens, errors);
    this.#errors = errors;
    this.#options = options;
    this.#macros = macroTable(options.macros);
  }
  parseAll() {
    const root2 = this.#expression();
    this.#reader.expectEnd();
    return root2;
  }
  #expression() {
    return this.#reader.nested("expr", () => {
      const condition = this.#logical("||");
      const question = this.#reader.takeIf("?");
      if (question === void 0) return condition;
      const isTrue = this.#logical("||");
      this.#reader.expect(":");
      const isFalse = this.#expression();
      return this.#call(question.offset, "_?_:_", [condition, isTrue, isFalse]);
    });
  }
  /** Long chains become balanced trees, so they may be long. */
  #logical(sign) {
    const operand = () => sign === "||" ? this.#logical("&&") : this.#relation();
    const terms = [operand()];
    const places = [];
    for (let token = this.#reader.takeIf(sign); token; token = this.#reader.takeIf(sign)) {
      places.push(token.offset);
      terms.push(operand());
    }
    return this.#balanced(`_${sign}_`, terms, places);
  }
  #balanced(name, terms, places) {
    const [only] = terms;
    if (only !== void 0 && terms.length === 1) return only;
    const middle = Math.floor(places.length / 2);
    const left = this.#balanced(name, terms.slice(0, middle + 1), places.slice(0, middle));
    const right = this.#balanced(name, terms.slice(middle + 1), places.slice(middle + 1));
    return this.#call(places[middle] ?? 0, name, [left, right]);
  }
  #relation() {
    return this.#chain("relation", RELATIONS, () => this.#calculation(1));
  }
  #calculation(level) {
    if (level === 0) return this.#chain("calc", PRODUCTS, () => this.#unary());
    return this.#chain("calc", SUMS, () => this.#calculation(0));
  }
  #chain(rule, operators, operand) {
    return this.#reader.nested(rule, (deeper) => {
      let left = operand();
      for (; ; ) {
        const { kind, text, offset } = this.#reader.token;
        const name = kind === "sign" ? operators.get(text) : void 0;
        if (name === void 0) return left;
        this.#reader.take();
        deeper();
        left = this.#call(offset, name, [left, operand()]);
      }
    });
  }
  #unary() {
    const sign = this.#reader.is("!") ? "!" : "-";
    const first3 = this.#reader.token;
    let count = 0;
    while (this.#reader.is(sign) && !(sign === "-" && this.#isNumberNext())) {
      this.#reader.take();
      count++;
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : this.#call(first3.offset, `${sign}_`, [operand]);
  }
  /** A minus in front of a number belongs to the number. */
  #isNumberNext() {
    const { kind } = this.#reader.ahead(1);
    return kind === "int" || kind === "float";
  }
  #member() {
    return this.#reader.nested("member", (deeper) => {
      let operand = this.#primary();
      for (; ; ) {
        const dot = this.#reader.takeIf(".");
        const bracket = dot === void 0 ? this.#reader.takeIf("[") : void 0;
        if (dot !== void 0) operand = this.#selection(operand, dot);
        else if (bracket !== void 0) operand = this.#index(operand, bracket);
        else return operand;
        deeper();
      }
    });
  }
  #selection(operand, dot) {
    const isOptional = this.#takeQuestion(dot.offset, ".?");
    const name = this.#fieldName(dot);
    const open = isOptional ? void 0 : this.#reader.takeIf("(");
    if (open !== void 0) {
      return this.#callOrMacro(open.offset, name.text, operand, this.#arguments());
    }
    const field = this.#fieldOf(name);
    if (!isOptional) {
      return this.#node(dot.offset, { kind: "select", operand, field, isTest: false });
    }
    const key = this.#node(name.offset, { kind: "literal", value: field });
    return this.#call(dot.offset, "_?._", [operand, key]);
  }
  #fieldName(dot) {
    const { token } = this.#reader;
    if (token.kind === "escaped") return this.#reader.take();
    const isWord = token.kind === "sign" && /^(?:true|false|null)$/.test(token.text);
    if (isWord) this.#reader.mismatched("IDENTIFIER");
    if (token.kind !== "identifier") {
      this.#reader.syntaxError(
        token.offset,
        `no viable alternative at input '${dot.text}${token.kind === "end" ? "" : token.text}'`
      );
      throw new ParsingStopped();
    }
    return this.#reader.take();
  }
  #fieldOf({ kind, text, offset }) {
    if (kind !== "escaped") return text;
    if (!this.#options.hasEscapedFields) this.#errors.report(offset, "unsupported syntax: '`'");
    return text.slice(1, -1);
  }
  #index(operand, bracket) {
    const isOptional = this.#takeQuestion(bracket.offset, "[?");
    if (this.#reader.token.kind === "end") this.#reader.mismatched(INDEX_START);
    const index = this.#expression();
    this.#reader.expect("]");
    return this.#call(bracket.offset, isOptional ? "_[?_]" : "_[_]", [operand, index]);
  }
  #takeQuestion(offset, syntax) {
    const question = this.#reader.takeIf("?");
    if (question !== void 0 && !this.#options.hasOptionals) {
      this.#errors.report(offset, `unsupported syntax '${syntax}'`);
    }
    return question !== void 0;
  }
  /** Behind the opening parenthesis. */
  #arguments() {
    const args = [];
    if (this.#reader.takeIf(")") !== void 0) return args;
    do
      args.push(this.#expression());
    while (this.#reader.takeIf(",") !== void 0);
    this.#reader.expect(")");
    return args;
  }
  #primary() {
    const { token } = this.#reader;
    const isUnwanted = !isOperand(token) && !isSign(token, ")");
    if (isUnwanted && isOperand(this.#reader.ahead(1))) {
      this.#reader.skipUnwanted(OPERAND_START);
      return this.#primary();
    }
    if (this.#reader.takeIf("(") !== void 0) {
      const inner = this.#expression();
      this.#reader.expect(")");
      return inner;
    }
    if (this.#reader.is("[")) return this.#list();
    if (this.#reader.is("{")) return this.#map();
    if (token.kind === "identifier" || this.#reader.is(".")) return this.#named();
    return this.#literal();
  }
  #literal() {
    const minus = this.#isNumberNext() ? this.#reader.takeIf("-") : void 0;
    const { token } = this.#reader;
    const literal2 = parseLiteral(token, minus !== void 0);
    if (literal2 === void 0) return this.#reader.mismatched(OPERAND_START);
    this.#reader.take();
    const { offset } = minus ?? token;
    if (literal2.ok) return this.#node(offset, { kind: "literal", value: literal2.value });
    this.#errors.report(offset, literal2.message);
    return this.#node(offset, { kind: "broken" });
  }
  #named() {
    const dot = this.#reader.takeIf(".");
    if (this.#isMessage()) return this.#message(dot);
    const name = this.#reader.expectIdentifier();
    const start = dot ?? name;
    if (RESERVED2.has(name.text)) {
      this.#errors.report(start.offset, `reserved identifier: ${name.text}`);
      const isCall = this.#reader.takeIf("(") !== void 0;
      if (isCall) this.#arguments();
      return this.#node(start.offset, { kind: "broken" });
    }
    const full = dot === void 0 ? name.text : `.${name.text}`;
    const open = this.#reader.takeIf("(");
    if (open === void 0) return this.#node(name.offset, { kind: "ident", name: full });
    return this.#callOrMacro(open.offset, full, void 0, this.#arguments());
  }
  /** Names with dots and an opening brace behind them. */
  #isMessage() {
    let ahead = 0;
    while (this.#reader.ahead(ahead).kind === "identifier") {
      const next = this.#reader.ahead(ahead + 1);
      if (isSign(next, "{")) return true;
      if (!isSign(next, ".")) return false;
      ahead += 2;
    }
    return false;
  }
  #message(dot) {
    const names = [this.#reader.expectIdentifier().text];
    while (this.#reader.takeIf(".")) names.push(this.#reader.expectIdentifier().text);
    const { offset } = this.#reader.expect("{");
    const fields = [];
    while (!this.#reader.is("}") && !this.#isLastComma("}")) {
      const isOptional = this.#takeQuestion(this.#reader.token.offset, "?");
      const token = this.#reader.token;
      const isField = token.kind === "identifier" || token.kind === "escaped";
      if (!isField) this.#reader.mismatched("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
      const name2 = this.#fieldOf(this.#reader.take());
      const colon = this.#reader.expect(":");
      const value = this.#expression();
      fields.push({ name: name2, offset: colon.offset, value, isOptional });
      if (this.#reader.takeIf(",") === void 0) break;
    }
    this.#reader.takeIf(",");
    this.#reader.expect("}", "{'}', ','}");
    const name = (dot === void 0 ? "" : ".") + names.join(".");
    return this.#node(offset, { kind: "struct", name, fields });
  }
  #isLastComma(close) {
    return this.#reader.is(",") && isSign(this.#reader.ahead(1), close);
  }
  #list() {
    const { offset } = this.#reader.take();
    const items = [];
    const optional = /* @__PURE__ */ new Set();
    while (!this.#reader.is("]") && !this.#isLastComma("]")) {
      if (this.#takeQuestion(this.#reader.token.offset, "?")) optional.add(items.length);
      items.push(this.#expression());
      if (this.#reader.takeIf(",") === void 0) break;
    }
    this.#reader.takeIf(",");
    this.#reader.expect("]", "{']', ','}");
    const marked = optional.size === 0 ? NO_OPTIONALS : optional;
    return this.#node(offset, { kind: "list", items, optional: marked });
  }
  #map() {
    const { offset } = this.#reader.take();
    const entries = [];
    while (!this.#reader.is("}") && !this.#isLastComma("}")) {
      const isOptional = this.#takeQuestion(this.#reader.token.offset, "?");
      const key = this.#expression();
      this.#reader.expect(":");
      entries.push({ key, value: this.#expression(), isOptional });
      if (this.#reader.takeIf(",") === void 0) break;
    }
    this.#reader.takeIf(",");
    this.#reader.expect("}", "{'}', ','}");
    return this.#node(offset, { kind: "map", entries });
  }
  #callOrMacro(offset, name, target, args) {
    const macro = this.#macros.get(macroKey(name, args.length, target !== void 0));
    if (macro !== void 0) {
      const node = (form) => this.#node(offset, form);
      const copy = (expression) => copyTree(expression, (o, f) => this.#node(o, f));
      const nodes = { node, copy };
      const expanded = macro.expand(nodes, target ?? nodes.node({ kind: "broken" }), args);
      if (expanded instanceof MacroError) {
        this.#errors.report(expanded.offset, expanded.message);
        return this.#node(offset, { kind: "broken" });
      }
      if (expanded !== void 0) return expanded;
    }
    return this.#node(offset, { kind: "call", name, target, args });
  }
  #call(offset, name, args) {
    return this.#node(offset, { kind: "call", name, target: void 0, args });
  }
  #node(offset, form) {
    if (++this.nodeCount > NODES_MAX) {
      this.#errors.report(-1, `expression node limit exceeded: ${String(NODES_MAX)}`);
      throw new ParsingStopped();
    }
    return { id: this.nodeCount, offset, form };
  }
};
var RELATIONS = /* @__PURE__ */ new Map([
  ["<", "_<_"],
  ["<=", "_<=_"],
  [">", "_>_"],
  [">=", "_>=_"],
  ["==", "_==_"],
  ["!=", "_!=_"],
  ["in", "@in"]
]);
var PRODUCTS = /* @__PURE__ */ new Map([
  ["*", "_*_"],
  ["/", "_/_"],
  ["%", "_%_"]
]);
var SUMS = /* @__PURE__ */ new Map([
  ["+", "_+_"],
  ["-", "_-_"]
]);

// api/cel/attributes.ts
function attributeOf(run) {
  return { base: { kind: "value", run }, qualifiers: [] };
}
function choice(condition, isTrue, isFalse) {
  return { base: { kind: "choice", condition, isTrue, isFalse }, qualifiers: [] };
}
function qualified(attribute, qualifier) {
  const { base, qualifiers } = attribute;
  if (base.kind === "value") return { base, qualifiers: [...qualifiers, qualifier] };
  const isTrue = qualified(base.isTrue, qualifier);
  const isFalse = qualified(base.isFalse, qualifier);
  return { base: { ...base, isTrue, isFalse }, qualifiers };
}
function resolveAttribute({ base, qualifiers }) {
  if (base.kind === "choice") return resolveChoice(base);
  const { run } = base;
  if (qualifiers.length === 0) return run;
  const steps = qualifiers.map(stepOf);
  const areAllPlain = qualifiers.every(({ isOptional }) => !isOptional);
  return (frame) => {
    const start = run(frame);
    if (areAllPlain && !(start instanceof CelOptional)) return walk(frame, start, steps);
    return walkOptional(frame, start, steps);
  };
}
function resolveChoice(base) {
  const { condition } = base;
  const isTrue = resolveAttribute(base.isTrue);
  const isFalse = resolveAttribute(base.isFalse);
  return (frame) => {
    const chosen = condition(frame);
    if (chosen === true) return isTrue(frame);
    if (chosen === false) return isFalse(frame);
    return isError(chosen) ? chosen : NO_SUCH_OVERLOAD;
  };
}
function walk(frame, start, steps) {
  let value = start;
  for (const step of steps) {
    if (value instanceof CelError) return value;
    value = step.take(frame, value);
  }
  return value;
}
function walkOptional(frame, start, steps) {
  let isOptional = start instanceof CelOptional;
  let value = start;
  if (start instanceof CelOptional) {
    if (start.value === void 0) return start;
    value = start.value;
  }
  for (const step of steps) {
    if (value instanceof CelError) return value;
    isOptional ||= step.isOptional;
    const next = isOptional ? step.takeIfPresent(frame, value) : step.take(frame, value);
    if (next === void 0) return OPTIONAL_NONE;
    value = next;
  }
  return isOptional && !isError(value) ? new CelOptional(value) : value;
}
function stepOf({ key, isOptional, isTest }) {
  const find2 = isTest ? isThere : look;
  if (typeof key !== "function") {
    return {
      isOptional,
      take: (frame, from) => {
        charge(frame, 1);
        return orMissing(find2(from, key), from, key);
      },
      takeIfPresent: (frame, from) => paid(frame, ifThere(find2(from, key), isTest))
    };
  }
  return {
    isOptional,
    take: (frame, from) => {
      const index = key(frame);
      charge(frame, 1);
      return isError(index) ? index : orMissing(find2(from, index), from, index);
    },
    takeIfPresent: (frame, from) => {
      const index = key(frame);
      return isError(index) ? index : paid(frame, ifThere(find2(from, index), isTest));
    }
  };
}
function ifThere(found, isTest) {
  return isTest && found === false ? void 0 : found;
}
function paid(frame, found) {
  if (found !== void 0 && !isError(found)) charge(frame, 1);
  return found;
}
function isThere(from, key) {
  const found = look(from, key);
  if (found === void 0) return false;
  return isError(found) ? found : true;
}
function look(from, key) {
  if (from instanceof CelMap) return from.find(key);
  if (!(from instanceof CelList)) return void 0;
  const index = indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < from.size ? from.at(index) : void 0;
}
function orMissing(found, from, key) {
  if (found !== void 0) return found;
  const what = from instanceof CelList ? "index out of bounds" : "no such key";
  return new CelError(`${what}: ${goText(key)}`);
}
function indexOf(key) {
  if (isInt(key)) return Number(key);
  if (key instanceof CelUint) return Number(key.value);
  if (key instanceof CelDouble) {
    if (Number.isInteger(key.value)) return key.value;
    return new CelError(`unsupported index value ${goText(key)} in list`);
  }
  return new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}

// api/cel/call-costs.ts
var STRING_FACTOR = 0.1;
var REGEX_FACTOR = 0.25;
var LIST_COST = 10;
var MAP_COST = 30;
var STRUCT_COST = 40;
function standardCallCost(overloadId) {
  return COSTS.get(overloadId) ?? 1;
}
function sizeOf(value) {
  if (typeof value === "string") return characterCount(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof CelBytes) return value.bytes.length;
  return value instanceof CelOpaque ? value.costSize : 1;
}
function sizeOfArgument(value) {
  return value instanceof CelOptional && value.value !== void 0 ? sizeOfArgument(value.value) : sizeOf(value);
}
function traversal(size2) {
  return Math.ceil(size2 * STRING_FACTOR);
}
var first = ([value]) => traversal(sizeOfArgument(value));
var smaller = ([left, right]) => traversal(Math.min(sizeOfArgument(left), sizeOfArgument(right)));
var sum = ([left, right]) => traversal(sizeOfArgument(left) + sizeOfArgument(right));
var COSTS = new Map([
  ...[
    "starts_with_string",
    "ends_with_string",
    "string_to_bytes",
    "bytes_to_string",
    "strings_quote",
    "string_format"
  ].map((id) => [id, first]),
  ["in_list", ([, list]) => sizeOfArgument(list)],
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((operator2) => [
    [`${operator2}_string`, smaller],
    [`${operator2}_bytes`, smaller]
  ]),
  ["equals", smaller],
  ["not_equals", smaller],
  ["add_string", sum],
  ["add_bytes", sum],
  [
    "matches_string",
    ([text, pattern]) => traversal(1 + sizeOfArgument(text)) * Math.ceil(sizeOfArgument(pattern) * REGEX_FACTOR)
  ],
  [
    "contains_string",
    ([text, part2]) => traversal(sizeOfArgument(text)) * traversal(sizeOfArgument(part2))
  ]
]);

// api/cel/fold-run.ts
function foldRun(runs) {
  const { slots, hasTwo, range: range2, condition, step, result } = runs;
  return (frame) => {
    const over = range2(frame);
    if (isError(over)) return over;
    const { locals } = frame;
    const outer = locals[slots.accumulator];
    locals[slots.accumulator] = void 0;
    const visit2 = (first3, second) => {
      locals[slots.first] = first3;
      if (hasTwo) locals[slots.second] = second;
      const goesOn = condition(frame);
      if (goesOn === false) return false;
      const next = step(frame);
      locals[slots.accumulator] = next;
      return true;
    };
    const failed3 = iterate(over, hasTwo, visit2);
    const value = failed3 ?? result(frame);
    locals[slots.accumulator] = outer;
    return value instanceof MutableList || value instanceof MutableMap ? value.finished() : value;
  };
}
function iterate(over, hasTwo, visit2) {
  if (over instanceof CelList) {
    for (let index = 0; index < over.size; index++) {
      const item = over.at(index);
      if (!visit2(hasTwo ? index : item, item)) break;
    }
    return void 0;
  }
  if (!(over instanceof CelMap)) return new CelError("no such overload");
  for (const key of over.keys()) {
    if (!visit2(key, hasTwo ? over.find(key) ?? null : null)) break;
  }
  return void 0;
}

// api/cel/plan-form.ts
function isConstant(plan2) {
  return plan2.kind === "constant";
}

// api/cel/plan-call.ts
function planCall(call2) {
  const { declared, plans, runs } = call2;
  const { name } = declared;
  const overloadId = overloadIdOf(call2);
  const cost = call2.callCostOf(name, overloadId) ?? standardCallCost(overloadId);
  if (name === "_==_" || name === "_!=_") {
    return { kind: "run", run: equalityRun(runs, name === "_==_", cost) };
  }
  const [, collection] = plans;
  if (overloadId === "in_list" && collection !== void 0 && isConstant(collection)) {
    const membership = membershipRun(runs, collection.value);
    if (membership !== void 0) return membership;
  }
  const pattern = patternOf(name, plans);
  const constantPattern = pattern === void 0 ? void 0 : compileConstantPattern(name, pattern);
  if (constantPattern instanceof CelError) return constantPattern;
  const implementation = constantPattern ?? implementationOf(call2);
  const isHasty = constantPattern !== void 0 || runs.length > 2;
  const run = callRun(runs, { implementation, cost, isHasty, isLenient: declared.isLenient });
  const [only] = plans;
  const isFixed = CONVERSIONS.has(name) && plans.length === 1 && only !== void 0;
  if (!isFixed || !isConstant(only)) return { kind: "run", run };
  const value = implementation(only.value, null, null, null);
  return isError(value) ? value : { kind: "constant", value };
}
var CONVERSIONS = new Set(
  "bool bytes double duration dyn int string timestamp type uint".split(" ")
);
function overloadIdOf({ declared, overloads }) {
  if (declared.name === "_==_") return "equals";
  if (declared.name === "_!=_") return "not_equals";
  const [only] = overloads;
  return overloads.length === 1 && only !== void 0 ? only.id : "";
}
function implementationOf({ declared, overloads }) {
  const { name, run, isUnguarded } = declared;
  if (run !== void 0) return run;
  const [only] = overloads;
  if (overloads.length === 1 && only?.run !== void 0) {
    return isUnguarded ? only.run : guarded(name, [only]);
  }
  return guarded(name, declared.overloads);
}
function guarded(name, overloads) {
  const runnable = overloads.flatMap(
    ({ parameters, run }) => run === void 0 ? [] : [{ parameters, run }]
  );
  const arity = Math.max(...overloads.map(({ parameters }) => parameters.length));
  return (...args) => {
    const found = runnable.find(
      ({ parameters }) => parameters.every((type, index) => isOfType(args[index] ?? null, type))
    );
    if (found !== void 0) return found.run(...args);
    const types = args.slice(0, arity).map((value) => typeOfValue(value).name);
    return new CelError(`no such overload: ${name}(${types.join(", ")})`);
  };
}
function callRun(runs, parts) {
  const [first3, second] = runs;
  if (first3 === void 0) return nullaryRun(parts);
  if (parts.isHasty) return hastyRun(runs, parts);
  return second === void 0 ? unaryRun(first3, parts) : binaryRun(first3, second, parts);
}
function nullaryRun({ implementation, cost }) {
  return (frame) => {
    const value = implementation(null, null, null, null);
    pay(frame, cost, [], value);
    return value;
  };
}
function unaryRun(first3, { implementation, cost, isLenient }) {
  return (frame) => {
    const argument = first3(frame);
    const value = isLenient || !isError(argument) ? implementation(argument, null, null, null) : argument;
    if (typeof cost === "number") charge(frame, cost);
    else charge(frame, cost([argument], value));
    return value;
  };
}
function binaryRun(first3, second, { implementation, cost }) {
  return (frame) => {
    const left = first3(frame);
    const right = second(frame);
    let value;
    if (isError(left)) value = left;
    else if (isError(right)) value = right;
    else value = implementation(left, right, null, null);
    if (typeof cost === "number") charge(frame, cost);
    else charge(frame, cost([left, right], value));
    return value;
  };
}
function hastyRun(runs, { implementation, cost }) {
  return (frame) => {
    const args = [];
    let failed3;
    for (const run of runs) {
      const argument = run(frame);
      args.push(argument);
      if (!isError(argument)) continue;
      failed3 = argument;
      break;
    }
    const [first3 = null, second = null, third = null, fourth = null] = args;
    const value = failed3 ?? implementation(first3, second, third, fourth);
    if (args.length === runs.length) pay(frame, cost, args, value);
    return value;
  };
}
function pay(frame, cost, args, value) {
  charge(frame, typeof cost === "number" ? cost : cost(args, value));
}
function equalityRun(runs, isEqual, cost) {
  const [first3, second] = runs;
  if (first3 === void 0 || second === void 0) throw new RangeError("equality has two sides");
  const implementation = (left, right) => areEqual(left, right) === isEqual;
  return binaryRun(first3, second, { implementation, cost, isHasty: false, isLenient: false });
}
function membershipRun(runs, list) {
  const [searched] = runs;
  if (searched === void 0 || !(list instanceof CelList)) return void 0;
  if (list.size === 0) return { kind: "constant", value: false };
  const strings = /* @__PURE__ */ new Set();
  for (let index = 0; index < list.size; index++) {
    const item = list.at(index);
    if (!isPrimitive(item)) return void 0;
    strings.add(item);
  }
  const run = (frame) => {
    const value = searched(frame);
    if (isError(value)) return value;
    return typeof value === "string" ? strings.has(value) : list.contains(value);
  };
  return { kind: "run", run };
}
var PRIMITIVES = /* @__PURE__ */ new Set([
  "bool",
  "double",
  "int",
  "string",
  "uint",
  "null"
]);
function isPrimitive(value) {
  return PRIMITIVES.has(typeOfValue(value).kind);
}
function patternOf(name, plans) {
  const pattern = plans[1];
  if (!PATTERNED.has(name) || pattern === void 0 || !isConstant(pattern)) return void 0;
  return typeof pattern.value === "string" ? pattern.value : void 0;
}
var PATTERNED = /* @__PURE__ */ new Set(["matches", "find", "findAll"]);

// api/cel/plan.ts
function plan(checked3, environment) {
  const planner = new Planner(checked3, environment);
  try {
    const run = runOf(planner.plan(checked3.root));
    return { ok: true, run, localCount: planner.localCount };
  } catch (error) {
    if (error instanceof NoPlan) return { ok: false, message: error.message };
    throw error;
  }
}
var NoPlan = class extends Error {
  name = "NoPlan";
};
function runOf(planned) {
  if (isConstant(planned)) {
    const { value } = planned;
    return () => value;
  }
  if (planned.kind === "run") return planned.run;
  const resolve = resolveAttribute(planned.attribute);
  const { attribute, isTest } = planned;
  if (isTest) return (frame) => isPresent(resolve(frame));
  if (attribute.base.kind === "choice") return resolve;
  return (frame) => {
    const value = resolve(frame);
    charge(frame, 1);
    return value;
  };
}
function isPresent(found) {
  return found instanceof CelOptional ? found.value !== void 0 : found;
}
var Planner = class {
  #checked;
  #environment;
  #scopes = [];
  localCount = 0;
  constructor(checked3, environment) {
    this.#checked = checked3;
    this.#environment = environment;
  }
  plan(node) {
    const { form } = node;
    switch (form.kind) {
      case "literal":
        return { kind: "constant", value: form.value };
      case "ident":
        return this.#planIdent(node, form.name);
      case "select":
        return this.#planSelect(form);
      case "call":
        return this.#planCall(node, form);
      case "list":
        return this.#planList(form);
      case "map":
        return this.#planMap(form.entries);
      case "struct":
        return this.#planStruct(form);
      case "fold":
        return { kind: "run", run: this.#planFold(form) };
      case "broken":
        throw new NoPlan("unsupported expression");
    }
  }
  #planIdent(node, name) {
    const identifier = this.#checked.identifierOf(node);
    if (identifier?.value !== void 0) return { kind: "constant", value: identifier.value };
    const local = this.#localOf(name);
    const run = local === void 0 ? readVariable(name) : readLocal(local);
    return { kind: "attribute", attribute: attributeOf(run), isTest: false };
  }
  #localOf(name) {
    return this.#scopes.findLast((scope) => scope.has(name))?.get(name);
  }
  #planSelect({ operand, field, isTest }) {
    return select(this.plan(operand), { key: field, isOptional: false, isTest });
  }
  #planCall(node, form) {
    const operands = form.target === void 0 ? form.args : [form.target, ...form.args];
    const plans = operands.map((operand) => this.plan(operand));
    const [first3, second, third] = plans;
    if (first3 !== void 0 && second !== void 0) {
      switch (form.name) {
        case "_&&_":
          return { kind: "run", run: both(runOf(first3), runOf(second), false) };
        case "_||_":
          return { kind: "run", run: both(runOf(first3), runOf(second), true) };
        case "_?_:_":
          return conditional(first3, second, third ?? second);
        case "_[_]":
          return select(first3, this.#indexBy(second, false));
        case "_[?_]":
        case "_?._":
          return select(first3, this.#indexBy(second, true));
        case "or":
          return { kind: "run", run: optionalOr(runOf(first3), runOf(second), false) };
        case "orValue":
          return { kind: "run", run: optionalOr(runOf(first3), runOf(second), true) };
        default:
      }
    }
    const declared = this.#environment.function(form.name);
    if (declared === void 0) throw new NoPlan(`no such overload: ${form.name}`);
    const planned = planCall({
      declared,
      overloads: this.#checked.overloadsOf(node),
      plans,
      runs: plans.map(runOf),
      callCostOf: this.#environment.callCostOf
    });
    if (planned instanceof CelError) throw new NoPlan(planned.message);
    return planned;
  }
  #indexBy(index, isOptional) {
    if (isConstant(index)) {
      const isUsable = isMapKey(index.value) && index.value !== null;
      if (!isUsable) throw new NoPlan(`invalid qualifier type: ${goTypeName(index.value)}`);
      return { key: index.value, isOptional, isTest: false };
    }
    const key = index.kind === "run" ? index.run : resolveAttribute(index.attribute);
    return { key, isOptional, isTest: false };
  }
  #planList({ items, optional }) {
    const plans = items.map((item) => this.plan(item));
    const runs = plans.map(runOf);
    if (plans.every(isConstant) && optional.size === 0) {
      return { kind: "constant", value: new ValueList(plans.map(({ value }) => value)) };
    }
    const run = (frame) => {
      const values = [];
      let failed3;
      for (const [index, item] of runs.entries()) {
        const value = optional.has(index) ? unwrap(item(frame), ITEM) : item(frame);
        if (value instanceof CelError) {
          failed3 = value;
          break;
        }
        if (value !== void 0) values.push(value);
      }
      charge(frame, LIST_COST);
      return failed3 ?? new ValueList(values);
    };
    return { kind: "run", run };
  }
  #planMap(entries) {
    const plans = entries.map(({ key, value, isOptional }) => {
      return { key: this.plan(key), value: this.plan(value), isOptional };
    });
    const runs = plans.map(({ key, value, isOptional }) => {
      return { key: runOf(key), value: runOf(value), isOptional };
    });
    const build = (frame) => {
      const map = new ValueMap();
      for (const entry of runs) {
        const failed3 = putEntry(map, entry, frame);
        if (failed3 !== void 0) return failed3;
      }
      return map;
    };
    const areConstant = plans.every(({ key, value }) => isConstant(key) && isConstant(value));
    if (areConstant) return { kind: "constant", value: build(NO_FRAME) };
    const run = (frame) => {
      const map = build(frame);
      charge(frame, MAP_COST);
      return map;
    };
    return { kind: "run", run };
  }
  #planStruct({ name, fields }) {
    const { structs: structs2 } = this.#environment;
    const runs = fields.map((field) => ({ ...field, run: runOf(this.plan(field.value)) }));
    const run = (frame) => {
      const values = /* @__PURE__ */ new Map();
      for (const field of runs) {
        const value = field.isOptional ? unwrap(field.run(frame), () => `optional entry '${field.name}'`) : field.run(frame);
        if (value instanceof CelError) return value;
        if (value !== void 0) values.set(field.name, value);
      }
      charge(frame, STRUCT_COST);
      return structs2.make?.(name, values) ?? new CelError(`unknown type: ${name}`);
    };
    return { kind: "run", run };
  }
  #planFold(form) {
    const init = runOf(this.plan(form.init));
    const range2 = runOf(this.plan(form.range));
    const accumulator = this.#newLocal(init);
    const first3 = this.#newLocal(void 0);
    const second = this.#newLocal(void 0);
    const outer = /* @__PURE__ */ new Map([[form.accumulator, accumulator]]);
    this.#scopes.push(outer);
    const loop = /* @__PURE__ */ new Map([[form.variable, first3]]);
    if (form.secondVariable !== "") loop.set(form.secondVariable, second);
    this.#scopes.push(loop);
    const condition = runOf(this.plan(form.condition));
    const step = runOf(this.plan(form.step));
    this.#scopes.pop();
    const result = runOf(this.plan(form.result));
    this.#scopes.pop();
    const slots = { accumulator: accumulator.slot, first: first3.slot, second: second.slot };
    const hasTwo = form.secondVariable !== "";
    return foldRun({ slots, hasTwo, range: range2, condition, step, result });
  }
  #newLocal(init) {
    return { slot: this.localCount++, init: init === void 0 ? void 0 : accumulating(init) };
  }
};
var NO_FRAME = { variables: /* @__PURE__ */ new Map(), locals: [], cost: 0, costMax: Infinity };
var ITEM = () => "optional list element";
function readVariable(name) {
  const missing = new CelError(`no such attribute(s): ${name}`);
  return ({ variables }) => {
    const value = variables.get(name);
    return value === void 0 ? missing : value;
  };
}
function readLocal({ slot, init }) {
  return (frame) => {
    const value = frame.locals[slot];
    if (value !== void 0) return value;
    const initial = init?.(frame) ?? null;
    frame.locals[slot] = initial;
    return initial;
  };
}
function accumulating(init) {
  return (frame) => {
    const value = init(frame);
    if (value instanceof CelList && value.size === 0) return new MutableList([]);
    return value instanceof CelMap && value.size === 0 ? new MutableMap() : value;
  };
}
function select(planned, qualifier) {
  const attribute = planned.kind === "attribute" ? planned.attribute : attributeOf(runOf(planned));
  return {
    kind: "attribute",
    attribute: qualified(attribute, qualifier),
    isTest: qualifier.isTest
  };
}
function conditional(condition, isTrue, isFalse) {
  const branch = (of) => of.kind === "attribute" ? of.attribute : attributeOf(runOf(of));
  const attribute = choice(runOf(condition), branch(isTrue), branch(isFalse));
  return { kind: "attribute", attribute, isTest: false };
}
function both(left, right, decisive) {
  return (frame) => {
    const first3 = left(frame);
    if (first3 === decisive) return decisive;
    const second = right(frame);
    if (second === decisive) return decisive;
    if (typeof first3 !== "boolean") return isError(first3) ? first3 : NO_SUCH_OVERLOAD;
    if (typeof second !== "boolean") return isError(second) ? second : NO_SUCH_OVERLOAD;
    return !decisive;
  };
}
function optionalOr(left, right, isValue) {
  return (frame) => {
    const optional = left(frame);
    if (!(optional instanceof CelOptional)) return optional;
    if (optional.value === void 0) return right(frame);
    return isValue ? optional.value : optional;
  };
}
function unwrap(value, what) {
  if (value instanceof CelOptional) return value.value;
  if (isError(value)) return value;
  return new CelError(`cannot initialize ${what()} from non-optional value ${goText(value)}`);
}
function putEntry(map, entry, frame) {
  const key = entry.key(frame);
  if (isError(key)) return key;
  const value = entry.isOptional ? unwrap(entry.value(frame), () => `optional entry '${goText(key)}'`) : entry.value(frame);
  if (value instanceof CelError) return value;
  if (value === void 0) map.remove(key);
  else map.set(key, value);
  return void 0;
}
function goTypeName(value) {
  if (value instanceof CelBytes) return "types.Bytes";
  return value === null ? "types.Null" : "*types.Type";
}

// api/cel/environment.ts
var NO_COSTS = () => void 0;
var Environment = class _Environment {
  #parts;
  #functions;
  #identifiers;
  constructor(parts, functions, identifiers) {
    this.#parts = parts;
    this.#functions = functions;
    this.#identifiers = identifiers;
  }
  /** With the language itself and nothing else. */
  static standard() {
    const functions = mergeFunctions(/* @__PURE__ */ new Map(), STANDARD);
    const parts = { macros: STANDARD_MACROS };
    return new _Environment(parts, functions, typeIdentifiers(STANDARD_TYPES));
  }
  /** This environment and `more`; costs little when `more` has no functions. */
  extend(more) {
    const { variables = [], functions = [], macros = [], types = [], ...rest } = more;
    const merged = {
      ...this.#parts,
      ...rest,
      macros: macros.length === 0 ? this.#macros : [...this.#macros, ...macros]
    };
    const all2 = functions.length === 0 ? this.#functions : mergeFunctions(this.#functions, functions);
    const identifiers = new Map([...this.#identifiers, ...typeIdentifiers(types)]);
    for (const variable of variables) identifiers.set(variable.name, variable);
    return new _Environment(merged, all2, identifiers);
  }
  get callCostOf() {
    return this.#parts.callCostOf ?? NO_COSTS;
  }
  /** The types of `text`, or what is wrong with it. */
  check(text) {
    const parsed = parse(text, {
      macros: this.#macros,
      hasOptionals: this.#parts.hasOptionals ?? false,
      hasEscapedFields: this.#parts.hasEscapedFields ?? false
    });
    if (!parsed.ok) return { ok: false, message: parsed.errors.toString() };
    const errors = new SourceErrors(text);
    const types = check(parsed.root, this.#checkerEnvironment(), errors);
    if (errors.count === 0 && this.#parts.checksLiterals === true) checkLiterals(types, errors);
    return errors.count === 0 ? { ok: true, types } : { ok: false, message: errors.toString() };
  }
  compile(text) {
    const checked3 = this.check(text);
    if (!checked3.ok) return { ...checked3, during: "check" };
    const planned = plan(checked3.types, {
      structs: this.#structs,
      callCostOf: this.callCostOf,
      function: (name) => this.#functions.get(name)
    });
    if (!planned.ok) return { ...planned, during: "plan", types: checked3.types };
    const { run, localCount } = planned;
    return { ok: true, program: new CompiledProgram(checked3.types, run, localCount) };
  }
  get #macros() {
    return this.#parts.macros ?? [];
  }
  get #structs() {
    return this.#parts.structs ?? NO_STRUCTS;
  }
  #checkerEnvironment() {
    const { container = "", hasMixedLiterals = false } = this.#parts;
    return {
      container,
      hasMixedLiterals,
      structs: this.#structs,
      variable: (name) => firstOf(candidates(container, name), (candidate) => this.#identifier(candidate)),
      function: (name) => firstOf(candidates(container, name), (candidate) => this.#functions.get(candidate))
    };
  }
  #identifier(name) {
    const known2 = this.#identifiers.get(name);
    if (known2 !== void 0 || !this.#structs.has(name)) return known2;
    return typeIdentifier(structType(name));
  }
};
function candidates(container, name) {
  if (name.startsWith(".")) return [name.slice(1)];
  if (container === "") return [name];
  const parts = container.split(".");
  const prefixes = parts.map((_, index) => parts.slice(0, parts.length - index).join("."));
  return [...prefixes.map((prefix) => `${prefix}.${name}`), name];
}
function firstOf(names, find2) {
  for (const name of names) {
    const found = find2(name);
    if (found !== void 0) return found;
  }
  return void 0;
}
var STANDARD_TYPES = [
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  LIST,
  MAP,
  NULL,
  optionalOf(DYN),
  STRING,
  TIMESTAMP,
  TYPE,
  UINT
];
function typeIdentifiers(types) {
  return new Map(types.map((type) => [type.name, typeIdentifier(type)]));
}
function typeIdentifier(type) {
  return { name: type.name, type: typeType(type), value: new CelTypeValue(type) };
}
var COST_EXCEEDED = new CelError(new CostLimitExceeded().message);
var CompiledProgram = class {
  types;
  #run;
  #localCount;
  constructor(types, run, localCount) {
    this.types = types;
    this.#run = run;
    this.#localCount = localCount;
  }
  get resultType() {
    return this.types.typeOf(this.types.root);
  }
  uses(name) {
    return this.types.names.has(name);
  }
  evaluate(variables, options = {}) {
    const { costMax = Number.POSITIVE_INFINITY } = options;
    const locals = new Array(this.#localCount);
    const frame = { variables, locals, cost: 0, costMax };
    try {
      const value = this.#run(frame);
      return { value, cost: frame.cost, isCostExceeded: false };
    } catch (error) {
      if (!(error instanceof CostLimitExceeded)) throw error;
      return { value: COST_EXCEEDED, cost: frame.cost, isCostExceeded: true };
    }
  }
};

// api/meta/names.ts
var NO_PROBLEMS = Object.freeze([]);
var LABEL_BYTES_MAX = 63;
var SUBDOMAIN_BYTES_MAX = 253;
var DNS1123_LABEL_FORMAT = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
var DNS1123_SUBDOMAIN_FORMAT = `${DNS1123_LABEL_FORMAT}(\\.${DNS1123_LABEL_FORMAT})*`;
var DNS1035_LABEL_FORMAT = "[a-z]([-a-z0-9]*[a-z0-9])?";
var LABEL_KEY_FORMAT = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
var DNS1123_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
var DNS1123_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
var DNS1035_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
var LABEL_KEY = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
var DNS1123_LABEL_SENTENCE = withFormat(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  DNS1123_LABEL_FORMAT,
  ["my-name", "123-abc"]
);
var DNS1123_SUBDOMAIN_SENTENCE = withFormat(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS1123_SUBDOMAIN_FORMAT,
  ["example.com"]
);
var DNS1035_LABEL_SENTENCE = withFormat(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  DNS1035_LABEL_FORMAT,
  ["my-name", "abc-123"]
);
var LABEL_KEY_SENTENCE = withFormat(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_KEY_FORMAT,
  ["MyName", "my.name", "123-abc"]
);
var LABEL_VALUE_SENTENCE = withFormat(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${LABEL_KEY_FORMAT})?`,
  ["MyValue", "my_value", "12345"]
);
function isDns1123Label(value) {
  return value.length <= LABEL_BYTES_MAX && DNS1123_LABEL.test(value);
}
function isDns1123Subdomain(value) {
  return value.length <= SUBDOMAIN_BYTES_MAX && DNS1123_SUBDOMAIN.test(value);
}
function isDns1035Label(value) {
  return value.length <= LABEL_BYTES_MAX && DNS1035_LABEL.test(value);
}
function isQualifiedName(value) {
  const slash = value.indexOf("/");
  if (slash < 0) return value.length <= LABEL_BYTES_MAX && LABEL_KEY.test(value);
  const name = value.slice(slash + 1);
  return name.length <= LABEL_BYTES_MAX && LABEL_KEY.test(name) && isDns1123Subdomain(value.slice(0, slash));
}
function isLabelValue(value) {
  return value === "" || value.length <= LABEL_BYTES_MAX && LABEL_KEY.test(value);
}
function dns1123LabelProblems(value) {
  if (isDns1123Label(value)) return NO_PROBLEMS;
  const problems = tooLongInCharacters(value, LABEL_BYTES_MAX);
  if (DNS1123_LABEL.test(value)) return problems;
  const isSubdomain = DNS1123_SUBDOMAIN.test(value);
  return [...problems, isSubdomain ? "must not contain dots" : DNS1123_LABEL_SENTENCE];
}
function dns1123SubdomainProblems(value) {
  if (isDns1123Subdomain(value)) return NO_PROBLEMS;
  const problems = tooLongInCharacters(value, SUBDOMAIN_BYTES_MAX);
  return DNS1123_SUBDOMAIN.test(value) ? problems : [...problems, DNS1123_SUBDOMAIN_SENTENCE];
}
function dns1035LabelProblems(value) {
  if (isDns1035Label(value)) return NO_PROBLEMS;
  const problems = tooLongInCharacters(value, LABEL_BYTES_MAX);
  return DNS1035_LABEL.test(value) ? problems : [...problems, DNS1035_LABEL_SENTENCE];
}
function qualifiedNameProblems(value) {
  if (isQualifiedName(value)) return NO_PROBLEMS;
  const slash = value.indexOf("/");
  if (slash < 0) return namePartProblems(value);
  if (value.includes("/", slash + 1)) {
    const hint = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${LABEL_KEY_SENTENCE}${hint}`];
  }
  const prefix = prefixPartProblems(value.slice(0, slash));
  return [...prefix, ...namePartProblems(value.slice(slash + 1))];
}
function labelValueProblems(value) {
  if (isLabelValue(value)) return NO_PROBLEMS;
  const problems = tooLongInBytes(value, LABEL_BYTES_MAX);
  return LABEL_KEY.test(value) ? problems : [...problems, LABEL_VALUE_SENTENCE];
}
function nameIsDnsSubdomain(name, prefix) {
  return dns1123SubdomainProblems(prefix ? withoutTrailingDash(name) : name);
}
function nameIsDnsLabel(name, prefix) {
  return dns1123LabelProblems(prefix ? withoutTrailingDash(name) : name);
}
function nameIsDns1035Label(name, prefix) {
  return dns1035LabelProblems(prefix ? withoutTrailingDash(name) : name);
}
function withFormat(sentence, format2, examples) {
  if (examples.length === 0) return `${sentence} (regex used for validation is '${format2}')`;
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${sentence} (e.g. ${list}regex used for validation is '${format2}')`;
}
function prefixPartProblems(prefix) {
  if (prefix === "") return ["prefix part must be non-empty"];
  if (isDns1123Subdomain(prefix)) return NO_PROBLEMS;
  const problems = tooLongInBytes(prefix, SUBDOMAIN_BYTES_MAX);
  if (!DNS1123_SUBDOMAIN.test(prefix)) problems.push(DNS1123_SUBDOMAIN_SENTENCE);
  return problems.map((problem) => `prefix part ${problem}`);
}
function namePartProblems(name) {
  const problems = name === "" ? ["must be non-empty"] : tooLongInBytes(name, LABEL_BYTES_MAX);
  if (!LABEL_KEY.test(name)) problems.push(LABEL_KEY_SENTENCE);
  return problems.map((problem) => `name part ${problem}`);
}
function tooLongInCharacters(value, bytesMax) {
  return isLonger(value, bytesMax) ? [`must be no more than ${String(bytesMax)} characters`] : [];
}
function tooLongInBytes(value, bytesMax) {
  return isLonger(value, bytesMax) ? [`must be no more than ${String(bytesMax)} bytes`] : [];
}
function isLonger(value, bytesMax) {
  return value.length > bytesMax || Buffer.byteLength(value) > bytesMax;
}
function withoutTrailingDash(name) {
  if (name.length < 2 || !name.endsWith("-")) return name;
  const isAscii = name.charCodeAt(name.length - 2) < 128;
  return isAscii ? `${name.slice(0, -2)}a` : name.slice(0, -1);
}

// api/structural-schema/format-addresses.ts
function isIpv4(text) {
  if (!text.includes(".")) return false;
  const colon = text.indexOf(":");
  const isFour = colon < 0 || text.indexOf(".") < colon;
  return isFour ? isFourNumbers(text, "lenient") : isGroups(text, "lenient");
}
function isIpv6(text) {
  return text.includes(":") && isGroups(text, "strict");
}
function isCidr(text) {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  const isFour = isFourNumbers(address, "lenient");
  if (!isFour && !isGroups(address, "lenient")) return false;
  return /^\d+$/.test(prefix) && Number(prefix) <= (isFour ? 32 : 128);
}
var PAIRS = /^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1)*[0-9a-f]{2}$/i;
var QUADS = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i;
var MAC_TEXT_MAX = 59;
var MAC_BYTES = [6, 8, 20];
function isMac(text) {
  if (text.length > MAC_TEXT_MAX) return false;
  if (PAIRS.test(text)) return MAC_BYTES.includes((text.length + 1) / 3);
  return QUADS.test(text) && MAC_BYTES.includes(2 * (text.length + 1) / 5);
}
function isFourNumbers(text, leniency) {
  const parts = text.split(".", 5);
  const shape = leniency === "strict" ? /^(?:0|[1-9]\d{0,2})$/ : /^\d+$/;
  return parts.length === 4 && parts.every((part2) => shape.test(part2) && Number(part2) <= 255);
}
var GROUPS_MAX = 8;
function isGroups(text, leniency) {
  const halves = text.split("::", 3);
  if (halves.length > 2) return false;
  const [before = "", after] = halves;
  const groups = [groupsOf(before), groupsOf(after ?? "")].flat();
  const shape = leniency === "strict" ? /^[0-9a-f]{1,4}$/i : /^(?=.)0*[0-9a-f]{0,4}$/i;
  const last = groups.at(-1) ?? "";
  const endsInFour = last.includes(".") && after !== "" && isFourNumbers(last, leniency);
  const hex2 = endsInFour ? groups.slice(0, -1) : groups;
  if (!hex2.every((group) => shape.test(group))) return false;
  const count = hex2.length + (endsInFour ? 2 : 0);
  return after === void 0 ? count === GROUPS_MAX : count < GROUPS_MAX;
}
function groupsOf(half) {
  return half === "" ? [] : half.split(":", GROUPS_MAX + 1);
}

// api/structural-schema/format-uri.ts
var CONTROL = /[\u0000-\u001f\u007f]/;
var SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
var BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
var USER_INFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
var PORT = /^(?::\d*)?$/;
var HOST = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/;
var ESCAPED_ASCII = /%(?!25)[0-7]/;
function isRequestUri(text) {
  if (text === "" || CONTROL.test(text)) return false;
  if (text === "*") return true;
  if (text.startsWith(":")) return false;
  const scheme = SCHEME.exec(text)?.[1] ?? "";
  const rest = withoutQuery(scheme === "" ? text : text.slice(scheme.length + 1));
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme === "" || !rest.startsWith("//")) return isEscaped(rest);
  const end2 = rest.indexOf("/", 2);
  const authority = end2 < 0 ? rest.slice(2) : rest.slice(2, end2);
  const path = end2 < 0 ? "" : rest.slice(end2);
  return isAuthority(authority, scheme.toLowerCase()) && isEscaped(path);
}
function withoutQuery(text) {
  const mark = text.indexOf("?");
  return mark < 0 ? text : text.slice(0, mark);
}
function isEscaped(text) {
  return !BROKEN_ESCAPE.test(text);
}
function isAuthority(authority, scheme) {
  const at2 = authority.lastIndexOf("@");
  const user = authority.slice(0, Math.max(at2, 0));
  return isHost(authority.slice(at2 + 1), scheme) && USER_INFO.test(user) && isEscaped(user);
}
function isHost(host, scheme) {
  const open = host.lastIndexOf("[");
  if (open > 0) return false;
  if (open === 0) return isBracketed(host);
  const isWeb = scheme === "http" || scheme === "https";
  const colon = isWeb ? host.indexOf(":") : host.lastIndexOf(":");
  return (colon < 0 || PORT.test(host.slice(colon))) && isHostText(host);
}
function isHostText(text) {
  return HOST.test(text) && isEscaped(text) && !ESCAPED_ASCII.test(text);
}
function isBracketed(host) {
  const close = host.lastIndexOf("]");
  if (close < 0 || !PORT.test(host.slice(close + 1))) return false;
  const [address = "", ...zones2] = host.slice(1, close).split("%25");
  if (!isHostText(address) || address.includes("%")) return false;
  const hasZone = zones2.length > 0;
  return isIpv6(address) && (!hasZone || isZone(zones2.join("%25")));
}
var ZONE_ESCAPE = /%([0-9A-Fa-f]{2})/g;
function isZone(zone) {
  if (zone === "" || !HOST.test(zone) || !isEscaped(zone)) return false;
  return [...zone.matchAll(ZONE_ESCAPE)].every(([escape, code = ""]) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return escape === "%25" || character === " " || character !== "%" && isAsciiOfHost(character);
  });
}
function isAsciiOfHost(character) {
  return character < "\x80" && HOST.test(character);
}

// api/structural-schema/format-email.ts
function isEmail(text) {
  return new AddressReader(text).readWhole();
}
var SPECIALS = '()<>[]:;@\\,"';
var ENCODED_WORD = /^=\?([^?]+)\?[bq]\?[^?]*\?=$/i;
var CHARSETS = ["utf-8", "us-ascii", "iso-8859-1"];
var LEADING_ZERO = /(?:^|\.)0\d/;
var AddressReader = class {
  #text;
  #at = 0;
  constructor(text) {
    this.#text = text;
  }
  readWhole() {
    const count = this.#readAddress(true);
    return count === 1 && this.#skipComments() && this.#isAtEnd();
  }
  /** How many addresses there were; undefined when they cannot be read. */
  #readAddress(mayBeGroup) {
    this.#skipSpace();
    if (this.#isAtEnd()) return void 0;
    if (this.#readAddressItself()) {
      this.#skipSpace();
      return this.#peek() !== "(" || this.#readNameInComment() ? 1 : void 0;
    }
    if (this.#peek() !== "<" && !this.#readPhrase()) return void 0;
    this.#skipSpace();
    if (mayBeGroup && this.#consume(":")) return this.#readGroup();
    const isEnclosed = this.#consume("<") && this.#readAddressItself() && this.#consume(">");
    return isEnclosed ? 1 : void 0;
  }
  #readGroup() {
    let count = 0;
    this.#skipSpace();
    if (this.#consume(";")) return this.#skipComments() ? 0 : void 0;
    for (; ; ) {
      this.#skipSpace();
      if (this.#readAddress(false) === void 0 || !this.#skipComments()) return void 0;
      count++;
      if (this.#consume(";")) return this.#skipComments() ? count : void 0;
      if (!this.#consume(",")) return void 0;
    }
  }
  /** Goes back to where it began when there is none. */
  #readAddressItself() {
    const begin = this.#at;
    const isRead = this.#readLocalPart() && this.#consume("@") && this.#readDomain();
    if (!isRead) this.#at = begin;
    return isRead;
  }
  #readLocalPart() {
    this.#skipSpace();
    if (this.#peek() !== '"') return this.#readDotted();
    const quoted2 = this.#readQuoted();
    return quoted2 !== void 0 && quoted2 > 0;
  }
  #readDomain() {
    this.#skipSpace();
    return this.#peek() === "[" ? this.#readDomainLiteral() : this.#readDotted();
  }
  #readDomainLiteral() {
    const end2 = this.#text.indexOf("]", this.#at);
    if (end2 < 0) return false;
    const address = this.#text.slice(this.#at + 1, end2);
    this.#at = end2 + 1;
    if (address.includes(":")) return isIpv6(address);
    return isIpv4(address) && !LEADING_ZERO.test(address);
  }
  #readDotted() {
    const atom = this.#readAtom();
    return atom !== "" && !atom.startsWith(".") && !atom.endsWith(".") && !atom.includes("..");
  }
  #readAtom() {
    const begin = this.#at;
    while (isAtomText(this.#peek())) this.#at++;
    return this.#text.slice(begin, this.#at);
  }
  /** Words up to one that is none; the first must be one. */
  #readPhrase() {
    for (let count = 0; ; count++) {
      if (count > 0 && !this.#skipComments()) return false;
      this.#skipSpace();
      if (this.#isAtEnd()) return true;
      if (!this.#readWord()) return count > 0;
    }
  }
  #readWord() {
    if (this.#peek() === '"') return this.#readQuoted() !== void 0;
    const atom = this.#readAtom();
    return atom !== "" && !hasUnknownCharset(atom);
  }
  /** How many characters stand between the quotes; undefined: it is none, and nothing is passed. */
  #readQuoted() {
    let count = 0;
    for (let at2 = this.#at + 1; at2 < this.#text.length; at2++) {
      let character = this.#text[at2] ?? "";
      if (character === '"') {
        this.#at = at2 + 1;
        return count;
      }
      if (character === "\\") character = this.#text[++at2] ?? "";
      if (!isVisible(character) && character !== " " && character !== "	") return void 0;
      count++;
    }
    return void 0;
  }
  #readNameInComment() {
    const begin = ++this.#at;
    if (!this.#readRestOfComment()) return false;
    const words = this.#text.slice(begin, this.#at - 1).split(/[ \t]+/);
    return !words.some(hasUnknownCharset);
  }
  #skipComments() {
    this.#skipSpace();
    while (this.#consume("(")) {
      if (!this.#readRestOfComment()) return false;
      this.#skipSpace();
    }
    return true;
  }
  #readRestOfComment() {
    let depth = 1;
    for (; depth > 0 && !this.#isAtEnd(); this.#at++) {
      const character = this.#peek();
      if (character === "\\" && this.#at + 1 < this.#text.length) this.#at++;
      else if (character === "(") depth++;
      else if (character === ")") depth--;
    }
    return depth === 0;
  }
  #skipSpace() {
    while (this.#peek() === " " || this.#peek() === "	") this.#at++;
  }
  #consume(character) {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
  /** '' at the end. */
  #peek() {
    return this.#text[this.#at] ?? "";
  }
  #isAtEnd() {
    return this.#at >= this.#text.length;
  }
};
function isVisible(character) {
  return character >= "!" && character <= "~" || character >= "\x80";
}
function isAtomText(character) {
  return isVisible(character) && !SPECIALS.includes(character);
}
function hasUnknownCharset(word) {
  const charset = ENCODED_WORD.exec(word)?.[1];
  return charset !== void 0 && !CHARSETS.includes(charset.toLowerCase());
}

// api/meta/go-duration.ts
var UNIT_MS = /* @__PURE__ */ new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["\xB5s", 1e-3],
  // U+00B5, the micro sign.
  ["\u03BCs", 1e-3],
  // U+03BC, the Greek letter.
  ["ms", 1],
  ["s", 1e3],
  ["m", 6e4],
  ["h", 36e5]
]);
var MS_MAX = 9223372036854;
var PART = /(\d*)(\.\d*)?([^\d.]*)/y;
function parseGoDuration(text) {
  const invalid = failed2(`time: invalid duration ${quoted(text)}`);
  const negative = text.startsWith("-");
  const unsigned2 = negative || text.startsWith("+") ? text.slice(1) : text;
  if (unsigned2 === "0") return { ok: true, ms: 0 };
  if (unsigned2 === "") return invalid;
  let ms = 0;
  for (PART.lastIndex = 0; PART.lastIndex < unsigned2.length; ) {
    const [, whole2 = "", fraction = "", unit = ""] = PART.exec(unsigned2) ?? [];
    if (whole2 === "" && (fraction === "" || fraction === ".")) return invalid;
    if (unit === "") return failed2(`time: missing unit in duration ${quoted(text)}`);
    const size2 = UNIT_MS.get(unit);
    if (size2 === void 0) {
      return failed2(`time: unknown unit ${quoted(unit)} in duration ${quoted(text)}`);
    }
    ms += Number(`${whole2 === "" ? "0" : whole2}${fraction === "." ? "" : fraction}`) * size2;
    if (ms > MS_MAX) return invalid;
  }
  return { ok: true, ms: negative ? -ms : ms };
}
function failed2(problem) {
  return { ok: false, problem };
}
function quoted(text) {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

// api/structural-schema/format-times.ts
var DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
function isDate(text) {
  const [, year = "", month = "", day = ""] = DATE.exec(text) ?? [];
  if (year === "" || Number(day) < 1) return false;
  return Number(day) <= daysIn(Number(year), Number(month));
}
var DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
function daysIn(year, month) {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS[month - 1] ?? 0;
}
var TIME_OF_DAY = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;
function isDateTime(text) {
  const [date = "", time = ""] = text.toLowerCase().split("t", 2);
  const [, hour = "99", minute = "", second = ""] = TIME_OF_DAY.exec(time) ?? [];
  return isDate(date) && hour <= "23" && minute <= "59" && second <= "59";
}
var UNITS = [
  [["ns"], "nano"],
  [["us", "\xB5s"], "micro"],
  [["ms"], "milli"],
  [["s"], "sec"],
  [["m"], "min"],
  [["h", "hr"], "hour"],
  [["d"], "day"],
  [["w", "wk"], "week"]
];
var INT64_MAX = 2n ** 63n - 1n;
function isDuration(text) {
  if (parseGoDuration(text).ok) return true;
  let isKnown = false;
  for (const { digits, unit } of amountsIn(text)) {
    if (digits.length > 18 && BigInt(digits) > INT64_MAX) return false;
    isKnown ||= isUnit(unit.toLowerCase());
  }
  return isKnown;
}
function isUnit(unit) {
  return UNITS.some(([short, long]) => short.includes(unit) || unit.startsWith(long));
}
var DIGITS = /\d+/y;
var SPACE_AND_UNIT = /[\t\n\f\r ]*([A-Za-zµ]+)/y;
var NOT_DIGITS = /\D*/y;
function* amountsIn(text) {
  let at2 = 0;
  while (at2 < text.length) {
    at2 = endOf2(NOT_DIGITS, text, at2);
    const end2 = endOf2(DIGITS, text, at2);
    SPACE_AND_UNIT.lastIndex = end2;
    const unit = end2 === at2 ? void 0 : SPACE_AND_UNIT.exec(text)?.[1];
    if (unit !== void 0) yield { digits: text.slice(at2, end2), unit };
    at2 = end2;
  }
}
function endOf2(pattern, text, from) {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

// api/structural-schema/formats.ts
var SHORT_NAME = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
var FORMATS = /* @__PURE__ */ new Map([
  ["bsonobjectid", matching(/^[0-9a-f]{24}$/i)],
  ["uri", isRequestUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["hexcolor", matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["rgbcolor", isRgbColor],
  ["byte", isBase64],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["k8sshortname", named(63, new RegExp(`^${SHORT_NAME}$`))],
  ["k8slongname", named(253, new RegExp(`^${SHORT_NAME}(?:\\.${SHORT_NAME})*$`))]
]);
function formatCheck(format2) {
  return FORMATS.get(format2.replaceAll("-", ""));
}
function matching(pattern) {
  return (text) => pattern.test(text);
}
function named(lengthMax, pattern) {
  return (text) => text.length <= lengthMax && pattern.test(text);
}
var HOSTNAME_BYTES_MAX = 255;
var LABEL_BYTES_MAX2 = 63;
var SINGLE_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;
var LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
var TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;
function isHostname(text) {
  if (text.length > HOSTNAME_BYTES_MAX || Buffer.byteLength(text) > HOSTNAME_BYTES_MAX)
    return false;
  const labels = text.split(".");
  if (labels.some((label) => Buffer.byteLength(label) > LABEL_BYTES_MAX2)) return false;
  if (SINGLE_LABEL.test(text)) return true;
  const top = labels.pop() ?? "";
  return labels.length > 0 && TOP_LABEL.test(top) && labels.every((label) => LABEL.test(label));
}
var SPACE_AND_DASH = /[\t\n\f\r -]+/g;
function isIsbn10(text) {
  const digits = text.replace(SPACE_AND_DASH, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum2 = numbersIn(digits).reduce((total, digit, index) => total + (index + 1) * digit, 0);
  return sum2 % 11 === 0;
}
function numbersIn(digits) {
  return Array.from(digits, (digit) => digit === "X" ? 10 : Number(digit));
}
function isIsbn13(text) {
  const digits = text.replace(SPACE_AND_DASH, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum2 = numbersIn(digits).reduce(
    (total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3),
    0
  );
  return sum2 % 10 === 0;
}
var CARD = new RegExp(
  "^(?:4\\d{12}(?:\\d{3})?|5[1-5]\\d{14}|6(?:011|5\\d\\d)\\d{12}|3[47]\\d{13}|3(?:0[0-5]|[68]\\d)\\d{11}|(?:2131|1800|35\\d{3})\\d{11})$"
);
function isCreditCard(text) {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CARD.test(digits)) return false;
  const sum2 = numbersIn(digits).reverse().reduce((total, digit, index) => {
    const value = digit * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum2 % 10 === 0;
}
var COLOR_PART = "[\\t\\n\\f\\r ]*(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])[\\t\\n\\f\\r ]*";
var RGB_COLOR = new RegExp(`^rgb\\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\\)$`);
var RGB_COLOR_LENGTH_MAX = 1e3;
function isRgbColor(text) {
  return text.length <= RGB_COLOR_LENGTH_MAX && RGB_COLOR.test(text);
}
function isBase64(text) {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const end2 = text.endsWith("==") ? -2 : text.endsWith("=") ? -1 : text.length;
  return !/[^A-Za-z0-9+/]/.test(text.slice(0, end2));
}

// api/cel/library/opaque-values.ts
var URL_TYPE = structType("kubernetes.URL");
var QUANTITY_TYPE = structType("kubernetes.Quantity");
var SEMVER_TYPE = structType("kubernetes.Semver");
var FORMAT_TYPE = structType("kubernetes.NamedFormat");
var IP_TYPE = opaqueType("net.IP");
var CIDR_TYPE = opaqueType("net.CIDR");

// api/cel/library/named-formats.ts
var CelFormat = class _CelFormat extends CelOpaque {
  type = FORMAT_TYPE;
  name;
  problems;
  /** Characters of a regular expression that would do the same, for what it costs. */
  patternSize;
  constructor(name, patternSize, problems) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.problems = problems;
  }
  equals(other) {
    return other instanceof _CelFormat && this.name === other.name;
  }
};
function checked2(format2, message) {
  const check2 = formatCheck(format2);
  return (text) => check2 === void 0 || check2(text) ? [] : [message];
}
var uriProblems = (text) => {
  if (text === "") return ['parse "": empty url'];
  return isRequestUri(text) ? [] : [`parse ${goQuote(text)}: invalid URI for request`];
};
var FORMATS2 = new Map(
  [
    ["dns1123Label", "DNS1123Label", 30, (text) => nameIsDnsLabel(text, false)],
    ["dns1123Subdomain", "DNS1123Subdomain", 60, (text) => nameIsDnsSubdomain(text, false)],
    ["dns1035Label", "DNS1035Label", 30, (text) => nameIsDns1035Label(text, false)],
    ["qualifiedName", "QualifiedName", 60, qualifiedNameProblems],
    ["dns1123LabelPrefix", "DNS1123LabelPrefix", 30, (text) => nameIsDnsLabel(text, true)],
    [
      "dns1123SubdomainPrefix",
      "DNS1123SubdomainPrefix",
      60,
      (text) => nameIsDnsSubdomain(text, true)
    ],
    ["dns1035LabelPrefix", "DNS1035LabelPrefix", 30, (text) => nameIsDns1035Label(text, true)],
    ["labelValue", "LabelValue", 40, labelValueProblems],
    ["uri", "URI", 1103, uriProblems],
    ["uuid", "uuid", 70, checked2("uuid", "does not match the UUID format")],
    ["byte", "byte", 84, checked2("byte", "invalid base64")],
    ["date", "date", 71, checked2("date", "invalid date")],
    ["datetime", "datetime", 71, checked2("datetime", "invalid datetime")]
  ].map(([key, name, size2, problems]) => [key, new CelFormat(name, size2, problems)])
);
var named2 = (name) => {
  if (typeof name !== "string") return NO_SUCH_OVERLOAD;
  const format2 = FORMATS2.get(name);
  return format2 === void 0 ? OPTIONAL_NONE : new CelOptional(format2);
};
var validate = (format2, text) => {
  if (!(format2 instanceof CelFormat) || typeof text !== "string") return NO_SUCH_OVERLOAD;
  const problems = format2.problems(text);
  return problems.length === 0 ? OPTIONAL_NONE : new CelOptional(new ValueList([...problems]));
};
var NAMED_FORMATS = [
  declare2(
    "validate",
    method("format-validate", [FORMAT_TYPE, STRING], optionalOf(listOf(STRING)), validate)
  ),
  declare2("format.named", overload("format-named", [STRING], optionalOf(FORMAT_TYPE), named2)),
  ...[...FORMATS2].map(
    ([key, format2]) => declare2(
      `format.${key}`,
      overload(`format.${key}`, [], FORMAT_TYPE, () => format2)
    )
  )
];

// api/cel/kubernetes-call-costs.ts
var kubernetesCallCost = (name, overloadId) => BY_OVERLOAD.get(overloadId) ?? sortCost(overloadId) ?? ofFunction(name, overloadId);
function ofFunction(name, overloadId) {
  if (name === "ip" && overloadId === "cidr_ip") return 1;
  if (name === "containsIP") return containsCost(overloadId.endsWith("_string"), false);
  if (name === "containsCIDR") return containsCost(overloadId.endsWith("_string"), true);
  return BY_FUNCTION.get(name);
}
var firstOnce = ([first3]) => traversal(sizeOf(first3));
var firstTwice = ([first3]) => Math.ceil(sizeOf(first3) * 2 * STRING_FACTOR);
function wholeTraversal(value) {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * STRING_FACTOR);
  if (value instanceof CelBytes) return Math.floor(value.bytes.length * STRING_FACTOR);
  if (value instanceof CelList) {
    return valuesOf(value).reduce((sum2, item) => sum2 + wholeTraversal(item), 0);
  }
  if (!(value instanceof CelMap)) return 1;
  return value.keys().reduce((sum2, key) => sum2 + wholeTraversal(key) + wholeTraversal(value.find(key)), 0);
}
var wholeList = ([list]) => wholeTraversal(list);
var finding = ([text, pattern]) => traversal(1 + sizeOf(text)) * Math.ceil(sizeOf(pattern) * REGEX_FACTOR);
var validating = ([format2, text]) => {
  if (!(format2 instanceof CelFormat)) return 1;
  return traversal(1 + sizeOf(text)) * Math.ceil(format2.patternSize * REGEX_FACTOR);
};
function containsCost(isString, isNetwork) {
  return ([cidr, other]) => {
    const size2 = sizeOf(cidr);
    const comparison2 = Math.ceil((size2 + size2) * STRING_FACTOR);
    const masking = isNetwork ? traversal(size2) + 1 : 0;
    return comparison2 + masking + (isString ? traversal(sizeOf(other)) : 0);
  };
}
var equality = ([left, right]) => left instanceof CelOpaque ? 1 : traversal(Math.min(sizeOf(left), sizeOf(right)));
var joining = (_args, result) => Math.ceil(sizeOf(result) * 2 * STRING_FACTOR);
var selecting = ([, selector]) => {
  const size2 = sizeOf(selector);
  return LIST_COST + traversal(size2) + Math.ceil(Math.ceil(size2 * 0.5) * (LIST_COST + 40));
};
var BY_FUNCTION = new Map([
  ["check", 35e4],
  ..."serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery".split(" ").map((name) => [name, 1]),
  ["fieldSelector", selecting],
  ["labelSelector", selecting],
  ..."isSorted sum max min indexOf lastIndexOf".split(" ").map((name) => [name, wholeList]),
  ..."url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR ip quantity isQuantity semver isSemver".split(" ").map((name) => [name, firstOnce]),
  ..."replace split ip.isCanonical".split(" ").map((name) => [name, firstTwice]),
  ["join", joining],
  ["find", finding],
  ["findAll", finding],
  ["validate", validating],
  ["_==_", equality]
]);
function allocating(factor, size2) {
  return Math.floor(size2 * factor) + 1 + LIST_COST;
}
function sets(factor) {
  return ([one, other]) => 1 + Math.floor(sizeOf(one) * sizeOf(other) * factor);
}
var outputSize = (_args, result) => allocating(1, sizeOf(result));
var flattening = ([list, depth]) => allocating(typeof depth === "number" ? depth : 1, sizeOf(list));
function selfCompare(list) {
  const size2 = sizeOf(list);
  if (!(list instanceof CelList) || size2 === 0) return allocating(2, 0);
  const first3 = list.at(0);
  const isText = typeof first3 === "string" || first3 instanceof CelBytes;
  return allocating(isText ? 2 + STRING_FACTOR : 2, size2 * size2);
}
function sortCost(overloadId) {
  if (/^list_.*_sort$/.test(overloadId)) return ([list]) => selfCompare(list);
  const isByKeys = overloadId.endsWith("_sortByAssociatedKeys");
  return isByKeys ? ([, keys]) => selfCompare(keys) : void 0;
}
var BY_OVERLOAD = /* @__PURE__ */ new Map([
  ["list_sets_contains_list", sets(1)],
  ["list_sets_intersects_list", sets(1)],
  ["list_sets_equivalent_list", sets(2)],
  ["list_slice", outputSize],
  ["lists_range", outputSize],
  ["list_reverse", outputSize],
  ["list_flatten", flattening],
  ["list_flatten_int", flattening],
  ["list_distinct", ([list]) => selfCompare(list)]
]);

// api/cel/library/kubernetes-lists.ts
var SUMMABLE = [
  ["int", INT, 0],
  ["uint", UINT, new CelUint(0n)],
  ["double", DOUBLE, new CelDouble(0)],
  ["duration", DURATION, new CelDuration(0n)]
];
var COMPARABLE = [
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["bool", BOOL],
  ["duration", DURATION],
  ["timestamp", TIMESTAMP],
  ["string", STRING],
  ["bytes", BYTES]
];
var isSorted = (list) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const values = valuesOf(list);
  return values.every((value, index) => {
    const previous = values[index - 1];
    if (previous === void 0) return true;
    const order = compareValues(previous, value);
    return typeof order !== "number" || order <= 0;
  });
};
function sumFrom(zero) {
  return (list) => {
    if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
    let sum2 = zero;
    for (const value of valuesOf(list)) {
      sum2 = addValues(sum2, value);
      if (isError(sum2)) return sum2;
    }
    return sum2;
  };
}
function extreme(name, sign) {
  return (list) => {
    if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
    let best;
    for (const value of valuesOf(list)) {
      const order = best === void 0 ? sign : compareValues(best, value);
      if (typeof order === "number" && order * sign > 0) best = value;
    }
    return best === void 0 ? new CelError(`${name} called on empty list`) : best;
  };
}
function position(find2) {
  return (list, item) => list instanceof CelList ? find2(valuesOf(list), item) : NO_SUCH_OVERLOAD;
}
function ofComparable(name, id, run, result) {
  const overloads = COMPARABLE.map(
    ([of, type]) => method(id(of), [listOf(type)], result ?? type, run)
  );
  return declare2(name, ...overloads);
}
var A3 = parameter("A");
var LIST2 = listOf(A3);
var FOUND = listOf(STRING);
var KUBERNETES_LISTS = [
  ofComparable("isSorted", (type) => `list_${type}_is_sorted_bool`, isSorted, BOOL),
  declare2(
    "sum",
    ...SUMMABLE.map(
      ([name, type, zero]) => method(`list_${name}_sum_${name}`, [listOf(type)], type, sumFrom(zero))
    )
  ),
  ofComparable("max", (type) => `list_${type}_max_${type}`, extreme("max", -1)),
  ofComparable("min", (type) => `list_${type}_min_${type}`, extreme("min", 1)),
  declare2(
    "indexOf",
    method(
      "list_a_index_of_int",
      [LIST2, A3],
      INT,
      position((values, item) => values.findIndex((value) => areEqual(value, item)))
    )
  ),
  declare2(
    "lastIndexOf",
    method(
      "list_a_last_index_of_int",
      [LIST2, A3],
      INT,
      position((values, item) => values.findLastIndex((value) => areEqual(value, item)))
    )
  ),
  declare2("find", method("string_find_string", [STRING, STRING], STRING, find)),
  declare2(
    "findAll",
    method("string_find_all_string", [STRING, STRING], FOUND, findAll),
    method("string_find_all_string_int", [STRING, STRING, INT], FOUND, findAllLimited)
  )
];

// api/cel/library/extended-lists.ts
var slice = (list, from, to) => {
  if (!(list instanceof CelList) || !isInt(from) || !isInt(to)) return NO_SUCH_OVERLOAD;
  const [start, end2] = [Number(from), Number(to)];
  const what = `cannot slice(${String(start)}, ${String(end2)})`;
  if (start < 0 || end2 < 0) return new CelError(`${what}, negative indexes not supported`);
  if (start > end2) {
    return new CelError(`${what}, start index must be less than or equal to end index`);
  }
  if (list.size < end2) return new CelError(`${what}, list is length ${String(list.size)}`);
  return new ValueList(valuesOf(list).slice(start, end2));
};
var flatten = (list, depth) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const levels = isInt(depth) ? Number(depth) : 1;
  if (levels < 0) return new CelError("level must be non-negative");
  return new ValueList(flattened(list, levels));
};
function flattened(list, levels) {
  return valuesOf(list).flatMap(
    (value) => value instanceof CelList && levels > 0 ? flattened(value, levels - 1) : [value]
  );
}
var sort = (list) => sortByKeys(list, list);
function sortByKeys(list, keys) {
  if (!(list instanceof CelList) || !(keys instanceof CelList)) return NO_SUCH_OVERLOAD;
  if (list.size !== keys.size) {
    const sizes = `${String(list.size)} and ${String(keys.size)} elements respectively`;
    const what = "expected a list of the same size as the associated keys list, but got";
    return new CelError(`@sortByAssociatedKeys() ${what} ${sizes}`);
  }
  if (list.size === 0) return list;
  const [values, order] = [valuesOf(list), valuesOf(keys)];
  const type = typeOfValue(order[0] ?? null);
  if (!COMPARABLE.some(([, comparable]) => comparable.kind === type.kind)) {
    return new CelError("list elements must be comparable");
  }
  if (order.some((key) => typeOfValue(key).name !== type.name)) {
    return new CelError("list elements must have the same type");
  }
  const places = [...values.keys()].sort((one, other) => {
    const compared = compareValues(order[one] ?? null, order[other] ?? null);
    return typeof compared === "number" ? compared : 0;
  });
  return new ValueList(places.map((place) => values[place] ?? null));
}
var distinct = (list) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const unique = [];
  for (const value of valuesOf(list)) {
    if (!unique.some((known2) => areEqual(value, known2))) unique.push(value);
  }
  return new ValueList(unique);
};
var reverse = (list) => list instanceof CelList ? new ValueList(valuesOf(list).toReversed()) : NO_SUCH_OVERLOAD;
var RANGE_MAX = 1e7;
var range = (count) => {
  if (!isInt(count)) return NO_SUCH_OVERLOAD;
  if (count <= 0) return EMPTY_LIST;
  if (count > RANGE_MAX) return new CelError("lists.range exceeds the size of a list");
  return new ValueList(Array.from({ length: Number(count) }, (_, index) => index));
};
function onLists(test) {
  return (one, other) => one instanceof CelList && other instanceof CelList ? test(one, other) : NO_SUCH_OVERLOAD;
}
function containsAll(list, part2) {
  for (const value of valuesOf(part2)) {
    const found = list.contains(value);
    if (found !== true) return found;
  }
  return true;
}
function areEquivalent(one, other) {
  const contained = containsAll(one, other);
  return contained === true ? containsAll(other, one) : contained;
}
var T = parameter("T");
var LIST3 = listOf(T);
var EXTENDED_LISTS = [
  declare2("slice", method("list_slice", [LIST3, INT, INT], LIST3, slice)),
  {
    ...declare2(
      "flatten",
      method("list_flatten", [listOf(LIST3)], LIST3, flatten),
      method("list_flatten_int", [listOf(DYN), INT], listOf(DYN), flatten)
    ),
    isUnguarded: true
  },
  declareSingle(
    "sort",
    sort,
    ...COMPARABLE.map(([, type]) => method(`list_${type.name}_sort`, [listOf(type)], listOf(type)))
  ),
  declareSingle(
    "@sortByAssociatedKeys",
    sortByKeys,
    ...COMPARABLE.map(
      ([, type]) => method(`list_${type.name}_sortByAssociatedKeys`, [LIST3, listOf(type)], LIST3)
    )
  ),
  declare2("lists.range", overload("lists_range", [INT], listOf(INT), range)),
  declare2("reverse", method("list_reverse", [LIST3], LIST3, reverse)),
  declare2("distinct", method("list_distinct", [LIST3], LIST3, distinct)),
  declare2(
    "sets.contains",
    overload("list_sets_contains_list", [LIST3, LIST3], BOOL, onLists(containsAll))
  ),
  declare2(
    "sets.equivalent",
    overload("list_sets_equivalent_list", [LIST3, LIST3], BOOL, onLists(areEquivalent))
  ),
  declare2(
    "sets.intersects",
    overload(
      "list_sets_intersects_list",
      [LIST3, LIST3],
      BOOL,
      onLists((one, other) => valuesOf(one).some((value) => other.contains(value) === true))
    )
  )
];
var MAP2 = STANDARD_MACROS.find(({ name, argCount }) => name === "map" && argCount === 2);
var INPUT = "@__sortBy_input__";
var SORTABLE = /* @__PURE__ */ new Set(["list", "select", "ident", "fold", "call"]);
var SORT_BY_MACRO = {
  name: "sortBy",
  argCount: 2,
  hasTarget: true,
  expand: (nodes, target, args) => {
    if (!SORTABLE.has(target.form.kind)) {
      const what = "a list, identifier, comprehension, call or select expression";
      return new MacroError(target.offset, `sortBy can only be applied to ${what}`);
    }
    const input = () => nodes.node({ kind: "ident", name: INPUT });
    const keys = MAP2?.expand(nodes, input(), args);
    if (keys === void 0 || keys instanceof MacroError) return keys;
    return nodes.node({
      kind: "fold",
      range: nodes.node({ kind: "list", items: [], optional: NO_OPTIONALS }),
      variable: "#unused",
      secondVariable: "",
      accumulator: INPUT,
      init: target,
      condition: nodes.node({ kind: "literal", value: false }),
      step: input(),
      result: nodes.node({
        kind: "call",
        name: "@sortByAssociatedKeys",
        target: input(),
        args: [keys]
      })
    });
  }
};

// api/cel/library/string-format.ts
function formatString(text, args) {
  let next = 0;
  let failed3;
  const formatted = text.replace(CLAUSE, (clause, precision, verb) => {
    if (failed3 !== void 0 || clause === "%%") return "%";
    if (verb === void 0) {
      failed3 = new CelError(unreadableClause(clause));
      return "";
    }
    const arg = args[next];
    if (arg === void 0) {
      failed3 = new CelError(`index ${String(next)} out of range`);
      return "";
    }
    next++;
    const shown2 = formatClause(verb, precision, arg);
    if (shown2 instanceof CelError) failed3 = shown2;
    return shown2 instanceof CelError ? "" : shown2;
  });
  return failed3 ?? formatted;
}
function formatClause(verb, precision, arg) {
  const digits = Number(precision ?? "6");
  switch (verb) {
    case "s":
      return formatValue(arg);
    case "d":
      return inBase(arg, 10) ?? wrong("d", arg);
    case "f":
      return formatFloat(arg, "f", (value) => fixed(value, digits));
    case "e":
      return padded(formatFloat(arg, "e", scientific), digits);
    case "b":
      if (typeof arg === "boolean") return arg ? "1" : "0";
      return inBase(arg, 2) ?? wrong("b", arg);
    case "x":
      return formatHex(arg) ?? wrong("x", arg);
    case "X":
      return formatHex(arg)?.toUpperCase() ?? wrong("X", arg);
    case "o":
      return inBase(arg, 8) ?? wrong("o", arg);
    default:
      return new CelError(unknownClause(verb));
  }
}
function padded(text, width) {
  return typeof text === "string" ? text.padStart(Math.min(width, 1e3)) : text;
}
function wrong(verb, arg) {
  return new CelError(refusal(verb, typeOfValue(arg).name));
}
function whole(arg) {
  if (isInt(arg)) return BigInt(arg);
  return arg instanceof CelUint ? arg.value : void 0;
}
function inBase(arg, base) {
  return whole(arg)?.toString(base);
}
function formatHex(arg) {
  if (typeof arg === "string") return Buffer.from(arg).toString("hex");
  return arg instanceof CelBytes ? Buffer.from(arg.bytes).toString("hex") : inBase(arg, 16);
}
var NAMED2 = {
  NaN: NaN,
  Infinity: Infinity,
  "-Infinity": -Infinity
};
function formatFloat(arg, verb, format2) {
  const value = arg instanceof CelDouble ? arg.value : typeof arg === "string" ? NAMED2[arg] : void 0;
  if (value === void 0) return wrong(verb, arg);
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? format2(value) : value > 0 ? "\u221E" : "-\u221E";
}
var ROUNDED_DIGITS_MAX = 15;
function fixed(value, digits) {
  if (digits > ROUNDED_DIGITS_MAX) {
    const [whole2 = "", fraction = ""] = value.toFixed(Math.min(digits, 100)).split(".");
    return `${whole2.replace(/\B(?=(?:\d{3})+$)/g, ",")}.${fraction}`;
  }
  return new Intl.NumberFormat("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    roundingMode: "halfEven"
  }).format(value);
}
var SUPERSCRIPTS = "\u2070\xB9\xB2\xB3\u2074\u2075\u2076\u2077\u2078\u2079";
function scientific(value) {
  const [mantissa = "", exponent = "0"] = value.toExponential(6).split("e");
  const power = String(Math.abs(Number(exponent))).padStart(2, "0").replace(/\d/g, (digit) => SUPERSCRIPTS.charAt(Number(digit)));
  return `${mantissa}\xD710${Number(exponent) < 0 ? "\u207B" : ""}${power}`;
}
function formatValue(arg) {
  if (arg === null) return "null";
  if (arg instanceof CelList) return formatList(arg);
  if (arg instanceof CelMap) return formatMap(arg);
  if (arg instanceof CelTypeValue) return arg.type.name;
  const text = toText(arg, null, null, null);
  if (typeof arg === "string") return arg;
  if (typeof text === "string") return text;
  return wrong("s", arg);
}
function formatList(list) {
  const items = [];
  for (const value of valuesOf(list)) {
    const item = formatInside(value);
    if (item instanceof CelError) return item;
    items.push(item);
  }
  return `[${items.join(", ")}]`;
}
function formatMap(map) {
  const entries = [];
  for (const key of map.keys()) {
    const shownKey = formatInside(key);
    const value = formatInside(map.find(key) ?? null);
    if (shownKey instanceof CelError) return shownKey;
    if (value instanceof CelError) return value;
    entries.push([shownKey, value]);
  }
  entries.sort(([one], [other]) => one < other ? -1 : Number(one > other));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}
function formatInside(value) {
  if (typeof value === "string") return goQuote(value);
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(formatTimestamp(value))})`;
  if (value instanceof CelDuration) return `duration(${goQuote(formatSeconds(value))})`;
  if (value instanceof CelDouble) {
    return Number.isFinite(value.value) ? value.value.toFixed(6) : `"${formatDouble(value.value)}"`;
  }
  const text = formatValue(value);
  return value instanceof CelBytes && typeof text === "string" ? `b${goQuote(text)}` : text;
}

// api/cel/library/extended-strings.ts
function ofText(run) {
  return (text, ...rest) => {
    if (typeof text !== "string") return NO_SUCH_OVERLOAD;
    const args = rest.flatMap(
      (value) => typeof value === "string" ? value : isInt(value) ? Number(value) : []
    );
    return run(text, args[0], args[1], args[2]);
  };
}
function string(value) {
  return typeof value === "string" ? value : "";
}
function outOfRange(index) {
  return new CelError(`index out of range: ${String(index)}`);
}
var charAt = (text, index = 0) => {
  const characters = Array.from(text);
  const at2 = Number(index);
  if (at2 < 0 || at2 > characters.length) return outOfRange(at2);
  return characters[at2] ?? "";
};
function matchesAt(text, part2, at2) {
  return part2.every((character, index) => text[at2 + index] === character);
}
var indexOf2 = (text, part2, offset = 0) => {
  const at2 = Number(offset);
  if (part2 === "") return at2;
  if (at2 < 0) return outOfRange(at2);
  const [characters, wanted] = [Array.from(text), Array.from(string(part2))];
  for (let index = at2; index <= characters.length - wanted.length; index++) {
    if (matchesAt(characters, wanted, index)) return index;
  }
  return -1;
};
var lastIndexOf = (text, part2, offset) => {
  const [characters, wanted] = [Array.from(text), Array.from(string(part2))];
  if (part2 === "") return offset === void 0 ? characters.length : Number(offset);
  if (offset === void 0 && Buffer.byteLength(text) < Buffer.byteLength(string(part2))) return -1;
  const at2 = offset === void 0 ? characters.length - 1 : Number(offset);
  if (at2 < 0) return outOfRange(at2);
  if (at2 >= characters.length) return -1;
  for (let index = Math.min(at2, characters.length - wanted.length); index >= 0; index--) {
    if (matchesAt(characters, wanted, index)) return index;
  }
  return -1;
};
var lowerAscii = (text) => text.replace(/[A-Z]+/g, (part2) => part2.toLowerCase());
var upperAscii = (text) => text.replace(/[a-z]+/g, (part2) => part2.toUpperCase());
var TEXT_MAX = 1 << 26;
var TOO_LONG = new CelError("the result of replace is too long");
var replace = (text, part2, by, limit = -1) => {
  const countMax = Number(limit);
  if (countMax === 0 || part2 === by) return text;
  const pieces = part2 === "" ? ["", ...Array.from(text)] : text.split(string(part2));
  if (part2 === "") pieces.push("");
  const most = countMax < 0 ? pieces.length - 1 : Math.min(countMax, pieces.length - 1);
  if (text.length + most * string(by).length > TEXT_MAX) return TOO_LONG;
  const head = pieces.slice(0, most + 1).join(string(by));
  const tail = pieces.slice(most + 1);
  return tail.length === 0 ? head : [head, ...tail].join(string(part2));
};
var split = (text, separator, limit = -1) => {
  const countMax = Number(limit);
  if (countMax === 0) return new ValueList([]);
  const pieces = separator === "" ? Array.from(text) : text.split(string(separator));
  if (countMax < 0 || pieces.length <= countMax) return new ValueList(pieces);
  const last = pieces.slice(countMax - 1).join(string(separator));
  return new ValueList([...pieces.slice(0, countMax - 1), last]);
};
var substring = (text, from, to) => {
  const characters = Array.from(text);
  const start = Number(from);
  const end2 = to === void 0 ? characters.length : Number(to);
  if (to !== void 0 && start > end2) {
    const range2 = `start: ${String(start)}, end: ${String(end2)}`;
    return new CelError(`invalid substring range. ${range2}`);
  }
  for (const index of [start, end2]) {
    if (index < 0 || index > characters.length) return outOfRange(index);
  }
  return characters.slice(start, end2).join("");
};
var trim = (text) => text.replace(/^(?:(?!\ufeff)[\s\u0085])+|(?:(?!\ufeff)[\s\u0085])+$/gu, "");
var QUOTED = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "	": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"'
};
var quote = (text) => `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (character) => QUOTED[character] ?? character)}"`;
var join = (list, separator) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const values = valuesOf(list);
  const strings = values.filter((value) => typeof value === "string");
  const other = values.find((value) => typeof value !== "string");
  if (other !== void 0) return new CelError(`join: invalid input: ${goText(other)}`);
  return strings.join(typeof separator === "string" ? separator : "");
};
var format = (text, args) => typeof text === "string" && args instanceof CelList ? formatString(text, valuesOf(args)) : NO_SUCH_OVERLOAD;
var STRINGS = listOf(STRING);
function textMethod(id, args, result, run) {
  return method(id, [STRING, ...args], result, ofText(run));
}
var EXTENDED_STRINGS = [
  declare2("charAt", textMethod("string_char_at_int", [INT], STRING, charAt)),
  declare2(
    "indexOf",
    textMethod("string_index_of_string", [STRING], INT, indexOf2),
    textMethod("string_index_of_string_int", [STRING, INT], INT, indexOf2)
  ),
  declare2(
    "lastIndexOf",
    textMethod("string_last_index_of_string", [STRING], INT, lastIndexOf),
    textMethod("string_last_index_of_string_int", [STRING, INT], INT, lastIndexOf)
  ),
  declare2("lowerAscii", textMethod("string_lower_ascii", [], STRING, lowerAscii)),
  declare2(
    "replace",
    textMethod("string_replace_string_string", [STRING, STRING], STRING, replace),
    textMethod("string_replace_string_string_int", [STRING, STRING, INT], STRING, replace)
  ),
  declare2(
    "split",
    textMethod("string_split_string", [STRING], STRINGS, split),
    textMethod("string_split_string_int", [STRING, INT], STRINGS, split)
  ),
  declare2(
    "substring",
    textMethod("string_substring_int", [INT], STRING, substring),
    textMethod("string_substring_int_int", [INT, INT], STRING, substring)
  ),
  declare2("trim", textMethod("string_trim", [], STRING, trim)),
  declare2("upperAscii", textMethod("string_upper_ascii", [], STRING, upperAscii)),
  declare2("format", method("string_format", [STRING, listOf(DYN)], STRING, format)),
  declare2("strings.quote", overload("strings_quote", [STRING], STRING, ofText(quote))),
  declare2(
    "join",
    method("list_join", [STRINGS], STRING, join),
    method("list_join_string", [STRINGS, STRING], STRING, join)
  )
];

// api/cel/library/map-insertion.ts
var insertOne = (map, key, value) => map instanceof ValueMap ? inserted(map, [[key, value]]) : NO_SUCH_OVERLOAD;
var insertAll = (map, more) => {
  if (!(map instanceof ValueMap) || !(more instanceof CelMap)) return NO_SUCH_OVERLOAD;
  return inserted(
    map,
    more.keys().map((key) => [key, more.find(key) ?? null])
  );
};
function inserted(map, entries) {
  const target = map instanceof MutableMap ? map : map.copy();
  for (const [key, value] of entries) {
    if (target.find(key) !== void 0) {
      return new CelError(`insert failed: key ${goText(key)} already exists`);
    }
    target.set(key, value);
  }
  return target;
}
var K = parameter("K");
var V = parameter("V");
var MAP3 = mapOf2(K, V);
var MAP_INSERTION = [
  declare2(
    "cel.@mapInsert",
    overload("@mapInsert_map_key_value", [MAP3, K, V], MAP3, insertOne),
    overload("@mapInsert_map_map", [MAP3, MAP3], MAP3, insertAll)
  )
];

// api/cel/library/address-text.ts
var NoAddress = class {
  why;
  constructor(text, why, at2 = "") {
    this.why = `ParseAddr(${goQuote(text)}): ${why}${at2 === "" ? "" : ` (at ${goQuote(at2)})`}`;
  }
};
function parseAddress(text) {
  const sign = /[.:%]/.exec(text)?.[0];
  if (sign === ".") return parseIpv4(text, text);
  if (sign === ":") return parseIpv6(text);
  return new NoAddress(text, sign === "%" ? "missing IPv6 address" : "unable to parse IP");
}
function parseIpv4(whole2, text) {
  const fields = [];
  for (const [index, field] of text.split(".").entries()) {
    const wrong2 = /[^0-9]/.exec(field);
    if (wrong2 !== null)
      return new NoAddress(whole2, "unexpected character", text.slice(text.indexOf(wrong2[0])));
    if (field === "") {
      const rest = text.split(".").slice(index).join(".");
      return new NoAddress(
        whole2,
        "IPv4 field must have at least one digit",
        rest === "" ? text.slice(-1) : rest
      );
    }
    if (field.length > 1 && field.startsWith("0")) {
      return new NoAddress(whole2, "IPv4 field has octet with leading zero");
    }
    if (Number(field) > 255) return new NoAddress(whole2, "IPv4 field has value >255");
    fields.push(Number(field));
  }
  if (fields.length < 4) return new NoAddress(whole2, "IPv4 address too short");
  if (fields.length > 4) return new NoAddress(whole2, "IPv4 address too long");
  return Uint8Array.from(fields);
}
function parseIpv6(text) {
  const [address = "", zone] = text.split(/%(.*)/s);
  if (zone === "") return new NoAddress(text, "zone must be a non-empty string");
  const halves = address.split("::");
  if (halves.length > 2) {
    return new NoAddress(
      text,
      "multiple :: in address",
      address.slice(address.lastIndexOf("::") + 1)
    );
  }
  const [head = "", tail] = halves;
  const front = groupsOf2(text, head);
  const back = groupsOf2(text, tail ?? "");
  if (front instanceof NoAddress) return front;
  if (back instanceof NoAddress) return back;
  const missing = 16 - front.length - back.length;
  if (tail === void 0 && missing > 0) return new NoAddress(text, "address string too short");
  if (missing < 0 || tail !== void 0 && missing === 0) {
    return new NoAddress(
      text,
      tail === void 0 ? "trailing garbage after address" : "the :: must expand to at least one field of zeros"
    );
  }
  const bytes = Uint8Array.from([...front, ...new Array(missing).fill(0), ...back]);
  return zone === void 0 ? bytes : Object.assign(bytes, { zone });
}
function groupsOf2(whole2, text) {
  if (text === "") return [];
  const bytes = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    if (group.includes(".") && index === groups.length - 1) {
      const embedded = parseIpv4(whole2, group);
      if (embedded instanceof NoAddress) return embedded;
      bytes.push(...embedded);
      continue;
    }
    const at2 = groups.slice(index).join(":");
    if (!/^[0-9a-fA-F]+/.test(group)) {
      return new NoAddress(whole2, "each colon-separated field must have at least one digit", at2);
    }
    if (group.length > 4) {
      return new NoAddress(whole2, "each group must have 4 or less digits", at2);
    }
    if (!/^[0-9a-fA-F]+$/.test(group)) {
      return new NoAddress(
        whole2,
        "unexpected character, want colon",
        at2.replace(/^[0-9a-fA-F]+/, "")
      );
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 255);
  }
  return bytes;
}
function formatAddress(bytes) {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => {
    return (bytes[2 * index] ?? 0) << 8 | (bytes[2 * index + 1] ?? 0);
  });
  const { start, length } = longestZeros(groups);
  const shown2 = (from, to) => groups.slice(from, to).map((group) => group.toString(16)).join(":");
  return length < 2 ? shown2(0) : `${shown2(0, start)}::${shown2(start + length)}`;
}
function longestZeros(groups) {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

// api/cel/library/network-addresses.ts
var CelIp = class _CelIp extends CelOpaque {
  type = IP_TYPE;
  /** 4 or 16. */
  bytes;
  constructor(bytes) {
    super();
    this.bytes = bytes;
  }
  get costSize() {
    return this.bytes.length;
  }
  equals(other) {
    return other instanceof _CelIp && Buffer.compare(this.bytes, other.bytes) === 0;
  }
};
var CelCidr = class _CelCidr extends CelOpaque {
  type = CIDR_TYPE;
  address;
  bits;
  constructor(address, bits) {
    super();
    this.address = address;
    this.bits = bits;
  }
  get costSize() {
    return Math.ceil(this.bits / 8);
  }
  equals(other) {
    return other instanceof _CelCidr && this.bits === other.bits && this.address.equals(other.address);
  }
};
function isMapped(bytes) {
  return bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
}
function ipOf(text) {
  const bytes = parseAddress(text);
  const quoted2 = goQuote(text);
  if (bytes instanceof NoAddress) {
    return new CelError(
      `IP Address ${quoted2} parse error during conversion from string: ${bytes.why}`
    );
  }
  if ("zone" in bytes) return new CelError(`IP address ${quoted2} with zone value is not allowed`);
  return isMapped(bytes) ? new CelError(`IPv4-mapped IPv6 address ${quoted2} is not allowed`) : new CelIp(bytes);
}
function cidrOf(text) {
  const wrong2 = (why) => {
    const what2 = "network address parse error during conversion from string";
    return new CelError(`${what2}: ${what2}: netip.ParsePrefix(${goQuote(text)}): ${why}`);
  };
  const slash = text.lastIndexOf("/");
  if (slash < 0) return wrong2("no '/'");
  const [address, length] = [text.slice(0, slash), text.slice(slash + 1)];
  const bytes = parseAddress(address);
  if (bytes instanceof NoAddress) return wrong2(bytes.why);
  if ("zone" in bytes) return wrong2("IPv6 zones cannot be present in a prefix");
  if (!/^(?:0|[1-9]\d*)$/.test(length)) return wrong2(`bad bits after slash: ${goQuote(length)}`);
  const bits = Number(length);
  if (bits > bytes.length * 8) return wrong2("prefix length out of range");
  if (!isMapped(bytes)) return new CelCidr(new CelIp(bytes), bits);
  const what = "network address parse error during conversion from string";
  return new CelError(`${what}: IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
}
function masked(bytes, bits) {
  return bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & 255 << 8 - kept;
  });
}
function isWithin(network, { bytes }) {
  const { address, bits } = network;
  if (bytes.length !== address.bytes.length) return false;
  return Buffer.compare(masked(bytes, bits), masked(address.bytes, bits)) === 0;
}
function ofText2(parse5, run) {
  return (text) => typeof text === "string" ? run(parse5(text), text) : NO_SUCH_OVERLOAD;
}
function ofIp(run) {
  return (ip) => ip instanceof CelIp ? run(ip.bytes) : NO_SUCH_OVERLOAD;
}
function ofCidr(run) {
  return (cidr, other) => cidr instanceof CelCidr ? run(cidr, other) : NO_SUCH_OVERLOAD;
}
var containsIp = ofCidr((cidr, other) => {
  const ip = typeof other === "string" ? ipOf(other) : other;
  if (ip instanceof CelError) return ip;
  return ip instanceof CelIp ? isWithin(cidr, ip) : NO_SUCH_OVERLOAD;
});
var containsCidr = ofCidr((cidr, other) => {
  const inner = typeof other === "string" ? cidrOf(other) : other;
  if (inner instanceof CelError) return inner;
  if (!(inner instanceof CelCidr)) return NO_SUCH_OVERLOAD;
  return cidr.bits <= inner.bits && isWithin(cidr, inner.address);
});
var isLoopback = ofIp(
  (bytes) => bytes.length === 4 ? bytes[0] === 127 : formatAddress(bytes) === "::1"
);
var first2 = (bytes) => (bytes[0] ?? 0) << 8 | (bytes[1] ?? 0);
var isLinkLocalUnicast = (bytes) => bytes.length === 4 ? first2(bytes) === 43518 : (first2(bytes) & 65472) === 65152;
var isLinkLocalMulticast = (bytes) => bytes.length === 4 ? first2(bytes) === 57344 && bytes[2] === 0 : (first2(bytes) & 65295) === 65282;
var isUnspecified = (bytes) => bytes.every((byte) => byte === 0);
var isMulticast = (bytes) => bytes.length === 4 ? ((bytes[0] ?? 0) & 240) === 224 : bytes[0] === 255;
var isGlobalUnicast = ofIp((bytes) => {
  const isBroadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return !isBroadcast && !isUnspecified(bytes) && isLoopback(new CelIp(bytes), null, null, null) === false && !isMulticast(bytes) && !isLinkLocalUnicast(bytes);
});
var NETWORK_ADDRESSES = [
  declare2(
    "ip",
    overload(
      "string_to_ip",
      [STRING],
      IP_TYPE,
      ofText2(ipOf, (ip) => ip)
    ),
    method(
      "cidr_ip",
      [CIDR_TYPE],
      IP_TYPE,
      ofCidr(({ address }) => address)
    )
  ),
  declare2(
    "isIP",
    overload(
      "is_ip",
      [STRING],
      BOOL,
      ofText2(ipOf, (ip) => ip instanceof CelIp)
    )
  ),
  declare2(
    "ip.isCanonical",
    overload(
      "ip_is_canonical",
      [STRING],
      BOOL,
      ofText2(ipOf, (ip, text) => ip instanceof CelIp ? formatAddress(ip.bytes) === text : ip)
    )
  ),
  declare2(
    "family",
    method(
      "ip_family",
      [IP_TYPE],
      INT,
      ofIp(({ length }) => length === 4 ? 4 : 6)
    )
  ),
  declare2("isUnspecified", method("ip_is_unspecified", [IP_TYPE], BOOL, ofIp(isUnspecified))),
  declare2("isLoopback", method("ip_is_loopback", [IP_TYPE], BOOL, isLoopback)),
  declare2(
    "isLinkLocalMulticast",
    method("ip_is_link_local_multicast", [IP_TYPE], BOOL, ofIp(isLinkLocalMulticast))
  ),
  declare2(
    "isLinkLocalUnicast",
    method("ip_is_link_local_unicast", [IP_TYPE], BOOL, ofIp(isLinkLocalUnicast))
  ),
  declare2("isGlobalUnicast", method("ip_is_global_unicast", [IP_TYPE], BOOL, isGlobalUnicast)),
  declare2(
    "string",
    overload("ip_to_string", [IP_TYPE], STRING, ofIp(formatAddress)),
    overload(
      "cidr_to_string",
      [CIDR_TYPE],
      STRING,
      ofCidr(({ address, bits }) => `${formatAddress(address.bytes)}/${String(bits)}`)
    )
  ),
  declare2(
    "cidr",
    overload(
      "string_to_cidr",
      [STRING],
      CIDR_TYPE,
      ofText2(cidrOf, (cidr) => cidr)
    )
  ),
  declare2(
    "isCIDR",
    overload(
      "is_cidr",
      [STRING],
      BOOL,
      ofText2(cidrOf, (cidr) => cidr instanceof CelCidr)
    )
  ),
  declare2(
    "containsIP",
    method("cidr_contains_ip_string", [CIDR_TYPE, STRING], BOOL, containsIp),
    method("cidr_contains_ip_ip", [CIDR_TYPE, IP_TYPE], BOOL, containsIp)
  ),
  declare2(
    "containsCIDR",
    method("cidr_contains_cidr_string", [CIDR_TYPE, STRING], BOOL, containsCidr),
    method("cidr_contains_cidr", [CIDR_TYPE, CIDR_TYPE], BOOL, containsCidr)
  ),
  declare2(
    "prefixLength",
    method(
      "cidr_prefix_length",
      [CIDR_TYPE],
      INT,
      ofCidr(({ bits }) => bits)
    )
  ),
  declare2(
    "masked",
    method(
      "cidr_masked",
      [CIDR_TYPE],
      CIDR_TYPE,
      ofCidr(({ address, bits }) => new CelCidr(new CelIp(masked(address.bytes, bits)), bits))
    )
  )
];

// api/cel/library/optionals.ts
var some = (value) => new CelOptional(value);
var someNonZero = (value) => isZero(value) ? OPTIONAL_NONE : new CelOptional(value);
function isZero(value) {
  if (value === null || value === false || value === 0 || value === "") return true;
  if (typeof value !== "object") return false;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelBytes) return value.bytes.length === 0;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelOptional) return value.value === void 0 || isZero(value.value);
  return value instanceof CelTimestamp && value.seconds === -62135596800 && value.nanos === 0;
}
var valueOf = (optional) => {
  if (!(optional instanceof CelOptional)) return NO_SUCH_OVERLOAD;
  return optional.value === void 0 ? NO_VALUE : optional.value;
};
var NO_VALUE = new CelError("optional.none() dereference");
var hasValue = (optional) => optional instanceof CelOptional ? optional.value !== void 0 : NO_SUCH_OVERLOAD;
function end(which) {
  return (list) => {
    if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
    if (list.size === 0) return OPTIONAL_NONE;
    const item = list.at(which(list.size));
    return isError(item) ? item : new CelOptional(item);
  };
}
var unwrapAll = (list) => {
  if (!(list instanceof CelList)) return NO_SUCH_OVERLOAD;
  const values = [];
  for (const item of valuesOf(list)) {
    if (!(item instanceof CelOptional)) {
      return new CelError(`value ${goText(item)} is not optional`);
    }
    if (item.value !== void 0) values.push(item.value);
  }
  return new ValueList(values);
};
var K2 = parameter("K");
var V2 = parameter("V");
var OPTIONAL2 = optionalOf(V2);
var LIST4 = listOf(V2);
var MAP4 = mapOf2(K2, V2);
var OPTIONALS = [
  declare2("optional.of", overload("optional_of", [V2], OPTIONAL2, some)),
  declare2(
    "optional.ofNonZeroValue",
    overload("optional_ofNonZeroValue", [V2], OPTIONAL2, someNonZero)
  ),
  declare2(
    "optional.none",
    overload("optional_none", [], OPTIONAL2, () => OPTIONAL_NONE)
  ),
  declare2("value", method("optional_value", [OPTIONAL2], V2, valueOf)),
  declare2("hasValue", method("optional_hasValue", [OPTIONAL2], BOOL, hasValue)),
  declare2("or", method("optional_or_optional", [OPTIONAL2, OPTIONAL2], OPTIONAL2)),
  declare2("orValue", method("optional_orValue_value", [OPTIONAL2, V2], V2)),
  declare2("_?._", overload("select_optional_field", [DYN, STRING], OPTIONAL2)),
  declare2(
    "_[?_]",
    overload("list_optindex_optional_int", [LIST4, INT], OPTIONAL2),
    overload("optional_list_optindex_optional_int", [optionalOf(LIST4), INT], OPTIONAL2),
    overload("map_optindex_optional_value", [MAP4, K2], OPTIONAL2),
    overload("optional_map_optindex_optional_value", [optionalOf(MAP4), K2], OPTIONAL2)
  ),
  declare2(
    "_[_]",
    overload("optional_list_index_int", [optionalOf(LIST4), INT], OPTIONAL2),
    overload("optional_map_index_value", [optionalOf(MAP4), K2], OPTIONAL2)
  ),
  declare2(
    "last",
    method(
      "list_last",
      [LIST4],
      OPTIONAL2,
      end((size2) => size2 - 1)
    )
  ),
  declare2(
    "first",
    method(
      "list_first",
      [LIST4],
      OPTIONAL2,
      end(() => 0)
    )
  ),
  declare2("optional.unwrap", overload("optional_unwrap", [listOf(OPTIONAL2)], LIST4, unwrapAll)),
  declare2("unwrapOpt", method("optional_unwrapOpt", [listOf(OPTIONAL2)], LIST4, unwrapAll))
];

// api/meta/quantity.ts
var SHAPE = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
var WRONG_SHAPE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
var WRONG_NUMBER = "unable to parse numeric part of quantity";
var WRONG_SUFFIX = "unable to parse quantity's suffix";
var DECIMAL_SUFFIXES = new Map(Object.entries({ n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9 }));
for (const [index, suffix] of ["T", "P", "E"].entries()) {
  DECIMAL_SUFFIXES.set(suffix, 12 + 3 * index);
}
var DECIMAL_SUFFIX_OF = new Map([...DECIMAL_SUFFIXES].map(([suffix, power]) => [power, suffix]));
var BINARY_SUFFIXES = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
var NANO = -9;
var FAST_DIGITS_MAX = 18;
var TEXT_MAX2 = 1e3;
var DIGITS_MAX = 1e4;
var INT64_MAX2 = 2n ** 63n - 1n;
var ZERO = { unscaled: 0n, exponent: 0, format: "DecimalSI", text: "0" };
function parseQuantity(text) {
  if (text === "0") return { ok: true, quantity: ZERO };
  const match = text === "" ? null : SHAPE.exec(text);
  if (match === null) return { ok: false, why: WRONG_SHAPE };
  if (text.length > TEXT_MAX2) return { ok: false, why: WRONG_NUMBER };
  const [, sign = "", whole2 = "", fraction = "", suffixText = ""] = match;
  const suffix = suffixOf(suffixText);
  if (suffix === void 0) return { ok: false, why: WRONG_SUFFIX };
  const negative = sign === "-";
  const parts = { text, negative, whole: whole2 === "" ? "0" : whole2, fraction, suffix };
  const fast = fastQuantity(parts);
  if (fast !== void 0) return { ok: true, quantity: fast };
  if (!/^[+-]?\.?\d/.test(text)) return { ok: false, why: WRONG_NUMBER };
  return { ok: true, quantity: slowQuantity(parts) };
}
function compareQuantities(a, b) {
  const signs = Number(a.unscaled > 0n) - Number(a.unscaled < 0n);
  const others = Number(b.unscaled > 0n) - Number(b.unscaled < 0n);
  if (signs !== others || signs === 0) return signs - others;
  const magnitudes = magnitudeOf(a) - magnitudeOf(b);
  if (magnitudes !== 0) return magnitudes * signs;
  const [left, right] = aligned(a, b);
  return left === right ? 0 : left < right ? -1 : 1;
}
function addQuantities(a, b) {
  if (a.unscaled === 0n) return quantityOf(b.unscaled, b.exponent, b.format);
  const difference = magnitudeOf(a) - magnitudeOf(b);
  if (Math.abs(difference) > DIGITS_MAX) return difference > 0 ? a : b;
  const [left, right] = aligned(a, b);
  return quantityOf(left + right, Math.min(a.exponent, b.exponent), a.format);
}
function quantityOf(unscaled, exponent, format2) {
  return { unscaled, exponent, format: format2, text: canonicalText(unscaled, exponent, format2) };
}
function suffixOf(text) {
  const decimal2 = DECIMAL_SUFFIXES.get(text);
  if (decimal2 !== void 0) return { format: "DecimalSI", power: decimal2 };
  const binary = BINARY_SUFFIXES.indexOf(text);
  if (binary > 0) return { format: "BinarySI", power: binary * 10 };
  if (!/^[eE][-+]?\d+$/.test(text)) return void 0;
  const power = BigInt(text.slice(1).replace("+", ""));
  if (BigInt.asIntN(64, power) !== power) return void 0;
  return { format: "DecimalExponent", power: Number(BigInt.asIntN(32, power)) };
}
function fastQuantity(parts) {
  const { text, negative, whole: whole2, fraction, suffix } = parts;
  const digits = whole2 + fraction;
  const isBinary = suffix.format === "BinarySI";
  const exponent = isBinary ? 0 : suffix.power - fraction.length;
  if (isBinary) {
    const digitsMax = 15 - Math.trunc(Math.fround(suffix.power) * 0.3) - 1;
    if (fraction !== "" || whole2.length > digitsMax) return void 0;
  } else if (digits.length > FAST_DIGITS_MAX || exponent < NANO) {
    return void 0;
  }
  const value = BigInt(digits) << (isBinary ? BigInt(suffix.power) : 0n);
  const unscaled = negative ? -value : value;
  const keepsText = isBinary ? (BigInt(digits) & 7n) !== 0n : exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  if (keepsText) return { unscaled, exponent, format: suffix.format, text };
  return quantityOf(unscaled, exponent, suffix.format);
}
function slowQuantity({ negative, whole: whole2, fraction, suffix }) {
  let { format: format2 } = suffix;
  const isBinary = format2 === "BinarySI";
  let unscaled = BigInt(whole2 + fraction) << (isBinary ? BigInt(suffix.power) : 0n);
  let exponent = (isBinary ? 0 : suffix.power) - fraction.length;
  if (exponent < NANO) {
    unscaled = dividedUp(unscaled, NANO - exponent);
    exponent = NANO;
  }
  if (isBinary) {
    const one = powerOfTen(-exponent);
    if (unscaled > INT64_MAX2 * one) [unscaled, exponent] = [INT64_MAX2, 0];
    else if (unscaled > 0n && unscaled < one) format2 = "DecimalSI";
  }
  return quantityOf(negative ? -unscaled : unscaled, exponent, format2);
}
function dividedUp(value, power) {
  if (value === 0n) return 0n;
  if (power > value.toString().length) return 1n;
  const divisor = powerOfTen(power);
  return (value + divisor - 1n) / divisor;
}
function canonicalText(unscaled, exponent, format2) {
  if (unscaled === 0n) return "0";
  if (format2 === "BinarySI") {
    const text = binaryText(unscaled, exponent);
    if (text !== void 0) return text;
  }
  let [mantissa, power] = withoutFactors(unscaled, 10n);
  power += exponent;
  while (power % 3 !== 0) {
    mantissa *= 10n;
    power--;
  }
  const number2 = mantissa.toString();
  if (format2 === "DecimalExponent") return power === 0 ? number2 : `${number2}e${String(power)}`;
  return number2 + (DECIMAL_SUFFIX_OF.get(power) ?? "");
}
function binaryText(unscaled, exponent) {
  const scale = powerOfTen(Math.abs(exponent));
  const whole2 = exponent >= 0 ? unscaled * scale : unscaled / scale;
  if (exponent < 0 && whole2 * scale !== unscaled) return void 0;
  if (whole2 > -1024n && whole2 < 1024n) return void 0;
  const [mantissa, times] = withoutFactors(whole2, 1024n);
  return mantissa.toString() + (BINARY_SUFFIXES[times] ?? "");
}
function withoutFactors(value, factor) {
  let rest = value;
  let times = 0;
  while (rest !== 0n && rest % factor === 0n) {
    rest /= factor;
    times++;
  }
  return [rest, times];
}
function aligned(a, b) {
  const exponent = Math.min(a.exponent, b.exponent);
  return [
    a.unscaled * powerOfTen(a.exponent - exponent),
    b.unscaled * powerOfTen(b.exponent - exponent)
  ];
}
function magnitudeOf({ unscaled, exponent }) {
  return (unscaled < 0n ? -unscaled : unscaled).toString().length + exponent;
}
function powerOfTen(power) {
  return 10n ** BigInt(power);
}

// api/cel/library/quantities.ts
var CelQuantity = class _CelQuantity extends CelOpaque {
  type = QUANTITY_TYPE;
  quantity;
  constructor(quantity) {
    super();
    this.quantity = quantity;
  }
  equals(other) {
    return other instanceof _CelQuantity && compareQuantities(this.quantity, other.quantity) === 0;
  }
};
var parse2 = (text) => {
  if (typeof text !== "string") return NO_SUCH_OVERLOAD;
  const parsed = parseQuantity(text);
  return parsed.ok ? new CelQuantity(parsed.quantity) : new CelError(parsed.why);
};
var isQuantity = (text) => typeof text === "string" ? parseQuantity(text).ok : NO_SUCH_OVERLOAD;
function ofQuantity(run) {
  return (value) => value instanceof CelQuantity ? run(value.quantity) : NO_SUCH_OVERLOAD;
}
function ofTwo(run) {
  return (one, other) => {
    if (!(one instanceof CelQuantity)) return NO_SUCH_OVERLOAD;
    if (other instanceof CelQuantity) return run(one.quantity, other.quantity);
    if (!isInt(other)) return NO_SUCH_OVERLOAD;
    return run(one.quantity, quantityOf(BigInt(other), 0, "DecimalExponent"));
  };
}
var DIGITS_MAX2 = 400;
function wholeOf2({ unscaled, exponent }) {
  if (unscaled === 0n) return 0;
  if (exponent > 19) return void 0;
  const scale = 10n ** BigInt(Math.min(Math.abs(exponent), DIGITS_MAX2));
  if (exponent < 0 && unscaled % scale !== 0n) return void 0;
  const value = intOf(exponent < 0 ? unscaled / scale : unscaled * scale);
  return value instanceof CelError ? void 0 : value;
}
var NO_INTEGER = new CelError("cannot convert value to integer");
var add2 = ofTwo((one, other) => new CelQuantity(addQuantities(one, other)));
var subtract2 = ofTwo((one, other) => {
  const negated = quantityOf(-other.unscaled, other.exponent, other.format);
  return new CelQuantity(addQuantities(one, negated));
});
var Q = QUANTITY_TYPE;
var QUANTITIES = [
  declare2("quantity", overload("string_to_quantity", [STRING], Q, parse2)),
  declare2("isQuantity", overload("is_quantity_string", [STRING], BOOL, isQuantity)),
  declare2(
    "sign",
    overload(
      "quantity_sign",
      [Q],
      INT,
      ofQuantity(({ unscaled }) => Number(unscaled > 0n) - Number(unscaled < 0n))
    )
  ),
  declare2(
    "isGreaterThan",
    method(
      "quantity_is_greater_than",
      [Q, Q],
      BOOL,
      ofTwo((one, other) => compareQuantities(one, other) > 0)
    )
  ),
  declare2(
    "isLessThan",
    method(
      "quantity_is_less_than",
      [Q, Q],
      BOOL,
      ofTwo((one, other) => compareQuantities(one, other) < 0)
    )
  ),
  declare2(
    "compareTo",
    method(
      "quantity_compare_to",
      [Q, Q],
      INT,
      ofTwo((one, other) => Math.sign(compareQuantities(one, other)))
    )
  ),
  declare2(
    "asApproximateFloat",
    method(
      "quantity_get_float",
      [Q],
      DOUBLE,
      ofQuantity(
        ({ unscaled, exponent }) => new CelDouble(Number(`${unscaled.toString()}e${String(exponent)}`))
      )
    )
  ),
  declare2(
    "asInteger",
    method(
      "quantity_get_int",
      [Q],
      INT,
      ofQuantity((quantity) => wholeOf2(quantity) ?? NO_INTEGER)
    )
  ),
  declare2(
    "isInteger",
    method(
      "quantity_is_integer",
      [Q],
      BOOL,
      ofQuantity((quantity) => wholeOf2(quantity) !== void 0)
    )
  ),
  declare2(
    "add",
    method("quantity_add", [Q, Q], Q, add2),
    method("quantity_add_int", [Q, INT], Q, add2)
  ),
  declare2(
    "sub",
    method("quantity_sub", [Q, Q], Q, subtract2),
    method("quantity_sub_int", [Q, INT], Q, subtract2)
  )
];

// api/cel/library/semantic-versions.ts
var CelSemver = class _CelSemver extends CelOpaque {
  type = SEMVER_TYPE;
  /** Major, minor, patch. */
  numbers;
  preRelease;
  constructor(numbers, preRelease) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
  }
  equals(other) {
    return other instanceof _CelSemver && compare(this, other) === 0;
  }
};
function compare(one, other) {
  for (const [index, number2] of one.numbers.entries()) {
    const theirs = other.numbers[index] ?? 0n;
    if (number2 !== theirs) return number2 < theirs ? -1 : 1;
  }
  return comparePreReleases(one.preRelease, other.preRelease);
}
function comparePreReleases(one, other) {
  if (one.length === 0 || other.length === 0) return Math.sign(other.length - one.length);
  for (const [index, part2] of one.entries()) {
    const theirs = other[index];
    if (theirs === void 0) return 1;
    const order = compareParts(part2, theirs);
    if (order !== 0) return order;
  }
  return one.length === other.length ? 0 : -1;
}
function compareParts(one, other) {
  if (typeof one === "string" && typeof other === "string") {
    return Math.sign(compareGoStrings(one, other));
  }
  if (typeof one === typeof other) return one === other ? 0 : one < other ? -1 : 1;
  return typeof one === "bigint" ? -1 : 1;
}
function parseVersion(text) {
  if (text === "") return new CelError("Version string empty");
  const [major, minor, ...rest] = text.split(".");
  if (major === void 0 || minor === void 0 || rest.length === 0) {
    return new CelError("No Major.Minor.Patch elements found");
  }
  const [, patch = "", pre, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(rest.join(".")) ?? [];
  const numbers = [];
  for (const [name, number2] of [
    ["Major", major],
    ["Minor", minor],
    ["Patch", patch]
  ]) {
    const problem2 = numberProblem(name, number2);
    if (problem2 !== void 0) return new CelError(problem2);
    numbers.push(BigInt(number2 === "" ? "0" : number2));
  }
  const preRelease = pre === void 0 ? [] : parsePreRelease(pre);
  if (preRelease instanceof CelError) return preRelease;
  const problem = build === void 0 ? void 0 : buildProblem(build);
  return problem === void 0 ? new CelSemver(numbers, preRelease) : new CelError(problem);
}
function numberProblem(name, number2) {
  if (!/^\d+$/.test(number2)) {
    return `Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(number2)}`;
  }
  if (number2.length > 1 && number2.startsWith("0")) {
    return `${name} number must not contain leading zeroes ${goQuote(number2)}`;
  }
  return BigInt(number2) < 2n ** 64n ? void 0 : `strconv.ParseUint: parsing ${goQuote(number2)}: value out of range`;
}
function parsePreRelease(text) {
  const parts = [];
  for (const part2 of text.split(".")) {
    if (part2 === "") return new CelError("Prerelease is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part2)) {
      return new CelError(`Invalid character(s) found in prerelease ${goQuote(part2)}`);
    }
    const isNumber = /^\d+$/.test(part2);
    if (isNumber && part2.length > 1 && part2.startsWith("0")) {
      const what = "Numeric PreRelease version must not contain leading zeroes";
      return new CelError(`${what} ${goQuote(part2)}`);
    }
    parts.push(isNumber ? BigInt(part2) : part2);
  }
  return parts;
}
function buildProblem(text) {
  for (const part2 of text.split(".")) {
    if (part2 === "") return "Build meta data is empty";
    if (!/^[0-9A-Za-z-]+$/.test(part2)) {
      return `Invalid character(s) found in build meta data ${goQuote(part2)}`;
    }
  }
  return void 0;
}
function normalizeVersion(text) {
  const [first3 = "", second, ...rest] = text.replace(/^v/, "").split(".");
  const parts = [first3];
  if (second !== void 0) parts.push(second);
  if (rest.length > 0) parts.push(rest.join("."));
  const trimmed = parts.map((part2) => part2.length > 1 ? withoutZeros(part2) : part2);
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? "")) {
    return new CelError("short version cannot contain PreRelease/Build meta data");
  }
  while (trimmed.length < 3) trimmed.push("0");
  return parseVersion(trimmed.join("."));
}
function withoutZeros(part2) {
  const trimmed = part2.replace(/^0+/, "");
  return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`;
}
function read(text, normalizes) {
  if (typeof text !== "string") return NO_SUCH_OVERLOAD;
  return normalizes === true ? normalizeVersion(text) : parseVersion(text);
}
var parse3 = (text, normalizes) => read(text, normalizes);
var isSemver = (text, normalizes) => typeof text === "string" ? read(text, normalizes) instanceof CelSemver : NO_SUCH_OVERLOAD;
function number(index) {
  return (version) => version instanceof CelSemver ? intOf(version.numbers[index] ?? 0n) : NO_SUCH_OVERLOAD;
}
function ofTwo2(run) {
  return (one, other) => one instanceof CelSemver && other instanceof CelSemver ? run(compare(one, other)) : NO_SUCH_OVERLOAD;
}
var S = SEMVER_TYPE;
var SEMANTIC_VERSIONS = [
  declare2(
    "semver",
    overload("string_to_semver", [STRING], S, parse3),
    overload("string_bool_to_semver", [STRING, BOOL], S, parse3)
  ),
  declare2(
    "isSemver",
    overload("is_semver_string", [STRING], BOOL, isSemver),
    overload("is_semver_string_bool", [STRING, BOOL], BOOL, isSemver)
  ),
  declare2(
    "isGreaterThan",
    method(
      "semver_is_greater_than",
      [S, S],
      BOOL,
      ofTwo2((order) => order > 0)
    )
  ),
  declare2(
    "isLessThan",
    method(
      "semver_is_less_than",
      [S, S],
      BOOL,
      ofTwo2((order) => order < 0)
    )
  ),
  declare2(
    "compareTo",
    method(
      "semver_compare_to",
      [S, S],
      INT,
      ofTwo2((order) => order)
    )
  ),
  declare2("major", method("semver_major", [S], INT, number(0))),
  declare2("minor", method("semver_minor", [S], INT, number(1))),
  declare2("patch", method("semver_patch", [S], INT, number(2)))
];

// api/cel/library/urls.ts
var CelUrl = class _CelUrl extends CelOpaque {
  type = URL_TYPE;
  parts;
  constructor(parts) {
    super();
    this.parts = parts;
  }
  equals(other) {
    return other instanceof _CelUrl && this.parts.text === other.parts.text;
  }
};
var SHAPE2 = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
var parse4 = (text) => {
  if (typeof text !== "string") return NO_SUCH_OVERLOAD;
  const match = SHAPE2.exec(text);
  if (!isRequestUri(text) || match === null) return unparsed(text);
  const [, scheme = "", authority = "", path = "", query = ""] = match;
  const host = unescape(authority.slice(authority.lastIndexOf("@") + 1));
  const isOpaque = scheme !== "" && !text.slice(scheme.length + 1).startsWith("/");
  const parts = {
    scheme: scheme.toLowerCase(),
    host,
    path: isOpaque ? "" : escapedPath(path),
    query
  };
  return new CelUrl({ ...parts, text });
};
function unparsed(text) {
  const why = text === "" ? "empty url" : "invalid URI for request";
  const what = "URL parse error during conversion from string";
  return new CelError(`${what}: parse ${goQuote(text)}: ${why}`);
}
function unescape(text) {
  if (!text.includes("%")) return text;
  const bytes = text.replace(
    /%[0-9A-Fa-f]{2}/g,
    (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16))
  );
  return Buffer.from(bytes, "latin1").toString();
}
function escapedPath(path) {
  const isValid = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]]|%[0-9A-Fa-f]{2})*$/.test(path);
  return isValid ? path : encodeURI(unescape(path)).replace(/[[\]]/g, encodeURIComponent);
}
function hostAndPort(host) {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && /^\d*$/.test(host.slice(colon + 1)) && !host.endsWith("]");
  const name = hasPort ? host.slice(0, colon) : host;
  const bare = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  return [bare, hasPort ? host.slice(colon + 1) : ""];
}
function queryOf(query) {
  const map = new ValueMap();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const [name = "", value = ""] = pair.split(/=(.*)/s).map((part2) => part2.replaceAll("+", " "));
    if (/%(?![0-9A-Fa-f]{2})/.test(name + value)) continue;
    const key = unescape(name);
    const known2 = map.find(key);
    const values = known2 instanceof CelList ? known2 : new ValueList([]);
    map.set(key, values.plus(new ValueList([unescape(value)])));
  }
  return map;
}
function part(name, id, of) {
  const run = (url) => url instanceof CelUrl ? of(url.parts) : NO_SUCH_OVERLOAD;
  return declare2(name, method(id, [URL_TYPE], STRING, run));
}
var getQuery = (url) => url instanceof CelUrl ? queryOf(url.parts.query) : NO_SUCH_OVERLOAD;
var isUrl = (text) => typeof text === "string" ? isRequestUri(text) : NO_SUCH_OVERLOAD;
var URLS = [
  declare2("url", overload("string_to_url", [STRING], URL_TYPE, parse4)),
  part("getScheme", "url_get_scheme", ({ scheme }) => scheme),
  part("getHost", "url_get_host", ({ host }) => host),
  part("getHostname", "url_get_hostname", ({ host }) => hostAndPort(host)[0]),
  part("getPort", "url_get_port", ({ host }) => hostAndPort(host)[1]),
  part("getEscapedPath", "url_get_escaped_path", ({ path }) => path),
  declare2("getQuery", method("url_get_query", [URL_TYPE], mapOf2(STRING, listOf(STRING)), getQuery)),
  declare2("isURL", overload("is_url_string", [STRING], BOOL, isUrl))
];

// api/cel/kubernetes-environment.ts
var KUBERNETES = Environment.standard().extend({
  functions: [
    ...URLS,
    ...KUBERNETES_LISTS,
    ...OPTIONALS,
    ...QUANTITIES,
    ...EXTENDED_STRINGS,
    ...NETWORK_ADDRESSES,
    ...NAMED_FORMATS,
    ...MAP_INSERTION,
    ...SEMANTIC_VERSIONS,
    ...EXTENDED_LISTS
  ],
  macros: [...OPTIONAL_MACROS, ...TWO_VARIABLE_MACROS, SORT_BY_MACRO],
  types: [IP_TYPE, CIDR_TYPE],
  hasOptionals: true,
  // Mixed literals are refused by the check of literals, which makes an exception for format.
  hasMixedLiterals: true,
  checksLiterals: true,
  callCostOf: kubernetesCallCost
});

// api/patch/own-property.ts
function ownValue(object, key) {
  return Object.hasOwn(object, key) ? object[key] : void 0;
}
function setOwn(object, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true
    });
  } else {
    object[key] = value;
  }
}
function ownKeys(object) {
  return Object.keys(object).filter((key) => object[key] !== void 0);
}

// api/patch/json-tree.ts
function isEqualJson(one, other) {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isEqualJson(item, other[index]));
  }
  return isJsonObject(one) && isJsonObject(other) && isEqualObject(one, other);
}
function isEqualObject(one, other) {
  const keys = ownKeys(one);
  return keys.length === ownKeys(other).length && keys.every((key) => isEqualJson(one[key], ownValue(other, key)));
}

// api/cel/schema-formats.ts
var DAY_NANOS = 86400000000000n;
var UNITS2 = [
  [["ns"], "nano", 1n],
  [["us", "\xB5s"], "micro", 1000n],
  [["ms"], "milli", 1000000n],
  [["s"], "sec", 1000000000n],
  [["m"], "min", 60000000000n],
  [["h", "hr"], "hour", 3600000000000n],
  [["d"], "day", DAY_NANOS],
  [["w", "wk"], "week", 7n * DAY_NANOS]
];
function schemaDuration(text) {
  const duration = parseDuration(text);
  if (duration !== void 0) return duration;
  let nanos;
  for (const [, amount = "0", name = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = unitOf(name.toLowerCase());
    if (unit !== void 0) nanos = (nanos ?? 0n) + BigInt(amount) * unit;
  }
  if (nanos !== void 0 && isInt64(nanos)) return new CelDuration(nanos);
  return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
}
function unitOf(name) {
  return UNITS2.find(([names, prefix]) => names.includes(name) || name.startsWith(prefix))?.[2];
}
function schemaDate(text) {
  const isDate2 = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const timestamp = isDate2 ? parseTimestamp(`${text}T00:00:00Z`) : void 0;
  return timestamp ?? unparsed2("date", text, "2006-01-02");
}
function schemaDateTime(text) {
  if (text === "") return timestampOfSeconds(0, 0);
  const isLocal = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(text);
  const timestamp = parseTimestamp(isLocal ? `${text}Z` : text);
  return timestamp ?? unparsed2("date-time", text, "2006-01-02T15:04:05");
}
function unparsed2(format2, text, layout) {
  const why = `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse`;
  return new CelError(`Invalid ${format2} formatted string ${text}: ${why}`);
}
function schemaBytes(text) {
  const isBase642 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(
    text.replace(/[\r\n]/g, "")
  );
  if (isBase642) return new CelBytes(Buffer.from(text, "base64"));
  const at2 = text.search(/[^A-Za-z0-9+/=\r\n]/);
  const place = String(at2 < 0 ? text.length : at2);
  const why = `illegal base64 data at input byte ${place}`;
  return new CelError(`Invalid byte formatted string ${text}: ${why}`);
}

// api/cel/value-json.ts
function jsonOf(value) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint) return Number(value.value);
  if (value instanceof CelBytes) return Buffer.from(value.bytes).toString("base64");
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatSeconds(value);
  if (value instanceof CelList) {
    return Array.from({ length: value.size }, (_, index) => jsonOf(value.at(index)));
  }
  return value instanceof CelMap ? jsonOfMap(value) : goText(value);
}
function jsonOfMap(map) {
  const object = {};
  for (const key of map.keys()) setOwn(object, goText(key), jsonOf(map.find(key) ?? null));
  return object;
}

// api/cel/schema-values.ts
function schemaValue(data, schema2) {
  if (data === null) return schema2.nullable ? null : NOT_NULLABLE;
  if (schema2.extensions.intOrString) return intOrString(data);
  switch (schema2.type) {
    case "object":
      return objectValue(data, schema2);
    case "array":
      return listValue(data, schema2);
    case "string":
      return stringValue(data, schema2);
    case "number":
      return typeof data === "number" ? new CelDouble(data) : unexpected("float", data);
    case "integer": {
      const isInteger = typeof data === "number" && Number.isInteger(data);
      return isInteger ? intOfNumber(data) : unexpected("int", data);
    }
    case "boolean":
      return typeof data === "boolean" ? data : unexpected("bool", data);
    case "":
      return schema2.extensions.preserveUnknownFields ? new PreservedValue(data) : UNTYPED;
  }
}
var NOT_NULLABLE = new CelError("invalid data, got null for schema with nullable=false");
var NO_INT_OR_STRING = new CelError(
  "invalid data, expected XIntOrString value to be either a string or integer"
);
var UNTYPED = new CelError(
  "invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got "
);
var NO_MAP = new CelError(
  "invalid data, expected a map for the provided schema with type=object"
);
var NO_ARRAY = new CelError(
  "invalid data, expected an array for the provided schema with type=array"
);
var NO_ITEMS = new CelError("invalid array type, expected Items with a non-empty Schema");
function unexpected(expected, data) {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(data)}`);
}
function intOrString(data) {
  if (typeof data === "string") return data;
  const isInteger = typeof data === "number" && Number.isInteger(data);
  return isInteger ? intOfNumber(data) : NO_INT_OR_STRING;
}
function stringValue(data, { values }) {
  if (typeof data !== "string") return unexpected("string", data);
  switch (values?.format) {
    case "duration":
      return schemaDuration(data);
    case "date":
      return schemaDate(data);
    case "date-time":
      return schemaDateTime(data);
    case "byte":
      return schemaBytes(data);
    default:
      return data;
  }
}
function objectValue(data, schema2) {
  if (!isJsonObject(data)) return NO_MAP;
  return new SchemaMap(data, schema2.extensions.embeddedResource ? withMetadata(schema2) : schema2);
}
function listValue(data, { items, extensions }) {
  if (!Array.isArray(data)) return NO_ARRAY;
  if (items === void 0) return NO_ITEMS;
  if (extensions.listType === "map") return new MapList(data, items, extensions.listMapKeys);
  return extensions.listType === "set" ? new SetList(data, items) : new DataList(data, items);
}
var DataList = class _DataList extends ItemList {
  data;
  items;
  constructor(data, items) {
    super();
    this.data = data;
    this.items = items;
  }
  get size() {
    return this.data.length;
  }
  at(index) {
    return schemaValue(this.data[index] ?? null, this.items);
  }
  plus(other) {
    return this.with([...this.data, ...dataOf(other)]);
  }
  with(data) {
    return new _DataList(data, this.items);
  }
};
function dataOf(list) {
  if (list instanceof DataList) return [...list.data];
  return Array.from({ length: list.size }, (_, index) => jsonOf(list.at(index)));
}
var SetList = class _SetList extends DataList {
  equals(other) {
    if (this.size !== other.size) return false;
    const mine = new Set(this.data.map(formOf));
    return dataOf(other).every((item) => mine.has(formOf(item)));
  }
  plus(other) {
    const known2 = new Set(this.data.map(formOf));
    const added = dataOf(other).filter((item) => {
      const form = formOf(item);
      return known2.has(form) ? false : known2.add(form);
    });
    return this.with([...this.data, ...added]);
  }
  with(data) {
    return new _SetList(data, this.items);
  }
};
function formOf(value) {
  return typeof value === "object" ? JSON.stringify(value) : value;
}
var MapList = class _MapList extends DataList {
  #keys;
  constructor(data, items, keys) {
    super(data, items);
    this.#keys = keys;
  }
  equals(other) {
    if (this.size !== other.size) return false;
    const mine = new Map(this.data.map((item) => [this.#keyOf(item), item]));
    for (let index = 0; index < other.size; index++) {
      const item = other.at(index);
      const same = mine.get(this.#keyOf(jsonOf(item)));
      if (same === void 0 || !areEqual(schemaValue(same, this.items), item)) return false;
    }
    return true;
  }
  plus(other) {
    const items = [...this.data];
    const places = new Map(items.map((item, index) => [this.#keyOf(item), index]));
    for (const item of dataOf(other)) {
      const place = places.get(this.#keyOf(item));
      if (place === void 0) items.push(item);
      else items[place] = item;
    }
    return new _MapList(items, this.items, this.#keys);
  }
  #keyOf(item) {
    const keys = isJsonObject(item) ? this.#keys.map((key) => ownValue(item, key) ?? null) : item;
    return JSON.stringify(keys);
  }
};
var SchemaMap = class _SchemaMap extends CelMap {
  data;
  #schema;
  constructor(data, schema2) {
    super();
    this.data = data;
    this.#schema = schema2;
  }
  get size() {
    return ownKeys(this.data).length;
  }
  get #isObject() {
    return this.#schema.properties.size > 0;
  }
  find(key) {
    if (typeof key !== "string") return NO_SUCH_OVERLOAD;
    if (!this.#isObject) return this.#findPlain(key);
    const name = unescapeName(key);
    return name === void 0 ? void 0 : this.#findPlain(name);
  }
  #findPlain(name) {
    const value = ownValue(this.data, name);
    if (value === void 0 || value === null && this.#isObject) return void 0;
    const schema2 = this.#schemaOf(name);
    return schema2 && schemaValue(value, schema2);
  }
  #schemaOf(name) {
    const { properties, additionalProperties, extensions } = this.#schema;
    if (this.#isObject || extensions.embeddedResource) return properties.get(name);
    return additionalProperties === true ? void 0 : additionalProperties;
  }
  keys() {
    const names = ownKeys(this.data).filter((name) => this.#schemaOf(name) !== void 0);
    return this.#isObject ? names.map((name) => escapeName(name) ?? name) : names;
  }
  equals(other) {
    if (this.size !== other.size) return false;
    return ownKeys(this.data).every(
      (name) => this.#schemaOf(name) === void 0 ? this.#isUnknownEqual(name, other) : isFieldEqual(this.find(name), other.find(name))
    );
  }
  #isUnknownEqual(name, other) {
    if (!(other instanceof _SchemaMap)) return false;
    const theirs = ownValue(other.data, name);
    return theirs === void 0 || isEqualJson(ownValue(this.data, name) ?? null, theirs);
  }
};
function isFieldEqual(mine, theirs) {
  if (mine === void 0 || theirs === void 0) return mine === theirs;
  return areEqual(mine, theirs);
}
var PreservedValue = class _PreservedValue extends CelOpaque {
  type = structType("unknown");
  data;
  constructor(data) {
    super();
    this.data = data;
  }
  equals(other) {
    return other instanceof _PreservedValue && isEqualJson(this.data, other.data);
  }
};

// ../../tmp/cel/bench.ts
var schema = parseStructuralSchema(SCHEMA);
var structs = new DeclaredStructs(declarationOf(schema, true), "selfType");
var env = KUBERNETES.extend({ structs, variables: [{ name: "self", type: structs.root }] });
var root = withMetadata(schema);
var exprs = [
  "self.spec.minReplicas <= self.spec.replicas",
  "self.spec.ports.all(p, self.spec.ports.exists_one(q, q.name == p.name && q.number == p.number))",
  "self.spec.ports.exists(l, l.name == 'https') ? has(self.spec.labels) : true",
  "(self.spec.mode == 'Fast' && !has(self.status)) ? !has(self.spec.gone) : true",
  "self.spec.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') || self.spec.tags.all(t, t.size() < 64 && t.startsWith('t') == false || true)",
  "self.spec.labels.all(k, self.spec.labels[k].size() < 10 && k != 'x') && self.spec.numbers.sum() > 3"
];
for (const expression of exprs) {
  const t = (n, f) => {
    for (let i = 0; i < n; i++) f();
    const s = performance.now();
    for (let i = 0; i < n; i++) f();
    return (performance.now() - s) * 1e3 / n;
  };
  const c = env.compile(expression);
  if (!c.ok) throw new Error(c.message);
  const compile = t(500, () => env.compile(expression));
  const evaluate = t(2e4, () => c.program.evaluate(/* @__PURE__ */ new Map([["self", schemaValue(OBJECT, root)]])));
  const q = (o) => JSON.parse(execFileSync("/tmp/cel/oracle", { input: JSON.stringify({ ask: "time", expression, schema: SCHEMA, ...o }) + "\n", encoding: "utf8" })).micros;
  console.log(`compile ${compile.toFixed(0)} \xB5s (Go ${q({ times: 300 }).toFixed(0)}), evaluate ${evaluate.toFixed(2)} \xB5s (Go ${q({ times: 2e4, object: OBJECT }).toFixed(2)})  ${expression.slice(0, 60)}`);
}
/*! Bundled license information:

re2js/build/index.js:
  (*!
  * re2js
  * RE2JS is the JavaScript port of RE2, a regular expression engine that provides linear time matching
  *
  * @version v2.10.0
  * @author Oleksii Vasyliev
  * @homepage https://github.com/le0pard/re2js#readme
  * @repository [object Object]
  * @license MIT
  *)
*/
