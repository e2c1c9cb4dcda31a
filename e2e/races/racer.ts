/**
 * A client of a race. A seed decides its writes; only versions, uids and values that are conditions come
 * from answers, so two runs of a seed ask for the same writes and differ in how they meet.
 */
import type { AdminClient } from '../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, listAt, textAt } from '../support/json.ts';
import { Chance } from '../robustness/chance.ts';
import {
  collectionOf,
  type Content,
  type Deed,
  logKeyOf,
  type Outcome,
  perform,
  type Raced,
} from './deed.ts';

export const FINALIZER = 'example.com/held';

export interface RaceParts {
  readonly seed: number;
  /** A client of each server. */
  readonly servers: readonly AdminClient[];
  /** Gets every outcome. */
  readonly outcomes: Outcome[];
}

const VERBS = {
  create: 20,
  replace: 16,
  merge: 14,
  strategic: 10,
  json: 10,
  apply: 16,
  remove: 10,
  clear: 2,
} as const;
const NAMES = 4;

export class Racer {
  readonly #parts: RaceParts;
  readonly #name: string;
  readonly #known = new Map<string, JsonObject>();
  #count = 0;

  constructor(name: string, parts: RaceParts) {
    this.#name = name;
    this.#parts = parts;
  }

  /** So many writes one after the other, each in one of the namespaces. */
  async run(namespaces: readonly string[], count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) {
      const chance = new Chance(this.#parts.seed, this.#name, this.#count);
      const namespace = chance.oneOf(namespaces);
      if (chance.happens(0.3)) await this.#look(chance, namespace);
      await this.perform(this.#choose(chance, namespace));
    }
  }

  /** One write that was chosen elsewhere. */
  async perform(wanted: Omit<Deed, 'id' | 'manager'>): Promise<Outcome> {
    const { seed, servers, outcomes } = this.#parts;
    const client = new Chance(seed, this.#name, this.#count, 'server').oneOf(servers);
    this.#count += 1;
    const id = `race-${this.#name}-${String(this.#count)}`;
    const manager = `${wanted.verb === 'apply' ? 'apply' : 'edit'}-${this.#name}`;
    const outcome = await perform(client, { ...wanted, id, manager });
    outcomes.push(outcome);
    this.#learn(outcome);
    return outcome;
  }

  /** At what there is, so that some conditions are of now and others of long ago. */
  async #look(chance: Chance, namespace: string): Promise<void> {
    const client = chance.oneOf(this.#parts.servers);
    for (const resource of ['configmaps', 'services'] as const) {
      const { body } = await client.get(collectionOf({ resource, namespace }));
      for (const item of listAt(body, 'items')) {
        const key = `core/${resource} ${namespace}/${textAt(item, 'metadata', 'name')}`;
        this.#known.set(key, item as JsonObject); // Items are objects.
      }
    }
  }

  #learn({ deed, status, body }: Outcome): void {
    if (deed.dryRun === true) return;
    if (textAt(body, 'metadata', 'uid') !== '') this.#known.set(logKeyOf(deed), body as JsonObject);
    else if (status === 404) this.#known.delete(logKeyOf(deed));
  }

  #choose(chance: Chance, namespace: string): Omit<Deed, 'id' | 'manager'> {
    if (chance.happens(0.04)) return this.#limit(chance, namespace);
    return chance.happens(0.7)
      ? this.#ofMap(chance, namespace)
      : this.#ofService(chance, namespace);
  }

  #limit(chance: Chance, namespace: string): Omit<Deed, 'id' | 'manager'> {
    const hard = { configmaps: String(chance.between(1, NAMES)) };
    const of = { resource: 'resourcequotas', namespace, name: 'q' } as const;
    return { verb: 'merge', ...of, content: { hard } };
  }

  #ofMap(chance: Chance, namespace: string): Omit<Deed, 'id' | 'manager'> {
    const verb = chance.weighed(VERBS);
    const name = verb === 'clear' ? '' : `m${String(chance.below(NAMES))}`;
    const of = { verb, resource: 'configmaps', namespace, name } as const;
    const known = this.#knownOf(of.resource, namespace, name);
    const conditions = conditionsOf(chance, verb, known);
    const dryRun = chance.happens(0.08) ? { dryRun: true } : {};
    const forced = { force: chance.happens(0.4) };
    return { ...of, content: this.#mapContent(chance, verb), ...conditions, ...dryRun, ...forced };
  }

  #mapContent(chance: Chance, verb: Deed['verb']): Content {
    const mark = `${this.#name}-${String(this.#count)}`;
    if (verb === 'remove' || verb === 'clear') return {};
    if (verb === 'apply') {
      const shared = chance.happens(0.5) ? { shared: chance.oneOf(['one', 'two']) } : {};
      return { data: { [`own-${this.#name}`]: mark, ...shared } };
    }
    const data = { by: mark, [`f${String(chance.below(3))}`]: mark };
    if (verb === 'json' || verb === 'strategic') return { data };
    const color = chance.happens(0.5) ? { color: chance.oneOf(['red', 'blue']) } : {};
    const holds = verb === 'merge' ? chance.happens(0.5) : chance.happens(0.3);
    const held = chance.happens(verb === 'merge' ? 0.1 : 0.8) ? [FINALIZER] : [];
    return { data, ...color, ...(holds ? { finalizers: held } : {}) };
  }

  #ofService(chance: Chance, namespace: string): Omit<Deed, 'id' | 'manager'> {
    const name = `s${String(chance.below(NAMES))}`;
    const resource = 'services';
    const known = this.#knownOf(resource, namespace, name);
    const { clear: _clear, ...verbs } = VERBS;
    const wanted = chance.weighed(verbs);
    const verb = wanted === 'replace' && known === undefined ? 'create' : wanted;
    const type = chance.happens(0.7) ? 'NodePort' : 'ClusterIP';
    const of = { verb, resource, namespace, name, force: true } as const;
    if (verb === 'remove') return { ...of, content: {} };
    if (verb !== 'replace') return { ...of, content: { type } };
    const version = textAt(known, 'metadata', 'resourceVersion');
    return { ...of, content: { type }, version, ...(known === undefined ? {} : { base: known }) };
  }

  #knownOf(resource: Raced, namespace: string, name: string): JsonObject | undefined {
    return this.#known.get(`core/${resource} ${namespace}/${name}`);
  }
}

function conditionsOf(
  chance: Chance,
  verb: Deed['verb'],
  known: JsonValue | undefined,
): Pick<Deed, 'version' | 'uid' | 'test'> {
  if (known === undefined || chance.happens(0.5)) return {};
  const by = at(known, 'data', 'by');
  if (verb === 'json') return typeof by === 'string' ? { test: by } : {};
  const version = { version: textAt(known, 'metadata', 'resourceVersion') };
  const isDeletion = verb === 'remove';
  if (isDeletion && chance.happens(0.5)) return { uid: textAt(known, 'metadata', 'uid') };
  return ['replace', 'merge', 'strategic', 'remove'].includes(verb) ? version : {};
}
