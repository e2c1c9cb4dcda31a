/** Watches of ConfigMaps over a wire that the test fills and drains. */
import type { JsonObject } from '../../api/json/json.ts';
import type { CustomServing } from '../../api/kinds/custom-serving.ts';
import type { WatchPlan } from '../../actors/request/answer.ts';
import type { AcceptedMedia } from '../../actors/request/request-line.ts';
import { CONFIG_MAPS, givenViews, selection } from '../../projections/given.fixture.ts';
import { resourceVersion } from '../../streams/resource-version.ts';
import { configMaps } from '../given-config-maps.fixture.ts';
import { HTTP_FRAMING } from './framing.ts';
import { EncoderForm, WatchEncoder } from './watch-encoder.ts';
import {
  WatchSession,
  type WatchRequest,
  type WatchWire,
  type WireListener,
} from './watch-session.ts';

export const PLAIN: AcceptedMedia = {
  type: 'json',
  transform: 'none',
  pretty: false,
  includeObject: 'Metadata',
};
export const TIMEOUT_MS = 60_000;

export class FakeWire implements WatchWire {
  readonly chunks: Buffer[] = [];
  isFull = false;
  /** Thrown by the next write. */
  problem: Error | undefined = undefined;
  ended = 0;
  isClosed = false;
  #listener: WireListener | undefined;

  write(chunk: Buffer): boolean {
    if (this.problem !== undefined) throw this.problem;
    this.chunks.push(chunk);
    return !this.isFull;
  }

  end(): void {
    this.ended += 1;
    this.close();
  }

  listen(listener: WireListener): void {
    if (this.isClosed) listener.closed();
    else this.#listener = listener;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#listener?.closed();
  }

  drain(): void {
    this.#listener?.drained();
  }

  get hasListener(): boolean {
    return this.#listener !== undefined;
  }

  /** What was written, as `ADDED a@1`. */
  get shown(): string[] {
    return Buffer.concat(this.chunks)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { type: string; object: JsonObject })
      .map(({ type, object }) => `${type} ${nameAndVersion(object)}`);
  }
}

function nameAndVersion({ metadata }: JsonObject): string {
  const {
    name = '',
    resourceVersion: version = '',
    annotations,
  } = metadata as Record<string, string>;
  const suffix = annotations === undefined ? '' : ' (initial)';
  return version === '' ? '' : `${name}@${version}${suffix}`;
}

/** Custom resources whose webhook converts so. */
export function convertedBy(toServed: CustomServing['toServed']): CustomServing {
  const fail = (): never => {
    throw new Error('a watch does not ask for this');
  };
  return {
    definition: fail,
    columns: [],
    scale: undefined,
    storedApiVersion: 'v1',
    asksWebhook: true,
    isShownAsStored: () => false,
    isShownAsRead: () => false,
    toServed,
    toStored: fail,
    toManaged: fail,
    asFarAsPossible: fail,
  };
}

type ResourceViews = Awaited<ReturnType<typeof givenViews>>;

/** Of ConfigMaps: the state of now, and then what comes; `planned` says what is otherwise. */
export function plannedWatch(
  { resourceViews, applied }: Pick<ResourceViews, 'resourceViews' | 'applied'>,
  planned: Partial<WatchPlan> = {},
): WatchPlan {
  return {
    resource: resourceViews.of(CONFIG_MAPS),
    applied,
    selection: selection(),
    start: { kind: 'current', version: applied.current },
    endOfInitialEvents: false,
    bookmarks: false,
    timeoutMs: TIMEOUT_MS,
    ...planned,
  };
}

interface Given {
  readonly plan?: Partial<WatchPlan>;
  readonly from?: number;
  readonly media?: Partial<AcceptedMedia>;
  readonly wire?: FakeWire;
  /** Custom resources, whose objects take a conversion. */
  readonly custom?: CustomServing;
}

/** Watches from the current state on, or behind the version `from`. */
export function watching(views: ResourceViews, given: Given = {}) {
  const { clock } = views;
  const { from, wire = new FakeWire() } = given;
  const start: Pick<WatchPlan, 'start'> | undefined =
    from === undefined ? undefined : { start: { kind: 'after', version: resourceVersion(from) } };
  const plan = plannedWatch(views, { ...start, ...given.plan });
  const media = { ...PLAIN, ...given.media };
  const framing = HTTP_FRAMING;
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const served = given.custom === undefined ? configMaps : { ...configMaps, custom: given.custom };
  const form = new EncoderForm({ served, media, framing, clock, failed });
  const shape = new WatchEncoder(form, plan);
  const ends = { count: 0 };
  const request: WatchRequest = {
    initialized: () => undefined,
    ended: () => void (ends.count += 1),
  };
  const session = new WatchSession({ plan, shape, context: { clock, failed }, wire, request });
  session.start();
  return { session, wire, resource: views.resourceViews.of(CONFIG_MAPS), ends, failures };
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
