/** One registry actor per stored resource, started when somebody first asks for it. */
import { startActor, type Ref } from '../actor.ts';
import { registry, type ResourceRequest } from './registry.ts';
import type { WriteRoom } from './write-room.ts';

export class Registries {
  readonly #room: WriteRoom;
  readonly #started = new Map<string, Ref<ResourceRequest>>();

  constructor(room: WriteRoom) {
    this.#room = room;
  }

  /** @param storage `core/configmaps`. */
  of(storage: string): Ref<ResourceRequest> {
    let found = this.#started.get(storage);
    if (found === undefined) {
      found = startActor(registry(storage, this.#room));
      this.#started.set(storage, found);
    }
    return found;
  }
}
