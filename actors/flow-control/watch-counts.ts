/**
 * How many watches are told of a change, as far as one knows before it is made.
 *
 * In Kubernetes: watchTracker, apiserver/pkg/util/flowcontrol.
 */
import { splitTerms } from '../../api/selectors/field-selector.ts';
import type { RequestInfo } from '../request/request.ts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'proxy']);

export class WatchCounts {
  readonly #counts = new Map<string, number>();

  /** A watch has begun, which is to be told by {@link remove} when it ends. */
  add(info: RequestInfo): void {
    if (!isCounted(info)) return;
    const key = watchedKeyOf(info, info.namespace, info.name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Of the same that was added: nothing is held for it meanwhile. */
  remove(info: RequestInfo): void {
    if (!isCounted(info)) return;
    const key = watchedKeyOf(info, info.namespace, info.name);
    const left = (this.#counts.get(key) ?? 0) - 1;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }

  /** Those that a request of this kind may concern. */
  of(info: RequestInfo): number {
    if (this.#counts.size === 0 || READS.has(info.verb)) return 0;
    const { namespace, name } = info;
    const all = this.#counts.get(watchedKeyOf(info, '', '')) ?? 0;
    const near = namespace === '' ? 0 : (this.#counts.get(watchedKeyOf(info, namespace, '')) ?? 0);
    const own = name === '' ? 0 : (this.#counts.get(watchedKeyOf(info, namespace, name)) ?? 0);
    return all + near + own;
  }
}

/** What stands still is told of no change, and a kubelet's watch of the pods of its node of few. */
function isCounted({ isStill, resource, fieldSelector }: RequestInfo): boolean {
  return !isStill && !(resource === 'pods' && isOfOneNode(fieldSelector));
}

function watchedKeyOf(
  { apiGroup, resource }: RequestInfo,
  namespace: string,
  name: string,
): string {
  return `${apiGroup}/${resource}/${namespace}/${name}`;
}

const NODE_TERM = /^spec\.nodeName==?([^=!].*)$/;

function isOfOneNode(fieldSelector: string): boolean {
  return fieldSelector !== '' && splitTerms(fieldSelector).some((term) => NODE_TERM.test(term));
}
