/** Objects in protobuf written and read by us and by Go, on generated input. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/json/json.ts';
import { goOracle, seededDice } from '../../api/patch/go-oracle.fixture.ts';
import { kindsOfObjects, mutated } from '../../api/scheme/mutated-objects.fixture.ts';
import { typeIdOfKind } from '../../api/scheme/type-facts.ts';
import { decodeProtobuf, encodeProtobuf } from './protobuf-codec.ts';

interface Answer {
  readonly text?: string;
  readonly error?: string;
  /** Base64. */
  readonly bytes?: string;
}

const MUTATIONS = 20;

const oracle = await goOracle('codecs');
const kinds = kindsOfObjects();

describe.skipIf(oracle === undefined || kinds.length === 0)('the protobuf codec', () => {
  it('writes the bytes that Go writes, and reads from them what Go reads', () => {
    if (oracle === undefined) return;
    const dice = seededDice(36);
    const sent = kinds.flatMap(({ object, ...kind }) =>
      Array.from({ length: MUTATIONS }, () => ({
        ...kind,
        text: JSON.stringify(mutated(object, dice)),
      })),
    );
    const canonical = oracle<Answer>(sent.map((one) => ({ kind: 'json', ...one }))).flatMap(
      ({ text }, at) => (text === undefined ? [] : [{ ...sent[at], text: text.trimEnd() }]),
    );
    // Go remembers that a list was empty and not absent, which its own JSON does not say.
    const answers = oracle<Answer>(canonical.map((one) => ({ kind: 'json', ...one })));
    const read = answers.map(({ text = '', bytes = '' }, at) => {
      const { apiVersion = '', type = '', typeId = '' } = canonical[at] ?? {};
      return { apiVersion, type, typeId, text, bytes };
    });
    expect(read.length).toBeGreaterThan(200);

    const written = read.filter(({ text, bytes, typeId }) => {
      const object = JSON.parse(text) as JsonObject;
      return encodeProtobuf(object, typeId).toString('base64') !== bytes;
    });
    expect(written).toEqual([]);

    const back = oracle<Answer>(
      read.map(({ bytes, apiVersion, type }) => ({ kind: 'protobuf', bytes, apiVersion, type })),
    );
    const misread = read.flatMap(({ bytes, type }, at) => {
      const ours = JSON.stringify(decodeProtobuf(Buffer.from(bytes, 'base64'), typeIdOfKind));
      const theirs = back[at]?.text?.trimEnd();
      return ours === theirs ? [] : [{ type, ours, theirs }];
    });
    expect(misread).toEqual([]);
  });
});
