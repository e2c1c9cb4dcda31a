/** The schemas of definitions that well-known operators ship in their Go modules. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
  type JsonValue,
} from '../json/json.ts';

export interface ShippedSchema {
  /** As `httproutes.gateway.networking.k8s.io v1`. */
  readonly name: string;
  /** Without its rules, which others ask. */
  readonly props: JsonObject;
}

interface Source {
  readonly module: string;
  readonly folder: string;
  /** All take a minute to read; with EVERWATCH_ALL_DEFINITIONS=1 they are. */
  readonly files: RegExp;
}

const SOURCES: readonly Source[] = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.1',
    folder: 'config/crd/standard',
    files: /_(?:httproutes|gateways|backendtlspolicies)/,
  },
  {
    module: 'github.com/cert-manager/cert-manager@v1.19.1',
    folder: 'deploy/crds',
    files: /_(?:certificates|orders)/,
  },
  {
    module: 'sigs.k8s.io/cluster-api@v1.11.3',
    folder: 'config/crd/bases',
    files: /_(?:machinepools|clusterresourcesets|extensionconfigs)/,
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.82.2',
    folder: 'example/prometheus-operator-crd',
    files: /_(?:servicemonitors|prometheusrules|probes)/,
  },
];

/** What cannot be had is left out, with one loud line each. */
export function shippedSchemas(): ShippedSchema[] {
  return SOURCES.flatMap(({ module, folder, files }) => {
    const directory = directoryOf(module);
    if (directory === undefined) return [];
    const path = join(directory, folder);
    const isAsked = process.env['EVERWATCH_ALL_DEFINITIONS'] === '1' ? /./ : files;
    return readdirSync(path)
      .filter((file) => file.endsWith('.yaml') && isAsked.test(file))
      .flatMap((file) => schemasIn(readFileSync(join(path, file), 'utf8')));
  });
}

function directoryOf(module: string): string | undefined {
  const ran = spawnSync('go', ['mod', 'download', '-json', module], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  if (ran.status === 0) return stringAt(JSON.parse(ran.stdout) as JsonObject, 'Dir'); // Go's own.
  const line = `SKIPPED ${module}: needs Go 1.26 and its module proxy`;
  if (process.env['EVERWATCH_REQUIRE_ALL'] === '1') throw new Error(line);
  console.warn(line);
  return undefined;
}

function schemasIn(text: string): ShippedSchema[] {
  return parseAllDocuments(text).flatMap((document) => {
    const definition = document.toJS({ maxAliasCount: 0 }) as JsonValue; // YAML of the JSON kind.
    if (!isJsonObject(definition)) return [];
    if (stringAt(definition, 'kind') !== 'CustomResourceDefinition') return [];
    const name = stringAt(objectAt(definition, 'metadata'), 'name');
    return listAt(objectAt(definition, 'spec') ?? {}, 'versions').flatMap((version) => {
      if (!isJsonObject(version)) return [];
      const props = objectAt(objectAt(version, 'schema'), 'openAPIV3Schema');
      if (props === undefined) return [];
      return [{ name: `${name} ${stringAt(version, 'name')}`, props: withoutRules(props) }];
    });
  });
}

function withoutRules(props: JsonObject): JsonObject {
  const text = JSON.stringify(props, (key, value: JsonValue) =>
    key === 'x-kubernetes-validations' ? undefined : value,
  );
  return JSON.parse(text) as JsonObject; // It was one.
}
