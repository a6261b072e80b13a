import { HostError } from '../contract/error.ts'
import { keyOf, LinkBudget, leadsOut } from '../homes/archive/links.ts'
import { textOf } from '../homes/archive/warnings.ts'
import { type Directory, holding } from '../homes/home/directory.ts'

const MAX_ENTRIES = 100_000
const deepest = 64

type BytePath = readonly Buffer[]

/** Refuses what archives may not contain either: too many files, devices, and links that lead out. */
export async function validateTree(root: Directory, signal?: AbortSignal): Promise<void> {
  let entries = 0
  const links = new Map<string, Buffer>()
  const paths: BytePath[] = []
  const look = async (directory: Directory, above: BytePath): Promise<void> => {
    if (above.length > deepest) throw refused('is too deep', above)
    for await (const name of directory.names()) {
      signal?.throwIfAborted()
      const path = [...above, name]
      if (++entries > MAX_ENTRIES) throw refused(`contains more than ${MAX_ENTRIES} files`)
      const stats = await directory.lstat(name)
      if (stats.isDirectory()) await holding(directory.down(name), (inner) => look(inner, path))
      else if (stats.isSymbolicLink()) {
        links.set(keyOf(path), await directory.readlink(name))
        paths.push(path)
      } else if (!stats.isFile()) throw refused('contains something other than files, directories and links', path)
    }
  }
  await holding(root.again(), (top) => look(top, []))
  const budget = new LinkBudget()
  for (const path of paths)
    if (leadsOut(path, links.get(keyOf(path))!, links, budget))
      throw refused('contains a link that leads out of it', path)
}

function refused(what: string, path?: BytePath): HostError {
  const at = path ? `: ${textOf(path)}` : ''
  return new HostError('stage', `The source was refused: it ${what}${at}.`)
}
