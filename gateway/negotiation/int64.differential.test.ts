/** Whole numbers of 64 bits through YAML, typed JSON and protobuf, by us and by Go. */
import { describe, expect, it } from 'vitest';
import { isInt64 } from '../../api/json/go-numbers.ts';
import { readEntries, asSpelled } from '../../api/json/json-reader.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { goOracle } from '../../api/patch/go-oracle.fixture.ts';
import { greatNumbers } from '../../api/meta/great-numbers.fixture.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import { typedCodec } from '../../api/scheme/typed-json.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf-codec.ts';
import { readJsonBody } from './json-body.ts';
import { YamlError } from './yaml-error.ts';
import { formatYaml, parseYaml } from './yaml-codec.ts';

interface Answer {
  readonly text?: string;
  readonly error?: string;
  /** Base64. */
  readonly bytes?: string;
}

const oracle = await goOracle('codecs');
const NUMBERS = greatNumbers(52);
const YAML_NUMBERS = [
  '+9223372036854775807',
  '0x7fffffffffffffff',
  '-0x8000000000000000',
  '0xffffffffffffffff',
  '0o777777777777777777777',
  '0777777777777777777777',
  '0b111111111111111111111111111111111111111111111111111111111111111',
  '9_223_372_036_854_775_807',
];

/** `%` stands for the number, in a field of each width. */
const OBJECTS = [
  ['v1', 'Pod', '{"spec":{"containers":null,"terminationGracePeriodSeconds":%}}'],
  ['v1', 'Pod', '{"spec":{"containers":null,"priority":%}}'],
  ['v1', 'Pod', '{"spec":{"containers":null,"securityContext":{"supplementalGroups":[1,%]}}}'],
  ['v1', 'Pod', '{"metadata":{"generation":%,"deletionGracePeriodSeconds":%}}'],
  ['v1', 'Node', '{"status":{"images":[{"names":["a"],"sizeBytes":%}]}}'],
  ['v1', 'Pod', '{"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":%}}}]}}'],
  ['v1', 'Service', '{"spec":{"ports":[{"port":80,"targetPort":%}]}}'],
  ['apps/v1', 'ControllerRevision', '{"data":{"a":[%]},"revision":%}'],
  ['apps/v1', 'ControllerRevision', '{"data":{"a":[%,{"b":%}]},"revision":1}'],
  [
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    '{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"maximum":%,"minimum":%,' +
      '"multipleOf":%,"enum":[%],"default":%,"maxLength":%}}}]}}',
  ],
] as const;

describe.skipIf(oracle === undefined)('a great number', () => {
  const ask = (questions: readonly object[]): Answer[] => oracle?.<Answer>(questions) ?? [];

  it('in YAML is what Go makes JSON of', () => {
    const texts = [...NUMBERS, ...YAML_NUMBERS].map((number) => `a: ${number}\n${number}: b\n`);
    const answers = ask(texts.map((text) => ({ kind: 'fromYAML', text })));
    const theirs = answers.map(({ text = '', error }) => error ?? normal(text));
    const ours = texts.map(normalOfYaml);
    // Of a key that is refused Go shows the value, too.
    const isSame = ours.map((text, at) => text === theirs[at] || text === keyOnly(theirs[at]));
    expect(texts.filter((_, at) => isSame[at] !== true)).toEqual([]);
  });

  it('in YAML has all digits that Go makes JSON of, for what keeps JSON as it is', () => {
    const texts = [...NUMBERS, ...YAML_NUMBERS].map(
      (number) => `z: {y: ${number}, x: [1, ${number}]}\na: &n ${number}\nb: *n\n`,
    );
    const answers = ask(texts.map((text) => ({ kind: 'fromYAML', text })));
    const theirs = answers.map(({ text = '', error }) => error ?? withDigits(text));
    const ours = texts.map((text) => formatJson(asSpelled(parseYaml(Buffer.from(text)))));
    expect(ours).toEqual(theirs);
  });

  it('in JSON becomes the YAML that Go writes', () => {
    // What is no number of 64 bits has been through JSON once, here and there.
    const texts = NUMBERS.map((number) => normal(`{"a":[${number}]}`));
    const answers = ask(texts.map((text) => ({ kind: 'toYAML', text })));
    const written = texts.map((text) => formatYaml(parseJson(text)));
    expect(written).toEqual(answers.map(({ text }) => text));
  });

  it('in a built-in type is taken, written, or refused in the same words', () => {
    const asked: Question[] = OBJECTS.flatMap(([apiVersion, type, fields]) =>
      NUMBERS.map((number) => {
        const head = `{"kind":"${type}","apiVersion":"${apiVersion}",`;
        const text = fields.replace('{', head).replaceAll('%', number);
        return { kind: 'json', apiVersion, type, text };
      }),
    );
    const answers = ask(asked);
    expect(asked.length).toBeGreaterThan(500);
    expect(asked.flatMap((question, at) => difference(question, answers[at] ?? {}))).toEqual([]);
  });
});

/** Whole, and spelled as what Go makes a float64. */
const SPELLED = ['1.0', '-1.0', '1e0', '10E-1', '1.00e+2', '0.0', '-0.0', '100e-2', '1.50'];

describe.skipIf(oracle === undefined)('a number spelled as a float', () => {
  it('is refused by the int fields of a built-in type, in the same words', () => {
    const asked = OBJECTS.filter(([, , fields]) => !fields.includes('"cpu"')).flatMap(
      ([apiVersion, type, fields]) =>
        SPELLED.map((number): Question => {
          const head = `{"kind":"${type}","apiVersion":"${apiVersion}",`;
          const text = fields.replace('{', head).replaceAll('%', number);
          return { kind: 'json', apiVersion, type, text };
        }),
    );
    const answers = oracle?.<Answer>(asked) ?? [];
    const different = asked.flatMap((question, at) => {
      const { text = '', error } = answers[at] ?? {};
      const [ours, theirs] = [bodyAsRead(question), error ?? normalOf(question, text)];
      return ours === theirs ? [] : [{ question, ours, theirs }];
    });
    expect(different.slice(0, 3)).toEqual([]);
  });
});

function bodyAsRead({ apiVersion, type, text }: Question): string {
  try {
    const { value, repeated } = readJsonBody(Buffer.from(text), true);
    const codec = typedCodec(typeIdOfKind(apiVersion, type) ?? '');
    const decoded = codec.decode(value, { collectUnknown: true, repeated });
    return decoded.ok ? formatJson(decoded.value) : decoded.message;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Question {
  readonly kind: string;
  readonly apiVersion: string;
  readonly type: string;
  readonly text: string;
}

function difference(question: Question, { text = '', error, bytes = '' }: Answer): object[] {
  const typeId = typeIdOfKind(question.apiVersion, question.type) ?? '';
  const decoded = typedCodec(typeId).decode(parseJson(question.text), { collectUnknown: true });
  const ours = decoded.ok ? formatJson(decoded.value) : decoded.message;
  const theirs = error ?? normalOf(question, text);
  // A quantity beyond int64 without quotes is a double here, and text to Go.
  if (question.text.includes('"cpu"') && literalsBeyondInt64(question.text)) return [];
  if (ours !== theirs) return [{ question, ours, theirs }];
  if (!decoded.ok) return [];
  // Ours is of the type that was just decoded.
  const encoded = encodeProtobuf(decoded.value, typeId).toString('base64');
  const back = formatJson(decodeProtobuf(Buffer.from(bytes, 'base64'), typeIdOfKind));
  return encoded === bytes && back === theirs ? [] : [{ question, encoded, bytes, back }];
}

function literalsBeyondInt64(text: string): boolean {
  const [number = '0'] = /-?\d{19,}/.exec(text) ?? [];
  return !isInt64(BigInt(number));
}

function normalOfYaml(text: string): string {
  try {
    return formatJson(parseYaml(Buffer.from(text)));
  } catch (error) {
    return error instanceof YamlError ? error.message : String(error);
  }
}

function keyOnly(refusal: string | undefined): string | undefined {
  return refusal?.replace(/, value: .*$/, '');
}

/** What Go keeps as it was sent has its very digits in both. */
function normalOf({ type }: Question, text: string): string {
  if (type !== 'ControllerRevision') return normal(text);
  return withDigits(text);
}

function withDigits(text: string): string {
  return formatJson(asSpelled(readEntries(text).value));
}

function normal(text: string): string {
  return formatJson(parseJson(text));
}
