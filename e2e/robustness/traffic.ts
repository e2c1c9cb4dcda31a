/**
 * What the clients do: a seed decides each operation of each client, its kind, its object and its
 * replica. Only versions that are conditions come from answers.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { ask, askList, type Answer } from './asking.ts';
import { Chance } from './chance.ts';
import type { Content, HistoryRecorder, ListRequest, Operation, Request } from './history.ts';
import { COUNTER } from './judge.ts';
import type { ReplicaClient } from './replica-client.ts';
import type { ResourceName, SeenObject } from './seen-object.ts';

export const NAMESPACES = ['default', 'robust'] as const;

export interface TrafficParts {
  readonly seed: number;
  /** With which every id begins: a log may have seen other runs. */
  readonly prefix: string;
  readonly recorder: HistoryRecorder;
  /** A connection of its own to each replica. */
  readonly replicas: readonly ReplicaClient[];
  /** Between the operations of a client, on average. */
  readonly pauseMs: number;
}

/** What each kind of operation weighs. */
const WEIGHTS = {
  create: 18,
  generated: 2,
  update: 10,
  updateIf: 14,
  merge: 7,
  json: 6,
  strategic: 5,
  remove: 4,
  removeIf: 5,
  get: 14,
  getAt: 3,
  list: 4,
  listAt: 3,
  listFrom: 2,
  pages: 3,
  count: 6,
  handOff: 6,
} as const;

const NAMES_AT_A_TIME = 6;
/** A client that got no answer from a replica goes to the others for so long. */
const AVOIDED_MS = 4_000;
/** After so many operations of a client its objects are others, so that no history grows for ever. */
const OPERATIONS_IN_AN_AGE = 250;
const COLORS = ['red', 'blue'] as const;
const FINALIZERS = ['example.com/first', 'example.com/second'] as const;

export class TrafficClient {
  readonly #parts: TrafficParts;
  readonly #name: string;
  /** As last seen, by resource and path. */
  readonly #known = new Map<string, SeenObject>();
  /** Until when a replica is not asked. */
  readonly #avoided = new Map<number, number>();
  #count = 0;
  #newest = 1;

  constructor(name: string, parts: TrafficParts) {
    this.#name = name;
    this.#parts = parts;
  }

  async run(stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      const chance = this.#nextChance();
      await this.#one(chance);
      await sleep(chance.below(2 * this.#parts.pauseMs + 1));
    }
  }

  /** One operation that was chosen elsewhere. */
  async perform(request: Request, wanted: number): Promise<Operation> {
    const { recorder, replicas, prefix } = this.#parts;
    const replica = this.#reachable(wanted);
    this.#count += 1;
    const id = `${prefix}${this.#name}-${String(this.#count)}`;
    const invoked = recorder.now();
    const answer = await this.#asked(id, request, replica);
    const returned = answer.outcome === 'unknown' ? null : recorder.now();
    const path = answer.object?.path ?? (request.kind === 'list' ? '' : request.path);
    const asked = request.kind === 'list' ? request : { ...request, path };
    const who = { client: this.#name, replica: replica % replicas.length };
    const operation = { id, ...who, request: asked, invoked, returned, ...answer };
    recorder.operation(operation);
    this.#learn(operation);
    if (answer.status === 0) this.#avoided.set(who.replica, recorder.now() + AVOIDED_MS);
    return operation;
  }

  /** The replica, or the next one that is not known to be silent. */
  #reachable(wanted: number): number {
    const { recorder, replicas } = this.#parts;
    const now = recorder.now();
    const places = replicas.map((_, index) => (wanted + index) % replicas.length);
    return places.find((place) => (this.#avoided.get(place) ?? 0) <= now) ?? wanted;
  }

  #asked(id: string, request: Request, replica: number): Promise<Answer> {
    const { replicas } = this.#parts;
    const at = (place: number): ReplicaClient => {
      const found = replicas[place % replicas.length];
      if (found === undefined) throw new Error('there is no replica');
      return found;
    };
    if (request.kind !== 'list') return ask(at(replica), id, request);
    let page = replica - 1;
    // Each page is asked for elsewhere: their tokens are good everywhere.
    return askList(() => at((page += 1)), request);
  }

  #learn({ request, object, list, outcome, status }: Operation): void {
    this.#newest = Math.max(this.#newest, object?.version ?? 0, list?.versions[0] ?? 0);
    if (request.kind === 'list') return;
    const key = `${request.resource} ${request.path}`;
    if (object !== undefined) this.#known.set(key, object);
    else if (status === 404 || (request.kind === 'delete' && outcome === 'ok')) {
      this.#known.delete(key);
    }
  }

  #nextChance(): Chance {
    return new Chance(this.#parts.seed, this.#name, this.#count);
  }

  async #one(chance: Chance): Promise<void> {
    const replica = chance.below(this.#parts.replicas.length);
    const kind = chance.weighed(WEIGHTS);
    const resource: ResourceName = chance.happens(0.8) ? 'configmaps' : 'secrets';
    if (kind === 'count') await this.#addOne(chance, replica);
    else if (kind === 'handOff') await this.#handOff(chance, replica);
    else await this.perform(this.#request(kind, chance, resource), replica);
  }

  #request(
    kind: Exclude<keyof typeof WEIGHTS, 'count' | 'handOff'>,
    chance: Chance,
    resource: ResourceName,
  ): Request {
    const path = this.#path(chance, 'k');
    const of = { resource, path };
    const known = this.#known.get(`${resource} ${path}`);
    const version = known?.version ?? chance.between(1, this.#newest);
    switch (kind) {
      case 'create':
        return { kind: 'create', ...of, content: this.#content(chance) };
      case 'generated': {
        const prefix = `g${String(this.#age())}-`;
        return { kind: 'create', resource, path: '', prefix, content: this.#content(chance) };
      }
      case 'update':
        return { kind: 'update', ...of, content: this.#content(chance) };
      case 'updateIf':
        return { kind: 'update', ...of, content: this.#content(chance), version };
      case 'merge':
      case 'strategic': {
        const condition = chance.happens(0.4) ? { version } : {};
        return { kind: 'patch', form: kind, ...of, content: this.#some(chance), ...condition };
      }
      case 'json': {
        const { labels: _labels, ...content } = this.#some(chance);
        const test = { field: 'by', value: known?.data['by'] ?? 'nobody' };
        return {
          kind: 'patch',
          form: 'json',
          ...of,
          content,
          ...(chance.happens(0.7) ? { test } : {}),
        };
      }
      case 'remove':
        return { kind: 'delete', ...of };
      case 'removeIf': {
        const uid = known?.uid;
        return {
          kind: 'delete',
          ...of,
          ...(chance.happens(0.5) || uid === undefined ? { version } : { uid }),
        };
      }
      case 'get':
        return { kind: 'get', ...of, moment: '' };
      case 'getAt':
        return { kind: 'get', ...of, moment: chance.happens(0.2) ? '0' : String(this.#newest) };
      default:
        return this.#listRequest(kind, chance, resource);
    }
  }

  #listRequest(
    kind: 'list' | 'listAt' | 'listFrom' | 'pages',
    chance: Chance,
    resource: ResourceName,
  ): ListRequest {
    const namespace = chance.oneOf(['', ...NAMESPACES]);
    const selector = chance.happens(0.3) ? `color=${chance.oneOf(COLORS)}` : '';
    const of = { kind: 'list', resource, namespace, selector } as const;
    const past = String(chance.between(1, this.#newest));
    if (kind === 'listAt')
      return { ...of, moment: past, match: 'Exact', limit: chance.below(2) * 5 };
    if (kind === 'listFrom') {
      return { ...of, moment: String(this.#newest), match: 'NotOlderThan', limit: 0 };
    }
    return { ...of, moment: '', match: '', limit: kind === 'pages' ? chance.between(1, 5) : 0 };
  }

  /** Reads a number and writes the next one, on condition that no other client did. */
  async #addOne(chance: Chance, replica: number): Promise<void> {
    const of = { resource: 'configmaps', path: `default/${COUNTER}` } as const;
    const { status, object } = await this.perform({ kind: 'get', ...of, moment: '' }, replica);
    const elsewhere = chance.below(this.#parts.replicas.length);
    if (status === 404)
      await this.perform({ kind: 'create', ...of, content: { data: { n: '0' } } }, elsewhere);
    else if (object !== undefined) {
      const data = { n: String(Number(object.data['n']) + 1) };
      const { version } = object;
      await this.perform({ kind: 'update', ...of, content: { data }, version }, elsewhere);
    }
  }

  /** Makes an object that two finalizers hold, deletes it, again and again, or lets one of them go. */
  async #handOff(chance: Chance, replica: number): Promise<void> {
    const of = { resource: 'configmaps', path: this.#path(chance, 'held') } as const;
    const { status, object } = await this.perform({ kind: 'get', ...of, moment: '' }, replica);
    const elsewhere = chance.below(this.#parts.replicas.length);
    const data = { by: this.#mark() };
    if (status === 404) {
      const content = { data, finalizers: FINALIZERS };
      await this.perform({ kind: 'create', ...of, content }, elsewhere);
    } else if (object?.isDeleting === true && chance.happens(0.7)) {
      const [, ...finalizers] = object.finalizers;
      const { version } = object;
      const patch = {
        kind: 'patch',
        form: 'merge',
        ...of,
        content: { data, finalizers },
        version,
      } as const;
      await this.perform(patch, elsewhere);
    } else if (object !== undefined) await this.perform({ kind: 'delete', ...of }, elsewhere);
  }

  #path(chance: Chance, prefix: string): string {
    // Now and then one of the last age, so that not all is left behind.
    const age = Math.max(0, this.#age() - (chance.happens(0.15) ? 1 : 0));
    const name = `${prefix}${String(chance.below(NAMES_AT_A_TIME))}-${String(age)}`;
    return `${chance.oneOf(NAMESPACES)}/${name}`;
  }

  #age(): number {
    return Math.floor(this.#count / OPERATIONS_IN_AN_AGE);
  }

  #mark(): string {
    return `${this.#name}-${String(this.#count)}`;
  }

  #content(chance: Chance): Content {
    const size = chance.happens(0.03) ? 60_000 : chance.between(1, 400);
    const data = { by: this.#mark(), pad: `padded:${String(size)}` };
    return chance.happens(0.5) ? { data, labels: { color: chance.oneOf(COLORS) } } : { data };
  }

  #some(chance: Chance): Content {
    const field = `f${String(chance.below(3))}`;
    const data = { by: this.#mark(), [field]: this.#mark() };
    return chance.happens(0.3) ? { data, labels: { color: chance.oneOf(COLORS) } } : { data };
  }
}
