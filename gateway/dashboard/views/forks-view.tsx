/** Forks: writable copies of the control plane that begin at a moment and go their own way. */
import type { Fork } from '../../../api/generated/kinds/everwatch-v1alpha1.ts';
import { ageText } from '../parts/format.ts';
import { dialog, said } from '../parts/dialog-state.ts';
import { currentMs, moment } from '../state/clock.ts';
import { askText, sendJson } from '../state/http.ts';
import { useLive } from '../state/live.ts';
import { go, linkTo, pageLocation } from '../state/page-location.ts';
import { may } from '../state/rights.ts';

const KIND = { group: 'dev.everwatch', resource: 'forks' };
const PATH = '/apis/dev.everwatch/v1alpha1/forks';

export function ForksView() {
  const { value, problem } = useLive('forks', (live) => live.list$(PATH));
  const forks: readonly Fork[] = value.value ?? [];
  return (
    <section class="page">
      <header>
        <h2 id="title">Forks</h2>
        <div class="tools">
          {may('create', KIND) && pageLocation.value.fork === '' && (
            <button type="button" class="primary" onClick={askForFork}>
              Fork {pageLocation.value.at === '' ? 'now' : 'this moment'}…
            </button>
          )}
        </div>
      </header>
      <p class="dim wide-text">
        A fork begins with everything as it was at its moment. What is written to it is seen nowhere
        else.
      </p>
      {problem.value !== '' && <p class="problem">{problem.value}</p>}
      {value.value !== undefined && forks.length === 0 && <p class="nothing">There is no fork.</p>}
      {forks.length > 0 && (
        <div class="grid short" role="region" aria-label="Forks" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Begins at version</th>
                <th scope="col">Age</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {forks.map((fork) => (
                <ForkRow key={fork.metadata.name} fork={fork} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function ForkRow({ fork: { metadata, spec } }: { readonly fork: Fork }) {
  const { name = '', creationTimestamp } = metadata;
  const made = Date.parse(creationTimestamp ?? '');
  const isHere = pageLocation.value.fork === name;
  return (
    <tr>
      <td>
        <a href={linkTo({ fork: name, at: '', view: { name: 'overview' } })}>{name}</a>
        {isHere && <span class="dim"> is shown</span>}
      </td>
      <td>{spec.revision ?? ''}</td>
      <td>{Number.isNaN(made) ? '' : ageText(made, currentMs())}</td>
      <td class="right">
        <a
          class="button"
          href={linkTo({ fork: '', at: '', view: { name: 'compare', fork: name } })}
        >
          Compare with now
        </a>{' '}
        {may('delete', KIND) && (
          <button type="button" onClick={() => askToDelete(name)}>
            Delete…
          </button>
        )}
      </td>
    </tr>
  );
}

function askForFork(): void {
  const revision = pageLocation.value.at === '' ? '' : (moment.value?.revision ?? '');
  dialog.value = {
    kind: 'confirm',
    title: revision === '' ? 'Fork the control plane of now' : `Fork version ${revision}`,
    text: 'Nothing is copied, and nothing that happens in the fork is seen outside of it.',
    action: 'Make the fork',
    input: { label: 'Name', value: '' },
    act: async (name) => {
      const spec = revision === '' ? {} : { spec: { revision } };
      const apiVersion = 'dev.everwatch/v1alpha1';
      const fork = { apiVersion, kind: 'Fork', metadata: { name }, ...spec };
      await sendJson('POST', PATH, fork, '');
      said.value = `This is the fork ${name}.`;
      go({ fork: name, at: '', view: { name: 'overview' }, query: {} });
    },
  };
}

function askToDelete(name: string): void {
  dialog.value = {
    kind: 'confirm',
    title: `Delete the fork ${name}?`,
    text: 'Everything that was written to it is gone with it.',
    action: 'Delete',
    act: async () => {
      await askText(`${PATH}/${encodeURIComponent(name)}`, { method: 'DELETE', prefix: '' });
      said.value = `The fork ${name} is deleted.`;
      if (pageLocation.value.fork === name) go({ fork: '', at: '' });
    },
  };
}
