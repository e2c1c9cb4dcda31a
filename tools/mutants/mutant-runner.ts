/**
 * A runner for vitest that runs a test file once as it is, and then again with each mutant that its
 * tests reached, in the same process: importing the sources costs more than most tests, so they are
 * imported once for all mutants. Only a mutant in code that runs at import has them imported anew.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { getFn, startTests, type File, type Suite, type Task, type Test } from '@vitest/runner';
import { VitestTestRunner } from 'vitest/runners';

import { placesOf, type MutantPlan, type MutantVerdict, type UnderWay } from './mutant-plan.ts';

/** What the mutated sources talk to; Stryker's instrumenter gives it the name. */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Hits; perTest: Record<string, Hits> };
}

type Hits = Record<string, number>;

/** Behind this many times the hits of a run without a bug, a loop is taken to be endless. */
const HITS_FACTOR = 100;
const HITS_MIN = 10_000;
/** A test that takes so long, and so much longer than without a bug, is taken to hang. */
const HANGS_MS = 4_000;
const SLOWER_BY = 4;
/** Without a word for so long, a process has no turns of its event loop any more. */
const SILENT_MS = 30_000;

const shared = globalThis as typeof globalThis & {
  __stryker__?: Switch;
  __vitest_worker__?: { evaluatedModules: EvaluatedModules };
};
const mutants: Switch = (shared.__stryker__ ??= {});

interface EvaluatedModules {
  readonly idToModuleMap: Map<string, EvaluatedModule>;
}

interface EvaluatedModule {
  promise: unknown;
  exports: unknown;
  evaluated: boolean;
  readonly importers: Set<string>;
}

export default class MutantRunner extends VitestTestRunner {
  onCollected(files: File[]): void {
    // From here on nothing is import: what no test claims belongs to all tests of the file.
    mutants.currentTestId = files[0]?.filepath;
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    mutants.currentTestId = test.id;
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    mutants.currentTestId = test.file.filepath;
  }

  override async onAfterRunSuite(suite: Suite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (isFile(suite)) await new MutatedFile(this, suite).run();
  }
}

/** Runs again what was collected from one test file. */
class RunAgain extends VitestTestRunner {
  failed: string | undefined;
  onTest: () => void = () => undefined;
  /** Of each test by its id. */
  limitsMs: ReadonlyMap<string, number> = new Map();

  override async onBeforeRunTask(test: Test): Promise<void> {
    this.onTest();
    await super.onBeforeRunTask(test);
  }

  /** One slow test in a file is no reason to wait as long for all others. */
  async runTask(test: Test): Promise<void> {
    const limitMs = this.limitsMs.get(test.id) ?? HANGS_MS;
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no end within ${String(limitMs)} ms`));
      }, limitMs);
    });
    try {
      await Promise.race([getFn(test)(), hangs]);
    } finally {
      clearTimeout(timer);
    }
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    this.onTest();
    if (test.result?.state !== 'fail') return;
    this.failed ??= test.id;
    this.cancel('test-failure');
  }

  override onAfterRunFiles(files?: File[]): void {
    super.onAfterRunFiles();
    const broken = files?.find((file) => file.result?.state === 'fail');
    if (broken !== undefined) this.failed ??= (failedSuiteOf(broken) ?? broken).id;
  }

  onTaskUpdate(): Promise<void> {
    return Promise.resolve();
  }
}

class MutatedFile {
  readonly #outer: MutantRunner;
  readonly #file: File;
  readonly #places = placesOf(process.env['EVERWATCH_MUTANTS'] ?? '');
  readonly #plan: MutantPlan;
  readonly #perTest: Record<string, Hits>;
  readonly #atImport: Hits;
  readonly #survived: ReadonlySet<string>;
  /** Another text of the tests may notice what this one did not. */
  readonly #textHash: string;
  readonly #limitsMs: ReadonlyMap<string, number>;
  #underWay: string | undefined;

  constructor(outer: MutantRunner, file: File) {
    this.#outer = outer;
    this.#file = file;
    // tools/mutants/main.ts wrote the file.
    this.#plan = JSON.parse(readFileSync(this.#places.plan, 'utf8')) as MutantPlan;
    const { static: atImport = {}, perTest = {} } = mutants.mutantCoverage ?? {};
    this.#atImport = { ...atImport };
    this.#perTest = { ...perTest };
    this.#survived = new Set(readFileSync(this.#places.survived, 'utf8').split('\n'));
    this.#textHash = createHash('sha256').update(readFileSync(file.filepath)).digest('base64url');
    this.#limitsMs = new Map(testsIn(file).map((test) => [test.id, limitOf(test)]));
  }

  async run(): Promise<void> {
    if (this.#file.result?.state === 'fail')
      throw new Error(`${this.#file.name} fails without a bug`);
    this.#tellUnderWay();
    for (const id of this.#plan.sample) {
      const tests = this.#testsOf(id);
      const isAtImport = id in this.#atImport;
      if (tests.length === 0 && !isAtImport) continue;
      this.#tell({ id, status: 'reached' });
      if (existsSync(this.#places.killed(id)) || this.#survived.has(this.#survivor(id))) continue;
      this.#underWay = id;
      const killer = isAtImport ? await this.#killerAtImport(id) : await this.#killerOf(id, tests);
      this.#underWay = undefined;
      this.#judge(id, killer);
    }
    rmSync(this.#underWayFile(), { force: true });
  }

  #judge(id: string, killer: string | undefined): void {
    if (killer === undefined) {
      appendFileSync(this.#places.survived, `${this.#survivor(id)}\n`);
      return;
    }
    writeFileSync(this.#places.killed(id), '');
    this.#tell({ id, status: 'killed', by: `${this.#file.name} ${killer}` });
  }

  #survivor(id: string): string {
    return `${id} ${this.#file.name} ${this.#textHash}`;
  }

  #underWayFile(): string {
    return join(this.#places.underWay, `${String(process.pid)}.json`);
  }

  /** tools/mutants/in-process.ts ends a process that says nothing for too long. */
  #tellUnderWay(): void {
    const endsBy = Date.now() + SILENT_MS + 2 * limitOf(this.#file);
    const { name: file } = this.#file;
    const underWay: UnderWay = { pid: process.pid, file, id: this.#underWay, endsBy };
    writeFileSync(this.#underWayFile(), JSON.stringify(underWay));
  }

  #testsOf(id: string): string[] {
    const found = Object.entries(this.#perTest).filter(([, hits]) => id in hits);
    if (found.some(([test]) => test === this.#file.filepath)) return idsOf(this.#file);
    const own = new Set(idsOf(this.#file));
    return found.map(([test]) => test).filter((test) => own.has(test));
  }

  async #killerOf(id: string, tests: readonly string[]): Promise<string | undefined> {
    const killer = await this.#failing(id, tests);
    if (killer === undefined) return undefined;
    // A bug before this one may have left something behind that fails the test by itself.
    if ((await this.#failing(undefined, tests.includes(killer) ? [killer] : tests)) === undefined) {
      return killer;
    }
    return await this.#killerAtImport(id);
  }

  async #killerAtImport(id: string): Promise<string | undefined> {
    forgetModules();
    const killer = await this.#failing(id, idsOf(this.#file));
    forgetModules();
    return killer;
  }

  /** The first test that fails. */
  async #failing(id: string | undefined, tests: readonly string[]): Promise<string | undefined> {
    const { filepath } = this.#file;
    const again = this.#runAgain();
    this.#tellUnderWay();
    const hits = Object.values(this.#perTest).map((each) => each[id ?? ''] ?? 0);
    mutants.activeMutant = id;
    mutants.hitCount = 0;
    mutants.hitLimit = HITS_MIN + HITS_FACTOR * hits.reduce((sum, each) => sum + each, 0);
    forgetModules((path) => path.endsWith(filepath));
    try {
      await startTests([{ filepath, fileTags: [], testIds: [...tests] }], again);
    } finally {
      mutants.activeMutant = undefined;
    }
    return again.failed;
  }

  #runAgain(): RunAgain {
    const { config } = this.#outer;
    const limitMs = limitOf(this.#file);
    const again = new RunAgain({ ...config, testTimeout: limitMs, hookTimeout: limitMs });
    again.limitsMs = this.#limitsMs;
    again.onTest = () => {
      this.#tellUnderWay();
    };
    // Private parts of the runner that vitest gives to the one that it made itself.
    const { moduleRunner, _otel } = this.#outer as unknown as Record<string, unknown>;
    Object.assign(again, { moduleRunner, _otel });
    return again;
  }

  #tell(verdict: MutantVerdict): void {
    appendFileSync(this.#places.verdicts, `${JSON.stringify(verdict)}\n`);
  }
}

function isFile(suite: Suite): suite is File {
  return 'filepath' in suite;
}

function testsIn(task: Task): Test[] {
  return 'tasks' in task ? task.tasks.flatMap(testsIn) : [task];
}

function idsOf(task: Task): string[] {
  return testsIn(task).map(({ id }) => id);
}

function limitOf(task: Task): number {
  return Math.max(HANGS_MS, SLOWER_BY * slowestOf(task));
}

function slowestOf(task: Task): number {
  const own = 'tasks' in task ? 0 : (task.result?.duration ?? 0);
  return 'tasks' in task ? Math.max(0, ...task.tasks.map(slowestOf)) : own;
}

/** A suite whose hooks failed. */
function failedSuiteOf(task: Task): Task | undefined {
  if (!('tasks' in task)) return task.result?.state === 'fail' ? task : undefined;
  return task.tasks.map(failedSuiteOf).find((found) => found !== undefined);
}

function forgetModules(chosen: (path: string) => boolean = isOurs): void {
  for (const [path, module] of shared.__vitest_worker__?.evaluatedModules.idToModuleMap ?? []) {
    if (!chosen(path)) continue;
    Object.assign(module, { promise: undefined, exports: undefined, evaluated: false });
    module.importers.clear();
  }
}

function isOurs(path: string): boolean {
  return !path.includes('node_modules') && !path.includes('tools/mutants');
}
