/**
 * A watch shows what the log says that it must, in that order: etcd's guarantees Ordered, Unique,
 * Reliable, Atomic, Resumable and Bookmarkable, and of each event its type, as far as the watcher
 * can tell, and its object.
 *
 * One record is one commit here, so Atomic is Unique: a version is shown once and whole.
 */
import type { Watch, WatchShown } from './history.ts';
import { type Change, isInNamespace, isSelected, lastChange, type LogTruth } from './log-truth.ts';
import type { Violation } from './violation.ts';

interface Expected {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: number;
  readonly path: string;
  readonly digest: string;
}

export function checkWatch(watch: Watch, truth: LogTruth): Violation[] {
  const judge = new WatchJudge(watch, truth);
  for (const shown of watch.shown) judge.take(shown);
  judge.end();
  return judge.violations;
}

class WatchJudge {
  readonly violations: Violation[] = [];
  readonly #watch: Watch;
  readonly #truth: LogTruth;
  readonly #seen = new Map<number, string>();
  /** What is still to be shown; undefined while the initial state is. */
  #expected: Expected[] | undefined;
  #next = 0;
  /** Of the last event or bookmark. */
  #last = 0;
  #initial: WatchShown[] = [];
  #hasFailed = false;

  constructor(watch: Watch, truth: LogTruth) {
    this.#watch = watch;
    this.#truth = truth;
    if (watch.start.kind === 'after') this.#begin(watch.start.version);
  }

  take(shown: WatchShown): void {
    if (shown.type === 'ERROR') {
      this.#says('Resumable', `ended with an error: ${shown.message ?? ''}`);
      this.#hasFailed = true;
    } else if (this.#expected === undefined) this.#takeInitial(shown);
    else if (shown.type === 'BOOKMARK') this.#takeBookmark(shown, this.#expected);
    else this.#takeEvent(shown, this.#expected);
  }

  end(): void {
    const { mustReach } = this.#watch;
    if (mustReach === undefined || this.#hasFailed) return;
    if (this.#expected === undefined) {
      this.#says('Reliable', 'never came to the end of its initial state');
      return;
    }
    const missing = this.#expected[this.#next];
    if (missing !== undefined && missing.version <= mustReach) {
      this.#says('Reliable', `ended at ${String(this.#last)} without ${named(missing)}`);
    }
  }

  #begin(version: number): void {
    this.#last = version;
    this.#expected = expectedOf(this.#watch, this.#truth, version);
  }

  #takeInitial(shown: WatchShown): void {
    if (shown.type === 'ADDED') {
      this.#initial.push(shown);
      const real = this.#truth.at(shown.version);
      if (real?.path !== shown.path || real.object.digest !== shown.digest) {
        this.#says('Initial state', `${named(shown)} was never so`);
      }
    } else if (shown.isInitialEnd === true) {
      this.#checkInitial(shown.version);
      this.#begin(shown.version);
    } else this.#says('Initial state', `${named(shown)} before its end`);
  }

  #checkInitial(version: number): void {
    const { start, resource } = this.#watch;
    if (start.kind === 'initial' && version < Number(start.moment)) {
      this.#says('Initial state', `of ${String(version)}, older than what was asked for`);
    }
    const paths = new Set(this.#truth.changes(resource).map(({ path }) => path));
    const state = [...paths]
      .map((path) => lastChange(this.#truth.historyOf(resource, path), version))
      .filter((one) => one !== undefined && one.type !== 'deleted' && isWanted(this.#watch, one));
    const wanted = state.map((one) => `${one?.path ?? ''}@${String(one?.version)}`).sort();
    const found = this.#initial.map(({ path, version: at }) => `${path}@${String(at)}`).sort();
    if (wanted.join() === found.join()) return;
    const lacks = wanted.filter((one) => !found.includes(one)).join();
    const excess = found.filter((one) => !wanted.includes(one)).join();
    this.#says('Initial state', `at ${String(version)} lacks ${lacks}; shows besides ${excess}`);
  }

  #takeBookmark(shown: WatchShown, expected: readonly Expected[]): void {
    const { version } = shown;
    if (version < this.#last) {
      this.#says('Ordered', `a bookmark of ${String(version)} behind ${String(this.#last)}`);
    }
    const missing = expected[this.#next];
    if (missing !== undefined && missing.version <= version) {
      this.#says('Bookmarkable', `a bookmark of ${String(version)} before ${named(missing)}`);
    }
    this.#last = Math.max(this.#last, version);
  }

  #takeEvent(shown: WatchShown, expected: readonly Expected[]): void {
    const { version } = shown;
    const before = this.#seen.get(version);
    this.#seen.set(version, shown.path);
    if (before !== undefined) {
      this.#says('Unique', `${named(shown)} a second time, before as ${before}`);
      return;
    }
    if (version <= this.#last) {
      const promise = this.#seen.size === 1 ? 'Resumable' : 'Ordered';
      this.#says(promise, `${named(shown)} behind ${String(this.#last)}`);
      return;
    }
    this.#last = version;
    let wanted = expected[this.#next];
    for (; wanted !== undefined && wanted.version < version; wanted = expected[this.#next]) {
      this.#says('Reliable', `without ${named(wanted)}, which comes before ${named(shown)}`);
      this.#next += 1;
    }
    if (wanted?.version !== version) {
      this.#says('Filter', `${named(shown)}, which is not for this watch`);
      return;
    }
    this.#next += 1;
    this.#compare(shown, wanted);
  }

  #compare(shown: WatchShown, wanted: Expected): void {
    if (shown.path !== wanted.path) this.#says('Atomic', `${named(shown)} is ${named(wanted)}`);
    else if (shown.type !== wanted.type) {
      this.#says('Event type', `${named(shown)} should be ${wanted.type}`);
    } else if (shown.digest !== wanted.digest) {
      this.#says('Event object', `${named(shown)} looks otherwise`);
    }
  }

  #says(promise: string, what: string): void {
    const { watch, replica, resource, namespace, selector, start } = this.#watch;
    const which = `${watch} of ${resource} in '${namespace}' with '${selector}' on replica ${String(replica)}`;
    this.violations.push({ promise, what: `watch ${which}, ${JSON.stringify(start)}: ${what}` });
  }
}

/** What a watch is to show behind a version, in order. */
function expectedOf(watch: Watch, truth: LogTruth, version: number): Expected[] {
  return truth.changes(watch.resource).flatMap((change) => {
    if (change.version <= version || !isInNamespace(change.path, watch.namespace)) return [];
    const expected = expectedFrom(watch.selector, change);
    return expected === undefined ? [] : [expected];
  });
}

/** As kube-apiserver shows it: what comes into sight is ADDED, what leaves it DELETED as it was. */
function expectedFrom(selector: string, change: Change): Expected | undefined {
  const { version, path, type, object, previous } = change;
  const was = previous !== undefined && isSelected(selector, previous.object.labels);
  const is = type !== 'deleted' && isSelected(selector, object.labels);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', version, path, digest: object.digest };
  if (!was) return undefined;
  const last = type === 'deleted' ? object : previous.object;
  return { type: 'DELETED', version, path, digest: last.digest };
}

function isWanted({ namespace, selector }: Watch, { path, object }: Change): boolean {
  return isInNamespace(path, namespace) && isSelected(selector, object.labels);
}

function named({ type, path, version }: Pick<WatchShown, 'type' | 'path' | 'version'>): string {
  return `${type} ${path}@${String(version)}`;
}
