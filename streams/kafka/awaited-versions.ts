/** Callers that wait until a version was read from the topic. */
import type { ResourceVersion } from '../resource-version.ts';

interface Awaited {
  readonly version: ResourceVersion;
  readonly resolve: () => void;
}

export class AwaitedVersions {
  readonly #newest: () => ResourceVersion;
  readonly #awaited = new Set<Awaited>();
  #isOver = false;

  /** @param newest the last version that was read. */
  constructor(newest: () => ResourceVersion) {
    this.#newest = newest;
  }

  /**
   * Resolves when the version was read, none will be, or the caller gives up.
   *
   * @param givingUp calls its argument then; returns what ends that.
   */
  async until(
    version: ResourceVersion,
    givingUp: (giveUp: () => void) => () => void,
  ): Promise<void> {
    if (this.#isOver || this.#newest() >= version) return;
    let end = (): void => undefined;
    await new Promise<void>((resolve) => {
      const awaited = { version, resolve };
      this.#awaited.add(awaited);
      const ends = givingUp(resolve);
      end = () => {
        this.#awaited.delete(awaited);
        ends();
      };
    });
    end();
  }

  /** More was read. */
  tell(): void {
    const newest = this.#newest();
    for (const { version, resolve } of this.#awaited) if (version <= newest) resolve();
  }

  /** None will be read any more. */
  end(): void {
    this.#isOver = true;
    for (const { resolve } of this.#awaited) resolve();
  }
}
