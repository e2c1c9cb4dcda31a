/** Made-up requests to one plug-in after another: how they are answered here, and what Go is asked. */
import { join } from 'node:path';

import fc from 'fast-check';

import { objectAt, type JsonObject, type JsonValue } from '../../../api/json/json.ts';
import { recordedAnswers } from '../../../tools/recorded-answers.fixture.ts';
import { givenPlugin } from '../given-plugin.fixture.ts';
import { pluginsOf } from '../admission-plugins.ts';
import { plain, type Case, type Request, type Stored } from './made-up-requests.fixture.ts';
import { OTHER_CASES } from './other-plugin-cases.fixture.ts';
import { POD_CASES } from './pod-plugin-cases.fixture.ts';

export const CASES: readonly Case[] = [...POD_CASES, ...OTHER_CASES];

/** The same worlds each time: not every object that could be made up is valid. */
const SEED = 36;

export interface PluginAnswer {
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
export function seen({ object: one, status, warnings = [] }: PluginAnswer): JsonValue {
  const refused = status && { code: status.code, message: status.message };
  const metadata = objectAt(one, 'metadata');
  const { labels, annotations, finalizers } = metadata ?? {};
  const left = refused ?? { spec: one?.['spec'] ?? null, labels, annotations, finalizers };
  const text = JSON.stringify({ left, warnings });
  return JSON.parse(
    text.replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-x'),
  ) as JsonValue;
}

/** What is there, and what is asked of it. */
export interface World {
  readonly there: readonly Stored[];
  readonly requests: readonly Request[];
}

export function worldsOf({ objects, request }: Case, worlds: number, requests: number): World[] {
  return fc.sample(objects, { numRuns: worlds, seed: SEED }).map((there, at) => ({
    there: plain(there),
    requests: fc.sample(request, { numRuns: requests, seed: SEED + at }).map(plain),
  }));
}

/** What the oracle is asked, one question for all requests of a world. */
export function questionTo({ plugin, url, configuration }: Case, world: World): object {
  const { namespace, resource } = partsOf(url);
  return {
    ...{ plugin, configuration, objects: world.there.map((one) => one.object) },
    requests: world.requests.map((one) => ({
      ...{ operation: 'CREATE', subresource: '', namespace, resource, name: nameOf(one.object) },
      ...one,
    })),
  };
}

/** One for each request, as {@link seen}. */
export async function answersHere(one: Case, { there, requests }: World): Promise<JsonValue[]> {
  const given = await givenPlugin(
    (world) => {
      const { plugin, configuration } = one;
      const configurations = new Map(
        configuration === undefined ? [] : [[plugin, { content: configuration, file: 'f' }]],
      );
      const [found] = pluginsOf(world, { isOn: (name) => name === plugin, configurations });
      if (found === undefined) throw new Error(`no plug-in ${plugin}`);
      return found;
    },
    there.map(({ url, object }) => [url, object]),
  );
  const answers: JsonValue[] = [];
  for (const request of requests) {
    const { operation = 'CREATE', subresource = '' } = request;
    const below = operation === 'CREATE' && subresource === '' ? '' : `/${nameOf(request.object)}`;
    const url = `${one.url}${below}${subresource === '' ? '' : `/${subresource}`}`;
    const { object, status, warnings } = await given.admit({ ...request, url });
    answers.push(
      seen({
        ...{ object, warnings: [...warnings] },
        ...(status && { status: { code: status.code, message: status.message ?? '' } }),
      }),
    );
  }
  return answers;
}

/** A section for each case. */
export const recordedPlugins = recordedAnswers(join(import.meta.dirname, 'plugins.answers.txt'));

export function recordedWorlds(one: Case): World[] {
  return worldsOf(one, 3, 24);
}
