/** Objects in CBOR written and read by us and by Kubernetes' serializer, and bytes that are nearly CBOR. */
import { describe, expect, it } from 'vitest';

import { readCbor } from '../../api/cbor/cbor-reader.ts';
import { writeCbor } from '../../api/cbor/cbor-writer.ts';
import { formatJson, parseJson } from '../../api/json/json-text.ts';
import { goOracle, seededDice } from '../../api/patch/go-oracle.fixture.ts';
import { kindsOfObjects, mutated } from '../../api/scheme/mutated-objects.fixture.ts';

interface Answer {
  readonly text?: string;
  readonly error?: string;
  /** Base64. */
  readonly bytes?: string;
}

const MUTATIONS = 8;
const SPOILED = 6_000;

const oracle = await goOracle('codecs');
const kinds = kindsOfObjects();

describe.skipIf(oracle === undefined || kinds.length === 0)('CBOR', () => {
  it('of every kind is read by Go as its JSON is, and Go’s by us', () => {
    if (oracle === undefined) return;
    const dice = seededDice(33);
    const sent = kinds.flatMap(({ object, ...kind }) =>
      Array.from({ length: MUTATIONS }, () => ({
        ...kind,
        text: JSON.stringify(mutated(object, dice)),
      })),
    );
    const asJson = oracle<Answer>(sent.map((one) => ({ kind: 'json', ...one }))).flatMap(
      ({ text }, at) => {
        // Go keeps fields of a manager that are no object, and cannot write them.
        const isTaken = text !== undefined && !/"fieldsV1":[^{]/.test(text);
        return isTaken ? [{ ...sent[at], text: text.trimEnd() }] : [];
      },
    );
    expect(asJson.length).toBeGreaterThan(200);
    const asCbor = oracle<Answer>(
      asJson.map(({ text, ...one }) => {
        return { kind: 'cbor', ...one, bytes: writeCbor(parseJson(text)).toString('base64') };
      }),
    );
    const different = asJson.flatMap(({ text, type }, at) => {
      const { text: theirs = '', bytes = '', error } = asCbor[at] ?? {};
      const back = bytes === '' ? '' : sortedText(readCbor(Buffer.from(bytes, 'base64')));
      const wanted = sortedText(parseJson(text));
      const isSame = theirs !== '' && sortedText(parseJson(theirs)) === wanted && back === wanted;
      return isSame ? [] : [{ type, text, theirs, back, error }];
    });
    expect(different).toEqual([]);
  });

  it('that is spoiled is refused, or read, as by Go', () => {
    if (oracle === undefined) return;
    const dice = seededDice(34);
    const seeds = SEEDS.map((value) => writeCbor(value));
    const sent = Array.from({ length: SPOILED }, (_, at) => {
      const bytes = Buffer.from(seeds[at % seeds.length] ?? []);
      for (let count = dice(3); count >= 0; count -= 1) bytes[dice(bytes.length)] = dice(256);
      return bytes.subarray(0, dice(4) === 0 ? dice(bytes.length + 1) : bytes.length);
    });
    const answers = oracle<Answer>(
      sent.map((bytes) => ({ kind: 'fromCBOR', bytes: bytes.toString('base64') })),
    );
    const different = sent.flatMap((bytes, at) => {
      const { text, error } = answers[at] ?? {};
      const ours = readOrRefused(bytes);
      const theirs = text === undefined ? undefined : sortedText(parseJson(text));
      return ours === theirs ? [] : [{ bytes: bytes.toString('hex'), ours, theirs, error }];
    });
    expect(different).toEqual([]);
  });
});

const SEEDS = [
  { a: [1, -2, 1.5, 1e300, null, true, false], b: 'text', c: {} },
  [0, 24, 300, 70_000, 2 ** 40, -1, -300, -(2 ** 40)],
  { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'AQID' } },
  [[[['deep']]], {}, [], ''],
];

function readOrRefused(bytes: Buffer): string | undefined {
  try {
    return sortedText(readCbor(bytes));
  } catch {
    return undefined;
  }
}

/** Keys have an order in one of the two only; of bytes that are no UTF-8 Go replaces each, Node a run of them. */
function sortedText(value: unknown): string {
  return formatJson(sorted(value) as never).replaceAll(/\ufffd+/g, '\ufffd');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
