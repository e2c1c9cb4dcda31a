/** The containers of a pod, of all three sorts, as the page shows them. */
import type { Container, ContainerStatus, Pod } from '../../../../api/generated/kinds/core-v1.ts';

/** One container, with what the node says of it. */
export interface ShownContainer {
  readonly name: string;
  /** `init` before the others, `sidecar` is an init container that goes on, `ephemeral` for debugging. */
  readonly sort: 'main' | 'init' | 'sidecar' | 'ephemeral';
  readonly image: string;
  /** `Running`, `Completed`, or the reason why it waits or has ended; '' where the node said nothing. */
  readonly state: string;
  readonly isReady: boolean;
  /** Whether a command can run in it. */
  readonly isRunning: boolean;
  readonly restarts: number;
  /** Since when it is so, in RFC 3339; '' where that is not known. */
  readonly since: string;
  /** How the run before this one ended; '' where this is the first. */
  readonly previous: string;
  readonly ports: readonly ShownPort[];
  /** `cpu 100m, memory 64Mi`. */
  readonly requests: string;
  /** As `requests`. */
  readonly limits: string;
}

/** A port that a container declares. */
export interface ShownPort {
  readonly port: number;
  /** '' where it has none. */
  readonly name: string;
  readonly protocol: string;
}

/** Of a pod as it came, any part of which may be missing. */
type GivenPod = Pick<Pod, 'metadata'> & Partial<Pick<Pod, 'spec' | 'status'>>;

/** In the order in which they start; ephemeral ones at the end. */
export function containersOf({ spec, status }: GivenPod): ShownContainer[] {
  const of = (
    list: readonly Container[] | null | undefined,
    known: readonly ContainerStatus[] | undefined,
    sortOf: (container: Container) => ShownContainer['sort'],
  ): ShownContainer[] =>
    (list ?? []).map((container) => {
      const said = known?.find(({ name }) => name === container.name);
      return shown(container, said, sortOf(container));
    });
  return [
    ...of(spec?.initContainers, status?.initContainerStatuses, ({ restartPolicy }) =>
      restartPolicy === 'Always' ? 'sidecar' : 'init',
    ),
    ...of(spec?.containers, status?.containerStatuses, () => 'main'),
    ...of(spec?.ephemeralContainers, status?.ephemeralContainerStatuses, () => 'ephemeral'),
  ];
}

function shown(
  { name, image, ports, resources }: Container,
  said: ContainerStatus | undefined,
  sort: ShownContainer['sort'],
): ShownContainer {
  const { state, since } = stateOf(said?.state);
  return {
    name,
    sort,
    image: image ?? '',
    state,
    since,
    isReady: said?.ready === true,
    isRunning: said?.state.running !== undefined,
    restarts: said?.restartCount ?? 0,
    previous: said === undefined ? '' : stateOf(said.lastState).state,
    ports: (ports ?? []).map((one) => ({
      port: one.containerPort,
      name: one.name ?? '',
      protocol: one.protocol ?? 'TCP',
    })),
    requests: quantities(resources.requests),
    limits: quantities(resources.limits),
  };
}

function stateOf(state: ContainerStatus['state'] | undefined): { state: string; since: string } {
  if (state?.running !== undefined)
    return { state: 'Running', since: timeOf(state.running.startedAt) };
  const { waiting, terminated } = state ?? {};
  if (waiting !== undefined) return { state: waiting.reason ?? 'Waiting', since: '' };
  if (terminated === undefined) return { state: '', since: '' };
  const { reason = '', exitCode: code, finishedAt } = terminated;
  const ending = reason === '' ? (code === 0 ? 'Completed' : 'Error') : reason;
  return {
    state: code === 0 ? ending : `${ending}, exit code ${String(code)}`,
    since: timeOf(finishedAt),
  };
}

function timeOf(time: unknown): string {
  return typeof time === 'string' ? time : '';
}

function quantities(given: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(given ?? {})
    .map(([name, quantity]) => `${name} ${String(quantity)}`)
    .join(', ');
}

const DEFAULT = 'kubectl.kubernetes.io/default-container';

/** As kubectl chooses it: by the annotation, else the first that is no init container; '' for none. */
export function defaultContainer(pod: GivenPod): string {
  const names = containersOf(pod)
    .filter(({ sort }) => sort === 'main')
    .map(({ name }) => name);
  const wanted = pod.metadata.annotations?.[DEFAULT];
  return wanted !== undefined && names.includes(wanted) ? wanted : (names[0] ?? '');
}
