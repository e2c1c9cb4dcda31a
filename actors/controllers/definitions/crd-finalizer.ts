/**
 * Sees a deleted custom resource definition off: its objects first, then itself. Its objects are
 * deleted as a client would delete them, each with its own finalizers.
 *
 * In Kubernetes: CRDFinalizer, apiextensions-apiserver/pkg/controller/finalizer.
 */
import { items } from '../../../api/json/go-values.ts';
import { formatTime, type Clock } from '../../../api/meta/clock.ts';
import type { ResourceObjects } from '../../../projections/objects/object-view.ts';
import { namespaceOf } from '../../../streams/event.ts';
import type { Loopback } from '../../loopback/loopback.ts';
import type { Answer } from '../../request/answer.ts';
import { CLEANUP_FINALIZER } from '../../../api/kinds/apiextensions/customresourcedefinitions/definition.ts';
import {
  type Condition,
  hasCondition,
  withCondition,
} from '../../../api/kinds/apiextensions/customresourcedefinitions/conditions.ts';
import { definitionHead } from '../../served-resources/definition-head.ts';
import { API_SERVICES } from './crd-registration.ts';
import { DEFINITIONS, writeStatus, type Definition } from './crd-access.ts';
import { storageOf } from './crd-leftovers.ts';
import {
  FinalizingProblem,
  type FinalizingEnd,
  type FinalizingSteps,
  finalize,
} from './crd-finalizing.machine.ts';

export interface FinalizerParts {
  readonly loopback: Loopback;
  readonly clock: Clock;
  /** Where the objects of built-in resources lie, which are none of a definition. */
  readonly reserved: ReadonlySet<string>;
  /** By storage, as `example.com/widgets`. */
  readonly objectsOf: (storage: string) => Pick<ResourceObjects, 'size' | 'inOrder'>;
  /** Calls back once, soon after the last object of that storage has gone; gives what takes it back. */
  readonly whenEmpty: (storage: string, callback: () => void) => () => void;
}

/** Of what is built in, this is told; under the other names Kubernetes would find none. */
const OVERLAPPING: readonly string[] = [API_SERVICES, DEFINITIONS];

/** Whether it is deleted and waits for this. */
export function isFinalizing({ metadata }: Definition): boolean {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  return isDeleted && metadata.finalizers?.includes(CLEANUP_FINALIZER) === true;
}

/** @param stopping ends the waiting. */
export function finalizeDefinition(
  parts: FinalizerParts,
  definition: Definition,
  stopping: AbortSignal,
): Promise<FinalizingEnd> {
  return finalize(new DefinitionSteps(parts, definition, stopping), parts.clock);
}

class DefinitionSteps implements FinalizingSteps {
  readonly #parts: FinalizerParts;
  readonly #stopping: AbortSignal;
  readonly #storage: string;
  #definition: Definition;

  constructor(parts: FinalizerParts, definition: Definition, stopping: AbortSignal) {
    this.#parts = parts;
    this.#definition = definition;
    this.#stopping = stopping;
    this.#storage = storageOf(definition);
  }

  announce(): Promise<void> {
    const message = 'CustomResource deletion is in progress';
    return this.#write(terminating('True', 'InstanceDeletionInProgress', message));
  }

  async deleteInstances(): Promise<void> {
    if (!this.#hasInstances()) return;
    const problems: string[] = [];
    const base = servedPath(this.#definition);
    for (const namespace of this.#namespaces()) {
      const path = namespace === '' ? base.all : base.in(namespace);
      const problem = problemOf(await this.#parts.loopback({ method: 'DELETE', path }));
      if (problem !== undefined) problems.push(problem);
    }
    if (problems.length === 0) return;
    const texts = [...new Set(problems)];
    const all = texts.length > 1 ? `[${texts.join(', ')}]` : texts.join();
    throw new FinalizingProblem('InstanceDeletionFailed', `could not issue all deletes: ${all}`);
  }

  async whenNoneIsLeft(signal: AbortSignal): Promise<void> {
    if (!this.#hasInstances()) return;
    const { objectsOf, whenEmpty } = this.#parts;
    await new Promise<void>((resolve, reject) => {
      const cancel = whenEmpty(this.#storage, resolve);
      for (const ending of [signal, this.#stopping]) {
        ending.addEventListener('abort', () => {
          cancel();
          reject(new FinalizingProblem('', 'the waiting was ended'));
        });
      }
      if (objectsOf(this.#storage).size === 0) resolve();
    });
  }

  release(): Promise<void> {
    const { metadata } = this.#definition;
    const finalizers = (metadata.finalizers ?? []).filter((one) => one !== CLEANUP_FINALIZER);
    this.#definition = { ...this.#definition, metadata: { ...metadata, finalizers } };
    return this.#write(this.#lastCondition());
  }

  async tell({ reason, message }: FinalizingProblem): Promise<void> {
    // Whether that can be said does not matter: it is tried again, whatever becomes of it.
    await this.#write(terminating('True', reason, message)).catch(() => undefined);
  }

  #lastCondition(): Condition {
    if (OVERLAPPING.includes(this.#storage)) {
      const message = 'instances overlap with built-in resources in storage';
      return terminating('False', 'OverlappingBuiltInResource', message);
    }
    return hasCondition(this.#definition, 'Established')
      ? terminating('False', 'InstanceDeletionCompleted', 'removed all instances')
      : terminating('False', 'NeverEstablished', 'resource was never established');
  }

  /** What was never established has none, whatever lies in a storage of that name. */
  #hasInstances(): boolean {
    const { objectsOf, reserved } = this.#parts;
    if (reserved.has(this.#storage)) return false;
    if (!hasCondition(this.#definition, 'Established')) return false;
    return objectsOf(this.#storage).size > 0;
  }

  #namespaces(): ReadonlySet<string> {
    const namespaces = new Set<string>();
    for (const { path } of this.#parts.objectsOf(this.#storage).inOrder('')) {
      namespaces.add(namespaceOf(path));
    }
    return namespaces;
  }

  async #write(condition: Condition): Promise<void> {
    const { loopback, clock } = this.#parts;
    const status = withCondition(this.#definition.status, condition, formatTime(clock.now()));
    const written = await writeStatus(loopback, this.#definition, status);
    if (written.kind !== 'written') {
      throw new FinalizingProblem('', `the definition was ${written.kind}`);
    }
    this.#definition = definitionHead(written.object);
  }
}

function terminating(status: 'True' | 'False', reason: string, message: string): Condition {
  return { type: 'Terminating', status, reason, message };
}

interface ServedPath {
  readonly all: string;
  readonly in: (namespace: string) => string;
}

/** Of the version that is stored, if it is served, or if none is: then it is for this. */
function servedPath({ spec }: Definition): ServedPath {
  const versions = items(spec.versions);
  const served = versions.filter((version) => version.served);
  const candidates = served.length > 0 ? served : versions;
  const version = candidates.find(({ storage }) => storage) ?? candidates[0];
  const root = `/apis/${spec.group}/${version?.name ?? ''}`;
  const { plural } = spec.names;
  return {
    all: `${root}/${plural}`,
    in: (namespace) => `${root}/namespaces/${namespace}/${plural}`,
  };
}

/** Undefined when the deletion is under way, or there was nothing to delete. */
function problemOf(answer: Answer): string | undefined {
  if (answer.kind !== 'Status' || answer.status.code === 200) return undefined;
  return answer.status.message ?? 'failed';
}
