/** One registry actor per resource, started when a request first needs it. */
import { startActor, type Ref } from '../request/actor.ts';
import { registry, type ResourceRequest } from './registry.ts';
import type { ResourceHandlers } from './verb-handler.ts';
import type { WriteContext } from './write-context.ts';

export class Registries {
  readonly #context: WriteContext;
  readonly #own: ReadonlyMap<string, ResourceHandlers>;
  readonly #started = new Map<string, Ref<ResourceRequest>>();

  /** @param own by storage, the handlers of what is answered and never stored. */
  constructor(context: WriteContext, own: ReadonlyMap<string, ResourceHandlers> = new Map()) {
    this.#context = context;
    this.#own = own;
  }

  /** @param storage `core/configmaps`. */
  of(storage: string): Ref<ResourceRequest> {
    let found = this.#started.get(storage);
    if (found === undefined) {
      found = startActor(registry(storage, this.#context, this.#own.get(storage)));
      this.#started.set(storage, found);
    }
    return found;
  }
}
