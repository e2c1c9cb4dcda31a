/** Bodies before their objects: JSON, YAML and protobuf of every shape, and the answers in them. */
import { typeIdOfKind } from '../../../../api/scheme/type-facts.ts';
import { bodyDecoder } from '../../../../gateway/negotiation/body-decoder.ts';
import { encodeProtobuf } from '../../../../gateway/negotiation/protobuf-codec.ts';
import { formatYaml } from '../../../../gateway/negotiation/yaml-codec.ts';
import type { JsonObject } from '../../../../api/json/json.ts';
import { asKubeObject, type KubeObject } from '../../../../api/meta/object-meta.ts';
import { DEPLOYMENT, POD } from '../../seeds.ts';
import type { CostCase } from '../cost-case.ts';
import { growthsOf } from '../grown-objects.ts';
import {
  enumerated,
  FEW_TEXT_SHAPES,
  repeated,
  type TextShape,
  type ShapeChoice,
} from '../text-shapes.ts';

const JSON_SHAPES: readonly TextShape[] = [
  { name: 'one long text', textOf: (bytes) => `{"a":"${repeated('a', bytes)}"}` },
  { name: 'escapes', textOf: (bytes) => `{"a":"${repeated('\\\\', bytes)}"}` },
  { name: 'quotes', textOf: (bytes) => `{"a":"${repeated('\\"', bytes)}"}` },
  { name: 'code points', textOf: (bytes) => `{"a":"${repeated('\\u00e4', bytes)}"}` },
  { name: 'halves of pairs', textOf: (bytes) => `{"a":"${repeated('\\ud83d', bytes)}"}` },
  { name: 'many keys', textOf: (bytes) => `{${enumerated((at) => `"k${String(at)}":1`, bytes, ',')}}` },
  { name: 'the same key', textOf: (bytes) => `{${enumerated(() => '"k":1', bytes, ',')}}` },
  { name: 'the same two keys', textOf: (bytes) => `{${enumerated((at) => `"k${String(at % 2)}":1`, bytes, ',')}}` },
  { name: 'each key twice', textOf: (bytes) => `{${enumerated((at) => `"k${String(at >> 1)}":1`, bytes, ',')}}` },
  { name: 'the same key of objects', textOf: (bytes) => `{${enumerated((at) => `"k":{"a${String(at)}":1}`, bytes, ',')}}` },
  { name: 'numbered keys', textOf: (bytes) => `{${enumerated((at) => `"${String(at * 3)}":1`, bytes, ',')}}` },
  { name: 'numbers', textOf: (bytes) => `[${enumerated((at) => String(at * 1e12), bytes, ',')}]` },
  { name: 'a long number', textOf: (bytes) => `[${repeated('9', bytes)}]` },
  { name: 'a long fraction', textOf: (bytes) => `[0.${repeated('9', bytes)}e5]` },
  { name: 'exponents', textOf: (bytes) => `[${enumerated(() => '1e300', bytes, ',')}]` },
  { name: 'empty lists', textOf: (bytes) => `[${enumerated(() => '[]', bytes, ',')}]` },
  { name: 'empty objects', textOf: (bytes) => `[${enumerated(() => '{}', bytes, ',')}]` },
  { name: 'nested lists', textOf: (bytes) => `[${enumerated(() => '[[[[[[[[]]]]]]]]', bytes, ',')}]` },
  { name: 'deep lists', textOf: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) },
  { name: 'deep objects', textOf: (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}` },
  { name: 'open lists', textOf: (bytes) => '['.repeat(bytes) },
  { name: 'an end that is missing', textOf: (bytes) => `{"a":"${repeated('a', bytes)}` },
  { name: 'blanks', textOf: (bytes) => `{${repeated(' \n', bytes)}}` },
]; // prettier-ignore

const YAML_SHAPES: readonly TextShape[] = [
  { name: 'a mapping', textOf: (bytes) => enumerated((at) => `k${String(at)}: v`, bytes, '\n') },
  { name: 'the same key', textOf: (bytes) => enumerated(() => 'k: v', bytes, '\n') },
  { name: 'a list', textOf: (bytes) => enumerated((at) => `- v${String(at)}`, bytes, '\n') },
  { name: 'a list of mappings', textOf: (bytes) => enumerated((at) => `- a: ${String(at)}\n  b: 1`, bytes, '\n') },
  { name: 'a flow list', textOf: (bytes) => `[${enumerated((at) => `v${String(at)}`, bytes, ', ')}]` },
  { name: 'a flow mapping', textOf: (bytes) => `{${enumerated((at) => `k${String(at)}: v`, bytes, ', ')}}` },
  { name: 'open flow lists', textOf: (bytes) => '['.repeat(bytes) },
  { name: 'nested flow lists', textOf: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) },
  { name: 'a literal', textOf: (bytes) => `a: |\n${enumerated(() => '  line', bytes, '\n')}\n` },
  { name: 'a folded text', textOf: (bytes) => `a: >\n${enumerated(() => '  line', bytes, '\n')}\n` },
  { name: 'a folded text of empty lines', textOf: (bytes) => `a: >\n${enumerated(() => '', bytes, '\n')}\n  b` },
  { name: 'a plain text of lines', textOf: (bytes) => `a: b\n${enumerated(() => '  line', bytes, '\n')}\n` },
  { name: 'a quoted text of lines', textOf: (bytes) => `a: "b\n${enumerated(() => '  line', bytes, '\n')}"\n` },
  { name: 'a quoted text of escapes', textOf: (bytes) => `a: "${repeated('\\x41', bytes)}"\n` },
  { name: 'a quoted text without end', textOf: (bytes) => `a: "${repeated('a ', bytes)}` },
  { name: 'single quotes', textOf: (bytes) => `a: '${repeated("''", bytes)}'\n` },
  { name: 'comments', textOf: (bytes) => `${enumerated(() => '# a', bytes, '\n')}\na: b\n` },
  { name: 'comments between', textOf: (bytes) => enumerated((at) => `k${String(at)}: v # c`, bytes, '\n') },
  { name: 'empty lines', textOf: (bytes) => `a: b\n${repeated('\n', bytes)}c: d\n` },
  { name: 'anchors', textOf: (bytes) => enumerated((at) => `k${String(at)}: &a${String(at)} v`, bytes, '\n') },
  { name: 'aliases', textOf: (bytes) => `a: &a [1]\n${enumerated((at) => `k${String(at)}: *a`, bytes, '\n')}` },
  { name: 'merges', textOf: (bytes) => `a: &a {x: 1}\n${enumerated((at) => `k${String(at)}: {<<: *a}`, bytes, '\n')}` },
  { name: 'a merge of many', textOf: (bytes) => `a: &a {x: 1}\nb: {<<: [${enumerated(() => '*a', bytes, ', ')}]}` },
  { name: 'tags', textOf: (bytes) => enumerated(() => '- !!str a', bytes, '\n') },
  { name: 'a long tag', textOf: (bytes) => `!${repeated('a', bytes)} b` },
  { name: 'binary', textOf: (bytes) => `a: !!binary ${repeated('QUJD', bytes)}` },
  { name: 'numbers', textOf: (bytes) => enumerated((at) => `- ${String(at)}_000.5e1`, bytes, '\n') },
  { name: 'sexagesimal numbers', textOf: (bytes) => `a: 1${repeated(':30', bytes)}` },
  { name: 'times', textOf: (bytes) => enumerated(() => '- 2026-01-02T03:04:05Z', bytes, '\n') },
  { name: 'documents', textOf: (bytes) => enumerated(() => '---\na: b', bytes, '\n') },
  { name: 'directives', textOf: (bytes) => `${enumerated(() => '%A b', bytes, '\n')}\n---\na: b` },
  { name: 'complex keys', textOf: (bytes) => enumerated((at) => `? [a${String(at)}]\n: b`, bytes, '\n') },
  { name: 'deep mappings', textOf: (bytes) => deepMapping(Math.floor(Math.sqrt(bytes * 2))) },
  { name: 'dashes in a line', textOf: (bytes) => `${repeated('- ', bytes)}a` },
  { name: 'question marks in a line', textOf: (bytes) => `${repeated('? ', bytes)}a` },
  { name: 'colons', textOf: (bytes) => `a: ${repeated('b:', bytes)}` },
  { name: 'errors', textOf: (bytes) => enumerated(() => '} ]', bytes, '\n') },
  { name: 'tabs', textOf: (bytes) => `a:\n${enumerated(() => '\tb: c', bytes, '\n')}` },
]; // prettier-ignore

function deepMapping(depth: number): string {
  return Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}a:`).join('\n');
}

function bodyCases(type: string, shapes: readonly TextShape[]): CostCase[] {
  return shapes.map(({ name, textOf }) =>
    bytesCase(`${type}: ${name}`, type, (bytes) => Buffer.from(textOf(bytes))),
  );
}

function bytesCase(name: string, type: string, bytesOf: (bytes: number) => Buffer): CostCase {
  return {
    name,
    stage: 'after authentication',
    make(bytes) {
      const body = bytesOf(bytes);
      return { bytes: body.length, run: () => bodyDecoder.decode(body, type, true) };
    },
  };
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Objects of a type in protobuf, and what stands in none. */
function protobufCases(): CostCase[] {
  const objects = [POD, DEPLOYMENT].flatMap((seed) =>
    growthsOf(seed, FEW_TEXT_SHAPES.slice(0, 1))
      .filter(({ grown }) => isWritable(seed, grown(64)))
      .map(({ name, grown }) =>
        bytesCase(`protobuf of a ${seed.kind}: ${name}`, PROTOBUF, (bytes) =>
          inProtobuf(seed, grown(bytes)),
        ),
      ),
  );
  const head = encodeProtobuf(POD, typeIdOfKind('v1', 'Pod') ?? '');
  const tails: readonly (readonly [string, Buffer])[] = [
    ['zeros', Buffer.of(0)],
    ['empty messages', Buffer.of(0x12, 0)],
    ['unknown numbers', Buffer.of(0xf8, 0x7f, 1)],
    ['endless numbers', Buffer.of(0xff)],
    ['texts', Buffer.from('\n\x02v1')],
  ];
  return [
    ...objects,
    ...tails.map(([name, piece]) =>
      bytesCase(`protobuf: ${name}`, PROTOBUF, (bytes) =>
        Buffer.concat([head, Buffer.alloc(bytes, piece)]),
      ),
    ),
  ];
}

function inProtobuf({ apiVersion, kind }: KubeObject, grown: JsonObject): Buffer {
  const object = asKubeObject({ ...grown, apiVersion, kind }); // As its seed is.
  return Buffer.from(encodeProtobuf(object, typeIdOfKind(apiVersion, kind) ?? ''));
}

/** What has been grown may fit its type no longer, as a time does. */
function isWritable(seed: KubeObject, grown: JsonObject): boolean {
  try {
    inProtobuf(seed, grown);
    return true;
  } catch {
    return false;
  }
}

/** What was stored is asked for as YAML and as protobuf. */
function answerCases(): CostCase[] {
  return growthsOf({ metadata: POD.metadata }, FEW_TEXT_SHAPES).flatMap(
    ({ name, grown }): CostCase[] => [
      {
        name: `answer in YAML: ${name}`,
        stage: 'after authentication',
        make(bytes) {
          const object = grown(bytes);
          return { bytes, run: () => formatYaml(object) };
        },
      },
    ],
  );
}

export function cases({ texts: shapes }: ShapeChoice): CostCase[] {
  return [
    ...bodyCases('application/json', [...JSON_SHAPES, ...shapes]),
    ...bodyCases('application/yaml', [...YAML_SHAPES, ...shapes]),
    ...protobufCases(),
    ...answerCases(),
  ];
}
