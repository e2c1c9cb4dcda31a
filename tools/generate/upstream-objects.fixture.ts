/**
 * The objects that k8s.io/api keeps of every kind in JSON, YAML and protobuf, read where Go's
 * module cache has them and never committed. Elsewhere such tests are skipped with one loud line,
 * or fail when EVERWATCH_REQUIRE_ALL=1 says that this machine is meant to have everything.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGoPackage } from './go-modules.ts';

export interface UpstreamObject {
  /** `apps.v1.Deployment`. */
  readonly name: string;
  readonly json: string;
  readonly yaml: string;
  readonly protobuf: Buffer;
  /** The same after 1.36 has read and written it; other than above when it dropped fields. */
  readonly jsonAfter: string;
  readonly protobufAfter: Buffer;
}

/** `release` is HEAD or one before, as v1.35.0; nothing when the module is not there. */
export function upstreamObjects(release: string): UpstreamObject[] {
  const module = findGoPackage('k8s.io/api');
  if (module === undefined) {
    const line = 'SKIPPED objects of k8s.io/api: go mod download k8s.io/api@v0.36.3';
    if (process.env['EVERWATCH_REQUIRE_ALL'] === '1') throw new Error(line);
    console.warn(line);
    return [];
  }
  const folder = join(module, 'testdata', release);
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.pb') && !file.endsWith('.after_roundtrip.pb'))
    .map((file) => file.slice(0, -'.pb'.length));
  return names.map((name) => readObject(join(folder, name), name));
}

function readObject(path: string, name: string): UpstreamObject {
  const read = (ending: string): Buffer => readFileSync(path + ending);
  const after = (ending: string): Buffer =>
    existsSync(`${path}.after_roundtrip${ending}`)
      ? read(`.after_roundtrip${ending}`)
      : read(ending);
  return {
    name,
    json: read('.json').toString(),
    yaml: read('.yaml').toString(),
    protobuf: read('.pb'),
    jsonAfter: after('.json').toString(),
    protobufAfter: after('.pb'),
  };
}
