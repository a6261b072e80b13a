import type { OperationId } from '../../../contract/index.ts'
import { LinkButton } from '../../../web/kit/components/button.tsx'
import { FoldedForm } from '../../../web/kit/components/fold.tsx'
import { Facts } from '../../../web/kit/pages/object.tsx'
import type { Answered, PageView, ViewContext } from '../../../web/kit/screen.ts'
import { type FilePath, itemOf, pathField, pathQuery, whereOf } from './path.ts'

/** The actions on a single file, and their fields. */
const works: readonly (readonly [op: OperationId, only: readonly string[]])[] = [
  ['moveFile', ['from', 'from_bytes', 'to', 'overwrite']],
  ['copyFile', ['from', 'from_bytes', 'to', 'overwrite']],
  ['chmodFile', ['path', 'path_bytes', 'mode']],
  ['extractArchive', ['path', 'path_bytes', 'to', 'overwrite']],
  ['deleteFile', ['path', 'path_bytes']],
]

/** Its path as each operation takes it: as text, or as bytes if it is not valid text. */
function pathFor(op: OperationId, only: readonly string[], item: string): Readonly<Record<string, string>> {
  return op === 'deleteFile' ? pathQuery(item) : pathField(only[0]!, item)
}

function formFor(view: ViewContext, op: OperationId, only: readonly string[]) {
  const { path, path_bytes, mode }: FilePath & { mode: string } = view.data
  const own = pathFor(op, only, itemOf({ path, path_bytes }))
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const to = op === 'extractArchive' || path_bytes !== undefined ? folder : path
  const [, , ...rest] = only
  return view.form(op, { value: { ...own, to, mode }, only: [...Object.keys(own), ...rest] })
}

const isArchive = (name: string): boolean => /\.(zip|tar|tgz|tbz2?|txz|7z|rar|gz|bz2|xz|zst)$/i.test(name)

/** A file, directory or link, and the actions on it. */
export function oneFile(view: ViewContext): PageView {
  return {
    title: view.data.name || '/',
    machine: true,
    actions: <Links view={view} file={view.data} />,
    body: (
      <>
        <Facts view={view} hidden={['name']} />
        {works
          .filter(([op]) => op !== 'extractArchive' || isArchive(view.data.name))
          .map(([op, only]) => (
            <FoldedForm of={formFor(view, op, only)} danger={op === 'deleteFile'} />
          ))}
      </>
    ),
  }
}

const Links = ({ view, file }: { view: ViewContext; file: Answered }) => {
  if (file.type === 'directory') return <LinkButton href={view.href(...whereOf('/files', file))} label="Open" />
  if (file.type !== 'file' || !view.may('readFile')) return null
  const [page, values, query] = whereOf('/edit', file)
  return (
    <>
      <LinkButton href={view.href(page, values, { ...query, format: 'file' })} label="Download" />
      <LinkButton href={view.href(page, values, query)} label="Edit" look="main" />
    </>
  )
}
