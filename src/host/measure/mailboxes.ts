import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailboxUsage } from '../contract/driver.ts'
import { homeOf } from '../homes/home-paths.ts'
import { Tree } from '../install/tree.ts'
import { type Bounds, measure } from './walk.ts'

/** The maximum number of entries to read per directory. */
const maxEntries = 100_000
const name = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/

/** A directory's entries, if it is reached through real directories only. */
async function entries(tree: Tree, path: string): Promise<Dirent[]> {
  if (!tree.isPlainDir(path)) return []
  const found: Dirent[] = []
  for await (const entry of await opendir(join(tree.root, path))) {
    found.push(entry)
    if (found.length >= maxEntries) break
  }
  return found
}

const dirsIn = async (tree: Tree, path: string, like: RegExp): Promise<string[]> =>
  (await entries(tree, path)).filter((entry) => entry.isDirectory() && like.test(entry.name)).map((entry) => entry.name)

/** Messages lie in `cur` and `new` of the Maildir and of each of its folders. */
async function messagesIn(tree: Tree, maildir: string): Promise<number> {
  const folders = ['', ...(await dirsIn(tree, maildir, /^\.[A-Za-z0-9&._+-]+$/)).map((folder) => `/${folder}`)]
  let messages = 0
  for (const folder of folders)
    for (const part of ['cur', 'new'])
      messages += (await entries(tree, `${maildir}${folder}/${part}`)).filter((entry) => entry.isFile()).length
  return messages
}

/** Measures each mail directory in a home; never follows symlinks. */
export async function mailboxUsage(
  root: string,
  username: string,
  bounds: Bounds | undefined,
  signal: AbortSignal | undefined,
): Promise<MailboxUsage[]> {
  const tree = new Tree(root)
  const mail = `${homeOf(username)}/mail`
  const found: MailboxUsage[] = []
  for (const domain of await dirsIn(tree, mail, name))
    for (const local of await dirsIn(tree, `${mail}/${domain}`, name)) {
      signal?.throwIfAborted()
      const path = `${mail}/${domain}/${local}`
      const { bytes } = await measure(join(root, path), bounds, signal)
      found.push({ domain, local, bytes, messages: await messagesIn(tree, `${path}/Maildir`) })
    }
  return found
}
