/**
 * The conformance suite of the language. What is about messages of protobuf is left out, for there
 * are none here, and so are libraries that Kubernetes does not have, and expressions whose types
 * are not to be checked, because they always are.
 */
import { tests as conformance } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { SerializedIncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { describe, expect, it } from 'vitest';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  opaqueType,
  parameter,
  STRING,
  TIMESTAMP,
  typeType,
  UINT,
  type CelType,
} from './cel-type.ts';
import { ValueList, ValueMap } from './containers.ts';
import { declare, overload, method } from './declarations.ts';
import { Environment } from './environment.ts';
import { areEqual } from './equality.ts';
import { EXTENDED_STRINGS } from './library/extended-strings.ts';
import { MAP_INSERTION } from './library/map-insertion.ts';
import { OPTIONALS } from './library/optionals.ts';
import { BIND_MACRO, OPTIONAL_MACROS, TWO_VARIABLE_MACROS } from './syntax/macros.ts';
import { spell } from './spelled-value.fixture.ts';
import { parseDuration, parseTimestamp } from './timestamps.ts';
import {
  CelBytes,
  CelDouble,
  CelError,
  CelTypeValue,
  CelUint,
  intOf,
  isError,
  type CelValue,
} from './value.ts';

/** About protobuf, or about what Kubernetes does not have. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'block_ext',
  'dynamic',
  'encoders_ext',
  'enums',
  'math_ext',
  'proto2',
  'proto2_ext',
  'proto3',
  'wrappers',
]);

/** What cel-go, with the options of Kubernetes, does not do as the specification says. */
const AS_CEL_GO: ReadonlySet<string> = new Set([
  'fields/map_bad_key_type_and_false',
  'fields/map_bad_key_type_or_true',
  'fields/map_key_float',
  'fields/map_value_repeat_key',
  'fields/map_value_repeat_key_heterogeneous',
  'optionals/map_null_entry_no_such_key',
  'optionals/map_present_key_invalid_field',
  'string_ext/indexof_out_of_range',
  'string_ext/lastindexof_out_of_range',
  'type_deductions/null_assignable_to_abstract_parameter_candidate',
]);

/** The texts of `format` are those of the second version of the library, not of the fourth. */
const FORMATTED =
  /\b(?:NaN|infinity|scientific|list support for string|map support|dyntype support)\b/;

const BASE = Environment.standard().extend({
  functions: [...OPTIONALS, ...EXTENDED_STRINGS, ...MAP_INSERTION],
  macros: [...OPTIONAL_MACROS, ...TWO_VARIABLE_MACROS, BIND_MACRO],
  hasOptionals: true,
  hasEscapedFields: true,
  hasMixedLiterals: true,
});

type Json = Record<string, unknown>;

interface Original extends Json {
  readonly name?: string;
  readonly expr: string;
  readonly value?: Json;
  readonly evalError?: Json;
  readonly typedResult?: { readonly result?: Json; readonly deducedType?: Json };
  readonly typeEnv?: readonly Json[];
  readonly bindings?: Readonly<Record<string, { readonly value: Json }>>;
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly disableMacros?: boolean;
}

const isAboutMessages = (test: Original): boolean =>
  /google\.protobuf\.(?!Timestamp|Duration)|TestAllTypes|cel\.expr\.conformance|objectValue/.test(
    JSON.stringify(test),
  );

function testsOf(suite: SerializedIncrementalTestSuite): Original[] {
  const own = (suite.tests ?? []).map(({ original }) => original as unknown as Original);
  return [...own, ...(suite.suites ?? []).flatMap(testsOf)];
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
};

function typeOf(json: Json): CelType {
  const [[kind, of]] = Object.entries(json) as [[string, never]];
  const inner = of as Json;
  switch (kind) {
    case 'primitive':
      return PRIMITIVES[String(of)] ?? DYN;
    case 'wellKnown':
      return { TIMESTAMP, DURATION }[String(of)] ?? DYN;
    case 'null':
      return NULL;
    case 'listType':
      return listOf(typeOf((inner['elemType'] ?? { dyn: {} }) as Json));
    case 'mapType':
      return mapOf(
        typeOf((inner['keyType'] ?? { dyn: {} }) as Json),
        typeOf((inner['valueType'] ?? { dyn: {} }) as Json),
      );
    case 'typeParam':
      return parameter(String(of));
    case 'type':
      return typeType(typeOf(Object.keys(inner).length === 0 ? { dyn: {} } : inner));
    case 'abstractType': {
      const parameters = ((inner['parameterTypes'] ?? []) as Json[]).map(typeOf);
      const name = String(inner['name']);
      return name === 'optional_type'
        ? optionalOf(parameters[0] ?? DYN)
        : opaqueType(name, ...parameters);
    }
    default:
      return DYN;
  }
}

const DOUBLES: Readonly<Record<string, number>> = { NaN, Infinity, '-Infinity': -Infinity };

const TYPES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  int: INT,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  null_type: NULL,
  string: STRING,
  type: typeType(DYN),
  uint: UINT,
  'google.protobuf.Timestamp': TIMESTAMP,
  'google.protobuf.Duration': DURATION,
  optional_type: optionalOf(DYN),
};

function valueOf(json: Json): CelValue {
  const [[kind, of]] = Object.entries(json) as [[string, never]];
  const inner = of as Json;
  switch (kind) {
    case 'int64Value':
      return intOf(BigInt(String(of)));
    case 'uint64Value':
      return new CelUint(BigInt(String(of)));
    case 'doubleValue':
      return new CelDouble(DOUBLES[String(of)] ?? Number(of));
    case 'boolValue':
    case 'stringValue':
      return of;
    case 'bytesValue':
      return new CelBytes(Buffer.from(String(of), 'base64'));
    case 'nullValue':
      return null;
    case 'typeValue':
      return new CelTypeValue(TYPES[String(of)] ?? opaqueType(String(of)));
    case 'listValue':
      return new ValueList(((inner['values'] ?? []) as Json[]).map(valueOf));
    case 'mapValue': {
      const map = new ValueMap();
      for (const entry of (inner['entries'] ?? []) as { key: Json; value: Json }[]) {
        map.set(valueOf(entry.key), valueOf(entry.value));
      }
      return map;
    }
    case 'objectValue': {
      const text = String(inner['value']);
      const isTime = String(inner['@type']).endsWith('Timestamp');
      return (isTime ? parseTimestamp(text) : parseDuration(text)) ?? new CelError(text);
    }
    default:
      throw new Error(`no value: ${kind}`);
  }
}

function environmentOf({ typeEnv = [], container = '' }: Original): Environment {
  const variables = typeEnv.flatMap((declared) => {
    const ident = declared['ident'] as { type: Json } | undefined;
    return ident === undefined
      ? []
      : [{ name: String(declared['name']), type: typeOf(ident.type) }];
  });
  const functions = typeEnv.flatMap((declared) => {
    const declaredFunction = declared['function'] as { overloads: Json[] } | undefined;
    if (declaredFunction === undefined) return [];
    const overloads = declaredFunction.overloads.map((one) => {
      const make = one['isInstanceFunction'] === true ? method : overload;
      const parameters = ((one['params'] ?? []) as Json[]).map(typeOf);
      return make(String(one['overloadId']), parameters, typeOf(one['resultType'] as Json));
    });
    return [declare(String(declared['name']), ...overloads)];
  });
  return BASE.extend({ variables, functions, container });
}

/** undefined: as it should be. */
function judge(test: Original): string | undefined {
  const compiled = environmentOf(test).compile(test.expr);
  const isFailure = test.evalError !== undefined;
  if (!compiled.ok) return isFailure ? undefined : compiled.message;
  const { program } = compiled;
  const wanted = test.typedResult?.deducedType;
  const type = formatType(program.resultType);
  if (wanted !== undefined && type !== formatType(typeOf(wanted))) return `is of type ${type}`;
  const bindings = Object.entries(test.bindings ?? {});
  const variables = new Map(bindings.map(([name, { value }]) => [name, valueOf(value)] as const));
  const { value } = program.evaluate(variables);
  if (isFailure) return isError(value) ? undefined : `no error: ${JSON.stringify(spell(value))}`;
  if (test['checkOnly'] === true) return undefined;
  const result = test.value ?? test.typedResult?.result ?? { boolValue: true };
  const expected = valueOf(result);
  const isSame = areEqual(value, expected) || bothNaN(value, expected);
  if (isSame) return undefined;
  return isError(value) ? value.message : JSON.stringify(spell(value));
}

function bothNaN(value: CelValue, expected: CelValue): boolean {
  const isNaNDouble = (one: CelValue): boolean =>
    one instanceof CelDouble && Number.isNaN(one.value);
  return isNaNDouble(value) && isNaNDouble(expected);
}

describe('the conformance suite of the language', () => {
  const suites = (conformance.suites ?? []).filter(({ name }) => !LEFT_OUT.has(name));
  it.each(suites.map((suite) => [suite.name, suite] as const))('%s', (name, suite) => {
    const asked = testsOf(suite).filter(
      (test) => !isAboutMessages(test) && test.disableCheck !== true,
    );
    const wrong = asked.flatMap((test) => {
      const id = `${name}/${test.name ?? test.expr}`;
      const isKnown = AS_CEL_GO.has(id) || (name === 'string_ext' && FORMATTED.test(id));
      const why = isKnown ? undefined : judge(test);
      return why === undefined ? [] : [{ id, expr: test.expr, why }];
    });
    expect(wrong).toEqual([]);
  });
});
