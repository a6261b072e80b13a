import { type Planning, skips } from './planning.ts'

/** The home's files. */
export function planFiles(at: Planning): void {
  const { source, report } = at
  const { files } = source
  if (!skips(at, 'files')) {
    const megabytes = Math.ceil(files.bytes / 1024 ** 2)
    report.add('files', 'home', 'as_is', `${files.files} files and ${files.directories} directories, ${megabytes} MB`)
    if (files.hardLinks > 0) report.add('files', 'hard links', 'as_is', `${files.hardLinks} further names of files`)
    if (files.modes > 0)
      report.add(
        'files',
        'permissions',
        'changed',
        `${files.modes} entries lose setuid, setgid, sticky bits and the write permission of others`,
      )
    for (const { file, target } of files.outside)
      report.add('files', file, 'not_possible', 'a link that leads out of the home', { from: target })
    if (files.outsideCount > files.outside.length)
      report.add(
        'files',
        'links',
        'not_possible',
        `${files.outsideCount - files.outside.length} more links lead out of the home`,
      )
    for (const [why, count] of Object.entries(files.refused))
      report.add('files', why, 'not_possible', notUnpacked(count, files.refusedNames?.[why]))
  }
}

function notUnpacked(count: number, names: readonly string[] = []): string {
  const what = count === 1 ? '1 entry is not unpacked' : `${count} entries are not unpacked`
  if (names.length === 0) return what
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return `${what}: ${names.join(', ')}${more}`
}
