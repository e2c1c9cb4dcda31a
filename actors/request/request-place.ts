/**
 * Which control plane, and when: `/forks/NAME` and `/at/MOMENT` in front of a path, each at most
 * once and in this order. Everything behind them is the path of an ordinary API server, so a
 * client needs nothing but another server URL: `kubectl --server https://HOST/forks/try/at/1234`.
 *
 * Nothing in Kubernetes has its place there: kube-apiserver answers 404 for both.
 */

export interface RequestPlace {
  /** '' for the main control plane. */
  readonly fork: string;
  /** A version or a time, as it was sent; '' for now. */
  readonly at: string;
  /** What is left; `/` when nothing is. */
  readonly path: string;
}

const FORKS = '/forks/';
const AT = '/at/';

/** @param path decoded. */
export function placeOf(path: string): RequestPlace {
  const fork = path.startsWith(FORKS) ? cut(path, FORKS.length) : undefined;
  const inFork = fork?.rest ?? path;
  const at = inFork.startsWith(AT) ? cut(inFork, AT.length) : undefined;
  return { fork: fork?.name ?? '', at: at?.name ?? '', path: at?.rest ?? inFork };
}

/** How a path of this place begins: '' for the main control plane, now. */
export function prefixOf({ fork, at }: Pick<RequestPlace, 'fork' | 'at'>): string {
  return (fork === '' ? '' : FORKS + fork) + (at === '' ? '' : AT + at);
}

/** undefined where there is no name: the path is what it is. */
function cut(
  path: string,
  start: number,
): { readonly name: string; readonly rest: string } | undefined {
  const slash = path.indexOf('/', start);
  const end = slash < 0 ? path.length : slash;
  if (end === start) return undefined;
  return { name: path.slice(start, end), rest: end === path.length ? '/' : path.slice(end) };
}
