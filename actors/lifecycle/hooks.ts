/**
 * What runs once the port is open, and what runs before it closes. Each hook has a name; one that
 * runs after the start has a check `poststarthook/NAME`, which fails until it is done. A hook that
 * something outside may still stand in the way of is tried again for a while before the server gives
 * up: a webhook that has to be asked may live behind this very server.
 *
 * Unlike upstream's, the hooks run one after another in the order in which they were added: a
 * later one may rely on what an earlier one made.
 *
 * In Kubernetes: apiserver/pkg/server/hooks.go; rbac/bootstrap-roles, which polls each second for thirty.
 */
import type { Clock } from '../../api/meta/clock.ts';
import type { HealthChecks } from './health-checks.ts';

interface TriedAgain {
  readonly clock: Clock;
  readonly forMs: number;
  readonly everyMs: number;
  /** Told of what went wrong each time. */
  readonly failed: (error: unknown) => void;
  /** Once it is aborted nothing is tried any more. */
  readonly until?: AbortSignal;
}

/** @throws the last error, when the time is over. */
export async function triedAgain(run: () => Promise<void>, parts: TriedAgain): Promise<void> {
  const { clock, forMs, everyMs, failed, until } = parts;
  const end = clock.now() + forMs;
  for (;;) {
    try {
      await run();
      return;
    } catch (error) {
      failed(error);
      if (until?.aborted === true || clock.now() + everyMs > end) throw error;
    }
    await pause(clock, everyMs, until);
    until?.throwIfAborted();
  }
}

function pause(clock: Clock, ms: number, until: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      until?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    until?.addEventListener('abort', end);
  });
}

type Hook = () => Promise<void> | void;

interface HooksDependencies {
  readonly checks: HealthChecks;
  /** For that long from now on `/livez` takes unfinished hooks for finished. */
  readonly livezGraceMs: number;
}

/** A hook threw, and what it should have brought about is not there. */
export class HookError extends Error {
  override readonly name = 'HookError';
  /** As it was added. */
  readonly hook: string;

  constructor(kind: 'PostStartHook' | 'PreShutdownHook', hook: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${kind} ${JSON.stringify(hook)} failed: ${why}`, { cause });
    this.hook = hook;
  }
}

interface HookOptions {
  /**
   * Whether later hooks and the start wait for it, which is so where nothing is said. A hook that is
   * not waited for reports its own failure, and its check goes on failing.
   */
  readonly isAwaited?: boolean;
}

interface Entry {
  readonly name: string;
  readonly run: Hook;
  readonly isAwaited: boolean;
}

export class Hooks {
  readonly #dependencies: HooksDependencies;
  readonly #afterStart: Entry[] = [];
  readonly #beforeShutdown: Entry[] = [];
  readonly #done = new Set<string>();
  #haveStarted = false;
  #areStopping = false;

  constructor(dependencies: HooksDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * @param name as in `poststarthook/NAME`, upstream's where it has the thing.
   * @throws Error when the name is taken, or the hooks have been called.
   */
  afterStart(name: string, run: Hook, { isAwaited = true }: HookOptions = {}): void {
    add(this.#afterStart, { name, run, isAwaited }, this.#haveStarted);
    const { checks, livezGraceMs } = this.#dependencies;
    const problem = () => (this.#done.has(name) ? undefined : 'not finished');
    checks.add({ name: `poststarthook/${name}`, problem }, { livezGraceMs });
  }

  /** @throws Error when the name is taken, or the hooks have been called. */
  beforeShutdown(name: string, run: Hook): void {
    add(this.#beforeShutdown, { name, run, isAwaited: true }, this.#areStopping);
  }

  /** @throws HookError: the server lacks something, and has to end. Later hooks are not run. */
  async runAfterStart(): Promise<void> {
    this.#haveStarted = true;
    for (const entry of this.#afterStart) {
      const finished = this.#finish(entry);
      if (entry.isAwaited) await finished;
      else finished.catch(ignore);
    }
  }

  async #finish({ name, run }: Entry): Promise<void> {
    try {
      await run();
    } catch (error) {
      throw new HookError('PostStartHook', name, error);
    }
    this.#done.add(name);
  }

  /** Runs all of them, whatever becomes of each. @throws AggregateError of HookErrors. */
  async runBeforeShutdown(): Promise<void> {
    this.#areStopping = true;
    const problems: HookError[] = [];
    for (const { name, run } of this.#beforeShutdown) {
      try {
        await run();
      } catch (error) {
        problems.push(new HookError('PreShutdownHook', name, error));
      }
    }
    if (problems.length === 0) return;
    throw new AggregateError(problems, problems.map(({ message }) => message).join(', '));
  }
}

function add(entries: Entry[], entry: Entry, isTooLate: boolean): void {
  const name = JSON.stringify(entry.name);
  if (isTooLate) throw new Error(`unable to add ${name} because the hooks were called already`);
  if (entries.some((other) => other.name === entry.name)) {
    throw new Error(`unable to add ${name} because it is registered already`);
  }
  entries.push(entry);
}

function ignore(): void {
  // The check of the hook says so.
}
