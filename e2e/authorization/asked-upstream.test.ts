/**
 * Authorization does not end with the filter: kube-apiserver asks its authorizer again within plug-ins and
 * within the rules of kinds, where a right depends on what an object says. The law: each place there that
 * has an authorizer has a counterpart here that asks it, so that a new one of upstream's is noticed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { run } from '../support/command.ts';
import { goModule } from '../support/go-module.ts';
import { describeWith } from '../support/requirements.ts';

const ROOT = join(import.meta.dirname, '../..');
const RIGHTS = 'actors/admission/plugins/authorization';
const PARAMETERS = `${RIGHTS}/parameter-rights.ts`;
const CERTIFICATES = 'actors/admission/plugins/certificates.ts';
const ESCALATION = `${RIGHTS}/rbac-escalation.ts`;
const REVIEWS = 'actors/handlers/reviews.ts';

/** By folder of upstream's. */
const HERE: Readonly<Record<string, string>> = {
  'pkg/registry/admissionregistration/mutatingadmissionpolicy': PARAMETERS,
  'pkg/registry/admissionregistration/mutatingadmissionpolicybinding': PARAMETERS,
  'pkg/registry/admissionregistration/validatingadmissionpolicy': PARAMETERS,
  'pkg/registry/admissionregistration/validatingadmissionpolicybinding': PARAMETERS,
  'pkg/registry/authorization/localsubjectaccessreview': REVIEWS,
  'pkg/registry/authorization/selfsubjectaccessreview': REVIEWS,
  'pkg/registry/authorization/subjectaccessreview': REVIEWS,
  'pkg/registry/certificates/podcertificaterequest': CERTIFICATES,
  'pkg/registry/core/pod/rest': 'actors/connect/connect-stages.ts',
  'pkg/registry/rbac': ESCALATION,
  'pkg/registry/rbac/clusterrole/policybased': ESCALATION,
  'pkg/registry/rbac/clusterrolebinding/policybased': ESCALATION,
  'pkg/registry/rbac/role/policybased': ESCALATION,
  'pkg/registry/rbac/rolebinding/policybased': ESCALATION,
  'pkg/registry/resource': `${RIGHTS}/device-rights.ts`,
  'pkg/registry/resource/resourceclaim': `${RIGHTS}/device-rights.ts`,
  'plugin/pkg/admission/certificates/approval': CERTIFICATES,
  'plugin/pkg/admission/certificates/ctbattest': CERTIFICATES,
  'plugin/pkg/admission/certificates/signing': CERTIFICATES,
  'plugin/pkg/admission/gc': `${RIGHTS}/owner-references-permission-enforcement.ts`,
  'plugin/pkg/admission/noderestriction': 'actors/admission/plugins/nodes/node-restriction-pods.ts',
};

/** Where storages are put together: they hand the authorizer on. */
const WIRING = /\/(?:storage|rest)\/storage(?:_\w+)?\.go$/;

await describeWith('go', 'what kube-apiserver asks its authorizer behind the filter', () => {
  it('is asked here, too', async () => {
    const sources = await goModule(await kubernetes());
    const found = ['pkg/registry', 'plugin/pkg/admission'].flatMap((folder) =>
      foldersThatAsk(sources, folder),
    );
    expect([...new Set(found)].sort()).toEqual(Object.keys(HERE));
    for (const file of new Set(Object.values(HERE))) {
      expect([file, readFileSync(join(ROOT, file), 'utf8')]).toEqual([
        file,
        expect.stringMatching(/authorizer\.authorize\(|isAllowed\(/),
      ]);
    }
  });
});

function foldersThatAsk(sources: string, folder: string): string[] {
  return readdirSync(join(sources, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!_test)\.go$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !WIRING.test(file))
    .filter((file) => readFileSync(file, 'utf8').includes('authorizer.Authorizer'))
    .map((file) => file.slice(sources.length + 1, file.lastIndexOf('/')));
}

/** In the version that the control plane of the tests has. */
async function kubernetes(): Promise<string> {
  const args = ['list', '-m', '-f', '{{.Path}}@{{.Version}}', 'k8s.io/kubernetes'];
  const cwd = join(ROOT, 'e2e/go-control-plane');
  const { code, stdout, stderr } = await run('go', args, { cwd });
  if (code !== 0) throw new Error(`go list failed: ${stderr.trim()}`);
  return stdout.trim();
}
