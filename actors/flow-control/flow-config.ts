/**
 * The flow schemas and priority levels that count now, kept from the objects as the fold tells them.
 * What was committed is digested before the next request is looked at.
 *
 * The surprise: the two mandatory levels and schemas count also where they were not made.
 *
 * In Kubernetes: configController and cfgMeal, apiserver/pkg/util/flowcontrol.
 */
import { BoundedMap } from '../../api/meta/bounded-map.ts';
import type { Clock } from '../../api/meta/clock.ts';
import type {
  FlowSchema as DeclaredSchema,
  PriorityLevelConfiguration,
} from '../../api/generated/kinds/flowcontrol-v1.ts';
import type { KubeObject, ObjectOf } from '../../api/meta/object-meta.ts';
import type { FollowedIndex, FollowedObjects } from '../../projections/followed-objects.ts';
import { parsedObject } from '../../projections/objects/stored-object.ts';
import type { RequestInfo, UserInfo } from '../request/request.ts';
import { adjustSeats, setLimits } from './concurrency-limits.ts';
import { defaultObjects } from './default-objects.ts';
import { dealHand, type Flow, flowHash } from './fair-queue.ts';
import { FlowFigures } from './flow-figures.ts';
import {
  compileFlowSchema,
  distinguisherOf,
  inPrecedence,
  type FlowSchema,
} from './flow-schema.ts';
import { readLevelSpec, type LevelSpec } from './level-spec.ts';
import { PriorityLevel } from './priority-level.ts';

/** The storage of FlowSchemas, by which the fold names them. */
export const FLOW_SCHEMAS = 'flowcontrol.apiserver.k8s.io/flowschemas';

/** The storage of PriorityLevelConfigurations. */
export const PRIORITY_LEVELS = 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations';

/** A flow at its level, with the queues that it may wait in. */
export interface LeveledFlow extends Flow {
  readonly flowSchema: FlowSchema;
  readonly level: PriorityLevel;
  readonly hand: readonly number[];
}

/** How many flows of a schema are remembered with their hands. */
const FLOWS_MAX = 4_096;

/** A flow schema whose priority level there is, and its flows as they came. */
class ServedSchema {
  readonly schema: FlowSchema;
  readonly #level: PriorityLevel;
  readonly #figures: FlowFigures;
  readonly #flows = new BoundedMap<string, LeveledFlow>(FLOWS_MAX);

  constructor(schema: FlowSchema, level: PriorityLevel, figures: FlowFigures) {
    this.schema = schema;
    this.#level = level;
    this.#figures = figures;
  }

  flowOf(user: UserInfo, info: RequestInfo): LeveledFlow {
    const { queues } = this.#level.spec.queuing;
    // With one queue, or none, all flows are one.
    const distinguisher = queues > 1 ? distinguisherOf(this.schema, user, info) : '';
    return this.#flows.peek(distinguisher) ?? this.#meet(distinguisher);
  }

  #meet(distinguisher: string): LeveledFlow {
    const { schema } = this;
    const { queues, handSize } = this.#level.spec.queuing;
    const hash = queues > 1 ? flowHash(schema.name, distinguisher) : 0n;
    const flow = {
      schema: schema.name,
      distinguisher,
      figures: this.#figures,
      flowSchema: schema,
      level: this.#level,
      hand: queues < 1 ? [] : dealHand(hash, queues, handSize),
    };
    this.#flows.set(distinguisher, flow);
    return flow;
  }
}

export interface FlowConfigParts {
  readonly followed: FollowedObjects;
  readonly clock: Clock;
  /** What the server may serve at once, apart from exempt requests. */
  readonly serverSeats: number;
}

export class FlowConfig {
  /** What part of its target a level gets that no bound holds up. */
  fairFraction = 0;
  readonly #parts: FlowConfigParts;
  readonly #specs = new Map<string, LevelSpec>();
  readonly #schemas = new Map<string, FlowSchema>();
  readonly #indexes: readonly FollowedIndex[];
  readonly #figures = new Map<string, FlowFigures>();
  #levels = new Map<string, PriorityLevel>();
  #served: readonly ServedSchema[] = [];
  #isOutdated = true;

  constructor(parts: FlowConfigParts) {
    this.#parts = parts;
    this.#indexes = [
      this.#follow(PRIORITY_LEVELS, this.#specs, (level) =>
        readLevelSpec(level as ObjectOf<PriorityLevelConfiguration>),
      ),
      this.#follow(FLOW_SCHEMAS, this.#schemas, (schema) =>
        compileFlowSchema(schema as ObjectOf<DeclaredSchema>),
      ),
    ];
  }

  get levels(): Iterable<PriorityLevel> {
    this.#refresh();
    return this.#levels.values();
  }

  get figures(): Iterable<FlowFigures> {
    return this.#figures.values();
  }

  /** Which flow the request belongs to. */
  flowOf(user: UserInfo, info: RequestInfo): LeveledFlow {
    this.#refresh();
    for (const served of this.#served) {
      if (served.schema.matches(user, info)) return served.flowOf(user, info);
    }
    // Only a user that is neither authenticated nor unauthenticated comes here.
    const last = this.#served.find(({ schema }) => schema.name === 'catch-all');
    if (last === undefined) throw new Error('there is always a flow schema catch-all');
    return last.flowOf(user, info);
  }

  /** Shares the seats out by the demand since the last time. */
  adjust(): void {
    this.#refresh();
    this.fairFraction = adjustSeats([...this.#levels.values()], this.#parts.clock.now());
  }

  /** To be called when a level that is not wanted any more may have served its last request. */
  reap(level: PriorityLevel): void {
    if (level.isQuiescing && level.queues.isIdle) this.#isOutdated = true;
  }

  /** @param compile is given the stored objects of the resource. */
  #follow<Compiled>(
    resource: string,
    compiled: Map<string, Compiled>,
    compile: (object: KubeObject) => Compiled | undefined,
  ): FollowedIndex {
    return this.#parts.followed.follow(resource, {
      set: (object) => {
        this.#isOutdated = true;
        const made = compile(parsedObject(object));
        if (made === undefined) compiled.delete(object.path);
        else compiled.set(object.path, made);
      },
      delete: (path) => {
        this.#isOutdated = true;
        compiled.delete(path);
      },
      clear: () => {
        this.#isOutdated = true;
        compiled.clear();
      },
    });
  }

  #refresh(): void {
    for (const index of this.#indexes) index.fill();
    if (!this.#isOutdated) return;
    this.#isOutdated = false;
    this.#digest();
  }

  #digest(): void {
    const levels = this.#desiredLevels();
    const schemas = [...this.#schemas.values()].filter(({ level }) => levels.has(level));
    for (const [name, level] of this.#levels) {
      if (levels.has(name) || level.queues.isIdle) continue;
      // Its requests are served to the end, as one of the levels.
      level.isQuiescing = true;
      levels.set(name, level);
    }
    this.#levels = levels;
    setLimits([...levels.values()], this.#parts.serverSeats);
    this.adjust();
    this.#served = withMandatory(schemas).flatMap((schema) => {
      const level = levels.get(schema.level);
      if (level === undefined) return [];
      return [new ServedSchema(schema, level, this.#figuresOf(level.name, schema.name))];
    });
  }

  #desiredLevels(): Map<string, PriorityLevel> {
    const specs = new Map<string, LevelSpec>();
    for (const object of defaultObjects().mandatory.levels) {
      const spec = readLevelSpec(object);
      if (spec !== undefined) specs.set(spec.name, spec);
    }
    for (const spec of this.#specs.values()) specs.set(spec.name, spec);
    const levels = new Map<string, PriorityLevel>();
    for (const spec of specs.values()) {
      const level = this.#levels.get(spec.name) ?? new PriorityLevel(spec, this.#parts.clock);
      level.spec = spec;
      level.isQuiescing = false;
      levels.set(spec.name, level);
    }
    return levels;
  }

  #figuresOf(level: string, schema: string): FlowFigures {
    const key = `${level}/${schema}`;
    const figures = this.#figures.get(key) ?? new FlowFigures(level, schema);
    this.#figures.set(key, figures);
    return figures;
  }
}

/** In the order in which they are asked, with those that no client can take away. */
function withMandatory(schemas: readonly FlowSchema[]): FlowSchema[] {
  const names = new Set(schemas.map(({ name }) => name));
  const missing = defaultObjects()
    .mandatory.schemas.map(compileFlowSchema)
    .filter(({ name }) => !names.has(name));
  return [...schemas, ...missing].sort(inPrecedence);
}
