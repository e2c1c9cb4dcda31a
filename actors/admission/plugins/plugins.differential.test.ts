/**
 * Plug-ins beside those of kube-apiserver, run in Go: the same objects are there, the same requests
 * are made, and what comes out is the same object or the same refusal.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { objectAt, type JsonObject, type JsonValue } from '../../../api/meta/json.ts';
import { goOracle } from '../../../api/patch/go-oracle.fixture.ts';
import { givenPlugin } from '../given-plugin.fixture.ts';
import { pluginsOf } from '../plugin-order.ts';
import { plain, type Case } from './made-up-requests.fixture.ts';
import { OTHER_CASES } from './other-plugin-cases.fixture.ts';
import { POD_CASES } from './pod-plugin-cases.fixture.ts';

const oracle = await goOracle('admission');
const WORLDS = 6;
const REQUESTS = 40;
/** The same worlds each time: not every object that could be made up is valid. */
const SEED = 36;
const TIMEOUT_MS = 300_000;

interface Answer {
  readonly object?: JsonObject;
  readonly status?: { readonly code: number; readonly message: string };
  readonly warnings?: string[];
}

function partsOf(url: string) {
  const parts = url.split('/');
  const at = parts.indexOf('namespaces');
  return at < 0 || at === parts.length - 1
    ? { namespace: '', resource: parts.at(-1) ?? '' }
    : { namespace: parts[at + 1] ?? '', resource: parts[at + 2] ?? '' };
}

function nameOf(one: JsonObject): string {
  const name = objectAt(one, 'metadata')?.['name'];
  return typeof name === 'string' ? name : '';
}

/** What a plug-in can change. Names that are made by chance are not compared. */
function seen({ object: one, status, warnings = [] }: Answer): JsonValue {
  const refused = status && { code: status.code, message: status.message };
  const metadata = objectAt(one, 'metadata');
  const { labels, annotations, finalizers } = metadata ?? {};
  const left = refused ?? { spec: one?.['spec'] ?? null, labels, annotations, finalizers };
  const text = JSON.stringify({ left, warnings });
  return JSON.parse(
    text.replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-x'),
  ) as JsonValue;
}

async function compare({ plugin, url, configuration, objects, request }: Case): Promise<number> {
  const { namespace, resource } = partsOf(url);
  const worlds = fc.sample(objects, { numRuns: WORLDS, seed: SEED }).map((there, at) => {
    return {
      there: plain(there),
      requests: fc.sample(request, { numRuns: REQUESTS, seed: SEED + at }).map(plain),
    };
  });
  const asked = worlds.map(({ there, requests }) => ({
    ...{ plugin, configuration, objects: there.map((one) => one.object) },
    requests: requests.map((one) => ({
      ...{ operation: 'CREATE', subresource: '', namespace, resource, name: nameOf(one.object) },
      ...one,
    })),
  }));
  const theirs = oracle?.<{ answers: Answer[] }>(asked) ?? [];
  let count = 0;
  for (const [index, { there, requests }] of worlds.entries()) {
    const given = await givenPlugin(
      (world) => {
        const configurations = new Map(
          configuration === undefined ? [] : [[plugin, { content: configuration, file: 'f' }]],
        );
        const [found] = pluginsOf(world, { isOn: (name) => name === plugin, configurations });
        if (found === undefined) throw new Error(`no plug-in ${plugin}`);
        return found;
      },
      there.map((one) => [one.url, one.object]),
    );
    for (const [at, one] of requests.entries()) {
      const { operation = 'CREATE', subresource = '' } = one;
      const below = operation === 'CREATE' && subresource === '' ? '' : `/${nameOf(one.object)}`;
      const where = `${url}${below}${subresource === '' ? '' : `/${subresource}`}`;
      const result = await given.admit({ ...one, url: where });
      const { status, warnings } = result;
      const ours = seen({
        ...{ object: result.object, warnings: [...warnings] },
        ...(status && { status: { code: status.code, message: status.message ?? '' } }),
      });
      const wanted = seen(theirs[index]?.answers[at] ?? {});
      expect(ours, JSON.stringify({ there, one })).toEqual(wanted);
      count += 1;
    }
  }
  return count;
}

describe.skipIf(oracle === undefined).each([...POD_CASES, ...OTHER_CASES])(
  '$plugin of $url',
  (one) => {
    it('does what it does in kube-apiserver', { timeout: TIMEOUT_MS }, async () => {
      expect(await compare(one)).toBe(WORLDS * REQUESTS);
    });
  },
);
