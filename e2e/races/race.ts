/** A race from its first write to the judgement of its log: the same on one server and on several. */
import type { AdminClient } from '../support/admin-client.ts';
import { eventually } from '../support/eventually.ts';
import { at, type JsonObject, listAt, textAt } from '../support/json.ts';
import { Chance } from '../robustness/chance.ts';
import { collectionOf, type Deed, type Outcome } from './deed.ts';
import { judge, type Judgement } from './laws.ts';
import { FINALIZER, Racer } from './racer.ts';
import { effectiveRecords } from './told-log.ts';

export interface RaceSize {
  readonly clients: number;
  readonly rounds: number;
  /** Of each client in each round. */
  readonly writes: number;
  readonly duels: number;
}

/** Runs all of it. Gives what is wrong, which is nothing, and how much was put to the test. */
export async function raced(
  seed: number,
  servers: readonly AdminClient[],
  size: RaceSize,
): Promise<Judgement> {
  const race = new Race(seed, servers, size.clients);
  const told: string[] = [];
  for (let number = 0; number < size.rounds; number += 1) await race.round(number, size.writes);
  for (let number = 0; number < size.duels; number += 1) {
    told.push(...(await race.duel(number)), ...(await race.applyTogether(number)));
    told.push(...(await race.contest(number)));
  }
  await race.untilQuotaSays();
  const { violations, counts } = await race.judged();
  return { violations: [...told, ...violations], counts };
}

class Race {
  readonly outcomes: Outcome[] = [];
  readonly #servers: readonly AdminClient[];
  readonly #seed: number;
  readonly #racers: readonly Racer[];
  readonly #referee: Racer;

  constructor(seed: number, servers: readonly AdminClient[], clients: number) {
    const parts = { seed, servers, outcomes: this.outcomes };
    this.#seed = seed;
    this.#servers = servers;
    this.#racers = Array.from(
      { length: clients },
      (_, index) => new Racer(`c${String(index)}`, parts),
    );
    this.#referee = new Racer('referee', parts);
  }

  /** Writes in a namespace that stays and in one that is deleted, and may come again, under them. */
  async round(number: number, writes: number): Promise<void> {
    const name = `ends-${String(number)}`;
    if (number === 0) await this.#furnish('stays');
    await this.#furnish(name);
    const ending = { resource: 'namespaces', namespace: '', name, content: {} } as const;
    const running = this.#racers.map(async (racer, index) => {
      const chance = new Chance(this.#seed, number, index);
      const first = chance.between(1, writes - 1);
      await racer.run(['stays', name], first);
      if (index === 0) await racer.perform({ verb: 'remove', ...ending });
      if (index === 1) await racer.perform({ verb: 'create', ...ending });
      await racer.run(['stays', name], writes - first);
    });
    await Promise.all(running);
    await this.#end(name);
  }

  /** Every client writes on the same condition, and one of them may: as often as the version moved. */
  async duel(number: number): Promise<string[]> {
    const [namespace, name] = ['duels', `d${String(number)}`];
    if (number === 0) {
      const place = {
        resource: 'namespaces',
        namespace: '',
        name: namespace,
        content: {},
      } as const;
      await this.#referee.perform({ verb: 'create', ...place });
    }
    const of = { resource: 'configmaps', namespace, name } as const;
    const data = { by: 'nobody' };
    const made = await this.#referee.perform({ verb: 'create', ...of, content: { data } });
    const version = textAt(made.body, 'metadata', 'resourceVersion');
    const uid = textAt(made.body, 'metadata', 'uid');
    const started = this.#racers.map((racer, index) => {
      const verb = new Chance(this.#seed, 'duel', number, index).oneOf(CONDITIONAL);
      const content = verb === 'remove' ? {} : { data: { by: `c${String(index)}` } };
      const condition =
        verb === 'json' ? { test: 'nobody' } : { version, ...(verb === 'remove' ? { uid } : {}) };
      return racer.perform({ verb, ...of, content, ...condition });
    });
    const answered = await Promise.all(started);
    const won = answered.filter(({ status }) => status < 300).map(({ deed }) => deed.id);
    return won.length === 1 ? [] : [`of the duel for ${name} these won: ${won.join()}`];
  }

  /** Every client wants a Service of its own to have a port of nodes at once, and there are two. */
  async contest(number: number): Promise<string[]> {
    const namespace = `scarce-${String(number)}`;
    await this.#furnish(namespace);
    const of = { resource: 'services', namespace, force: true } as const;
    const names = this.#racers.map((_, index) => `s${String(index)}`);
    for (const name of names) {
      await this.#referee.perform({ verb: 'create', ...of, name, content: { type: 'ClusterIP' } });
    }
    const { body } = await this.#get(collectionOf(of));
    const started = this.#racers.map((racer, index) => {
      const verb = new Chance(this.#seed, namespace, index).oneOf(UPDATING);
      const name = names[index] ?? '';
      const base = listAt(body, 'items').find((one) => textAt(one, 'metadata', 'name') === name);
      const whole = verb === 'replace' ? { base: base as JsonObject } : {}; // Items are objects.
      return racer.perform({ verb, ...of, name, content: { type: 'NodePort' }, ...whole });
    });
    const won = (await Promise.all(started)).filter(({ status }) => status < 300);
    await this.#letGoTogether(namespace);
    return won.length === 2 ? [] : [`in ${namespace} ${String(won.length)} got one of two ports`];
  }

  /** Every client takes the last finalizer away from an object that waits for it. */
  async #letGoTogether(namespace: string): Promise<void> {
    const of = { resource: 'configmaps', namespace, name: 'held' } as const;
    const content = { data: { by: 'referee' }, finalizers: [FINALIZER] };
    await this.#referee.perform({ verb: 'create', ...of, content });
    await this.#referee.perform({ verb: 'remove', ...of, content: {} });
    const letGo = { verb: 'merge', ...of, content: { finalizers: [] } } as const;
    await Promise.all(this.#racers.map((racer) => racer.perform(letGo)));
  }

  /** Every client applies a field of its own to an object that is not there: one makes it, all have their field. */
  async applyTogether(number: number): Promise<string[]> {
    const of = { resource: 'configmaps', namespace: 'duels', name: `a${String(number)}` } as const;
    const started = this.#racers.map((racer, index) => {
      const data = { [`own-c${String(index)}`]: 'mine' };
      return racer.perform({ verb: 'apply', ...of, content: { data } });
    });
    const created = (await Promise.all(started)).filter(({ status }) => status === 201);
    const { body } = await this.#get(`${collectionOf(of)}/${of.name}`);
    const fields = Object.keys((at(body, 'data') ?? {}) as object);
    if (created.length === 1 && fields.length === this.#racers.length) return [];
    return [`${of.name} was created ${String(created.length)} times, and has ${fields.join()}`];
  }

  /** Whether the quota that stays says what there is. */
  async untilQuotaSays(): Promise<void> {
    const of = { resource: 'configmaps', namespace: 'stays' } as const;
    await eventually('the quota says what there is', async () => {
      const maps = listAt((await this.#get(collectionOf(of))).body, 'items').length;
      const quota = await this.#get('/api/v1/namespaces/stays/resourcequotas/q');
      return textAt(quota.body, 'status', 'used', 'configmaps') === String(maps) || undefined;
    });
  }

  async judged(): Promise<Judgement> {
    const [first] = this.#servers;
    if (first === undefined) throw new Error('there is no server');
    const records = await effectiveRecords(first);
    return judge(this.outcomes, records, (namespace) =>
      /^(stays|duels|(ends|scarce)-\d+)$/.test(namespace),
    );
  }

  async #furnish(name: string): Promise<void> {
    const place = { resource: 'namespaces', namespace: '', name, content: {} } as const;
    await this.#referee.perform({ verb: 'create', ...place });
    const quota = { resource: 'resourcequotas', namespace: name, name: 'q' } as const;
    const hard = { configmaps: '3', 'services.nodeports': '2' };
    await this.#referee.perform({ verb: 'create', ...quota, content: { hard } });
  }

  /** Lets everything in the namespace go, and waits until it has gone with it. */
  async #end(name: string): Promise<void> {
    const of = { resource: 'configmaps', namespace: name } as const;
    await this.#referee.perform({
      verb: 'remove',
      resource: 'namespaces',
      namespace: '',
      name,
      content: {},
    });
    for (const map of listAt((await this.#get(collectionOf(of))).body, 'items')) {
      if (!listAt(map, 'metadata', 'finalizers').includes(FINALIZER)) continue;
      const letGo: Omit<Deed, 'id' | 'manager'> = {
        verb: 'merge',
        ...of,
        name: textAt(map, 'metadata', 'name'),
        content: { finalizers: [] },
      };
      await this.#referee.perform(letGo);
    }
    const gone = async () => (await this.#get(`/api/v1/namespaces/${name}`)).status === 404;
    await eventually(`${name} has ended`, async () => (await gone()) || undefined);
  }

  async #get(path: string) {
    const [first] = this.#servers;
    if (first === undefined) throw new Error('there is no server');
    return first.get(path);
  }
}

const UPDATING = ['replace', 'merge', 'strategic', 'json', 'apply'] as const;
const CONDITIONAL = ['replace', 'merge', 'strategic', 'json', 'remove'] as const;
