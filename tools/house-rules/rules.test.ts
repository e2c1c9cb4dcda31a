/** That each house rule can fail: a small house breaks it, and the rule says where. */
import { describe, expect, it } from 'vitest';
import { oneAssembly } from './assemblies.ts';
import { kubeObjectsAsked, unjustifiedAssertions } from './assertions.ts';
import { boundedCaches, boundedPolls, patientWaits, strictTexts } from './bounds.ts';
import { deadFiles } from './dead-files.ts';
import { filtersTested, filterOrder, relativeLinks } from './documents.ts';
import { doorkeeperRule, unusedPackages } from './doorkeepers.ts';
import { flagsBySection } from './flags.ts';
import { houseOf, type House } from './house.ts';
import { folderCycles, importCycles } from './cycles.ts';
import { importRule } from './import-rule.ts';
import { keyedReads } from './keyed-reads.ts';
import { machinePlaces } from './places.ts';
import { serverPlaces } from './servers.ts';
import { sizeReport } from './size-report.ts';
import { fileNames, forbiddenSyntax, openingComments, postponedWork } from './spelling.ts';

function given(files: Readonly<Record<string, string>>): House {
  return houseOf(Object.entries(files).map(([path, text]) => ({ path, text })));
}

const CHAIN = `
import { auditInit } from '../filters/audit-init.ts';
import { waitGroupFilter } from '../filters/wait-group.ts';
export function filtersOf(dependencies: FilterChainDependencies) {
  return [
    (next: Received) => auditInit(tools, next),
    // [goaway] [watch-termination]
    (next: Routed) => waitGroupFilter({ ...tools, group }, next),
  ] as const;
}`;

describe('import cycles', () => {
  it('finds one through a type, and names all its files once', () => {
    const house = given({
      'api/a.ts': "import type { B } from './b.ts';",
      'api/b.ts': "export { C } from './c.ts';",
      'api/c.ts': "export type C = import('./a.ts').A;",
      'api/d.ts': "import './a.ts';",
    });
    expect(importCycles(house)).toEqual([
      'api/a.ts: imports itself through api/a.ts, api/b.ts, api/c.ts',
    ]);
  });

  it('allows two ways to one file', () => {
    const house = given({
      'api/a.ts': "import './b.ts';\nimport './c.ts';",
      'api/b.ts': "import './c.ts';",
      'api/c.ts': 'export const c = 1;',
    });
    expect(importCycles(house)).toEqual([]);
  });
});

describe('assertions', () => {
  it('that a value is an object of the API are found in tests too, and in lists', () => {
    const house = given({
      'api/a.ts': 'const a = value as KubeObject;\nconst b = asKubeObject(value);',
      'api/a.test.ts': 'const all = values as readonly KubeObject[] | undefined;',
      'api/meta/object-meta.ts': 'return value as KubeObject;',
    });
    expect(kubeObjectsAsked(house)).toEqual([
      'api/a.ts:1: as KubeObject; asKubeObject asks the value',
      'api/a.test.ts:1: as KubeObject; asKubeObject asks the value',
    ]);
  });

  it('through unknown are counted, where one is listed as well', () => {
    const through = 'const a = value as unknown as Type;\n';
    const house = given({
      'api/a.ts': through,
      'api/b.ts': 'const a = value as unknown;',
      'api/a.test.ts': through,
      'api/kinds/strategy-of.ts': through,
      'projections/table/row-printers.ts': through + through,
      'gateway/flags/flags.ts': '',
    });
    expect(unjustifiedAssertions(house)).toEqual([
      'api/a.ts: as unknown as 1 times, and 0 are justified',
      'projections/table/row-printers.ts: as unknown as 2 times, and 1 are justified',
      'gateway/flags/flags.ts: as unknown as 0 times, and 1 are justified',
    ]);
  });
});

describe('reads by key', () => {
  it('are found where built-in kinds have types, and not in tests or by another name', () => {
    const read = "import { stringAt } from '../json/json.ts';\nstringAt(pod, 'nodeName');";
    const house = given({
      'api/json/json.ts': 'export function stringAt() {}',
      'api/kinds/pods.ts': read,
      'api/kinds/pods.test.ts': read,
      'api/kinds/other.ts': "import { stringAt } from './texts.ts';\nstringAt(pod, 'nodeName');",
      'api/structural-schema/parse.ts': read,
      'gateway/recorder/recorder.ts': '',
    });
    expect(keyedReads(house)).toEqual([
      'api/kinds/pods.ts: reads by key; a built-in kind has a type',
      'keyed-reads.ts: nothing is read in gateway/recorder/',
    ]);
  });
});

describe('servers for HTTP', () => {
  it('are made in their own files only', () => {
    const maker = "import { createServer } from 'node:http';\ncreateServer();";
    const house = given({
      'gateway/listener/request-head.ts': maker,
      'gateway/server/other.ts': maker,
      'gateway/server/client.ts': "import { request } from 'node:https';",
      'gateway/server/other.test.ts': maker,
    });
    expect(serverPlaces(house)).toEqual([
      'gateway/server/other.ts: makes a server for HTTP, but limits are set in gateway/listener',
    ]);
  });
});

describe('a second assembly', () => {
  it('is found wherever it is, but not a test of one part, nor the phases', () => {
    const several = 'new Committer({}); startActor(dispatch({})); new Committer({});';
    const house = given({
      'actors/registry/given.fixture.ts': several,
      'e2e/races/one.ts': 'new Projector({}); new AppliedVersion(clock);',
      'actors/registry/commit/committer.test.ts': 'new Committer({}); new Committer({});',
      'gateway/server/control-plane/control-plane.ts': several,
      'gateway/server/given-server.fixture.ts': several,
      'projections/views.ts': 'new Projector({}); new AppliedVersion(clock);',
    });
    const rest = 'which gateway/server does for tests as well';
    expect(oneAssembly(house)).toEqual([
      `actors/registry/given.fixture.ts: puts together Committer, dispatch, ${rest}`,
      `e2e/races/one.ts: puts together AppliedVersion, Projector, ${rest}`,
      `gateway/server/given-server.fixture.ts: puts together Committer, dispatch, ${rest}`,
    ]);
  });
});

describe('all flags', () => {
  it('are seen by the command and the file that puts a server together, and by tests', () => {
    const all = 'export const start = (options: ServeOptions) => options;';
    const house = given({
      'gateway/flags/serve-settings.ts': all,
      'gateway/flags/flags.ts': all,
      'gateway/commands/command-line.ts': all,
      'gateway/commands/run-process.ts': all,
      'gateway/commands/serve/serve.ts': all,
      'gateway/commands/serve/workers/worker.ts': 'export const options = 1;',
      'gateway/server/server.ts': all,
      'gateway/server/server.test.ts': all,
      'gateway/server/log/server-log.ts': "type Some = Pick<ServeSections, 'log'>;",
    });
    expect(flagsBySection(house)).toEqual([
      'gateway/server/log/server-log.ts: sees the settings of all flags; a function takes the sections that it needs',
      'flags.ts: gateway/commands/serve/workers/worker.ts sees no flags',
    ]);
  });
});

describe('polls of tests', () => {
  it('have a limit', () => {
    const house = given({
      'api/a.test.ts': 'while (!isSo()) await turn();',
      'api/b.test.ts': 'while (size < 5) await new Promise((resolve) => setImmediate(resolve));',
      'e2e/c.ts': 'while ((await names(client)).length < 5);',
      'e2e/d.ts': 'while (await clock.next());\nwhile (!isOver) await write();',
      'api/e.ts': 'while (!isSo()) await turn();',
    });
    const limit = 'polls without a limit; until of tools/until.fixture.ts has one';
    expect(boundedPolls(house)).toEqual([
      `api/a.test.ts: ${limit}`,
      `api/b.test.ts: ${limit}`,
      `e2e/c.ts: ${limit}`,
    ]);
  });
});

describe('waits of tests', () => {
  it('are as long as a loaded machine needs', () => {
    const house = given({
      'api/a.test.ts': 'await vi.waitFor(() => { expect(n).toBe(1); });',
      'api/b.test.ts': 'await vi.waitFor(() => 1, LONG); await expect.poll(() => n).toBe(1);',
      'e2e/c.ts': "await eventually('it', look, { timeoutMs: 60_000, everyMs: 5 });",
      'e2e/d.test.ts': 'await expect.poll(look, { timeout: 1_000 }).toBe(1);',
      'e2e/e.test.ts': "await eventually('it', look, { timeoutMs: 240_000 });",
    });
    const hasty = 'waits for less than a loaded machine may take';
    expect(patientWaits(house)).toEqual([
      `api/a.test.ts: vi.waitFor ${hasty}`,
      `e2e/c.ts: eventually ${hasty}`,
      `e2e/d.test.ts: expect.poll ${hasty}`,
    ]);
  });

  it('take a text wherever the page shows it', () => {
    const house = given({
      'e2e/a.test.ts': "await page.getByText('a').waitFor();",
      'e2e/b.ts': "await page.getByText('a').first().waitFor();",
    });
    const why = 'waits for a text by getByText; shows of e2e/dashboard takes any';
    expect(strictTexts(house)).toEqual([`e2e/a.test.ts: ${why}`]);
  });
});

describe('folder cycles', () => {
  it('are found at the second depth, below one folder of the first', () => {
    const house = given({
      'api/json/a.ts': "import type { B } from '../meta/b.ts';",
      'api/meta/deep/c.ts': "import '../../json/d.ts';",
      'api/meta/b.ts': '',
      'api/json/d.ts': '',
      'api/patch/e.ts': "import '../json/d.ts';",
      'api/json/a.test.ts': "import '../patch/e.ts';",
    });
    expect(folderCycles(house)).toEqual([
      'api/json and api/meta import one another: ' +
        'api/json/a.ts → api/meta/b.ts, api/meta/deep/c.ts → api/json/d.ts',
    ]);
  });
});

describe('dead files', () => {
  it('names what only a test or another dead file reaches', () => {
    const house = given({
      'gateway/commands/main.ts': "await import('./serve/serve.ts');",
      'gateway/commands/serve/serve.ts': '',
      'api/dead.ts': "import './dead-too.ts';",
      'api/dead-too.ts': '',
      'api/dead.test.ts': "import './dead.ts';",
    });
    expect(deadFiles(house)).toEqual([
      'api/dead.ts: no entry point reaches it',
      'api/dead-too.ts: no entry point reaches it',
    ]);
  });
});

describe('the import rule', () => {
  it.each([
    ['api/a.ts', '../streams/event.ts', 'api must not import streams'],
    ['projections/a.ts', '../actors/request/actor.ts', 'projections must not import actors'],
    ['gateway/listener/a.ts', '../../e2e/support/server.ts', 'that is there for tests'],
    [
      'gateway/listener/a.ts',
      '../../streams/event-log.ts',
      'only gateway/server and the commands open the log',
    ],
    ['actors/a.ts', './given.fixture.ts', 'that is there for tests'],
    ['actors/filters/cors.ts', './hsts.ts', 'filters do not know one another'],
    [
      'api/kinds/core/pods/definition.ts',
      '../services/defaults.ts',
      'kinds do not know one another; what they share lies above both',
    ],
    ['api/a.ts', './b.js', 'imports name a .ts file'],
  ])('%s must not import %s', (path, specifier, why) => {
    const house = given({ [path]: `import type { A } from '${specifier}';` });
    expect(importRule(house)).toEqual([`${path}: imports ${specifier}, but ${why}`]);
  });

  it.each([
    ['gateway/server/log/open-log.ts', '../../../streams/embedded/embedded-event-log.ts'],
    ['gateway/watch/a.ts', '../../streams/resource-version.ts'],
    ['actors/filters/cors.test.ts', './cors.ts'],
    ['actors/filters/cors.test.ts', '../request/given.fixture.ts'],
    ['api/kinds/core/definition.ts', './pods/definition.ts'],
    ['api/kinds/apps/deployments/definition.ts', '../../pod-spec/pod-spec-defaults.ts'],
    ['api/kinds/pod-spec/volumes/a.ts', '../containers/b.ts'],
  ])('%s may import %s', (path, specifier) => {
    expect(importRule(given({ [path]: `import '${specifier}';` }))).toEqual([]);
  });
});

describe('doorkeepers', () => {
  it('keeps a package behind its door', () => {
    const house = given({
      'api/meta/transition-table.ts': "import { transition } from 'xstate';",
      'actors/lifecycle/a.machine.ts': "import { setup } from 'xstate';",
      'actors/pipeline/filter-chain.ts': "import { createActor } from 'xstate';",
      'api/a.ts': "import protobuf from 'protobufjs/minimal.js';\nimport fs from 'node:fs';",
      'api/b.ts': "import a from 'left-pad';",
      'e2e/a.test.ts': "import 'xstate';\nimport 'testcontainers';",
      'e2e/support/kafka-container.ts': "import 'testcontainers';",
    });
    expect(doorkeeperRule(house)).toEqual([
      'actors/pipeline/filter-chain.ts: imports xstate, but its doorkeeper is ' +
        'api/meta/transition-table.ts, *.machine.ts',
      'api/a.ts: imports protobufjs/minimal.js, but its doorkeeper is ' +
        'projections/openapi/gnostic-messages.ts',
      'api/b.ts: imports left-pad, but no doorkeeper is written down for it',
      'e2e/a.test.ts: imports testcontainers, but its doorkeeper is e2e/support/kafka-container.ts',
    ]);
  });
});

describe('packages', () => {
  it('are installed for some source', () => {
    const dependencies = { ws: '8', 'left-pad': '1' };
    const house = given({
      'package.json': JSON.stringify({ dependencies, devDependencies: { oxfmt: '0' } }),
      'api/a.ts': "const { WebSocket } = await import('ws');",
      'api/a.test.ts': "import 'left-pad';",
    });
    expect(unusedPackages(house)).toEqual(['package.json: no source imports left-pad']);
  });
});

describe('documents', () => {
  it('follows links and anchors, but not those in code', () => {
    const house = given({
      'docs/a.md':
        '# One thing\n[a](b.md) [b](../docs) [c](#one-thing) `[d](no.md)` [e](https://x)',
      'docs/b.md': '[a](a.md#one-thing) [b](a.md#another) [c](c.md) [`d`](d.md) `e`',
    });
    expect(relativeLinks(house)).toEqual([
      'docs/b.md: a.md#another names no heading',
      'docs/b.md: c.md leads nowhere',
      'docs/b.md: d.md leads nowhere',
    ]);
  });

  it('wants the filters told as they are built, kept places included', () => {
    const list =
      '1. [`audit-init`](x): a\n2. `goaway`: b\n3. `watch-termination`\n4. `wait-group`\n';
    const built = { 'actors/pipeline/filter-chain.ts': CHAIN };
    const told = (text: string) => given({ ...built, 'ARCHITECTURE.md': text });
    expect(filterOrder(told(`\n## The filters\n\n${list}\n## Next\n`))).toEqual([]);
    expect(filterOrder(told('\n## The filters\n\n1. `audit-init`\n'))).toHaveLength(2);
  });

  it('wants a test beside every filter, and every filter in the chain', () => {
    const house = given({
      'actors/pipeline/filter-chain.ts': CHAIN,
      'actors/filters/audit-init.ts': '',
      'actors/filters/audit-init.test.ts': '',
      'actors/filters/lost.ts': '',
    });
    expect(filtersTested(house)).toEqual([
      'actors/filters/lost.ts: no test beside it',
      'actors/filters/lost.ts: stands nowhere in the chain',
    ]);
  });
});

describe('places', () => {
  it('finds a path of one machine and a registry', () => {
    const root = '/' + 'root';
    const house = given({
      'a.ts': `import './root-index.ts';\nconst a = '${root}/go';`,
      '.npmrc': 'registry' + '=https://example.com',
    });
    expect(machinePlaces(house)).toEqual([
      `a.ts:2: a path of one machine: ${root}`,
      '.npmrc:1: a package registry: registry=',
    ]);
  });
});

describe('spelling', () => {
  it('finds what compiles and is not wanted', () => {
    const house = given({
      'api/a.ts': [
        'let a: any = b!;',
        'export default a;',
        'enum C {}',
        'namespace D {}',
        'class E { f!: string; }',
        'export default function g() {}',
        'if (!a || a != b) h();',
      ].join('\n'),
    });
    expect(forbiddenSyntax(house)).toEqual([
      'api/a.ts:1: any',
      'api/a.ts:1: ! (not null)',
      'api/a.ts:2: default export',
      'api/a.ts:3: enum',
      'api/a.ts:4: namespace',
      'api/a.ts:5: ! (assigned somewhere)',
      'api/a.ts:6: default export',
    ]);
  });

  it('leaves the default of a switch alone', () => {
    expect(forbiddenSyntax(given({ 'api/a.ts': 'switch (a) { default: b(); }' }))).toEqual([]);
  });

  it('wants names that name a thing', () => {
    const paths = ['api/utils.ts', 'api/index.ts', 'api/aThing.ts', 'api/a-thing.contract.ts'];
    const house = given(Object.fromEntries(paths.map((path) => [path, ''])));
    expect(fileNames(house).map((line) => line.split(':')[0])).toEqual(paths.slice(0, 3));
  });

  it('wants a comment at the top or above the first declaration', () => {
    const house = given({
      'api/a.ts': '/** What it is for. */\nimport b from "./b.ts";\nexport const a = 1;',
      'api/b.ts': 'import c from "./c.ts";\n\n/** What it is for. */\nexport const b = 1;',
      'api/c.ts': 'import c from "./c.ts";\n\nexport const b = 1; // Late.\n/** Later. */\nb();',
    });
    expect(openingComments(house)).toEqual(['api/c.ts: does not open by saying what it is for']);
  });

  it('finds work that is put off', () => {
    const mark = 'TO' + 'DO';
    const house = given({ 'api/a.ts': `const ${mark} = 1;\nf(); // ${mark}: more` });
    expect(postponedWork(house)).toEqual(['api/a.ts:2: postpones work']);
  });
});

describe('the size report', () => {
  it('counts lines of files and functions, and assertions', () => {
    const text = 'const a = b as C;\nconst d = [1] as const;\nfunction e() {\n  f();\n}\n';
    const report = sizeReport(given({ 'api/a.ts': text, 'api/b.ts': '\n'.repeat(401) }));
    expect(report).toContain('lines of a function: median 3, p90 3');
    expect(report).toContain('as: 2.5 in 1,000 lines');
    expect(report).toContain('over 400 lines: 1\n  api/b.ts: 401');
  });
});

describe('caches', () => {
  it('are not bounded by their number of entries', () => {
    const house = given({
      'api/a.ts': 'if (known.size >= KNOWN_MAX) known.clear();',
      'api/b.ts': 'if (this.#known.size > max && a) { for (const k of o) this.#known.delete(k); }',
      'api/c.ts': 'if (a !== undefined && heads.size > MAX) heads.delete(a);',
      'api/fine.ts':
        'if (known.size > 0) known.clear(); if (a.size > MAX) b.clear(); if (a.size > b.size) a.clear();',
      'api/fine.test.ts': 'if (known.size > MAX) known.clear();',
    });
    expect(boundedCaches(house).map((one) => one.split(' is ')[0])).toEqual([
      'api/a.ts: known',
      'api/b.ts: this.#known',
      'api/c.ts: heads',
    ]);
  });
});
