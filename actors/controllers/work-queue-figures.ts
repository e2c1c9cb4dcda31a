/**
 * What is counted of the controllers' queues, by name. Those of one name count together: each fork
 * has queues of its own, and metrics have one name for all.
 *
 * In Kubernetes: component-base/metrics/prometheus/workqueue.
 */
import { Tally } from '../flow-control/flow-figures.ts';

export interface WorkQueueFigures {
  /** Of the controller: the label `name` of `workqueue_*`. */
  readonly name: string;
  /** How many names wait to be looked at. */
  depth: number;
  /** Since the start of the process, like `retries`. */
  adds: number;
  /** How often a key was put back after a failure. */
  retries: number;
  /** When those that are being looked at were begun, in milliseconds since 1970. */
  readonly begun: Set<{ readonly at: number }>;
  /** How long keys waited. */
  readonly queueSeconds: Tally;
  /** How long the work on a key took. */
  readonly workSeconds: Tally;
}

const SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1_000];
const all = new Map<string, WorkQueueFigures>();

export function figuresOf(name: string): WorkQueueFigures {
  const known = all.get(name);
  if (known !== undefined) return known;
  const queueSeconds = new Tally(SECONDS);
  const workSeconds = new Tally(SECONDS);
  const figures = {
    name,
    depth: 0,
    adds: 0,
    retries: 0,
    begun: new Set<never>(),
    queueSeconds,
    workSeconds,
  };
  all.set(name, figures);
  return figures;
}

export function workQueueFigures(): Iterable<WorkQueueFigures> {
  return all.values();
}
