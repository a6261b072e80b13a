import { join } from 'node:path'
import type { Difference } from '../contract/driver.ts'
import { filesIn } from './foreign-files.ts'
import { textOf } from './fragments.ts'
import { sitesFolder } from './sites.ts'

const own = [sitesFolder, 'etc/panel/nginx/server'] as const
/** The other files that Debian's nginx reads. */
const others = [
  { folder: 'etc/nginx/conf.d', end: '.conf' },
  { folder: 'etc/nginx/sites-enabled', end: '' },
] as const

/** The machine's own files with server names that panel serves: nginx uses the first that it reads. */
export function foreignNameDifferences(root = '/'): Difference[] {
  const served = new Set(own.flatMap((folder) => filesIn(root, folder, '.conf')).flatMap((path) => namesOf(root, path)))
  return others
    .flatMap(({ folder, end }) => filesIn(root, folder, end))
    .flatMap((path) => {
      const taken = namesOf(root, path).filter((name) => served.has(name))
      const note = `it claims ${taken.join(', ')}, which panel serves: take that away by hand`
      return taken.length === 0 ? [] : [{ path: `/${path}`, change: 'surplus' as const, note }]
    })
}

function namesOf(root: string, path: string): string[] {
  const text = (textOf(join(root, path)) ?? '').replaceAll(/#.*/g, '')
  const listed = [...text.matchAll(/(?:^|[\s;{])server_name\s([^;]*);/g)]
  return [
    ...new Set(
      listed.flatMap(([, names = '']) => names.split(/\s+/)).filter((name) => /^[\w*]/.test(name) && name !== '_'),
    ),
  ]
}
