import type { FileInput } from '../../contract/commands/files.ts'
import { FileError } from '../../contract/error.ts'
import { holding } from './directory.ts'
import { refuseForeign, refuseIrregular } from './entry.ts'
import { isFree } from './extract.ts'
import { checkNewName, isWithin, type Parts, partsOf, refuseReserved, wrong } from './path.ts'
import { atPath, descend, type Home } from './walk.ts'

type PreflightInput = FileInput<'foresee'>

const fields = { copy: 'from', archive: 'paths', extract: 'path' } as const

/** Throws what is already known to fail in a job's work. */
export async function foresee(home: Home, { work, from, to }: PreflightInput): Promise<null> {
  const target = partsOf(to, 'to')
  const sources = from.map((path) => partsOf(path, fields[work]))
  if (work === 'copy' && sources.some((source) => isWithin(target, source)))
    throw wrong('to', 'is the directory itself or lies in it')
  if (work !== 'extract') refuseReserved(target)
  for (const source of sources) await refuseSource(home, source, work)
  await (work === 'extract' ? refuseNoRoom(home, target) : refuseTaken(home, target))
  return null
}

async function refuseSource(home: Home, source: Parts, work: PreflightInput['work']): Promise<void> {
  if (work === 'archive' && source.length === 0) return
  const look = async (place: Parameters<Parameters<typeof atPath>[2]>[0]): Promise<void> => {
    const stats = await place.parent.lstat(place.name)
    if (work === 'extract') refuseIrregular(stats)
    refuseForeign(home, stats)
  }
  await atPath(home, source, look, fields[work])
}

async function refuseTaken(home: Home, target: Parts): Promise<void> {
  checkNewName(target, 'to')
  const there = await atPath(home, target, ({ parent, name }) => parent.find(name), 'to')
  if (there) throw new FileError('exists', 'There is already something at this path.')
}

async function refuseNoRoom(home: Home, target: Parts): Promise<void> {
  if (target.length === 0) return
  checkNewName(target, 'to')
  if (!(await isFree(home, target))) await holding(descend(home, target, 'to'), async () => {})
}
