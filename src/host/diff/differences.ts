import type { Difference } from '../contract/driver.ts'
import type { Plan } from '../install/plan.ts'
import type { Tree } from '../install/tree.ts'
import type { DirSpec, FileSpec } from '../parts/spec.ts'
import { unifiedHunks } from './unified.ts'

/** The panel's own records: no daemon reads them, and they follow from the rest. */
const own = /^var\/lib\/panel-host\/manifest\//
/** The maximum to show of one file's diff. */
const maxLines = 400
const everybodyReads = 0o004

/** A plan's changes, reported as the host's differences. */
export function differencesOf(tree: Tree, { moves, makes, chmods, changes, errors: problems }: Plan): Difference[] {
  return [
    ...problems.map(({ message }): Difference => ({ path: '/', change: 'fault', note: message })),
    ...moves.map(({ from, to }): Difference => ({ path: at(to), change: 'moved', note: `it is still at ${at(from)}` })),
    ...makes.map(({ dir }): Difference => ({ path: `${at(dir.path)}/`, change: 'missing' })),
    ...chmods.map(({ dir }) => modeOf(tree, dir, '/')),
    ...changes.filter(({ path }) => !own.test(path)).map(({ path, had, write }) => ofFile(tree, path, had, write)),
  ]
}

const at = (path: string): string => `/${path}`
const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

function modeOf(tree: Tree, request: FileSpec | DirSpec, end = ''): Difference {
  const found = tree.stat(request.path)!
  const notes = []
  if ((found.mode & 0o7777) !== request.mode) notes.push(`mode ${octal(found.mode)}, should be ${octal(request.mode)}`)
  const ids = tree.idsOf(request)
  if (ids && !tree.isOwned(found, request))
    notes.push(`owner ${found.uid}:${found.gid}, should be ${ids.uid}:${ids.gid}`)
  return { path: at(request.path) + end, change: 'mode', note: notes.join('; ') }
}

function ofFile(tree: Tree, path: string, had: boolean, write: FileSpec | undefined): Difference {
  if (!write) return { path: at(path), change: 'surplus' }
  if (!had) return { path: at(path), change: 'missing', ...diffOf(path, '', write, true) }
  const found = tree.read(path)
  if (!found) return { path: at(path), change: 'changed', note: 'it is a symbolic link, should be a file' }
  if (found.content === write.content) return modeOf(tree, write)
  return { path: at(path), change: 'changed', ...diffOf(path, found.content, write, false) }
}

/**
 * Files that are not world-readable may contain secrets; virtual hosts are the exception: they only name who is hosted.
 */
const isVisible = ({ path, mode }: FileSpec): boolean =>
  (mode & everybodyReads) !== 0 || path.startsWith('etc/panel/nginx/sites/')

function diffOf(path: string, before: string, file: FileSpec, missing: boolean): Pick<Difference, 'diff' | 'note'> {
  if (!isVisible(file)) return { note: 'its content may be secret and is not shown' }
  return { diff: textDiff(at(path), before, file.content, missing) }
}

/** A unified diff of a file's text, truncated if long. */
export function textDiff(path: string, before: string, after: string, missing = false): string {
  const hunks = unifiedHunks(before, after)
  const rest = hunks.length - maxLines
  const cut = rest > 0 ? [...hunks.slice(0, maxLines), `# ${rest} more lines`] : hunks
  return `${[`--- ${missing ? '/dev/null' : path}`, `+++ ${path}`, ...cut].join('\n')}\n`
}
