import type { OperationId } from '../../../contract/index.ts'
import { Form } from '../../../web/kit/form.tsx'
import { Facts } from '../../../web/kit/object.tsx'
import type { Shown, Visit } from '../../../web/kit/screen.ts'
import { t } from '../../../web/kit/text.ts'

/** What is done with one file, and the fields that say so. */
const works: readonly (readonly [op: OperationId, only: readonly string[]])[] = [
  ['moveFile', ['from', 'to', 'overwrite']],
  ['copyFile', ['from', 'to', 'overwrite']],
  ['chmodFile', ['path', 'mode']],
  ['extractArchive', ['path', 'to', 'overwrite']],
  ['deleteFile', ['path']],
]

/** One file, directory or link, and what can be done with it. */
export function oneFile(visit: Visit): Shown {
  const { path, name, mode } = visit.data
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return {
    title: name,
    machine: true,
    body: (
      <>
        <Facts visit={visit} hidden={['name']} />
        {works.map(([op, only]) => {
          const form = visit.form(op, {
            value: { path, from: path, to: op === 'extractArchive' ? folder : path, mode },
            only,
          })
          return form ? (
            <details class="card" open={form.refusal !== undefined}>
              <summary>{t(form.label)}</summary>
              <div class="pad">
                <Form of={form} danger={op === 'deleteFile'} />
              </div>
            </details>
          ) : null
        })}
      </>
    ),
  }
}
