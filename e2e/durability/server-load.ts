/**
 * Writers that hammer a server until it dies beneath them, and what each of them was told.
 *
 * Every writer has objects of its own, so the model of an object needs no clock: the state last
 * acknowledged, and at most one write more whose outcome was never told. One object they all
 * share, each with a field of its own.
 */
import { isDeepStrictEqual } from 'node:util';

import type { AdminClient, ApiAnswer, PatchType } from '../support/admin-client.ts';
import { at, type JsonObject, type JsonValue, textAt } from '../support/json.ts';

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const SHARED = 'shared-by-all';
const OBJECTS_PER_WRITER = 5;

/** What may be found where a write was under way: decides on the object, or on its absence. */
type Outcome = (found: JsonObject | undefined) => boolean;

/** What is known of one object. */
interface Known {
  /** As the server showed it last; undefined: it is not there. */
  acknowledged: JsonObject | undefined;
  /** Of the write that was never answered, if there is one. */
  isOutcome: Outcome | undefined;
}

interface Operation {
  readonly send: () => Promise<ApiAnswer>;
  readonly isOutcome: Outcome;
}

export class Writer {
  readonly #client: AdminClient;
  readonly #name: string;
  readonly #random: () => number;
  readonly #known = new Map<string, Known>();
  /** Of this writer's field in the shared object. */
  #sharedValue = '';
  #sharedAttempt = '';
  #operations = 0;

  /** All objects that were ever acknowledged, by version. */
  readonly acknowledged: Map<number, JsonObject>;

  constructor(
    name: string,
    client: AdminClient,
    random: () => number,
    acknowledged: Map<number, JsonObject>,
  ) {
    this.#name = name;
    this.#client = client;
    this.#random = random;
    this.acknowledged = acknowledged;
    for (let index = 0; index < OBJECTS_PER_WRITER; index += 1) {
      this.#known.set(`${name}-${String(index)}`, {
        acknowledged: undefined,
        isOutcome: undefined,
      });
    }
  }

  /** Writes one thing after the other until the connection breaks. @throws on any refusal. */
  async writeUntilBroken(): Promise<void> {
    for (;;) {
      try {
        if (this.#random() < 0.15) await this.#writeShared();
        else await this.#writeOwn();
      } catch (error) {
        if (error instanceof RefusedError) throw error;
        return;
      }
    }
  }

  /**
   * Takes what a list shows for the truth from now on.
   *
   * @returns what is wrong with it: sentences, none when every object is as it may be.
   */
  settle(listed: ReadonlyMap<string, JsonObject>): string[] {
    const faults: string[] = [];
    for (const [name, known] of this.#known) {
      const found = listed.get(name);
      const isAsTold = isDeepStrictEqual(found, known.acknowledged);
      if (!isAsTold && known.isOutcome?.(found) !== true) {
        faults.push(`${name} is ${shown(found)}, was acknowledged as ${shown(known.acknowledged)}`);
      }
      known.acknowledged = found;
      known.isOutcome = undefined;
    }
    const field = textAt(listed.get(SHARED), 'data', this.#name);
    if (field !== this.#sharedValue && field !== this.#sharedAttempt) {
      faults.push(
        `${SHARED} has ${field} for ${this.#name}, acknowledged was ${this.#sharedValue}`,
      );
    }
    this.#sharedValue = field;
    return faults;
  }

  async #writeShared(): Promise<void> {
    const value = this.#nextMark();
    this.#sharedAttempt = value;
    const answer = await this.#client.patch(`${MAPS}/${SHARED}`, { data: { [this.#name]: value } });
    this.#note(answer, 200);
    this.#sharedValue = value;
  }

  async #writeOwn(): Promise<void> {
    const names = [...this.#known.keys()];
    const name = names[Math.floor(this.#random() * names.length)] ?? '';
    const known = this.#known.get(name);
    if (known === undefined) throw new Error(`${name} is nobody's`);
    const before = known.acknowledged;
    const { send, isOutcome } = before === undefined ? this.#create(name) : this.#change(before);
    known.isOutcome = isOutcome;
    const answer = await send();
    const object = this.#note(answer, before === undefined ? 201 : 200);
    if (!isOutcome(object)) throw new RefusedError(`${name} became ${shown(object)}`);
    known.acknowledged = object;
    known.isOutcome = undefined;
  }

  #create(name: string): Operation {
    const data = this.#freshData();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    return {
      send: () => this.#client.post(MAPS, object),
      isOutcome: (found) => found !== undefined && isDeepStrictEqual(found['data'], data),
    };
  }

  #change(before: JsonObject): Operation {
    const path = `${MAPS}/${textAt(before, 'metadata', 'name')}`;
    const chance = this.#random();
    if (chance < 0.2) {
      return {
        send: () => this.#client.delete(path),
        isOutcome: (found) => found === undefined,
      };
    }
    const data = chance < 0.5 ? this.#freshData() : this.#patchedData(before);
    const isOutcome: Outcome = (found) =>
      isDeepStrictEqual(found?.['data'], data) &&
      textAt(found, 'metadata', 'uid') === textAt(before, 'metadata', 'uid') &&
      versionOf(found) > versionOf(before);
    if (chance < 0.5) {
      return { send: () => this.#client.put(path, { ...before, data }), isOutcome };
    }
    const type: PatchType = chance < 0.75 ? 'merge-patch' : 'json-patch';
    const patch: JsonObject | JsonValue[] =
      type === 'merge-patch'
        ? { data }
        : [
            { op: 'test', path: '/data/mark', value: at(before, 'data', 'mark') },
            { op: 'replace', path: '/data', value: data },
          ];
    return { send: () => this.#client.patch(path, patch, type), isOutcome };
  }

  #freshData(): JsonObject {
    const mark = this.#nextMark();
    // Mostly small, now and then larger than a page of the disk or of the network.
    const repeats = this.#random() < 0.1 ? 2_000 : 10;
    return { mark, body: mark.repeat(repeats) };
  }

  #patchedData(before: JsonObject): JsonObject {
    const mark = this.#nextMark();
    return { ...(at(before, 'data') as JsonObject), mark }; // Every object here was made with data.
  }

  #nextMark(): string {
    this.#operations += 1;
    return `${this.#name}:${String(this.#operations)};`;
  }

  /** @returns the object that was answered; undefined for the Status of a deletion. */
  #note({ status, body }: ApiAnswer, expected: number): JsonObject | undefined {
    const object = body as JsonObject; // A client of this API gets nothing but objects.
    if (status !== expected) throw new RefusedError(`answered ${String(status)}: ${shown(object)}`);
    if (object['kind'] === 'Status') return undefined;
    this.acknowledged.set(versionOf(object), object);
    return object;
  }
}

/** The server answered, and not what it has to. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

export function versionOf(object: JsonObject | undefined): number {
  return Number(textAt(object, 'metadata', 'resourceVersion'));
}

function shown(object: JsonObject | undefined): string {
  return object === undefined ? 'absent' : JSON.stringify(object).slice(0, 400);
}
